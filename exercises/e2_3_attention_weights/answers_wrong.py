"""Wrong answers to exercise 2.3, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET503, RET504 - a return inside a loop, and naming a result before returning it, are what learners do

import math

import torch
import torch.nn.functional as F

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


@wrong("no-scale")
def weights_unscaled(q, k):
    """Not scaled."""
    return torch.softmax(q @ k.transpose(-2, -1), dim=-1)


@wrong("scaled-by-d")
def weights_over_d(q, k):
    """Divided by D, not by its root."""
    return torch.softmax(q @ k.transpose(-2, -1) / q.shape[-1], dim=-1)


@wrong("multiplied")
def weights_times_root(q, k):
    """Multiplied by the root."""
    return torch.softmax(q @ k.transpose(-2, -1) * math.sqrt(q.shape[-1]), dim=-1)


@wrong("multiplied")
def weights_over_inverse_root(q, k):
    """A precedence slip: q @ k.mT / D ** -0.5."""
    return torch.softmax(q @ k.transpose(-2, -1) / q.shape[-1] ** -0.5, dim=-1)


@wrong("scaled-by-another")
def weights_over_root_of_keys(q, k):
    """The root of the number of keys."""
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(k.shape[-2]), dim=-1)


@wrong("scaled-by-another")
def weights_over_root_of_queries(q, k):
    """The root of the number of queries."""
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-2]), dim=-1)


@wrong("scaled-by-another")
def weights_over_root_of_scores_axis(q, k):
    """The scores' last axis taken for D."""
    scores = q @ k.transpose(-2, -1)
    return torch.softmax(scores / math.sqrt(scores.shape[-1]), dim=-1)


@wrong("scaled-by-another")
def weights_over_root_of_len(q, k):
    """The root of len(q)."""
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(len(q)), dim=-1)


@wrong("scaled-by-another")
def weights_over_root_of_shape_1(q, k):
    """The root of shape[1]: right for matrices only."""
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[1]), dim=-1)


@wrong("scaled-by-another")
def weights_over_root_of_numel(q, k):
    """The root of all of q's elements."""
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.numel()), dim=-1)


@wrong("fixed-scale")
def weights_over_eight(q, k):
    """The root of 64, hard-coded."""
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(64), dim=-1)


@wrong()
def weights_over_integer_root(q, k):
    """The root is rounded down."""
    return torch.softmax(q @ k.transpose(-2, -1) / math.isqrt(q.shape[-1]), dim=-1)


@wrong()
def weights_by_floor_division(q, k):
    """Floor division."""
    return torch.softmax(q @ k.transpose(-2, -1) // math.sqrt(q.shape[-1]), dim=-1)


@wrong("scaled-by-d")
def weights_scaled_twice(q, k):
    """Scaled twice."""
    root = math.sqrt(q.shape[-1])
    return torch.softmax((q / root) @ (k / root).transpose(-2, -1), dim=-1)


@wrong("scaled-after-softmax")
def weights_scaled_afterwards(q, k):
    """Scaled after the softmax."""
    return torch.softmax(q @ k.transpose(-2, -1), dim=-1) / math.sqrt(q.shape[-1])


@wrong("over-queries")
def weights_over_queries(q, k):
    """Softmax over the queries."""
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-2)


@wrong("axis-from-the-front")
def weights_over_axis_1(q, k):
    """Softmax over axis 1."""
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=1)


@wrong("axis-from-the-front")
def weights_over_axis_0(q, k):
    """Softmax over axis 0."""
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=0)


@wrong("axis-from-the-front")
def weights_without_axis(q, k):
    """No axis given: PyTorch guesses."""
    return F.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]))


@wrong("over-queries")
def weights_unscaled_over_queries(q, k):
    """Over the queries and not scaled."""
    return torch.softmax(q @ k.transpose(-2, -1), dim=-2)


@wrong("no-softmax")
def weights_without_softmax(q, k):
    """Softmax forgotten."""
    return q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])


@wrong("raw-scores")
def weights_without_anything(q, k):
    """Softmax and scale forgotten: that is 2.1."""
    return torch.einsum("...td,...sd->...ts", q, k)


@wrong("negative-weights")
def weights_without_exp(q, k):
    """Made to sum to 1 without exp."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    return scores / scores.sum(-1, keepdim=True)


@wrong("not-divided")
def weights_not_normalized(q, k):
    """exp, but no sum."""
    return torch.exp(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]))


@wrong("log-softmax")
def weights_log(q, k):
    """log_softmax."""
    return F.log_softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)


@wrong("sigmoid")
def weights_sigmoid(q, k):
    """Sigmoid."""
    return torch.sigmoid(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]))


@wrong("keys-ask")
def weights_swapped(q, k):
    """q and k swapped."""
    return torch.softmax(k @ q.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)


@wrong()
def weights_without_transpose(q, k):
    """No transpose."""
    return torch.softmax(q @ k / math.sqrt(q.shape[-1]), dim=-1)


@wrong("all-axes-reversed")
def weights_by_capital_t(q, k):
    """.T on more than two axes."""
    return torch.softmax(q @ k.T / math.sqrt(q.shape[-1]), dim=-1)


@wrong("reshaped-not-transposed")
def weights_by_reshape(q, k):
    """Reshaped instead of transposed."""
    scores = q @ k.reshape(*k.shape[:-2], k.shape[-1], k.shape[-2])
    return torch.softmax(scores / math.sqrt(q.shape[-1]), dim=-1)


@wrong("fixed-axes")
def weights_by_transposing_1_2(q, k):
    """transpose(1, 2): right for three axes only."""
    return torch.softmax(torch.matmul(q, k.transpose(1, 2)) / math.sqrt(q.shape[-1]), dim=-1)


@wrong("keys-ignored")
def weights_of_queries_with_themselves(q, k):
    """The keys are never used."""
    return torch.softmax(q @ q.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)


@wrong("rows-do-not-sum-to-1")
def weights_by_softmax_of_each(q, k):
    """Softmax of q and of k."""
    return torch.softmax(q, dim=-1) @ torch.softmax(k, dim=-1).transpose(-2, -1)


@wrong()
def weights_by_cosine(q, k):
    """Cosines."""
    return torch.softmax(F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).transpose(-2, -1), dim=-1)


@wrong()
def weights_causal(q, k):
    """The future is hidden, unasked."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
    return torch.softmax(scores.masked_fill(future, -math.inf), dim=-1)


