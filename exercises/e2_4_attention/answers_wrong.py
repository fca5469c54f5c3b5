"""Wrong answers to exercise 2.4, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET503, RET504 - a return inside a loop, and naming a result before returning it, are what learners do

import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


@wrong("swapped-pair")
def attention_swapped_pair(q, k, v):
    """The pair is swapped."""
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    return weights, weights @ v


@wrong("only-out")
def attention_output_alone(q, k, v):
    """The output alone."""
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    return weights @ v


@wrong("only-weights")
def attention_weights_alone(q, k, v):
    """The weights alone."""
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)


@wrong("returns-wrong-type")
def attention_as_a_list(q, k, v):
    """A list."""
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    return [weights @ v, weights]


@wrong("returns-wrong-type")
def attention_as_a_dict(q, k, v):
    """A dictionary."""
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    return {"out": weights @ v, "weights": weights}


@wrong("returns-wrong-type")
def attention_three_results(q, k, v):
    """Three results."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    return weights @ v, weights, scores


@wrong("returns-wrong-type")
def attention_none_for_weights(q, k, v):
    """None in the place of the weights."""
    return F.scaled_dot_product_attention(q, k, v), None


@wrong("returns-none")
def attention_not_returned(q, k, v):
    """Nothing is returned."""
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    out = weights @ v
    print(out, weights)


@wrong("returns-wrong-type")
def attention_as_numpy(q, k, v):
    """Numpy arrays."""
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    return (weights @ v).numpy(), weights.numpy()


@wrong("scores-returned")
def attention_scores_returned(q, k, v):
    """Scores returned instead of weights."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    return torch.softmax(scores, dim=-1) @ v, scores


@wrong("no-softmax")
def attention_without_softmax(q, k, v):
    """No softmax at all."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    return scores @ v, scores


@wrong("mixed-by-scores")
def attention_mixed_by_scores(q, k, v):
    """The values are mixed by the scores, the weights are right."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    return scores @ v, torch.softmax(scores, dim=-1)


@wrong("no-scale")
def attention_unscaled(q, k, v):
    """Not scaled."""
    weights = torch.softmax(q @ k.transpose(-2, -1), dim=-1)
    return weights @ v, weights


@wrong()
def attention_unscaled_weights(q, k, v):
    """The returned weights are unscaled, the output is right."""
    return F.scaled_dot_product_attention(q, k, v), torch.softmax(q @ k.transpose(-2, -1), dim=-1)


@wrong("scaled-by-d")
def attention_over_d(q, k, v):
    """Divided by D."""
    weights = torch.softmax(q @ k.transpose(-2, -1) / k.size(-1), dim=-1)
    return weights @ v, weights


@wrong("multiplied")
def attention_times_root(q, k, v):
    """Multiplied by the root."""
    weights = torch.softmax(q @ k.transpose(-2, -1) * k.size(-1) ** 0.5, dim=-1)
    return weights @ v, weights


@wrong("scaled-by-another")
def attention_over_root_of_value_width(q, k, v):
    """The root of the values' width."""
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(v.shape[-1]), dim=-1)
    return weights @ v, weights


@wrong("scaled-by-another")
def attention_over_root_of_keys(q, k, v):
    """The root of the number of keys."""
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(k.shape[-2]), dim=-1)
    return weights @ v, weights


@wrong("scaled-by-another")
def attention_over_root_of_shape_1(q, k, v):
    """The root of shape[1]."""
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[1]), dim=-1)
    return weights @ v, weights


@wrong("scaled-after-softmax")
def attention_scaled_afterwards(q, k, v):
    """Scaled after the softmax."""
    weights = torch.softmax(q @ k.transpose(-2, -1), dim=-1) / math.sqrt(q.shape[-1])
    return weights @ v, weights


@wrong("output-scaled")
def attention_output_scaled(q, k, v):
    """The output is scaled instead of the scores."""
    weights = torch.softmax(q @ k.transpose(-2, -1), dim=-1)
    return weights @ v / math.sqrt(q.shape[-1]), weights


@wrong("over-queries")
def attention_over_queries(q, k, v):
    """Softmax over the queries."""
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-2)
    return weights @ v, weights


@wrong("axis-from-the-front")
def attention_over_axis_1(q, k, v):
    """Softmax over axis 1."""
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=1)
    return weights @ v, weights


@wrong("axis-from-the-front")
def attention_over_axis_0(q, k, v):
    """Softmax over axis 0."""
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=0)
    return weights @ v, weights


@wrong("keys-as-values")
def attention_of_keys(q, k, v):
    """The keys are mixed instead of the values."""
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    return weights @ k, weights


@wrong()
def attention_keys_and_values_swapped(q, k, v):
    """k and v swapped."""
    k, v = v, k
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    return weights @ v, weights


