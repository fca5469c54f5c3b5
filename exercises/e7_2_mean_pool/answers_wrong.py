"""Wrong answers to exercise 7.2, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET503, RET504 - a return inside a loop, and naming a result before returning it, are what learners do

import torch
import torch.nn.functional as F

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


@wrong("mean-over-all")
def pooled_over_all(hidden, mask):
    """The mask is not used."""
    return hidden.mean(dim=1)


@wrong("padding-summed")
def pooled_padding_summed(hidden, mask):
    """All are summed, the real ones counted."""
    return hidden.sum(dim=1) / mask.sum(dim=1, keepdim=True)


@wrong("divided-by-length")
def pooled_masked_then_mean(hidden, mask):
    """Masked, then the mean of all."""
    return (hidden * mask[..., None]).mean(dim=1)


@wrong("divided-by-length")
def pooled_over_length(hidden, mask):
    """Divided by the length of the text."""
    return (hidden * mask.unsqueeze(2)).sum(1) / hidden.shape[1]


@wrong("not-divided")
def pooled_sum(hidden, mask):
    """Not divided."""
    return torch.einsum("btc,bt->bc", hidden, mask.to(hidden.dtype))


@wrong("mask-inverted")
def pooled_filled_where_real(hidden, mask):
    """Masked_fill without ~."""
    return hidden.masked_fill(mask.unsqueeze(-1), 0).sum(1) / mask.sum(1, keepdim=True)


@wrong("mask-inverted")
def pooled_padding(hidden, mask):
    """The mean of the padding."""
    mask = ~mask
    return (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True).clamp(min=1)


@wrong("mask-inverted")
def pooled_padding_by_a_loop(hidden, mask):
    """The mean of the padding, by a loop."""
    return torch.stack([h[~m].mean(0) for h, m in zip(hidden, mask, strict=True)])


@wrong("count-of-the-batch")
def pooled_over_the_total(hidden, mask):
    """Divided by all real tokens of the batch."""
    return (hidden * mask[..., None]).sum(1) / mask.sum()


@wrong("one-count-for-all")
def pooled_over_the_longest(hidden, mask):
    """Divided by the longest."""
    return (hidden * mask[..., None]).sum(1) / mask.sum(1).max()


@wrong("one-mean-for-all")
def pooled_all_together(hidden, mask):
    """One mean for the batch."""
    return hidden[mask].mean(dim=0)


@wrong("one-mean-for-all")
def pooled_all_together_repeated(hidden, mask):
    """One mean for the batch, for each item."""
    return hidden[mask].mean(dim=0, keepdim=True).repeat(hidden.size(0), 1)


@wrong("one-number")
def pooled_to_a_number(hidden, mask):
    """One number."""
    real = mask.unsqueeze(-1).expand_as(hidden)
    return hidden[real].sum() / real.sum()


@wrong("over-features")
def pooled_features(hidden, mask):
    """Over the features."""
    return (hidden * mask[..., None]).mean(dim=-1)


@wrong("over-batch")
def pooled_items(hidden, mask):
    """Over the batch."""
    return (hidden * mask[..., None]).mean(dim=0)


@wrong("not-summed")
def pooled_masked_only(hidden, mask):
    """Masked only."""
    return hidden * mask.unsqueeze(-1)


@wrong("axis-kept")
def pooled_keepdim(hidden, mask):
    """Keepdim everywhere."""
    real = mask.unsqueeze(-1)
    return (hidden * real).sum(1, keepdim=True) / real.sum(1, keepdim=True)


@wrong("three-axes-divided")
def pooled_keepdim_below(hidden, mask):
    """Keepdim in the count alone."""
    real = mask.unsqueeze(-1)
    return (hidden * real).sum(1) / real.sum(1, keepdim=True)


@wrong("transposed")
def pooled_transposed(hidden, mask):
    """Features first."""
    return torch.einsum("btc,bt->cb", hidden, mask / mask.sum(1, keepdim=True).to(hidden.dtype))


@wrong("first-token")
def pooled_cls(hidden, mask):
    """[CLS]."""
    return hidden.select(1, 0)


@wrong("last-token")
def pooled_last_place(hidden, mask):
    """The last place."""
    return hidden[:, -1, :]


@wrong("last-real-token")
def pooled_last_real(hidden, mask):
    """The last real token."""
    return torch.stack([h[m][-1] for h, m in zip(hidden, mask, strict=True)])


@wrong("token-n-minus-1")
def pooled_place_n(hidden, mask):
    """Place n - 1."""
    last = mask.sum(1) - 1
    return hidden.gather(1, last[:, None, None].expand(-1, -1, hidden.size(2))).squeeze(1)


@wrong("first-n")
def pooled_first_n(hidden, mask):
    """The first n."""
    return torch.stack([h[:n].mean(dim=0) for h, n in zip(hidden, mask.sum(dim=1), strict=True)])


@wrong("first-n")
def pooled_places_below_n(hidden, mask):
    """Places below n."""
    lengths = mask.sum(1, keepdim=True)
    real = (torch.arange(hidden.size(1)) < lengths).unsqueeze(-1)
    return (hidden * real).sum(1) / lengths


@wrong("ends-left-out")
def pooled_without_ends(hidden, mask):
    """Without [CLS] and the last."""
    real = mask[:, 1:-1, None]
    return (hidden[:, 1:-1] * real).sum(1) / real.sum(1).clamp(min=1)


@wrong("maximum")
def pooled_max(hidden, mask):
    """The maximum."""
    return hidden.masked_fill(~mask.unsqueeze(-1), float("-inf")).max(dim=1).values


@wrong("filled-like-scores")
def pooled_minus_infinity(hidden, mask):
    """Filled with -inf."""
    return hidden.masked_fill(~mask.unsqueeze(-1), float("-inf")).mean(1)


@wrong("filled-like-scores")
def pooled_minus_a_billion(hidden, mask):
    """Filled with -1e9."""
    return hidden.masked_fill(~mask.unsqueeze(-1), -1e9).sum(1) / mask.sum(1, keepdim=True)


@wrong("filled-like-scores")
def pooled_nan(hidden, mask):
    """Filled with NaN."""
    return torch.where(mask.unsqueeze(-1), hidden, torch.nan).mean(1)


@wrong("softmax")
def pooled_softmax_of_the_mask(hidden, mask):
    """A softmax of the mask."""
    weights = torch.softmax(mask.to(hidden.dtype), dim=1)
    return torch.einsum("bt,btc->bc", weights, hidden)


@wrong("normalized")
def pooled_normalised(hidden, mask):
    """Brought to length 1."""
    real = mask.unsqueeze(-1)
    pooled = (hidden * real).sum(1) / real.sum(1)
    return pooled / pooled.norm(dim=-1, keepdim=True)


@wrong("tokens-normalized")
def pooled_tokens_normalised(hidden, mask):
    """Tokens brought to length 1."""
    real = mask.unsqueeze(-1)
    return (F.normalize(hidden, dim=2) * real).sum(1) / real.sum(1)


@wrong("large-epsilon")
def pooled_plus_one(hidden, mask):
    """N + 1."""
    return (hidden * mask[..., None]).sum(1) / (mask.sum(1, keepdim=True) + 1)


@wrong("one-less")
def pooled_minus_one(hidden, mask):
    """N - 1."""
    return (hidden * mask[..., None]).sum(1) / (mask.sum(1, keepdim=True) - 1)


@wrong("divided-by-root")
def pooled_root(hidden, mask):
    """The root of n."""
    return (hidden * mask[..., None]).sum(1) / torch.sqrt(mask.sum(1, keepdim=True).to(hidden.dtype))


@wrong("divided-twice")
def pooled_divided_twice(hidden, mask):
    """Mean, then divided."""
    return (hidden * mask[..., None]).mean(1) / mask.sum(1, keepdim=True)


@wrong("zeros-not-counted")
def pooled_nonzero(hidden, mask):
    """Numbers that are not 0 are counted."""
    kept = hidden * mask[..., None]
    return kept.sum(1) / kept.count_nonzero(dim=1)


@wrong("whole-numbers")
def pooled_floor(hidden, mask):
    """//."""
    return (hidden * mask[..., None]).sum(1) // mask.sum(1, keepdim=True)


