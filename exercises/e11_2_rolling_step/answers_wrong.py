"""Wrong answers to exercise 11.2, of the kind that learners write: the checker must reject all of them."""

import torch
import torch.nn.functional as F

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


def joined(past, k, v):
    return (k, v) if past is None else (torch.cat([past[0], k], -2), torch.cat([past[1], v], -2))


def band(q, k, window, own=0):
    """True where a key lies `own` to window + own - 1 positions back."""
    T, S = q.size(-2), k.size(-2)
    ones = torch.ones(T, S, dtype=torch.bool)
    return ones.tril(S - T - own) & ones.triu(S - T - own - window + 1)


def attended(q, k, v, mask, scale=None):
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=scale)


def kept(k, v, window):
    return k[..., -window:, :], v[..., -window:, :]


@wrong("trimmed-before-attending")
def rolled_trim_then_attend(q, k, v, past, window):
    k, v = kept(*joined(past, k, v), window)
    return attended(q, k, v, band(q, k, window)), (k, v)


@wrong("trimmed-before-attending")
def rolled_trim_then_causal(q, k, v, past, window):
    k, v = kept(*joined(past, k, v), window)
    T, S = q.size(2), k.size(2)
    scores = (q @ k.mT / q.size(-1) ** 0.5).masked_fill(torch.ones(T, S).triu(S - T + 1) > 0, -torch.inf)
    return scores.softmax(-1) @ v, (k, v)


@wrong("trimmed-before-attending")
def rolled_making_room_first(q, k, v, past, window):
    if past is not None and past[0].size(2) + q.size(2) > window:
        drop = past[0].size(2) + q.size(2) - window
        past = tuple(x[:, :, drop:] for x in past)
    k, v = joined(past, k, v)
    return attended(q, k, v, band(q, k, window)), kept(k, v, window)


@wrong("window-missing-in-a-call")
def rolled_with_a_causal_mask(q, k, v, past, window):
    k, v = joined(past, k, v)
    start = max(k.size(2) - (window - 1), 0)
    return attended(q, k, v, band(q, k, 10**6)), (k[:, :, start:], v[:, :, start:])


@wrong("window-missing-in-a-call")
def rolled_with_a_causal_mask_and_window_positions(q, k, v, past, window):
    k, v = joined(past, k, v)
    return attended(q, k, v, band(q, k, 10**6)), kept(k, v, window)


@wrong("no-window")
def rolled_without_a_window(q, k, v, past, window):
    k, v = joined(past, k, v)
    return attended(q, k, v, band(q, k, 10**6)), (k, v)


@wrong("past-too-long")
def rolled_with_everything_kept(q, k, v, past, window):
    k, v = joined(past, k, v)
    return attended(q, k, v, band(q, k, window)), (k, v)


@wrong("past-too-long")
def rolled_with_minus_zero(q, k, v, past, window):
    k, v = joined(past, k, v)
    return attended(q, k, v, band(q, k, window)), (k[:, :, -(window - 1) :], v[:, :, -(window - 1) :])


@wrong("past-too-long")
def rolled_with_one_more_kept(q, k, v, past, window):
    k, v = joined(past, k, v)
    return attended(q, k, v, band(q, k, window)), kept(k, v, window + 1)


@wrong("past-too-long")
def rolled_cutting_only_the_keys_of_the_past(q, k, v, past, window):
    if past is not None:
        past = tuple(x[:, :, -window:] for x in past)
    k, v = joined(past, k, v)
    return attended(q, k, v, band(q, k, window)), (k, v)


@wrong("one-too-many")
def rolled_one_wider(q, k, v, past, window):
    k, v = joined(past, k, v)
    return attended(q, k, v, band(q, k, window + 1)), kept(k, v, window)


@wrong("one-too-few")
def rolled_one_narrower(q, k, v, past, window):
    k, v = joined(past, k, v)
    scores = (q @ k.mT / q.size(-1) ** 0.5).masked_fill(~band(q, k, window - 1), -torch.inf)
    return scores.softmax(-1) @ v, kept(k, v, window)


@wrong("no-mask")
def rolled_without_a_mask(q, k, v, past, window):
    k, v = joined(past, k, v)
    return attended(q, k, v, None), kept(k, v, window)


@wrong("no-mask")
def rolled_seeing_the_future(q, k, v, past, window):
    k, v = joined(past, k, v)
    T, S = q.size(2), k.size(2)
    return attended(q, k, v, torch.ones(T, S, dtype=torch.bool).triu(S - T - window + 1)), kept(k, v, window)


@wrong("mask-from-the-top-left")
def rolled_from_the_top_left(q, k, v, past, window):
    k, v = joined(past, k, v)
    mask = band(k, k, window)[: q.size(2)]
    scores = (q @ k.mT / q.size(-1) ** 0.5).masked_fill(~mask, -torch.inf)
    return scores.softmax(-1) @ v, kept(k, v, window)


@wrong("causal-from-the-top-left")
def rolled_with_is_causal(q, k, v, past, window):
    k, v = joined(past, k, v)
    return F.scaled_dot_product_attention(q, k, v, is_causal=True), kept(k, v, window)


