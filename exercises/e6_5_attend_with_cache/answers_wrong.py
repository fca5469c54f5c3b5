"""Wrong answers to exercise 6.5, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET503, RET504 - a return inside a loop, and naming a result before returning it, are what learners do

import math

import torch
import torch.nn.functional as F

from feedback.bank import WrongAnswers
from helpers.attention import dot_product_attention

wrong = WrongAnswers()


def with_past(k, v, past):
    if past is None:
        return k, v
    return torch.cat([past[0], k], dim=2), torch.cat([past[1], v], dim=2)


def seen(q, k):
    return torch.ones(q.size(2), k.size(2), dtype=torch.bool).tril(k.size(2) - q.size(2))


def read(q, k, v, mask):
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)


@wrong("new-before-past")
def cache_new_in_front(q, k, v, past):
    if past is not None:
        k, v = torch.cat([k, past[0]], dim=2), torch.cat([v, past[1]], dim=2)
    return read(q, k, v, seen(q, k)), (k, v)


@wrong("new-before-past")
def cache_new_in_front_is_causal(q, k, v, past):
    """New in front, with is_causal."""
    if past is not None:
        k, v = torch.cat([k, past[0]], dim=2), torch.cat([v, past[1]], dim=2)
    return F.scaled_dot_product_attention(q, k, v, is_causal=True), (k, v)


@wrong("joined-along-the-heads")
def cache_along_heads(q, k, v, past):
    if past is not None:
        k, v = torch.cat([past[0], k], dim=1), torch.cat([past[1], v], dim=1)
    return read(q, k, v, seen(q, k)), (k, v)


@wrong("joined-along-the-features")
def cache_along_features(q, k, v, past):
    if past is not None:
        k, v = torch.cat([past[0], k], dim=-1), torch.cat([past[1], v], dim=-1)
    return read(q, k, v, seen(q, k)), (k, v)


@wrong("joined-along-the-batch")
def cache_along_the_batch(q, k, v, past):
    if past is not None:
        k, v = torch.cat([past[0], k]), torch.cat([past[1], v])
    return read(q, k, v, seen(q, k)), (k, v)


@wrong("no-mask")
def cache_without_mask(q, k, v, past):
    k, v = with_past(k, v, past)
    return F.scaled_dot_product_attention(q, k, v), (k, v)


@wrong("top-left")
def cache_is_causal(q, k, v, past):
    k, v = with_past(k, v, past)
    return F.scaled_dot_product_attention(q, k, v, is_causal=True), (k, v)


@wrong("top-left")
def cache_with_plain_tril(q, k, v, past):
    k, v = with_past(k, v, past)
    scores = q @ k.transpose(2, 3) / math.sqrt(q.size(-1))
    mask = torch.tril(torch.ones_like(scores)).bool()
    return scores.masked_fill(~mask, -math.inf).softmax(-1) @ v, (k, v)


@wrong("mask-only-at-the-beginning")
def cache_causal_at_first(q, k, v, past):
    """Is_causal only at the first call."""
    causal = past is None
    k, v = with_past(k, v, past)
    return F.scaled_dot_product_attention(q, k, v, is_causal=causal), (k, v)


@wrong("mask-only-with-past")
def cache_causal_later(q, k, v, past):
    """The mask only where there is a past."""
    if past is None:
        return F.scaled_dot_product_attention(q, k, v), (k, v)
    k, v = with_past(k, v, past)
    return read(q, k, v, seen(q, k)), (k, v)


@wrong("past-not-read")
def cache_attends_before_joining(q, k, v, past):
    out = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    return out, with_past(k, v, past)


@wrong("past-not-read-no-mask")
def cache_attends_before_joining_unmasked(q, k, v, past):
    """Attends before joining, without a mask."""
    return F.scaled_dot_product_attention(q, k, v), with_past(k, v, past)


@wrong("past-ignored")
def cache_without_past(q, k, v, past):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True), (k, v)


@wrong("only-new-handed-on")
def cache_hands_on_the_new(q, k, v, past):
    """Only the new keys and values returned."""
    keys, values = with_past(k, v, past)
    return read(q, keys, values, seen(q, keys)), (k, v)


@wrong("past-handed-on")
def cache_hands_on_the_past(q, k, v, past):
    keys, values = with_past(k, v, past)
    return read(q, keys, values, seen(q, keys)), past if past is not None else (k, v)


@wrong("one-not-handed-on")
def cache_hands_on_new_values(q, k, v, past):
    keys, values = with_past(k, v, past)
    return read(q, keys, values, seen(q, keys)), (keys, v)


@wrong("one-not-joined")
def cache_joins_keys_only(q, k, v, past):
    keys, values = with_past(k, v, past)
    weights = (q @ keys.mT / math.sqrt(q.size(-1))).masked_fill(~seen(q, keys), -math.inf).softmax(-1)
    return weights @ v, (keys, values)


@wrong("values-first-in-cache")
def cache_values_first(q, k, v, past):
    k, v = with_past(k, v, past)
    return read(q, k, v, seen(q, k)), (v, k)


@wrong("past-read-as-v-k")
def cache_opens_past_backwards(q, k, v, past):
    """Past opened as (v, k)."""
    if past is not None:
        old_v, old_k = past
        k, v = torch.cat([old_k, k], 2), torch.cat([old_v, v], 2)
    return read(q, k, v, seen(q, k)), (k, v)


@wrong("keys-as-values")
def cache_past_keys_for_both(q, k, v, past):
    if past is not None:
        k, v = torch.cat([past[0], k], 2), torch.cat([past[0], v], 2)
    return read(q, k, v, seen(q, k)), (k, v)


@wrong("past-fails-at-none")
def cache_needs_a_past(q, k, v, past):
    k, v = torch.cat([past[0], k], 2), torch.cat([past[1], v], 2)
    return read(q, k, v, seen(q, k)), (k, v)


@wrong("past-fails-at-none")
def cache_unpacks_none(q, k, v, past):
    old_k, old_v = past
    k, v = torch.cat([old_k, k], 2), torch.cat([old_v, v], 2)
    return read(q, k, v, seen(q, k)), (k, v)


@wrong("one-ahead")
def cache_one_ahead(q, k, v, past):
    k, v = with_past(k, v, past)
    mask = torch.ones(q.size(2), k.size(2), dtype=torch.bool).tril(k.size(2) - q.size(2) + 1)
    return read(q, k, v, mask), (k, v)


@wrong("not-itself")
def cache_not_itself(q, k, v, past):
    k, v = with_past(k, v, past)
    mask = torch.ones(q.size(2), k.size(2), dtype=torch.bool).tril(k.size(2) - q.size(2) - 1)
    scores = (q @ k.mT / math.sqrt(q.size(-1))).masked_fill(~mask, -1e9)
    return scores.softmax(-1) @ v, (k, v)


@wrong("true-hides")
def cache_true_hides(q, k, v, past):
    """Mask the wrong way around."""
    k, v = with_past(k, v, past)
    scores = (q @ k.mT / math.sqrt(q.size(-1))).masked_fill(seen(q, k), -math.inf)
    return scores.softmax(-1) @ v, (k, v)


@wrong("no-scale")
def cache_unscaled(q, k, v, past):
    k, v = with_past(k, v, past)
    return (q @ k.mT).masked_fill(~seen(q, k), -math.inf).softmax(-1) @ v, (k, v)


@wrong("scaled-by-d")
def cache_scaled_by_d(q, k, v, past):
    k, v = with_past(k, v, past)
    return (q @ k.mT / q.size(-1)).masked_fill(~seen(q, k), -math.inf).softmax(-1) @ v, (k, v)


@wrong("scaled-by-another")
def cache_scaled_by_length(q, k, v, past):
    """Divided by the root of the length."""
    k, v = with_past(k, v, past)
    return (q @ k.mT / math.sqrt(k.size(2))).masked_fill(~seen(q, k), -math.inf).softmax(-1) @ v, (k, v)


@wrong("over-queries")
def cache_softmax_over_queries(q, k, v, past):
    k, v = with_past(k, v, past)
    return (q @ k.mT / math.sqrt(q.size(-1))).masked_fill(~seen(q, k), -math.inf).softmax(2) @ v, (k, v)


@wrong("weak-fill")
def cache_weak_fill(q, k, v, past):
    k, v = with_past(k, v, past)
    return (q @ k.mT / math.sqrt(q.size(-1))).masked_fill(~seen(q, k), -10).softmax(-1) @ v, (k, v)


@wrong("zero-filled")
def cache_zero_filled(q, k, v, past):
    k, v = with_past(k, v, past)
    return (q @ k.mT / math.sqrt(q.size(-1)) * seen(q, k)).softmax(-1) @ v, (k, v)


@wrong("masked-after-softmax")
def cache_masked_after_softmax(q, k, v, past):
    k, v = with_past(k, v, past)
    return ((q @ k.mT / math.sqrt(q.size(-1))).softmax(-1) * seen(q, k)) @ v, (k, v)


@wrong("weights-too")
def cache_with_weights(q, k, v, past):
    k, v = with_past(k, v, past)
    weights = (q @ k.mT / math.sqrt(q.size(-1))).masked_fill(~seen(q, k), -math.inf).softmax(-1)
    return weights @ v, weights, (k, v)


@wrong("list-of-both")
def cache_as_a_list(q, k, v, past):
    """A list in place of the pair."""
    k, v = with_past(k, v, past)
    return read(q, k, v, seen(q, k)), [k, v]


@wrong("list-of-both")
def cache_as_a_list_without_mask(q, k, v, past):
    """A list, and no mask."""
    k, v = with_past(k, v, past)
    return F.scaled_dot_product_attention(q, k, v), [k, v]


@wrong("returns-wrong-type")
def cache_as_a_dict(q, k, v, past):
    k, v = with_past(k, v, past)
    return read(q, k, v, seen(q, k)), {"k": k, "v": v}


@wrong("three-things")
def cache_flat(q, k, v, past):
    k, v = with_past(k, v, past)
    return read(q, k, v, seen(q, k)), k, v


@wrong("only-out")
def cache_only_out(q, k, v, past):
    k, v = with_past(k, v, past)
    return read(q, k, v, seen(q, k))


@wrong("cache-first")
def cache_first(q, k, v, past):
    k, v = with_past(k, v, past)
    return (k, v), read(q, k, v, seen(q, k))


@wrong("stacked-cache")
def cache_stacked(q, k, v, past):
    k, v = with_past(k, v, past)
    return read(q, k, v, seen(q, k)), torch.stack([k, v])


@wrong("queries-joined")
def cache_queries_joined(q, k, v, past):
    """Past keys ask as well."""
    if past is not None:
        q = torch.cat([past[0], q], 2)
    k, v = with_past(k, v, past)
    return F.scaled_dot_product_attention(q, k, v, is_causal=True), (k, v)


@wrong("changes-input")
def cache_changing_the_past(q, k, v, past):
    """The past changed in place."""
    if past is not None:
        past[0][:] = past[0] * 2
        k, v = torch.cat([past[0] / 2, k], 2), torch.cat([past[1], v], 2)
    return read(q, k, v, seen(q, k)), (k, v)


@wrong()
def cache_assigned_to_the_tuple(q, k, v, past):
    """An item assigned to a tuple."""
    if past is None:
        past = (k, v)
    else:
        past[0] = torch.cat([past[0], k], 2)
        past[1] = torch.cat([past[1], v], 2)
    return read(q, past[0], past[1], seen(q, past[0])), past


@wrong("not-all-seen")
def cache_with_a_window(q, k, v, past):
    k, v = with_past(k, v, past)
    return read(q, k, v, seen(q, k).triu(k.size(2) - q.size(2) - 2)), (k, v)


@wrong("cache-altered")
def cache_with_fading_past(q, k, v, past):
    if past is not None:
        k, v = torch.cat([past[0], k], 2), torch.cat([0.9 * past[1], v], 2)
    return read(q, k, v, seen(q, k)), (k, v)


@wrong("cache-altered")
def cache_with_reversed_past(q, k, v, past):
    if past is not None:
        k, v = torch.cat([past[0].flip(2), k], 2), torch.cat([past[1].flip(2), v], 2)
    return read(q, k, v, seen(q, k)), (k, v)


@wrong("not-repeatable")
def cache_with_dropout(q, k, v, past):
    k, v = with_past(k, v, past)
    return F.scaled_dot_product_attention(q, k, v, seen(q, k), dropout_p=0.2), (k, v)


@wrong("items-mixed")
def cache_of_the_first_item(q, k, v, past):
    """The first item's keys for all."""
    k, v = with_past(k, v, past)
    return read(q, k[:1].expand_as(k), v, seen(q, k)), (k, v)