@wrong("keys-ask")
def attention_swapped(q, k, v):
    """q and k swapped."""
    weights = torch.softmax(k @ q.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    return weights @ v, weights


@wrong("over-queries")
def attention_swapped_and_back(q, k, v):
    """q and k swapped, and turned back after the softmax."""
    weights = torch.softmax(k @ q.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1).transpose(-2, -1)
    return weights @ v, weights


@wrong("weights-transposed")
def attention_weights_transposed(q, k, v):
    """The weights are transposed before the values."""
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    return weights.transpose(-2, -1) @ v, weights


@wrong("mixed-element-by-element")
def attention_elementwise(q, k, v):
    """Elementwise product with the values."""
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    out = torch.mul(weights, v)
    return out, weights


@wrong()
def attention_softmax_of_output(q, k, v):
    """A softmax of the output."""
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    return torch.softmax(weights @ v, dim=-1), weights


@wrong()
def attention_softmax_last(q, k, v):
    """Softmax after the values."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    return torch.softmax(scores @ v, dim=-1), torch.softmax(scores, dim=-1)


@wrong()
def attention_divided_by_keys(q, k, v):
    """An average instead of a sum over the keys."""
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    return weights @ v / v.shape[-2], weights


@wrong()
def attention_without_the_first_key(q, k, v):
    """The first key is left out of the loop."""
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    out = 0
    for s in range(1, v.shape[-2]):
        out = out + weights[..., s, None] * v[..., s, None, :]
    return out, weights


@wrong()
def attention_hard(q, k, v):
    """Only the best key is read."""
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    best = F.one_hot(weights.argmax(-1), k.shape[-2]).to(v.dtype)
    return best @ v, weights


@wrong()
def attention_causal(q, k, v):
    """The future is hidden in the output, unasked."""
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    return F.scaled_dot_product_attention(q, k, v, is_causal=True), weights


@wrong("not-repeatable")
def attention_with_dropout(q, k, v):
    """With dropout."""
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    weights = nn.Dropout(0.1)(weights)
    return weights @ v, weights


@wrong()
def attention_without_transpose(q, k, v):
    """No transpose."""
    weights = torch.softmax(q @ k / math.sqrt(q.shape[-1]), dim=-1)
    return weights @ v, weights


@wrong("all-axes-reversed")
def attention_by_capital_t(q, k, v):
    """.T on more than two axes."""
    weights = torch.softmax(q @ k.T / math.sqrt(q.shape[-1]), dim=-1)
    return weights @ v, weights


@wrong("fixed-axes")
def attention_by_bmm(q, k, v):
    """bmm: right for three axes only."""
    weights = torch.softmax(torch.bmm(q, k.transpose(1, 2)) / math.sqrt(q.shape[-1]), dim=-1)
    return torch.bmm(weights, v), weights


@wrong()
def attention_of_two_arguments(q, k):
    """Two arguments only."""
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    return weights @ k, weights


@wrong("changes-input")
def attention_in_place(q, k, v):
    """q is divided in place."""
    q /= math.sqrt(q.shape[-1])
    weights = torch.softmax(q @ k.transpose(-2, -1), dim=-1)
    return weights @ v, weights


@wrong()
def attention_misspelt(q, k, v):
    """A misspelt name."""
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    return weigths @ v, weights  # noqa: F821


@wrong("swapped-pair")
def attention_unscaled_and_swapped(q, k, v):
    """Not scaled, and the pair is swapped."""
    weights = torch.softmax(q @ k.transpose(-2, -1), dim=-1)
    return weights, weights @ v


@wrong()
def attention_with_residual(q, k, v):
    """The queries are added to the output."""
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    return q + weights @ v, weights


@wrong("fixed-scale")
def attention_over_root_of_eleven(q, k, v):
    """The root of 11, read off the checker's messages."""
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(11), dim=-1)
    return weights @ v, weights


@wrong("root-without-brackets")
def pair_over_half_of_d(q, k, v):
    """D ** 1 / 2 in parentheses: half of D."""
    weights = (q @ k.transpose(-2, -1) / (q.size(-1) ** 1 / 2)).softmax(-1)
    return weights @ v, weights


@wrong("divided-by-d-and-by-2")
def pair_over_d_and_two(q, k, v):
    """/ D ** 1 / 2: divided by D and by 2."""
    weights = (q @ k.transpose(-2, -1) / q.size(-1) ** 1 / 2).softmax(-1)
    return weights @ v, weights


OUT_BUFFERS = {}


@wrong("shared-result")
def attention_into_a_buffer(q, k, v):
    """The weights are written into one tensor for all calls of a shape."""
    weights = (q @ k.transpose(-2, -1) / q.size(-1) ** 0.5).softmax(-1)
    buffer = OUT_BUFFERS.setdefault((weights.shape, weights.dtype), torch.empty_like(weights))
    buffer.copy_(weights)
    return weights @ v, buffer


@wrong("not-repeatable")
def attention_dropped(q, k, v):
    """A dropout before the values are mixed."""
    weights = (q @ k.transpose(-2, -1) / q.size(-1) ** 0.5).softmax(-1)
    return F.dropout(weights, 0.1) @ v, weights


