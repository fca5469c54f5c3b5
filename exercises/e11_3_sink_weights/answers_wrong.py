"""Wrong answers to exercise 11.3, of the kind that learners write: the checker must reject all of them."""

import torch

from feedback.bank import WrongAnswers

wrong = WrongAnswers()
INF = float("inf")


def column(scores, sinks):
    return sinks.view(1, -1, 1, 1).repeat(scores.size(0), 1, scores.size(2), 1)


def softmax(entries, dim=-1):
    hidden = torch.isneginf(entries)
    return torch.where(hidden, torch.finfo(entries.dtype).min, entries).softmax(dim) * ~hidden


def answer(scores, sinks):
    return softmax(torch.cat([scores, column(scores, sinks)], -1))[..., :-1]


@wrong("sink-takes-nothing")
def weights_of_the_keys_alone(scores, sinks):
    return softmax(scores)


@wrong("sink-takes-nothing")
def weights_normalized_again(scores, sinks):
    weights = answer(scores, sinks.clamp(max=50.0))
    return weights / weights.sum(-1, keepdim=True).clamp(min=1e-30)


@wrong("sink-takes-nothing")
def weights_with_sinks_added(scores, sinks):
    return softmax(scores + sinks.clamp(min=-1e4)[:, None, None])


@wrong("sink-of-zero")
def weights_off_by_one(scores, sinks):
    top = scores.amax(-1, keepdim=True).clamp(min=0)
    powers = (scores - top).exp()
    return powers / ((-top).exp() + powers.sum(-1, keepdim=True))


@wrong("sink-not-exponentiated")
def weights_over_the_sum_and_the_sink(scores, sinks):
    return scores.exp() / (scores.exp().sum(-1, keepdim=True) + sinks.view(1, -1, 1, 1))


@wrong("sink-not-shifted")
def weights_with_the_maximum_of_the_scores(scores, sinks):
    shifted = scores - scores.max(dim=-1, keepdim=True).values
    return shifted.exp() / (shifted.exp().sum(-1, keepdim=True) + torch.exp(column(scores, sinks)))


@wrong("gate-without-scores")
def weights_times_a_gate(scores, sinks):
    return softmax(scores) * (1 - torch.sigmoid(column(scores, sinks)))


@wrong("gate-by-the-largest")
def weights_by_the_largest_score(scores, sinks):
    largest = scores.max(-1, keepdim=True).values
    return softmax(scores) / (1 + torch.exp(column(scores, sinks) - largest))


@wrong("sign-of-the-sink")
def weights_with_negative_sinks(scores, sinks):
    return answer(scores, sinks.neg())


@wrong("one-sink-for-all")
def weights_with_the_first_sink(scores, sinks):
    return answer(scores, sinks[0].repeat(len(sinks)))


@wrong("one-sink-for-all")
def weights_with_the_mean_sink(scores, sinks):
    return answer(scores, torch.full_like(sinks, sinks.mean().item()))


@wrong("all-sinks-for-each")
def weights_next_to_all_sinks(scores, sinks):
    all_sinks = sinks.expand(*scores.shape[:-1], len(sinks))
    return softmax(torch.cat([scores, all_sinks], -1))[..., : scores.size(-1)]


@wrong("sinks-for-queries")
def weights_with_a_sink_for_each_query(scores, sinks):
    sink = sinks.view(1, 1, -1, 1).expand(scores.size(0), scores.size(1), scores.size(2), 1)
    return softmax(torch.cat([scores, sink], -1))[..., :-1]


@wrong("sinks-for-items")
def weights_with_a_sink_for_each_item(scores, sinks):
    sink = sinks.view(-1, 1, 1, 1).expand(scores.size(0), scores.size(1), scores.size(2), 1)
    return softmax(torch.cat([scores, sink], -1))[..., :-1]


@wrong("sink-returned")
def weights_and_the_sink(scores, sinks):
    return softmax(torch.cat([scores, column(scores, sinks)], 3))


@wrong("key-dropped")
def weights_with_the_sink_in_front(scores, sinks):
    return softmax(torch.cat([column(scores, sinks), scores], -1))[..., : scores.size(-1)]


@wrong("key-dropped")
def weights_without_the_first_key(scores, sinks):
    return softmax(torch.cat([scores, column(scores, sinks)], -1))[:, :, :, 1:]


@wrong("over-queries")
def weights_over_the_queries(scores, sinks):
    return torch.cat([scores, column(scores, sinks)], -1).softmax(2)[..., :-1]


@wrong("no-softmax")
def weights_that_are_exponentials(scores, sinks):
    return torch.exp(scores)


@wrong("overflow")
def weights_by_the_formula(scores, sinks):
    return scores.exp() / (column(scores, sinks).exp() + scores.exp().sum(-1, True))


@wrong("underflow")
def weights_below_the_global_maximum(scores, sinks):
    entries = torch.cat([scores, column(scores, sinks)], -1)
    powers = torch.exp(entries - torch.max(entries))
    return (powers / powers.sum(-1, keepdim=True))[..., :-1]


@wrong("nan-rows")
def weights_by_concatenation(scores, sinks):
    return torch.cat([scores, column(scores, sinks)], -1).softmax(-1)[..., :-1]


@wrong("nan-rows")
def weights_below_the_maximum_with_the_sink(scores, sinks):
    sink = column(scores, sinks)
    top = torch.maximum(scores.amax(-1, keepdim=True), sink)
    powers = (scores - top).exp()
    return powers / (powers.sum(-1, keepdim=True) + (sink - top).exp())


@wrong("nan-below-the-largest-score")
def weights_below_the_largest_score(scores, sinks):
    powers = torch.exp(scores - scores.max(-1, keepdim=True).values)
    return powers / (
        powers.sum(-1, keepdim=True) + torch.exp(column(scores, sinks) - scores.max(-1, keepdim=True).values)
    )


@wrong("uniform-rows")
def weights_filled_with_minus_1e9(scores, sinks):
    return torch.cat([scores, column(scores, sinks)], -1).clamp(min=-1e9).softmax(-1)[..., :-1]


@wrong("filled-too-high")
def weights_gated_above_minus_10_000(scores, sinks):
    seen = scores > -torch.inf
    filled = torch.where(seen, scores, -10_000.0)
    gate = torch.sigmoid(filled.logsumexp(-1) - sinks[:, None])
    return filled.softmax(-1) * gate[..., None] * seen


@wrong("nan-gradients")
def weights_without_nan_in_the_result(scores, sinks):
    return torch.cat([scores, column(scores, sinks)], -1).softmax(-1)[..., :-1].nan_to_num(0.0)


@wrong("no-gradients")
def weights_with_a_new_tensor_of_sinks(scores, sinks):
    return answer(scores, torch.tensor(sinks.tolist(), dtype=scores.dtype))


@wrong("rows-sum-to-another-number")
def weights_with_half_of_the_sink(scores, sinks):
    return answer(scores, sinks / 2)