@wrong("chunks-differ")
def cache_scaled_otherwise_later(q, k, v, past):
    """Divided by the root of the number of new tokens when there is a past."""
    keys, values = with_past(k, v, past)
    root = math.sqrt(q.size(-1)) if past is None else 1.5 * math.sqrt(q.size(-1))
    weights = (q @ keys.mT / root).masked_fill(~seen(q, keys), -math.inf).softmax(-1)
    return weights @ values, (keys, values)


@wrong("joined-along-the-heads")
def cache_along_heads_unmasked(q, k, v, past):
    """Joined along the heads, no mask."""
    if past is not None:
        k, v = torch.cat([past[0], k], dim=1), torch.cat([past[1], v], dim=1)
    return F.scaled_dot_product_attention(q, k, v), (k, v)


def square_mask(n):
    return torch.ones(n, n, dtype=torch.bool).tril()


@wrong("mask-without-past")
def cache_with_a_mask_of_new_tokens(q, k, v, past):
    k, v = with_past(k, v, past)
    scores = q @ k.mT / math.sqrt(q.size(-1))
    return scores.masked_fill(~square_mask(q.size(-2)), -math.inf).softmax(-1) @ v, (k, v)


@wrong("mask-without-past")
def cache_with_a_mask_of_new_tokens_for_torch(q, k, v, past):
    """A mask (T, T), handed to torch."""
    k, v = with_past(k, v, past)
    return read(q, k, v, square_mask(q.size(-2))), (k, v)