@wrong("mask-not-lined-up")
def pooled_mask_not_lined_up(hidden, mask):
    """The mask as it is."""
    return (hidden * mask).sum(1) / mask.sum(1, keepdim=True)


@wrong("mask-not-lined-up")
def pooled_unsqueezed_elsewhere(hidden, mask):
    """Unsqueeze(1)."""
    return hidden.masked_fill(~mask.unsqueeze(1), 0).sum(1) / mask.sum(1, keepdim=True)


@wrong("count-not-lined-up")
def pooled_count_not_lined_up(hidden, mask):
    """The count has one axis."""
    return (hidden * mask.unsqueeze(-1)).sum(1) / mask.sum(1)


@wrong()
def pooled_by_a_product_with_bools(hidden, mask):
    """A matrix product with the mask."""
    return (mask.unsqueeze(1) @ hidden).squeeze(1) / mask.sum(1, keepdim=True)


@wrong("ragged")
def pooled_reshaped(hidden, mask):
    """Hidden[mask] in shape."""
    B, T, C = hidden.shape
    return hidden[mask].view(B, -1, C).mean(dim=1)


@wrong("changes-input")
def pooled_in_place(hidden, mask):
    """Hidden is emptied in place."""
    hidden[~mask] = 0
    return hidden.sum(1) / mask.sum(1, keepdim=True)


