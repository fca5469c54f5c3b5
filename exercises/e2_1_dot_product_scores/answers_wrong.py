"""Wrong answers to exercise 2.1, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET503, RET504 - a return inside a loop, and naming a result before returning it, are what learners do

import math

import numpy as np
import torch
import torch.nn.functional as F

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


@wrong()
def scores_without_transpose(q, k):
    """No transpose."""
    return q @ k


@wrong()
def scores_with_a_lost_transpose(q, k):
    """The transpose is thrown away."""
    k.transpose(-2, -1)
    return q @ k


@wrong("all-axes-reversed")
def scores_by_capital_t(q, k):
    """.T, which reverses all axes."""
    return q @ k.T


@wrong()
def scores_by_einsum_of_matrices(q, k):
    """einsum without an ellipsis: right for matrices only."""
    return torch.einsum("td,sd->ts", q, k)


@wrong("wrong-shape")
def scores_summed_over_the_batch(q, k):
    """einsum that sums over the batch."""
    return torch.einsum("...td,...sd->ts", q, k)


@wrong("reshaped-not-transposed")
def scores_by_reshape(q, k):
    """Reshaped instead of transposed."""
    return q @ k.reshape(*k.shape[:-2], k.shape[-1], k.shape[-2])


@wrong("reshaped-not-transposed")
def scores_by_view(q, k):
    """view(-1, S) instead of transposed, for matrices."""
    return q @ k.view(k.shape[-1], k.shape[-2])


@wrong("keys-ask")
def scores_by_einsum_swapped(q, k):
    """einsum with the result's letters swapped."""
    return torch.einsum("...td,...sd->...st", q, k)


@wrong("keys-ignored")
def scores_of_queries_with_themselves(q, k):
    """The keys are never used."""
    return torch.einsum("...td,...sd->...ts", q, q)


@wrong("queries-ignored")
def scores_of_keys_with_themselves(q, k):
    """The queries are never used."""
    return torch.einsum("...td,...sd->...ts", k, k)


@wrong("already-scaled")
def scores_already_scaled(q, k):
    """Divided by sqrt(D)."""
    return q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])


@wrong("mean")
def scores_by_mean(q, k):
    """Divided by D: a mean instead of a sum."""
    return (q.unsqueeze(-2) * k.unsqueeze(-3)).mean(-1)


@wrong("softmaxed")
def scores_already_softmaxed(q, k):
    """Softmax taken already."""
    return (q @ k.transpose(-2, -1)).softmax(dim=-1)


@wrong("softmaxed")
def scores_already_weights(q, k):
    """Scaled and softmax taken: that is 2.3."""
    return F.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)


@wrong("cosine")
def scores_by_cosine(q, k):
    """Cosines instead of dot products."""
    return F.cosine_similarity(q.unsqueeze(-2), k.unsqueeze(-3), dim=-1)


@wrong("distance")
def scores_by_distance(q, k):
    """Distances instead of dot products."""
    return (q.unsqueeze(-2) - k.unsqueeze(-3)).norm(dim=-1)


@wrong("elementwise")
def scores_by_elementwise_product(q, k):
    """Multiplied element by element."""
    return torch.mul(q, k)


@wrong("elementwise")
def scores_by_elementwise_sum(q, k):
    """Multiplied element by element, then summed over the features."""
    products = q * k
    return torch.sum(products, dim=-1)


@wrong("elementwise")
def scores_by_elementwise_product_with_transposed_keys(q, k):
    """`*` written for `@`."""
    return q * k.mT


@wrong()
def scores_by_torch_dot(q, k):
    """torch.dot, which takes vectors only."""
    return torch.dot(q, k)


@wrong("wrong-shape")
def scores_by_numpy_dot(q, k):
    """np.dot, which pairs every item with every item."""
    return torch.from_numpy(np.dot(q.numpy(), np.swapaxes(k.numpy(), -1, -2)))