@wrong("mask-without-past")
def cache_with_a_mask_of_new_tokens_by_the_course(q, k, v, past):
    """A mask (T, T), handed to the course's attention."""
    k, v = with_past(k, v, past)
    return dot_product_attention(q, k, v, square_mask(q.size(-2)))[0], (k, v)


@wrong("mask-with-past-rows")
def cache_with_a_mask_of_all_tokens(q, k, v, past):
    k, v = with_past(k, v, past)
    scores = q @ k.mT / math.sqrt(q.size(-1))
    return scores.masked_fill(~square_mask(k.size(-2)), -math.inf).softmax(-1) @ v, (k, v)


@wrong("past-handed-on")
def cache_hands_on_the_past_unmasked(q, k, v, past):
    """The past returned, and no mask where there is one."""
    if past is None:
        return F.scaled_dot_product_attention(q, k, v, is_causal=True), (k, v)
    return F.scaled_dot_product_attention(q, *with_past(k, v, past)), past


@wrong("new-ignored")
def cache_reads_and_hands_on_the_past(q, k, v, past):
    """The past returned, and nothing joined."""
    if past is None:
        past = k, v
    return read(q, *past, seen(q, past[0])), past


@wrong("stacked")
def cache_stacked_with_the_past(q, k, v, past):
    """Stack in place of cat."""
    if past is not None:
        k, v = (torch.stack(pair, dim=0) for pair in zip(past, (k, v), strict=True))
    return F.scaled_dot_product_attention(q, k, v, is_causal=past is None), (k, v)


