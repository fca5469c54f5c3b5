"""Wrong answers to exercise 10.4, of the kind that learners write: the checker must reject all of them."""

import torch
import torch.nn.functional as F

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


def weighed(asked, latents, root):
    return (asked @ latents[:, None].mT / root).softmax(-1)


def answer(q, latents, w_k, w_v, root=None):
    weights = weighed(q @ w_k, latents, root or q.size(-1) ** 0.5)
    return weights @ latents[:, None] @ w_v.mT, weights


@wrong("keys-made")
def keys_and_values_made(q, latents, w_k, w_v):
    k = torch.einsum("bsr,hdr->bhsd", latents, w_k)
    v = torch.einsum("bsr,her->bhse", latents, w_v)
    weights = (q @ k.mT / q.size(-1) ** 0.5).softmax(-1)
    return weights @ v, weights


@wrong("keys-made")
def values_made(q, latents, w_k, w_v):
    weights = weighed(q @ w_k, latents, q.size(-1) ** 0.5)
    return weights @ (latents[:, None] @ w_v.mT), weights


@wrong("keys-made")
def keys_made_for_torch(q, latents, w_k, w_v):
    weights = weighed(q @ w_k, latents, q.size(-1) ** 0.5)
    return F.scaled_dot_product_attention(q, latents[:, None] @ w_k.mT, latents[:, None] @ w_v.mT), weights


@wrong("scaled-by-the-latent")
def absorbed_over_root_of_r(q, latents, w_k, w_v):
    return answer(q, latents, w_k, w_v, latents.size(-1) ** 0.5)


@wrong("scaled-by-the-values")
def absorbed_over_root_of_e(q, latents, w_k, w_v):
    return answer(q, latents, w_k, w_v, w_v.size(-2) ** 0.5)


@wrong("no-scale")
def absorbed_unscaled(q, latents, w_k, w_v):
    return answer(q, latents, w_k, w_v, 1.0)


@wrong("scaled-by-d")
def absorbed_over_d(q, latents, w_k, w_v):
    return answer(q, latents, w_k, w_v, q.size(-1))


@wrong("matrices-of-one-head")
def absorbed_by_head_0(q, latents, w_k, w_v):
    return answer(q, latents, w_k[0], w_v[0])


@wrong("matrices-of-one-head")
def absorbed_by_means(q, latents, w_k, w_v):
    return answer(q, latents, w_k.mean(0), w_v.mean(0))


@wrong("heads-summed")
def absorbed_with_heads_summed(q, latents, w_k, w_v):
    asked = torch.einsum("bhtd,hdr->btr", q, w_k).unsqueeze(1).repeat(1, q.size(1), 1, 1)
    weights = weighed(asked, latents, q.size(-1) ** 0.5)
    return weights @ latents[:, None] @ w_v.mT, weights


@wrong("transposed-matrix")
def absorbed_with_w_k_transposed(q, latents, w_k, w_v):
    weights = weighed(q @ w_k.mT, latents, q.size(-1) ** 0.5)
    return weights @ latents[:, None] @ w_v.mT, weights


@wrong("transposed-matrix")
def absorbed_with_w_v_transposed(q, latents, w_k, w_v):
    weights = weighed(q @ w_k, latents, q.size(-1) ** 0.5)
    return weights @ latents[:, None] @ w_v, weights


@wrong("latents-as-values")
def absorbed_without_w_v(q, latents, w_k, w_v):
    weights = weighed(q @ w_k, latents, q.size(-1) ** 0.5)
    return weights @ latents[:, None], weights


@wrong("keys-as-values")
def absorbed_with_w_k_twice(q, latents, w_k, w_v):
    weights = weighed(q @ w_k, latents, q.size(-1) ** 0.5)
    return weights @ latents[:, None] @ w_k.mT, weights


@wrong("queries-not-absorbed")
def absorbed_without_w_k(q, latents, w_k, w_v):
    weights = weighed(q, latents, q.size(-1) ** 0.5)
    return weights @ latents[:, None] @ w_v.mT, weights


@wrong("over-queries")
def absorbed_softmax_over_queries(q, latents, w_k, w_v):
    weights = F.softmax(q @ w_k @ latents[:, None].mT / q.size(-1) ** 0.5, dim=2)
    return weights @ latents[:, None] @ w_v.mT, weights


@wrong("no-softmax")
def absorbed_without_softmax(q, latents, w_k, w_v):
    weights = q @ w_k @ latents[:, None].mT / q.size(-1) ** 0.5
    return weights @ latents[:, None] @ w_v.mT, weights


@wrong("causal")
def absorbed_and_causal(q, latents, w_k, w_v):
    scores = q @ w_k @ latents[:, None].mT / q.size(-1) ** 0.5
    weights = scores.masked_fill(torch.ones(scores.shape[-2:]).triu(1) > 0, float("-inf")).softmax(-1)
    return weights @ latents[:, None] @ w_v.mT, weights


@wrong("scores-returned")
def absorbed_with_scores(q, latents, w_k, w_v):
    scores = q @ w_k @ latents[:, None].mT / q.size(-1) ** 0.5
    return scores.softmax(-1) @ latents[:, None] @ w_v.mT, scores


@wrong("swapped-pair")
def absorbed_weights_first(q, latents, w_k, w_v):
    return answer(q, latents, w_k, w_v)[::-1]


@wrong("only-out")
def absorbed_out_alone(q, latents, w_k, w_v):
    return answer(q, latents, w_k, w_v)[0]


@wrong()
def absorbed_with_normalized_latents(q, latents, w_k, w_v):
    return answer(q, F.normalize(latents, dim=-1), w_k, w_v)
