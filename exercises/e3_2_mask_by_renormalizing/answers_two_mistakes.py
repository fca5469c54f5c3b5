"""Answers to exercise 3.2 with two mistakes at once: the checker may name either, and no third."""

from feedback.bank import TwoMistakes

both = TwoMistakes()


@both("true-hides", "columns-renormalised")
def hidden_kept_and_columns_divided(weights, mask):
    visible = weights.masked_fill(mask, 0.0)
    return visible / visible.sum(dim=-2, keepdim=True)


@both("true-hides", "not-renormalised")
def hidden_kept_alone(weights, mask):
    return weights.masked_fill(mask, 0)


@both("true-hides", "softmax-again")
def hidden_kept_and_softmax(weights, mask):
    return (weights * mask.logical_not()).softmax(dim=-1)


@both("true-hides", "one-sum-for-all")
def hidden_kept_and_one_sum(weights, mask):
    visible = weights * ~mask
    return visible / visible.sum()


@both("own-causal-mask", "not-renormalised")
def own_mask_and_not_divided(weights, mask):
    return weights.tril()