@wrong("added")
def cache_added_to_the_past(q, k, v, past):
    """Plus in place of cat."""
    if past is not None:
        old_k, old_v = past
        k, v = old_k + k, old_v + v
    return read(q, k, v, seen(q, k)), (k, v)


@wrong("values-as-keys")
def cache_past_values_for_both(q, k, v, past):
    if past is not None:
        old = past[1]
        k, v = torch.cat([old, k], 2), torch.cat([old, v], 2)
    return read(q, k, v, seen(q, k)), (k, v)


@wrong("only-past")
def cache_reads_only_the_past(q, k, v, past):
    """The new tokens look back at the past alone."""
    keys, values = with_past(k, v, past)
    if past is None:
        return F.scaled_dot_product_attention(q, k, v, is_causal=True), (k, v)
    return F.scaled_dot_product_attention(q, *past), (keys, values)


@wrong("keys-mixed")
def cache_mixes_keys(q, k, v, past):
    k, v = with_past(k, v, past)
    return F.scaled_dot_product_attention(q, k, k, seen(q, k)), (k, v)


@wrong("upside-down")
def cache_with_triu(q, k, v, past):
    """Triu in place of tril."""
    k, v = with_past(k, v, past)
    mask = torch.triu(torch.ones(q.size(2), k.size(2)), diagonal=k.size(2) - q.size(2)).bool()
    return read(q, k, v, mask), (k, v)


