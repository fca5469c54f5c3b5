"""Wrong answers to exercise 8.6, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET504 - naming a result before returning it is what learners do

import torch
import torch.nn.functional as F

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


@wrong("crossing-left-out")
def top_p_below(logits, p):
    probs, order = logits.softmax(-1).sort(dim=-1, descending=True)
    remove = probs.cumsum(-1) > p
    return logits.masked_fill(remove.scatter(-1, order, remove), float("-inf"))


@wrong("crossing-left-out")
def top_p_below_with_the_first(logits, p):
    probs, order = logits.softmax(-1).sort(dim=-1, descending=True)
    remove = probs.cumsum(-1) > p
    remove[:, 0] = False
    return logits.masked_fill(remove.scatter(-1, order, remove), float("-inf"))


@wrong("crossing-left-out")
def top_p_by_a_loop_that_breaks_early(logits, p):
    result = torch.full_like(logits, float("-inf"))
    for b, row in enumerate(logits.softmax(-1)):
        total = 0.0
        for token in row.argsort(descending=True):
            total += row[token]
            if total >= p:
                break
            result[b, token] = logits[b, token]
    return result


@wrong("one-too-many")
def top_p_shifted_twice(logits, p):
    probs, order = logits.softmax(-1).sort(dim=-1, descending=True)
    remove = probs.cumsum(-1) - probs >= p
    remove[:, 1:] = remove[:, :-1].clone()
    remove[:, 0] = False
    return logits.masked_fill(remove.scatter(-1, order, remove), float("-inf"))


@wrong("inverted")
def top_p_of_the_tail(logits, p):
    probs, order = logits.softmax(-1).sort(dim=-1, descending=True)
    keep = probs.cumsum(-1) - probs < p
    return logits.masked_fill(keep.scatter(-1, order, keep), float("-inf"))


@wrong("one-minus-p")
def top_one_minus_p(logits, p):
    probs, order = logits.softmax(-1).sort(dim=-1, descending=True)
    remove = probs.cumsum(-1) - probs >= 1 - p
    return logits.masked_fill(remove.scatter(-1, order, remove), float("-inf"))


@wrong("threshold-on-each")
def top_p_by_value(logits, p):
    return logits.masked_fill(logits.softmax(-1) < p, float("-inf"))


@wrong("threshold-on-each")
def min_p(logits, p):
    probs = logits.softmax(-1)
    return torch.where(probs >= p * probs.max(-1, keepdim=True).values, logits, float("-inf"))


@wrong("threshold-on-each")
def top_p_above_one_minus_p(logits, p):
    return torch.where(logits.softmax(-1) >= 1 - p, logits, -torch.inf)


@wrong("share-of-the-vocabulary")
def top_share(logits, p):
    k = max(1, int(p * logits.size(-1)))
    cut = logits.topk(k).values[:, -1:]
    return logits.masked_fill(logits < cut, float("-inf"))


@wrong("one-cut-for-all-rows")
def top_p_of_row_0(logits, p):
    ranked, order = logits.softmax(-1).sort(dim=-1, descending=True)
    count = int((ranked[0].cumsum(0) < p).sum()) + 1
    result = torch.full_like(logits, float("-inf"))
    for b in range(len(logits)):
        result[b, order[b, :count]] = logits[b, order[b, :count]]
    return result


@wrong("one-cut-for-all-rows")
def top_p_of_the_longest(logits, p):
    ranked, order = logits.softmax(-1).sort(dim=-1, descending=True)
    count = int((ranked.cumsum(-1) < p).sum(-1).max()) + 1
    return torch.full_like(logits, float("-inf")).scatter(-1, order[:, :count], logits.gather(-1, order[:, :count]))


@wrong("sum-over-the-batch")
def top_p_cumsum_over_rows(logits, p):
    ranked, order = logits.softmax(-1).sort(dim=-1, descending=True)
    remove = ranked.cumsum(0) - ranked >= p
    return logits.masked_fill(remove.scatter(-1, order, remove), float("-inf"))


@wrong("not-sorted")
def top_p_unsorted(logits, p):
    probs = F.softmax(logits, dim=-1)
    return logits.masked_fill(probs.cumsum(dim=-1) - probs >= p, float("-inf"))


@wrong("sorted-ascending")
def top_p_ascending(logits, p):
    probs, order = logits.softmax(-1).sort(dim=-1)
    remove = probs.cumsum(-1) - probs >= p
    return logits.masked_fill(remove.scatter(-1, order, remove), float("-inf"))


@wrong("order-not-restored")
def top_p_with_the_sorted_mask(logits, p):
    probs, _ = logits.softmax(-1).sort(dim=-1, descending=True)
    remove = probs.cumsum(-1) - probs >= p
    return logits.masked_fill(remove, float("-inf"))


@wrong("gather-not-scatter")
def top_p_gathered(logits, p):
    probs, order = logits.softmax(-1).sort(dim=-1, descending=True)
    remove = probs.cumsum(-1) - probs >= p
    return logits.masked_fill(remove.gather(-1, order), float("-inf"))


@wrong("gather-not-scatter")
def top_p_indexed(logits, p):
    probs, order = logits.softmax(-1).sort(dim=-1, descending=True)
    remove = probs.cumsum(-1) - probs >= p
    mask = torch.stack([row[at] for row, at in zip(remove, order)])  # noqa: B905
    return logits.masked_fill(mask, float("-inf"))


@wrong("sorted-returned")
def top_p_sorted(logits, p):
    ranked, _ = logits.sort(dim=-1, descending=True)
    probs = ranked.softmax(-1)
    ranked[probs.cumsum(-1) - probs >= p] = float("-inf")
    return ranked


@wrong("order-of-the-first-row")
def top_p_in_the_order_of_row_0(logits, p):
    probs, order = logits.softmax(-1).sort(dim=-1, descending=True)
    remove = probs.cumsum(-1) - probs >= p
    mask = torch.zeros_like(remove)
    mask[:, order[0]] = remove
    return logits.masked_fill(mask, float("-inf"))


@wrong("logits-summed")
def top_p_of_logits(logits, p):
    ranked, order = logits.sort(dim=-1, descending=True)
    remove = ranked.cumsum(-1) - ranked >= p
    return logits.masked_fill(remove.scatter(-1, order, remove), float("-inf"))


@wrong("softmax-over-the-batch")
def top_p_softmax_over_rows(logits, p):
    probs, order = logits.softmax(0).sort(dim=-1, descending=True)
    remove = probs.cumsum(-1) - probs >= p
    return logits.masked_fill(remove.scatter(-1, order, remove), float("-inf"))


@wrong("softmax-twice")
def top_p_of_two_softmaxes(logits, p):
    probs, order = logits.softmax(-1).sort(dim=-1, descending=True)
    probs = probs.softmax(-1)
    remove = probs.cumsum(-1) - probs >= p
    return logits.masked_fill(remove.scatter(-1, order, remove), float("-inf"))


@wrong("filled-with-zero")
def top_p_with_zeros(logits, p):
    probs, order = logits.softmax(-1).sort(dim=-1, descending=True)
    keep = probs.cumsum(-1) - probs < p
    return logits * keep.scatter(-1, order, keep)


@wrong("finite-fill")
def top_p_with_a_billion(logits, p):
    probs, order = logits.softmax(-1).sort(dim=-1, descending=True)
    remove = probs.cumsum(-1) - probs >= p
    return logits.masked_fill(remove.scatter(-1, order, remove), -1e9)


@wrong("finite-fill")
def top_p_with_finfo(logits, p):
    probs, order = logits.softmax(-1).sort(dim=-1, descending=True)
    keep = probs.cumsum(-1) - probs < p
    return torch.where(keep.scatter(-1, order, keep), logits, torch.finfo(logits.dtype).min)


@wrong("probabilities-returned")
def top_p_as_probabilities(logits, p):
    probs, order = logits.softmax(-1).sort(dim=-1, descending=True)
    probs[probs.cumsum(-1) - probs >= p] = 0
    probs = probs / probs.sum(-1, keepdim=True)
    return torch.zeros_like(logits).scatter(-1, order, probs)


@wrong("logarithms-returned")
def top_p_as_logarithms(logits, p):
    probs, order = logits.softmax(-1).sort(dim=-1, descending=True)
    probs = probs.masked_fill(probs.cumsum(-1) - probs >= p, 0)
    return torch.zeros_like(logits).scatter(-1, order, probs).log()


@wrong("zero-times-infinity")
def top_p_by_adding(logits, p):
    probs, order = logits.softmax(-1).sort(dim=-1, descending=True)
    remove = (probs.cumsum(-1) - probs >= p).to(logits.dtype)
    return logits + remove.scatter(-1, order, remove) * float("-inf")


@wrong("mask-returned")
def top_p_as_a_mask(logits, p):
    probs, order = logits.softmax(-1).sort(dim=-1, descending=True)
    keep = probs.cumsum(-1) - probs < p
    return keep.scatter(-1, order, keep)


@wrong("nothing-hidden")
def top_p_thrown_away(logits, p):
    probs, order = logits.softmax(-1).sort(dim=-1, descending=True)
    remove = probs.cumsum(-1) - probs >= p
    logits.masked_fill(remove.scatter(-1, order, remove), float("-inf"))
    return logits


@wrong("changes-input")
def top_p_in_place(logits, p):
    probs, order = logits.softmax(-1).sort(dim=-1, descending=True)
    remove = probs.cumsum(-1) - probs >= p
    logits[remove.scatter(-1, order, remove)] = float("-inf")
    return logits


@wrong()
def top_p_scattered_the_wrong_way(logits, p):
    probs, order = logits.softmax(-1).sort(dim=-1, descending=True)
    keep = probs.cumsum(-1) - probs < p
    return logits.scatter(-1, keep, float("-inf"))


@wrong("returns-none")
def top_p_without_return(logits, p):
    probs, order = logits.softmax(-1).sort(dim=-1, descending=True)
    remove = probs.cumsum(-1) - probs >= p
    print(logits.masked_fill(remove.scatter(-1, order, remove), float("-inf")))


@wrong("filled-with-a-number")
def top_p_of_the_rest_with_a_billion(logits, p):
    probs, order = logits.softmax(-1).sort(dim=-1, descending=True)
    remove = probs.cumsum(-1) - probs >= 1 - p
    return logits.masked_fill(remove.scatter(-1, order, remove), -1e9)
