"""Wrong answers to exercise 11.4, of the kind that learners write: the checker must reject all of them."""

import torch

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


def hidden(scores, mask):
    return torch.where(mask, scores, float("-inf"))


def soft(scores, cap):
    return (scores / cap).tanh() * cap


@wrong("mask-before-the-cap")
def capped_what_was_masked(scores, cap, mask):
    masked = hidden(scores, mask)
    return soft(masked, cap)


@wrong("mask-before-the-cap")
def capped_with_an_additive_mask(scores, cap, mask):
    return cap * torch.tanh((scores + torch.zeros(mask.shape).masked_fill(~mask, float("-inf"))) / cap)


@wrong("hidden-scores-finite")
def capped_and_filled_with_minus_1e9(scores, cap, mask):
    return torch.where(mask, soft(scores, cap), -1e9)


@wrong("hidden-scores-finite")
def capped_and_filled_with_the_lowest(scores, cap, mask):
    return torch.where(mask, soft(scores, cap), torch.finfo(scores.dtype).min)


@wrong("hidden-scores-zero")
def capped_and_multiplied(scores, cap, mask):
    return soft(scores, cap).masked_fill(~mask, 0.0)


@wrong("mask-inverted")
def capped_and_hidden_where_visible(scores, cap, mask):
    return hidden(soft(scores, cap), ~mask)


@wrong("mask-ignored")
def capped_alone(scores, cap, mask):
    capped = soft(scores, cap)
    capped.masked_fill(~mask, float("-inf"))
    return capped


@wrong("zero-times-infinity")
def capped_plus_infinity_times_the_mask(scores, cap, mask):
    return soft(scores, cap) + (1 - mask.float()) * float("-inf")


@wrong("clamped")
def capped_by_minimum_and_maximum(scores, cap, mask):
    low, high = torch.full_like(scores, -cap), torch.full_like(scores, cap)
    return hidden(torch.minimum(torch.maximum(scores, low), high), mask)


@wrong("clamped")
def capped_from_above(scores, cap, mask):
    return hidden(torch.minimum(scores, torch.full_like(scores, cap)), mask)


@wrong("not-multiplied")
def capped_between_minus_1_and_1(scores, cap, mask):
    return hidden((scores / cap).tanh(), mask)


@wrong("not-divided")
def capped_too_early(scores, cap, mask):
    return hidden(scores.tanh() * cap, mask)


@wrong("fixed-cap")
def capped_at_gemma_s_50(scores, cap, mask):
    return hidden(soft(scores, 50), mask)


@wrong("fixed-cap")
def capped_by_tanh_alone(scores, cap, mask):
    return hidden(scores.tanh(), mask)


@wrong("not-capped")
def masked_alone(scores, cap, mask):
    return hidden(scores, mask)


@wrong("only-large-ones-capped")
def capped_where_it_is_needed(scores, cap, mask):
    out = scores.clone()
    out[scores.abs() > cap] = soft(scores[scores.abs() > cap], cap)
    return hidden(out, mask)


@wrong("sigmoid")
def capped_with_a_sigmoid(scores, cap, mask):
    return hidden(cap / (1 + torch.exp(-scores / cap)), mask)


@wrong("overflow")
def capped_by_the_definition_of_tanh(scores, cap, mask):
    x = scores / cap
    return hidden(cap * (x.exp() - (-x).exp()) / (x.exp() + (-x).exp()), mask)


@wrong("overflow")
def capped_by_sinh_over_cosh(scores, cap, mask):
    return hidden(cap * (scores / cap).sinh() / (scores / cap).cosh(), mask)


@wrong("softmax-taken")
def capped_weights(scores, cap, mask):
    exponentials = hidden(soft(scores, cap), mask).exp()
    return exponentials / exponentials.sum(-1, keepdim=True)


@wrong("no-gradients")
def capped_in_numpy(scores, cap, mask):
    return hidden(torch.from_numpy((cap * torch.tanh(scores.detach() / cap)).numpy()), mask)


@wrong()
def capped_with_arctan(scores, cap, mask):
    return hidden(cap * 2 / torch.pi * torch.atan(scores / cap), mask)