@wrong("only-itself")
def cache_without_new_neighbors(q, k, v, past):
    """A new token sees the past and itself."""
    keys, values = with_past(k, v, past)
    T, S = q.size(2), keys.size(2)
    columns = torch.arange(S)
    mask = (columns < S - T) | (columns == torch.arange(S - T, S)[:, None])
    return read(q, keys, values, mask), (keys, values)


@wrong("fixed-scale")
def cache_divided_by_8(q, k, v, past):
    """Divided by 8, as for heads of 64."""
    k, v = with_past(k, v, past)
    return (q @ k.mT / 8).masked_fill(~seen(q, k), -math.inf).softmax(-1) @ v, (k, v)


@wrong("root-of-two")
def cache_divided_by_the_root_of_2(q, k, v, past):
    k, v = with_past(k, v, past)
    return F.scaled_dot_product_attention(q, k, v, seen(q, k), scale=2**-0.5), (k, v)


@wrong("divided-by-d-and-by-2")
def cache_without_brackets_in_the_exponent(q, k, v, past):
    """D ** 1 / 2."""
    k, v = with_past(k, v, past)
    scores = q @ k.mT / q.size(-1) ** 1 / 2
    return scores.masked_fill(~seen(q, k), -math.inf).softmax(-1) @ v, (k, v)


@wrong("multiplied")
def cache_multiplied(q, k, v, past):
    k, v = with_past(k, v, past)
    return F.scaled_dot_product_attention(q, k, v, seen(q, k), scale=q.size(-1) ** 0.5), (k, v)


@wrong("scaled-after-softmax")
def cache_scaled_after_the_softmax(q, k, v, past):
    k, v = with_past(k, v, past)
    weights = (q @ k.mT).masked_fill(~seen(q, k), -math.inf).softmax(-1)
    return weights @ v / math.sqrt(q.size(-1)), (k, v)


