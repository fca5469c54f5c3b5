"""Wrong answers to exercise 9.4, of the kind that learners write: the checker must reject all of them."""

import torch
import torch.nn.functional as F

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


def rotated(x, first, base=10000.0):
    T, D = x.shape[-2:]
    angles = torch.outer(torch.arange(first, first + T).double(), base ** (-torch.arange(0, D, 2).double() / D))
    z = torch.view_as_complex(x.double().unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(z * torch.polar(torch.ones_like(angles), angles)).flatten(-2).to(x.dtype)


def rotated_halves(x, first):
    D = x.size(-1)
    order = torch.arange(D).view(2, -1).T.flatten()
    return rotated(x[..., order], first)[..., order.argsort()]


def attended(q, k, v, mask=None, scale=None):
    if mask is None:
        mask = torch.ones(q.size(-2), k.size(-2), dtype=torch.bool).tril(k.size(-2) - q.size(-2))
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=scale)


def joined(past, k, v):
    return (k, v) if past is None else (torch.cat([past[0], k], -2), torch.cat([past[1], v], -2))


def length(past):
    return 0 if past is None else past[0].size(-2)


@wrong("positions-from-0")
def stepped_from_zero(q, k, v, past=None):
    k, values = joined(past, rotated(k, 0), v)
    return attended(rotated(q, 0), k, values), (k, values)


@wrong("one-too-early")
def stepped_one_too_early(q, k, v, past=None):
    n = max(length(past) - 1, 0)
    k, values = joined(past, rotated(k, n), v)
    return attended(rotated(q, n), k, values), (k, values)


@wrong("one-too-late")
def stepped_one_too_late(q, k, v, past=None):
    n = length(past) + 1 if past else 0
    k, values = joined(past, rotated(k, n), v)
    return attended(rotated(q, n), k, values), (k, values)


@wrong("calls-counted")
def stepped_by_calls(q, k, v, past=None):
    n, old = (0, None) if past is None else past
    k, values = joined(old, rotated(k, n), v)
    return attended(rotated(q, n), k, values), (n + 1, (k, values))


@wrong("queries-from-0")
def stepped_with_queries_from_zero(q, k, v, past=None):
    k, values = joined(past, rotated(k, length(past)), v)
    return attended(rotated(q, 0), k, values), (k, values)


@wrong("keys-from-0")
def stepped_with_keys_from_zero(q, k, v, past=None):
    n = length(past)
    k, values = joined(past, rotated(k, 0), v)
    return attended(rotated(q, n), k, values), (k, values)


@wrong("keys-turned-again")
def stepped_turning_again(q, k, v, past=None):
    n = length(past)
    k, values = joined(past, k, v)
    k = rotated(k, 0)
    return attended(rotated(q, n), k, values), (k, values)


@wrong("old-keys-not-turned")
def stepped_keeping_what_came(q, k, v, past=None):
    n = length(past)
    turned, values = joined(past, rotated(k, n), v)
    plain, _ = joined(past, k, v)
    return attended(rotated(q, n), turned, values), (plain, values)


@wrong("queries-not-turned")
def stepped_with_plain_queries(q, k, v, past=None):
    k, values = joined(past, rotated(k, length(past)), v)
    return attended(q, k, values), (k, values)


@wrong("keys-not-turned")
def stepped_with_plain_keys(q, k, v, past=None):
    n = length(past)
    k, values = joined(past, k, v)
    return attended(rotated(q, n), k, values), (k, values)


@wrong("nothing-turned")
def stepped_without_positions(q, k, v, past=None):
    k, values = joined(past, k, v)
    return attended(q, k, values), (k, values)


@wrong("values-turned")
def stepped_turning_all_three(q, k, v, past=None):
    n = length(past)
    q, k, v = (rotated(x, n) for x in (q, k, v))
    k, v = joined(past, k, v)
    return attended(q, k, v), (k, v)


@wrong("halves")
def stepped_in_halves(q, k, v, past=None):
    n = length(past)
    k, values = joined(past, rotated_halves(k, n), v)
    return attended(rotated_halves(q, n), k, values), (k, values)


@wrong("opposite-directions")
def stepped_in_opposite_directions(q, k, v, past=None):
    n = length(past)
    back = rotated(k.unflatten(-1, (-1, 2)).flip(-1).flatten(-2), n).unflatten(-1, (-1, 2)).flip(-1).flatten(-2)
    k, values = joined(past, back, v)
    return attended(rotated(q, n), k, values), (k, values)


