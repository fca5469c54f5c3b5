"""What people get wrong in exercise 10.4, absorbed_attention."""

import math

import torch

from exercises.common import explainers
from feedback import Misconceptions

ORDER = "A score is q · (W latent), a product of three factors. In which order do they make only small tensors?"


# ---------------------------------------------------------------- the right steps


def ask(q, w_k):
    """What a query asks of a latent, (B, H, T, R)."""
    return torch.einsum("bhtd,hdr->bhtr", q, w_k)


def compare(asked, latents):
    return asked @ latents[:, None].transpose(-2, -1)


def root(q, latents, w_v):
    return math.sqrt(q.size(-1))


def softmax(scores):
    return scores.softmax(dim=-1)


def read(weights, latents):
    """The average of the latents, (B, H, T, R)."""
    return weights @ latents[:, None]


def give(latent, w_v, w_k):
    """out, from what was read."""
    return torch.einsum("bhtr,her->bhte", latent, w_v)


def finish(out, weights, scores):
    return out, weights


def absorbed_from(ask=ask, compare=compare, root=root, softmax=softmax, read=read, give=give, finish=finish):
    """absorbed_attention(q, latents, w_k, w_v) made of these steps."""

    def absorbed_attention(q, latents, w_k, w_v):
        scores = compare(ask(q, w_k), latents) / root(q, latents, w_v)
        weights = softmax(scores)
        return finish(give(read(weights, latents), w_v, w_k), weights, scores)

    return absorbed_attention


known = Misconceptions(absorbed_from)


# ---------------------------------------------------------------- the scale


@known(
    "scaled-by-the-latent",
    means="The scores were divided by sqrt(R), the width of the latents: q was multiplied into them, but the "
    "dot product is still that of D numbers.",
    hint="The result must be that of ordinary attention, with keys of D features.",
    explain=explainers.sharpness,
    step="root",
)
def root_of_the_latent(q, latents, w_v):
    return math.sqrt(latents.size(-1))


@known(
    "scaled-by-the-values",
    means="The scores were divided by sqrt(E), the width of the values.",
    hint="The result must be that of ordinary attention, with keys of D features.",
    explain=explainers.sharpness,
    step="root",
)
def root_of_the_values(q, latents, w_v):
    return math.sqrt(w_v.size(1))


@known(
    "no-scale",
    means="The scores were not divided by `sqrt(D)`.",
    hint="A dot product of D numbers grows with D.",
    explain=explainers.sharpness,
    step="root",
)
def unscaled(q, latents, w_v):
    return 1


@known(
    "scaled-by-d",
    means="The scores were divided by D instead of `sqrt(D)`.",
    hint="The standard deviation of a dot product grows like `sqrt(D)`.",
    explain=explainers.sharpness,
    step="root",
)
def by_d(q, latents, w_v):
    return q.size(-1)


# ---------------------------------------------------------------- the matrices


def ask_of_head_0(q, w_k):
    return ask(q, w_k[:1].expand_as(w_k))


def give_of_head_0(latent, w_v, w_k):
    return give(latent, w_v[:1].expand_as(w_v), w_k)


known(
    "matrices-of-one-head",
    means="All heads used the matrices of head 0, or their mean.",
    hint="w_k and w_v hold a matrix for each head; the letter h must appear in each of their products.",
    explain=explainers.entry,
)
known.also("matrices-of-one-head", ask=ask_of_head_0, give=give_of_head_0)
known.also("matrices-of-one-head", ask=ask_of_head_0)
known.also("matrices-of-one-head", give=give_of_head_0)
known.also(
    "matrices-of-one-head",
    ask=lambda q, w_k: ask(q, w_k.mean(0, keepdim=True).expand_as(w_k)),
    give=lambda latent, w_v, w_k: give(latent, w_v.mean(0, keepdim=True).expand_as(w_v), w_k),
)