@wrong("wrong-shape")
def scores_square(q, k):
    """Both loops run over the queries."""
    length = q.shape[-2]
    scores = torch.zeros(*q.shape[:-1], length, dtype=q.dtype)
    for i in range(length):
        for j in range(length):
            scores[..., i, j] = (q[..., i, :] * k[..., j, :]).sum(-1)
    return scores


@wrong()
def scores_of_the_last_feature(q, k):
    """= instead of += in the loop: the last feature only."""
    scores = torch.zeros(*q.shape[:-1], k.shape[-2], dtype=q.dtype)
    for d in range(q.shape[-1]):
        scores[...] = q[..., :, None, d] * k[..., None, :, d]
    return scores


@wrong()
def scores_without_the_last_feature(q, k):
    """The last feature is left out."""
    return q[..., :-1] @ k[..., :-1].transpose(-2, -1)


@wrong("wrong-shape")
def scores_of_three_words(q, k):
    """Written for a result of 3 by 3."""
    scores = torch.zeros(3, 3)
    for i in range(3):
        for j in range(3):
            scores[i, j] = q[i] @ k[j]
    return scores


@wrong("returns-wrong-type")
def scores_as_a_list(q, k):
    """A list of rows."""
    return [q[..., t, None, :] @ k.transpose(-2, -1) for t in range(q.shape[-2])]


@wrong("returns-wrong-type")
def scores_as_numpy(q, k):
    """A numpy array."""
    return (q @ k.transpose(-2, -1)).numpy()


@wrong("returns-none")
def scores_not_returned(q, k):
    """Nothing is returned."""
    scores = q @ k.transpose(-2, -1)
    print(scores)


@wrong("wrong-dtype")
def scores_always_float32(q, k):
    """Always float32."""
    return (q @ k.transpose(-2, -1)).float()


@wrong("wrong-dtype")
def scores_in_default_dtype(q, k):
    """A new float32 tensor is filled, whatever the input's dtype."""
    scores = torch.empty(*q.shape[:-1], k.shape[-2])
    scores[...] = q @ k.transpose(-2, -1)
    return scores


@wrong("changes-input")
def scores_in_place(q, k):
    """The queries are changed in place."""
    q *= 1.0 / math.sqrt(q.shape[-1])
    return q @ k.transpose(-2, -1) * math.sqrt(q.shape[-1])


@wrong()
def scores_misspelt(q, k):
    """A misspelt method."""
    return q @ k.tranpose(-2, -1)


@wrong()
def scores_of_one_argument(x):
    """One argument only."""
    return x @ x.transpose(-2, -1)


@wrong()
def scores_root_of_int(q, k):
    """A method that an int does not have."""
    return q @ k.transpose(-2, -1) / q.shape[-1].sqrt()


@wrong()
def scores_negated(q, k):
    """Negated."""
    return -(q @ k.transpose(-2, -1))


@wrong("returns-wrong-type")
def scores_as_a_pair(q, k):
    """A pair with the scaled scores."""
    scores = q @ k.transpose(-2, -1)
    return scores, scores / math.sqrt(q.shape[-1])


@wrong("wrong-shape")
def scores_scaled_and_swapped(q, k):
    """Scaled, and the wrong way around."""
    return k @ q.transpose(-2, -1) / math.sqrt(q.shape[-1])


@wrong("not-repeatable")
def scores_with_noise(q, k):
    """Noise on the scores."""
    return q @ k.transpose(-2, -1) + torch.rand(q.size(-2), k.size(-2), dtype=q.dtype)


@wrong("fixed-axes")
def scores_by_permuting_three_axes(q, k):
    """permute with three numbers."""
    return torch.matmul(q, torch.permute(k, (0, 2, 1)))


@wrong()
def scores_of_at_least_as_many_keys(q, k):
    assert k.shape[-2] >= q.shape[-2], "fewer keys than queries"
    return q @ k.mT