@wrong("scaled-by-another")
def scaled_4_by_items_of_k(q, k, v):
    """sqrt of the items of k."""
    weights = (q @ k.transpose(-2, -1) / math.sqrt(k.shape[0])).softmax(-1)
    return weights @ v, weights


@wrong("scaled-by-another")
def scaled_4_by_axis_1_of_k(q, k, v):
    """sqrt of axis 1 of k."""
    weights = (q @ k.transpose(-2, -1) / k.shape[1] ** 0.5).softmax(-1)
    return weights @ v, weights


@wrong("fixed-scale")
def scaled_4_by_eight(q, k, v):
    """A fixed 8."""
    weights = (q @ k.transpose(-2, -1) / 8).softmax(-1)
    return weights @ v, weights


@wrong("fixed-scale")
def scaled_4_by_root_of_32(q, k, v):
    """A fixed root of 32."""
    weights = (q @ k.transpose(-2, -1) / math.sqrt(32)).softmax(-1)
    return weights @ v, weights


@wrong("fixed-scale")
def scaled_4_by_root_of_11(q, k, v):
    """A fixed root of 11."""
    weights = (q @ k.transpose(-2, -1) / 11**0.5).softmax(-1)
    return weights @ v, weights


@wrong("root-of-two")
def attention_over_root_of_two(q, k, v):
    """Copied from an example with D = 2."""
    weights = torch.softmax(torch.matmul(q, k.mT) / 2**0.5, dim=-1)
    return torch.matmul(weights, v), weights


@wrong("reshaped-not-transposed")
def attention_by_reshape(q, k, v):
    """Reshaped instead of transposed."""
    *front, length, width = k.shape
    weights = F.softmax(q @ k.reshape(*front, width, length) / math.sqrt(width), dim=-1)
    return weights @ v, weights


@wrong("queries-as-values")
def attention_of_queries(q, k, v):
    """The queries are used where the values belong: it fails wherever there are more keys than queries."""
    weights = F.softmax(q @ k.mT / math.sqrt(q.size(-1)), dim=-1)
    return torch.matmul(weights, q), weights


@wrong("keys-ignored")
def attention_of_queries_with_themselves(q, k, v):
    """The keys are never used."""
    weights = F.softmax(q @ q.mT / math.sqrt(q.size(-1)), dim=-1)
    return weights @ v, weights


@wrong("elementwise")
def attention_by_elementwise_product(q, k, v):
    """`*` written for `@`, twice."""
    weights = torch.softmax(q * k / math.sqrt(q.size(-1)), dim=-1)
    return weights * v, weights


@wrong("fixed-axes")
def attention_with_counted_axes(q, k, v):
    """The axes of a batch of matrices."""
    weights = torch.softmax(torch.matmul(q, k.transpose(2, 1)) / math.sqrt(q.size(-1)), dim=-1)
    return weights @ v, weights


@wrong("softmax-twice")
def attention_softmaxed_twice(q, k, v):
    """A softmax in each of two lines."""
    scores = F.softmax(q @ k.mT / math.sqrt(q.size(-1)), dim=-1)
    weights = scores.softmax(-1)
    return weights @ v, weights


@wrong("axis-from-the-front")
def attention_over_axis_2(q, k, v):
    """Softmax over axis 2: written for a batch."""
    weights = F.softmax(torch.matmul(q, k.mT) / math.sqrt(k.size(-1)), dim=2)
    return torch.matmul(weights, v), weights


@wrong("no-gradients")
def attention_with_detached_weights(q, k, v):
    """Only the values could learn."""
    weights = torch.softmax(q @ k.mT / math.sqrt(q.size(-1)), dim=-1).detach()
    return weights @ v, weights


@wrong("no-gradients")
def attention_without_gradients(q, k, v):
    """Copied from code that only uses a trained model."""
    with torch.no_grad():
        weights = torch.softmax(q @ k.mT / math.sqrt(q.size(-1)), dim=-1)
        return weights @ v, weights


@wrong()
def attention_by_numpy(q, k, v):
    """NumPy takes no tensors that require gradients."""
    scores = q.numpy() @ k.numpy().swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    return torch.from_numpy(weights @ v.numpy()), torch.from_numpy(weights)


@wrong()
def attention_reading_what_it_fills(q, k, v):
    """Each row of the weights is needed in the backward pass, and the next row is written into the same tensor."""
    out = torch.zeros(*q.shape[:-1], v.shape[-1], dtype=v.dtype)
    weights = torch.zeros(*q.shape[:-1], k.shape[-2], dtype=q.dtype)
    for t in range(q.shape[-2]):
        scores = (q[..., t, None, :] * k).sum(-1) / math.sqrt(q.shape[-1])
        weights[..., t, :] = torch.softmax(scores, -1)
        for s in range(k.shape[-2]):
            out[..., t, :] += weights[..., t, s, None] * v[..., s, :]
    return out, weights
