"""Right answers to exercise 8.6, in as many styles as learners have: the checker must accept all of them."""

# ruff: noqa: RET504 - naming a result before returning it is a style that must pass

import numpy as np
import torch
import torch.nn.functional as F

from feedback.bank import RightAnswers

right = RightAnswers()


@right
def top_p_by_shifting_the_mask(logits, p):
    ranked, order = torch.sort(logits, descending=True)
    sums = F.softmax(ranked, dim=-1).cumsum(dim=-1)
    remove = sums > p
    remove[..., 1:] = remove[..., :-1].clone()
    remove[..., 0] = False
    return logits.masked_fill(remove.scatter(1, order, remove), -float("inf"))


@right
def top_p_by_the_inverse_order(logits, p):
    probs = torch.softmax(logits, dim=-1)
    order = probs.argsort(dim=-1, descending=True)
    ranked = probs.gather(-1, order)
    keep = ranked.cumsum(-1) - ranked < p
    keep = keep.gather(-1, order.argsort(dim=-1))
    return torch.where(keep, logits, float("-inf"))


@right
def top_p_by_a_threshold(logits, p):
    """The logit of the last token that stays is a threshold."""
    ranked = logits.sort(dim=-1, descending=True).values
    sums = ranked.softmax(dim=-1).cumsum(dim=-1)
    last = (sums < p).sum(dim=-1, keepdim=True).clamp(max=logits.size(-1) - 1)
    return logits.masked_fill(logits < ranked.gather(-1, last), float("-inf"))


@right
def top_p_by_loops(logits, p):
    result = torch.full_like(logits, float("-inf"))
    for b in range(logits.size(0)):
        probs = torch.softmax(logits[b], dim=0)
        total = 0.0
        for token in torch.argsort(probs, descending=True):
            result[b, token] = logits[b, token]
            total += probs[token].item()
            if total >= p:
                break
    return result


@right
def top_p_row_by_row(logits, p):
    rows = []
    for row in logits:
        values, order = row.softmax(-1).sort(descending=True)
        count = int((values.cumsum(0) < p).sum()) + 1
        new = torch.full_like(row, -torch.inf)
        new[order[:count]] = row[order[:count]]
        rows.append(new)
    return torch.stack(rows)


@right
def top_p_from_the_bottom(logits, p):
    """Ascending: what sums to at most 1 - p may go."""
    ranked, order = logits.sort(dim=-1)
    sums = ranked.softmax(dim=-1).cumsum(dim=-1)
    remove = sums <= 1 - p
    remove[:, -1] = False
    return logits.masked_fill(torch.zeros_like(remove).scatter(1, order, remove), float("-inf"))


@right
def top_p_by_comparing_all(logits, p):
    """For each token the sum of all that are more likely."""
    probs = logits.softmax(-1)
    larger = (probs[:, None, :] > probs[:, :, None]).to(probs.dtype)
    before = (larger * probs[:, None, :]).sum(-1)
    return logits.masked_fill(before >= p, float("-inf"))


@right
def top_p_of_sorted_logits(logits, p):
    ranked, order = logits.sort(descending=True, dim=-1)
    probs = ranked.softmax(-1)
    ranked = ranked.masked_fill(probs.cumsum(-1) - probs >= p, float("-inf"))
    return torch.empty_like(logits).scatter_(-1, order, ranked)


@right
def top_p_by_searchsorted(logits, p):
    out = logits.clone()
    probs, order = torch.sort(torch.softmax(logits, -1), dim=-1, descending=True)
    cut = torch.searchsorted(probs.cumsum(-1), torch.full((len(logits), 1), p, dtype=probs.dtype))
    for b in range(len(out)):
        out[b, order[b, int(cut[b]) + 1 :]] = float("-inf")
    return out


@right
def top_p_by_numpy(logits, p):
    x = logits.detach().double().numpy()
    e = np.exp(x - x.max(1, keepdims=True))
    probs = e / e.sum(1, keepdims=True)
    order = np.argsort(-probs, axis=1)
    ranked = np.take_along_axis(probs, order, 1)
    keep = np.cumsum(ranked, 1) - ranked < p
    mask = np.zeros_like(keep)
    np.put_along_axis(mask, order, keep, 1)
    return logits.masked_fill(~torch.from_numpy(mask), float("-inf"))


@right.limited
def top_p_by_a_softmax_of_its_own(logits, p):
    e = logits.exp()
    probs, order = (e / e.sum(-1, keepdim=True)).sort(dim=-1, descending=True)
    outside = probs.cumsum(-1) - probs >= p
    return logits.masked_fill(outside.scatter(-1, order, outside), float("-inf"))