@wrong("past-ignored")
def stepped_alone(q, k, v, past=None):
    k = rotated(k, 0)
    return attended(rotated(q, 0), k, v), (k, v)


@wrong("only-new-kept")
def stepped_keeping_the_new(q, k, v, past=None):
    n = length(past)
    new = rotated(k, n)
    keys, values = joined(past, new, v)
    return attended(rotated(q, n), keys, values), (new, v)


@wrong("first-kept")
def stepped_keeping_the_first(q, k, v, past=None):
    n = length(past)
    keys, values = joined(past, rotated(k, n), v)
    return attended(rotated(q, n), keys, values), past or (keys, values)


@wrong("new-before-past")
def stepped_with_new_in_front(q, k, v, past=None):
    n = length(past)
    k = rotated(k, n)
    if past is not None:
        k, v = torch.cat([k, past[0]], -2), torch.cat([v, past[1]], -2)
    return attended(rotated(q, n), k, v), (k, v)


@wrong("no-mask")
def stepped_without_a_mask(q, k, v, past=None):
    n = length(past)
    k, values = joined(past, rotated(k, n), v)
    return attended(rotated(q, n), k, values, torch.ones(q.size(-2), k.size(-2), dtype=torch.bool)), (k, values)


@wrong("mask-from-the-top-left")
def stepped_with_is_causal(q, k, v, past=None):
    n = length(past)
    k, values = joined(past, rotated(k, n), v)
    mask = torch.ones(q.size(-2), k.size(-2), dtype=torch.bool).tril()
    return attended(rotated(q, n), k, values, mask), (k, values)


@wrong("no-scale")
def stepped_without_scale(q, k, v, past=None):
    n = length(past)
    k, values = joined(past, rotated(k, n), v)
    return attended(rotated(q, n), k, values, scale=1.0), (k, values)


@wrong("scaled-by-d")
def stepped_scaled_by_d(q, k, v, past=None):
    n = length(past)
    k, values = joined(past, rotated(k, n), v)
    return attended(rotated(q, n), k, values, scale=1 / q.size(-1)), (k, values)


@wrong("over-queries")
def stepped_with_softmax_over_queries(q, k, v, past=None):
    n = length(past)
    k, values = joined(past, rotated(k, n), v)
    scores = rotated(q, n) @ k.mT / q.size(-1) ** 0.5
    hidden = torch.arange(k.size(-2)) > torch.arange(n, n + q.size(-2))[:, None]
    return scores.masked_fill(hidden, float("-inf")).softmax(-2) @ values, (k, values)


@wrong("no-softmax")
def stepped_without_softmax(q, k, v, past=None):
    n = length(past)
    k, values = joined(past, rotated(k, n), v)
    scores = rotated(q, n) @ k.mT / q.size(-1) ** 0.5
    hidden = torch.arange(k.size(-2)) > torch.arange(n, n + q.size(-2))[:, None]
    return scores.masked_fill(hidden, float("-inf")) @ values, (k, values)


@wrong("past-shared")
def stepped_appending_to_lists(q, k, v, past=None):
    keys, values = past or ([], [])
    n = sum(x.size(-2) for x in keys)
    keys.append(rotated(k, n))
    values.append(v)
    return attended(rotated(q, n), torch.cat(keys, -2), torch.cat(values, -2)), (keys, values)


@wrong("past-shared")
def stepped_into_a_buffer(q, k, v, past=None):
    if past is None:
        past = (k.new_zeros(*k.shape[:2], 400, k.size(-1)), v.new_zeros(*v.shape[:2], 400, v.size(-1)), 0)
    keys, values, n = past
    T = q.size(-2)
    keys[:, :, n : n + T], values[:, :, n : n + T] = rotated(k, n), v
    return attended(rotated(q, n), keys[:, :, : n + T].clone(), values[:, :, : n + T].clone()), (keys, values, n + T)


@wrong()
def stepped_with_base_100(q, k, v, past=None):
    n = length(past)
    k, values = joined(past, rotated(k, n, 100.0), v)
    return attended(rotated(q, n, 100.0), k, values), (k, values)


@wrong("returns-wrong-type")
def stepped_without_past(q, k, v, past=None):
    return attended(rotated(q, 0), rotated(k, 0), v)
