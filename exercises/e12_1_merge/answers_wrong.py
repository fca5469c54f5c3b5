"""Wrong answers to exercise 12.1, of the kind that learners write: the checker must reject all of them."""

import math

import torch
import torch.nn.functional as F

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


def shares(lse_a, lse_b):
    """The right share of each side, and the right lse."""
    lses = torch.stack([lse_a, lse_b], -1)
    nothing = (lses == -torch.inf).all(-1)
    safe = lses.masked_fill(nothing[..., None], 0)
    split = safe.softmax(-1).masked_fill(nothing[..., None], 0)[..., None, :]
    return split[..., 0], split[..., 1], safe.logsumexp(-1).masked_fill(nothing, -torch.inf)


def mixed(out_a, lse_a, out_b, lse_b):
    x, y, _ = shares(lse_a, lse_b)
    return x * out_a + y * out_b


@wrong("plain-mean")
def merged_half_and_half(out_a, lse_a, out_b, lse_b):
    return torch.stack([out_a, out_b]).mean(0), shares(lse_a, lse_b)[2]


@wrong("outs-added")
def merged_by_adding(out_a, lse_a, out_b, lse_b):
    return torch.stack([out_a, out_b]).sum(0), shares(lse_a, lse_b)[2]


@wrong("not-divided")
def merged_without_the_division(out_a, lse_a, out_b, lse_b):
    top = torch.maximum(lse_a, lse_b)
    out = out_a * torch.exp(lse_a - top).unsqueeze(-1) + out_b * torch.exp(lse_b - top).unsqueeze(-1)
    return out, torch.logaddexp(lse_a, lse_b)


@wrong("lse-as-weights")
def merged_by_the_logarithms(out_a, lse_a, out_b, lse_b):
    total = (lse_a + lse_b).unsqueeze(-1)
    return (lse_a.unsqueeze(-1) * out_a + lse_b.unsqueeze(-1) * out_b) / total, torch.logaddexp(lse_a, lse_b)


@wrong("weights-swapped")
def merged_with_the_others_weight(out_a, lse_a, out_b, lse_b):
    x, y, lse = shares(lse_a, lse_b)
    return y * out_a + x * out_b, lse


@wrong("over-queries")
def merged_with_softmax_along_the_queries(out_a, lse_a, out_b, lse_b):
    weights = F.softmax(torch.stack([lse_a, lse_b]), dim=-1).unsqueeze(-1)
    return (weights * torch.stack([out_a, out_b])).sum(0), torch.logaddexp(lse_a, lse_b)


@wrong("larger-side-alone")
def merged_by_the_larger(out_a, lse_a, out_b, lse_b):
    share = (lse_a > lse_b).to(out_a.dtype).unsqueeze(-1)
    return share * out_a + (1 - share) * out_b, torch.logaddexp(lse_a, lse_b)


@wrong("lse-added")
def merged_with_added_lse(out_a, lse_a, out_b, lse_b):
    return mixed(out_a, lse_a, out_b, lse_b), torch.stack([lse_a, lse_b]).sum(0)


@wrong("larger-lse")
def merged_with_the_larger_lse(out_a, lse_a, out_b, lse_b):
    return mixed(out_a, lse_a, out_b, lse_b), torch.where(lse_a > lse_b, lse_a, lse_b)


@wrong("base-not-added")
def merged_with_a_relative_lse(out_a, lse_a, out_b, lse_b):
    top = torch.maximum(lse_a, lse_b)
    return mixed(out_a, lse_a, out_b, lse_b), torch.logaddexp(lse_a - top, lse_b - top)


@wrong("sum-returned")
def merged_with_the_sum(out_a, lse_a, out_b, lse_b):
    return mixed(out_a, lse_a, out_b, lse_b), shares(lse_a, lse_b)[2].exp()


@wrong("mean-of-sums")
def merged_with_the_logarithm_of_the_mean(out_a, lse_a, out_b, lse_b):
    return mixed(out_a, lse_a, out_b, lse_b), shares(lse_a, lse_b)[2] - math.log(2)


@wrong("base-2")
def merged_in_base_2(out_a, lse_a, out_b, lse_b):
    lse = torch.logaddexp2(lse_a, lse_b)
    return torch.exp2(lse_a - lse).unsqueeze(-1) * out_a + torch.exp2(lse_b - lse).unsqueeze(-1) * out_b, lse


@wrong("overflow")
def merged_with_plain_exp(out_a, lse_a, out_b, lse_b):
    total = torch.exp(lse_a) + torch.exp(lse_b)
    out = torch.exp(lse_a).unsqueeze(-1) * out_a + torch.exp(lse_b).unsqueeze(-1) * out_b
    return out / total.unsqueeze(-1), torch.log(total)


@wrong("nothing-is-nan")
def merged_by_an_unguarded_softmax(out_a, lse_a, out_b, lse_b):
    lses = torch.stack([lse_a, lse_b])
    weights = torch.softmax(lses, 0).unsqueeze(-1)
    return weights[0] * out_a + weights[1] * out_b, torch.logsumexp(lses, 0)


@wrong("unseen-swallows")
def merged_by_a_difference(out_a, lse_a, out_b, lse_b):
    x, y, lse = shares(lse_a, lse_b)
    return (out_a - y * (out_a - out_b)) * (x + y), lse


@wrong("unseen-swallows")
def merged_as_in_ring_attention(out_a, lse_a, out_b, lse_b):
    out = out_a - F.sigmoid(lse_b - lse_a).unsqueeze(-1) * (out_a - out_b)
    return out, lse_a - F.logsigmoid(lse_a - lse_b)


@wrong("unseen-counts")
def merged_with_a_stand_in(out_a, lse_a, out_b, lse_b):
    x, y, lse = shares(torch.maximum(lse_a, torch.tensor(-50.0)), torch.maximum(lse_b, torch.tensor(-50.0)))
    return x * out_a + y * out_b, lse


@wrong("nothing-seen")
def merged_with_a_very_small_number(out_a, lse_a, out_b, lse_b):
    a, b = torch.clamp(lse_a, min=-1e9), torch.clamp(lse_b, min=-1e9)
    lse = torch.logaddexp(a, b)
    return torch.exp(a - lse).unsqueeze(-1) * out_a + torch.exp(b - lse).unsqueeze(-1) * out_b, lse


@wrong("nan-gradients")
def merged_and_repaired_afterwards(out_a, lse_a, out_b, lse_b):
    top = torch.maximum(lse_a, lse_b)
    a, b = (lse_a - top).exp(), (lse_b - top).exp()
    out = (a.unsqueeze(-1) * out_a + b.unsqueeze(-1) * out_b) / (a + b).unsqueeze(-1)
    nothing = top == -torch.inf
    return out.masked_fill(nothing.unsqueeze(-1), 0), (top + (a + b).log()).masked_fill(nothing, -torch.inf)


@wrong("no-gradients")
def merged_without_gradients(out_a, lse_a, out_b, lse_b):
    with torch.no_grad():
        x, y, lse = shares(lse_a, lse_b)
    return x * out_a + y * out_b, lse


@wrong("swapped-pair")
def merged_lse_first(out_a, lse_a, out_b, lse_b):
    return shares(lse_a, lse_b)[2], mixed(out_a, lse_a, out_b, lse_b)


@wrong("only-out")
def merged_out_alone(out_a, lse_a, out_b, lse_b):
    return mixed(out_a, lse_a, out_b, lse_b)


@wrong()
def merged_by_squares(out_a, lse_a, out_b, lse_b):
    x, y, lse = shares(2 * lse_a, 2 * lse_b)
    return x * out_a + y * out_b, lse / 2