@wrong("not-repeatable")
def weights_with_dropout(q, k):
    """With dropout."""
    return F.dropout(torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1), 0.1)


@wrong("changes-input")
def weights_in_place(q, k):
    """q is divided in place."""
    q /= math.sqrt(q.shape[-1])
    return torch.softmax(q @ k.transpose(-2, -1), dim=-1)


@wrong()
def weights_root_of_shape(q, k):
    """The root of a shape."""
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape), dim=-1)


@wrong()
def weights_torch_sqrt_of_int(q, k):
    """torch.sqrt of an int."""
    return torch.softmax(q @ k.transpose(-2, -1) / torch.sqrt(q.shape[-1]), dim=-1)


@wrong()
def weights_undefined_d_k(q, k):
    """A name that does not exist."""
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(d_k), dim=-1)  # noqa: F821


@wrong("returns-wrong-type")
def weights_as_a_pair(q, k):
    """A pair of weights and scores."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    return scores.softmax(-1), scores


@wrong("returns-none")
def weights_not_returned(q, k):
    """Nothing is returned."""
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    print(weights)


@wrong("returns-wrong-type")
def weights_as_numpy(q, k):
    """A numpy array."""
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1).numpy()


@wrong("wrong-dtype")
def weights_always_float32(q, k):
    """Always float32."""
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1, dtype=torch.float32)


@wrong("fixed-scale")
def weights_over_root_of_eleven(q, k):
    """The root of 11, read off the checker's messages."""
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(11), dim=-1)


@wrong("root-without-brackets")
def weights_over_half_of_d(q, k):
    """D ** 1 / 2 in parentheses: half of D."""
    weights = (q @ k.transpose(-2, -1) / (q.size(-1) ** 1 / 2)).softmax(-1)
    return weights


@wrong("divided-by-d-and-by-2")
def weights_over_d_and_two(q, k):
    """/ D ** 1 / 2: divided by D and by 2."""
    weights = (q @ k.transpose(-2, -1) / q.size(-1) ** 1 / 2).softmax(-1)
    return weights


@wrong("not-repeatable")
def weights_dropped(q, k):
    """A dropout that nobody asked for."""
    return F.dropout((q @ k.transpose(-2, -1) / q.size(-1) ** 0.5).softmax(-1), 0.1)


@wrong("scaled-by-another")
def scaled_3_by_items_of_k(q, k):
    """sqrt of the items of k."""
    weights = (q @ k.transpose(-2, -1) / math.sqrt(k.shape[0])).softmax(-1)
    return weights


@wrong("scaled-by-another")
def scaled_3_by_axis_1_of_k(q, k):
    """sqrt of axis 1 of k."""
    weights = (q @ k.transpose(-2, -1) / k.shape[1] ** 0.5).softmax(-1)
    return weights


@wrong("fixed-scale")
def scaled_3_by_eight(q, k):
    """A fixed 8."""
    weights = (q @ k.transpose(-2, -1) / 8).softmax(-1)
    return weights


@wrong("fixed-scale")
def scaled_3_by_root_of_32(q, k):
    """A fixed root of 32."""
    weights = (q @ k.transpose(-2, -1) / math.sqrt(32)).softmax(-1)
    return weights


@wrong("fixed-scale")
def scaled_3_by_root_of_11(q, k):
    """A fixed root of 11."""
    weights = (q @ k.transpose(-2, -1) / 11**0.5).softmax(-1)
    return weights


@wrong("root-of-two")
def weights_over_root_of_two(q, k):
    """Copied from an example with D = 2."""
    scores = torch.matmul(q, k.mT) / 2**0.5
    return torch.softmax(scores, dim=-1)


@wrong("elementwise")
def weights_by_elementwise_product(q, k):
    """`*` written for `@`."""
    return torch.softmax((q * k).sum(-1) / math.sqrt(q.size(-1)), dim=-1)


@wrong("softmax-twice")
def weights_softmaxed_twice(q, k):
    """A softmax inside a softmax."""
    weights = F.softmax(q @ k.mT / math.sqrt(q.size(-1)), dim=-1)
    return F.softmax(weights, dim=-1)


@wrong("axis-from-the-front")
def weights_over_axis_2(q, k):
    """Softmax over axis 2: written for a batch."""
    scores = torch.matmul(q, k.mT) / math.sqrt(k.size(-1))
    return F.softmax(scores, dim=2)


@wrong("measured-spread")
def weights_of_standardized_scores(q, k):
    """Measured instead of derived: these scores do have a spread of 1 now."""
    scores = torch.matmul(q, k.mT)
    scores = scores / torch.std(scores)
    return torch.softmax(scores, dim=-1)


@wrong("measured-spread")
def weights_of_standardized_rows(q, k):
    """The same, row by row."""
    scores = torch.einsum("...td,...sd->...ts", q, k)
    return F.softmax(scores / scores.var(-1, keepdim=True).sqrt(), dim=-1)