@wrong("mask-inverted")
def rolled_filling_what_is_visible(q, k, v, past, window):
    k, v = joined(past, k, v)
    scores = (q @ k.mT / q.size(-1) ** 0.5).masked_fill(band(q, k, window), -torch.inf)
    return scores.softmax(-1) @ v, kept(k, v, window)


@wrong("too-few-kept")
def rolled_keeping_too_few(q, k, v, past, window):
    k, v = joined(past, k, v)
    start = k.size(2) - min(max(window - 2, 0), k.size(2))
    return attended(q, k, v, band(q, k, window)), (k[:, :, start:], v[:, :, start:])


@wrong("oldest-kept")
def rolled_keeping_the_first(q, k, v, past, window):
    k, v = joined(past, k, v)
    return attended(q, k, v, band(q, k, window)), tuple(x.narrow(2, 0, min(window, x.size(2))) for x in (k, v))


@wrong("only-new-kept")
def rolled_keeping_the_new(q, k, v, past, window):
    keys, values = joined(past, k, v)
    return attended(q, keys, values, band(q, keys, window)), kept(k, v, window)


@wrong("emptied-when-full")
def rolled_emptying(q, k, v, past, window):
    k, v = joined(past, k, v)
    out = attended(q, k, v, band(q, k, window))
    return out, ((k, v) if k.size(2) <= window else (k[:, :, :0], v[:, :, :0]))


@wrong("heads-or-features-cut")
def rolled_cutting_features(q, k, v, past, window):
    k, v = joined(past, k, v)
    return attended(q, k, v, band(q, k, window)), (k[:, :, :, -window:], v[:, :, :, -window:])


@wrong("heads-or-features-cut")
def rolled_cutting_heads(q, k, v, past, window):
    k, v = joined(past, k, v)
    return attended(q, k, v, band(q, k, window)), (k[:, -window:], v[:, -window:])


@wrong("past-ignored")
def rolled_alone(q, k, v, past, window):
    return attended(q, k, v, band(q, k, window)), kept(k, v, window)


@wrong("new-before-past")
def rolled_with_new_in_front(q, k, v, past, window):
    if past is not None:
        k, v = torch.cat([k, past[0]], 2), torch.cat([v, past[1]], 2)
    return attended(q, k, v, band(q, k, window)), kept(k, v, window)


@wrong("values-before-keys")
def rolled_handing_on_values_first(q, k, v, past, window):
    k, v = joined(past, k, v)
    return attended(q, k, v, band(q, k, window)), kept(v, k, window)


@wrong("no-scale")
def rolled_without_scale(q, k, v, past, window):
    k, v = joined(past, k, v)
    return attended(q, k, v, band(q, k, window), scale=1.0), kept(k, v, window)


@wrong("scaled-by-d")
def rolled_scaled_by_d(q, k, v, past, window):
    k, v = joined(past, k, v)
    return attended(q, k, v, band(q, k, window), scale=1 / q.size(-1)), kept(k, v, window)


@wrong("over-queries")
def rolled_with_softmax_over_queries(q, k, v, past, window):
    k, v = joined(past, k, v)
    scores = (q @ k.mT / q.size(-1) ** 0.5).masked_fill(~band(q, k, window), -torch.inf)
    return scores.softmax(-2) @ v, kept(k, v, window)


@wrong("no-softmax")
def rolled_without_softmax(q, k, v, past, window):
    k, v = joined(past, k, v)
    scores = (q @ k.mT / q.size(-1) ** 0.5).masked_fill(~band(q, k, window), -torch.inf)
    return scores @ v, kept(k, v, window)


@wrong("past-shared")
def rolled_in_a_ring(q, k, v, past, window):
    """The past is written into; it is in the order of the text only by rolling it."""
    keys, values = joined(past, k, v)
    out = attended(q, keys, values, band(q, keys, window))
    if past is None or past[0].size(2) < window or q.size(2) >= window:
        return out, kept(keys.clone(), values.clone(), window)
    for old, new in zip(past, (k, v), strict=True):
        T = new.size(2)
        old[:, :, :-T] = old[:, :, T:].clone()
        old[:, :, -T:] = new
    return out, past


@wrong("no-gradients")
def rolled_with_a_detached_past(q, k, v, past, window):
    k, v = joined(past, k, v)
    return attended(q, k, v, band(q, k, window)), kept(k.detach(), v.detach(), window)


@wrong("returns-wrong-type")
def rolled_without_past(q, k, v, past, window):
    k, v = joined(past, k, v)
    return attended(q, k, v, band(q, k, window))


@wrong("returns-wrong-type")
def rolled_with_one_tensor(q, k, v, past, window):
    k, v = joined(past, k, v)
    return attended(q, k, v, band(q, k, window)), torch.stack(kept(k, v, window))


@wrong()
def rolled_with_doubled_values(q, k, v, past, window):
    k, v = joined(past, k, v)
    return 2 * attended(q, k, v, band(q, k, window)), kept(k, v, window)