@wrong("over-heads")
def cache_softmax_over_heads(q, k, v, past):
    k, v = with_past(k, v, past)
    return F.softmax((q @ k.mT / math.sqrt(q.size(-1))).masked_fill(~seen(q, k), -math.inf), 1) @ v, (k, v)


@wrong("over-batch")
def cache_softmax_over_the_batch(q, k, v, past):
    k, v = with_past(k, v, past)
    return F.softmax((q @ k.mT / math.sqrt(q.size(-1))).masked_fill(~seen(q, k), -math.inf), dim=0) @ v, (k, v)


@wrong("no-softmax")
def cache_without_softmax(q, k, v, past):
    k, v = with_past(k, v, past)
    return torch.tril(q @ k.mT / math.sqrt(q.size(-1)), k.size(2) - q.size(2)) @ v, (k, v)


@wrong("mask-added")
def cache_with_a_mask_added(q, k, v, past):
    """A mask of 0 and 1, added."""
    k, v = with_past(k, v, past)
    return (q @ k.mT / math.sqrt(q.size(-1)) + seen(q, k).float()).softmax(-1) @ v, (k, v)


@wrong("mask-inverted-added")
def cache_with_an_inverted_mask_added(q, k, v, past):
    """1 is added to hidden scores."""
    k, v = with_past(k, v, past)
    ahead = torch.ones(q.size(2), k.size(2), dtype=q.dtype).triu(k.size(2) - q.size(2) + 1)
    return (q @ k.mT / math.sqrt(q.size(-1)) + ahead).softmax(-1) @ v, (k, v)


@wrong("only-the-last")
def cache_last_token_only(q, k, v, past):
    """Only the last query asks."""
    k, v = with_past(k, v, past)
    return F.scaled_dot_product_attention(q[:, :, -1:], k, v), (k, v)


@wrong("heads-merged")
def cache_with_merged_heads(q, k, v, past):
    k, v = with_past(k, v, past)
    out = read(q, k, v, seen(q, k))
    B, H, T, D = out.shape
    return out.permute(0, 2, 1, 3).reshape(B, T, H * D), (k, v)


@wrong("weights-instead")
def cache_as_the_course_returns_it(q, k, v, past):
    """(out, weights), as everywhere else in the course."""
    k, v = with_past(k, v, past)
    return dot_product_attention(q, k, v, seen(q, k))


@wrong("scaled-keys-kept")
def cache_keeps_scaled_keys(q, k, v, past):
    """The joined keys are divided, and kept like that."""
    k, v = with_past(k, v, past)
    k = k / math.sqrt(k.size(-1))
    return (q @ k.mT).masked_fill(~seen(q, k), -math.inf).softmax(-1) @ v, (k, v)


@wrong("cache-cut-off")
def cache_detached(q, k, v, past):
    keys, values = with_past(k, v, past)
    return read(q, keys, values, seen(q, keys)), (keys.detach(), values.detach())


@wrong("no-gradients")
def cache_of_a_detached_past(q, k, v, past):
    """The past is taken as data."""
    if past is not None:
        k, v = torch.cat([past[0].data, k], 2), torch.cat([past[1].data, v], 2)
    return read(q, k, v, seen(q, k)), (k, v)


@wrong("weak-fill")
def cache_filled_with_minus_100(q, k, v, past):
    """Low enough for most scores, not for those of float64 numbers that lie around -150."""
    k, v = with_past(k, v, past)
    scores = torch.where(seen(q, k), q @ k.mT / q.size(-1) ** 0.5, -100)
    return scores.softmax(-1) @ v, (k, v)


@wrong("zero-times-infinity")
def cache_masked_by_a_product(q, k, v, past):
    """A mask of zeros and ones is multiplied by -inf."""
    old = 0 if past is None else past[0].size(-2)
    k, v = with_past(k, v, past)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    future = torch.ones(q.size(-2), k.size(-2)).triu(old + 1)
    weights = (scores + future * float("-inf")).softmax(dim=-1)
    return weights @ v, (k, v)