@known(
    "heads-summed",
    means="The sum runs over the heads as well: their results were added up.",
    hint="The letter h stays on the right of the arrow.",
    explain=explainers.entry,
    step="ask",
)
def asked_by_all_heads(q, w_k):
    return torch.einsum("bhtd,hdr->btr", q, w_k)[:, None].expand(-1, q.size(1), -1, -1)


@known.also("heads-summed", step="give")
def given_by_all_heads(latent, w_v, w_k):
    return torch.einsum("bhtr,her->bte", latent, w_v)[:, None].expand(-1, latent.size(1), -1, -1).clone()


@known(
    "transposed-matrix",
    means="A matrix was used the wrong way around, which the shapes allow only where D, E and R are equal.",
    hint="Each head's keys are latents w_k[h]ᵀ: which axis of w_k meets the features of q?",
    explain=explainers.entry,
    step="ask",
)
def asked_transposed(q, w_k):
    return torch.einsum("bhtr,hdr->bhtd", q, w_k)


@known.also("transposed-matrix", step="give")
def given_transposed(latent, w_v, w_k):
    return torch.einsum("bhte,her->bhtr", latent, w_v)


@known.also("transposed-matrix", step="ask")
def asked_transposed_by_matmul(q, w_k):
    return q @ w_k.mT


@known.also("transposed-matrix", step="give")
def given_transposed_by_matmul(latent, w_v, w_k):
    return latent @ w_v


@known(
    "latents-as-values",
    means="out is the average of the latents: w_v was not used.",
    hint="The values of head h are latents w_v[h]ᵀ. A matrix may be applied before an average, or after it.",
    explain=explainers.shape,
    step="give",
)
def latents_returned(latent, w_v, w_k):
    return latent


@known(
    "keys-as-values",
    means="out was made with w_k: the keys were averaged, not the values.",
    hint="Which of the two matrices makes values?",
    explain=explainers.entry,
    step="give",
)
def given_by_w_k(latent, w_v, w_k):
    return torch.einsum("bhtr,hdr->bhtd", latent, w_k)


@known(
    "queries-not-absorbed",
    means="q was compared with the latents themselves: w_k was not used.",
    hint=ORDER,
    explain=explainers.entry,
    step="ask",
)
def plain_queries(q, w_k):
    return q


# ---------------------------------------------------------------- softmax and what is returned


@known(
    "over-queries",
    means="The softmax runs over the queries; each query shares out its weights over the keys.",
    hint="Keys are the last axis of the scores.",
    explain=explainers.row_sum,
    step="softmax",
)
def softmax_over_queries(scores):
    return scores.softmax(dim=-2)


@known(
    "no-softmax",
    means="There is no softmax: the latents were averaged by their scores.",
    hint="Weights are positive, and each row sums to 1.",
    explain=explainers.row_sum,
    step="softmax",
)
def scores_alone(scores):
    return scores


@known(
    "causal",
    means="Later keys were hidden; here every query sees all latents.",
    hint="No mask is asked for.",
    explain=explainers.entry,
    step="softmax",
)
def causal_softmax(scores):
    return scores.masked_fill(~torch.ones(scores.shape[-2:], dtype=torch.bool).tril(), float("-inf")).softmax(-1)


@known.also("causal", step="softmax")
def causal_softmax_from_the_bottom_right(scores):
    T, S = scores.shape[-2:]
    mask = torch.ones(T, S, dtype=torch.bool).tril(S - T)
    return scores.masked_fill(~mask, float("-inf")).softmax(-1)


@known(
    "scores-returned",
    means="out is right, but the scores were returned in place of the weights.",
    hint="Return the numbers with which the latents were averaged.",
    explain=explainers.row_sum,
    step="finish",
)
def scores_second(out, weights, scores):
    return out, scores


@known(
    "swapped-pair",
    means="The weights were returned first.",
    hint="`return out, weights`.",
    step="finish",
)
def weights_first(out, weights, scores):
    return weights, out


@known(
    "only-out",
    means="Only out was returned.",
    hint="`return out, weights`.",
    step="finish",
)
def out_alone(out, weights, scores):
    return out