@wrong("items-mixed")
def pooled_first_mask_for_all(hidden, mask):
    """The first item's mask for all."""
    real = mask[:1].unsqueeze(-1)
    return (hidden * real).sum(1) / real.sum(1)


@wrong("padding-read")
def pooled_padding_weighs_a_tenth(hidden, mask):
    """Padding weighs a tenth."""
    share = torch.where(mask, 1.0, 0.1).to(hidden.dtype)
    return (hidden * share[..., None]).sum(1) / share.sum(1, keepdim=True)


@wrong("order-read")
def pooled_by_place(hidden, mask):
    """Later tokens weigh more."""
    share = mask * torch.arange(1, hidden.size(1) + 1)
    return (hidden * share[..., None]).sum(1) / share.sum(1, keepdim=True)


@wrong("features-mixed")
def pooled_centred(hidden, mask):
    """Centred over the features."""
    real = mask.unsqueeze(-1)
    pooled = (hidden * real).sum(1) / real.sum(1)
    return pooled - 0.1 * pooled.mean(-1, keepdim=True)


@wrong()
def pooled_median(hidden, mask):
    """The middle number."""
    return torch.where(mask[..., None], hidden, torch.nan).nanmedian(dim=1).values


@wrong("wrong-dtype")
def pooled_float32(hidden, mask):
    """Float32 whatever comes."""
    return (hidden.float() * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)


@wrong("returns-wrong-type")
def pooled_as_a_list(hidden, mask):
    """A list."""
    return [h[m].mean(0) for h, m in zip(hidden, mask, strict=True)]


@wrong("returns-none")
def pooled_not_returned(hidden, mask):
    """Nothing is returned."""
    (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)


@wrong("one-item-only")
def pooled_returned_in_the_loop(hidden, mask):
    """Return in the loop."""
    for h, m in zip(hidden, mask, strict=True):
        return h[m].mean(0)


@wrong("ones-do-not-give-1")
def pooled_plus_a_half(hidden, mask):
    """Half a token too many."""
    return (hidden * mask[..., None]).sum(1) / (mask.sum(1, keepdim=True) + 0.5)


@wrong()
def pooled_without_mask(hidden):
    """No mask."""
    return hidden.mean(1)


@wrong()
def pooled_mask_first(mask, hidden):
    """The mask comes first."""
    return (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)


@wrong("counted-along-the-batch")
def pooled_by_a_count_along_the_batch(hidden, mask):
    """The mask summed along the batch."""
    return (hidden * mask.unsqueeze(-1)).sum(dim=1) / mask.sum(0)


@wrong("first-real-token")
def pooled_first_real(hidden, mask):
    first = mask.int().argmax(dim=1)
    return hidden[torch.arange(len(hidden)), first]


@wrong("last-n")
def pooled_last_n(hidden, mask):
    return torch.stack([h[-n:].mean(dim=0) for h, n in zip(hidden, mask.sum(dim=1), strict=True)])


@wrong("up-to-the-last")
def pooled_up_to_the_last(hidden, mask):
    """What is behind is cut off, and what is in front stays."""
    kept = mask.flip(1).cumsum(1).flip(1) > 0
    return (hidden * kept[..., None]).sum(1) / kept.sum(1, keepdim=True)


@wrong("divided-by-features")
def pooled_over_features(hidden, mask):
    B, T, C = hidden.shape
    return torch.einsum("btc,bt->bc", hidden, mask.to(hidden.dtype)) / C


@wrong("padding-counted")
def pooled_padding_counted(hidden, mask):
    """The same mask for filling and for counting."""
    padding = ~mask
    return hidden.masked_fill(padding[..., None], 0).sum(dim=1) / padding.sum(dim=1, keepdim=True)


@wrong("divided-by-count-twice")
def pooled_count_twice(hidden, mask):
    shares = mask / mask.sum(dim=1, keepdim=True)
    return torch.einsum("btc,bt->bc", hidden, shares.to(hidden.dtype)) / mask.sum(dim=1, keepdim=True)


@wrong("first-token-left-out")
def pooled_without_cls(hidden, mask):
    real = mask[:, 1:, None].to(hidden.dtype)
    return (hidden[:, 1:] * real).sum(1) / real.sum(1)
