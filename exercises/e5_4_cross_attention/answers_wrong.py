"""Wrong answers to exercise 5.4, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET503, RET504 - a return inside a loop, and naming a result before returning it, are what learners do

import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from exercises.common.heads import answers_wrong_weights
from exercises.common.heads.answers_parts import cut, join, parts
from feedback.bank import WrongAnswers
from helpers.attention import dot_product_attention

wrong = WrongAnswers()


def attended(q, k, v, out_proj):
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(-1)
    return out_proj(join(weights @ v)), weights


def with_weights(weigh):
    """An answer that is right but for its weights, which weigh(q, k, mask) makes."""

    def answer(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
        q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
        weights = weigh(q, k, None)
        return out_proj(join(weights @ v)), weights

    answer.__name__ = f"cross_{weigh.__name__}"
    return answer


for weigh, diagnosis in answers_wrong_weights.wrong_scores.answers:
    wrong(diagnosis)(with_weights(weigh))


@wrong("keys-from-x")
def cross_keys_from_x(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """Keys from x."""
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(x), num_heads), cut(v_proj(context), num_heads)
    return attended(q, k, v, out_proj)


@wrong("values-from-x")
def cross_values_from_x(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """Values from x."""
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(x), num_heads)
    return attended(q, k, v, out_proj)


@wrong("queries-from-context")
def cross_queries_from_context(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """Queries from context."""
    q, k, v = cut(q_proj(context), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    return attended(q, k, v, out_proj)


@wrong("context-ignored")
def cross_all_from_x(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """Self-attention of x."""
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(x), num_heads), cut(v_proj(x), num_heads)
    return attended(q, k, v, out_proj)


@wrong("context-asks")
def cross_context_asks(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """Context asks."""
    q, k, v = cut(q_proj(context), num_heads), cut(k_proj(x), num_heads), cut(v_proj(x), num_heads)
    return attended(q, k, v, out_proj)


@wrong("context-asks-keeping-values")
def cross_only_queries_and_keys_exchanged(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """Queries from context, keys from x."""
    q, k, v = cut(q_proj(context), num_heads), cut(k_proj(x), num_heads), cut(v_proj(context), num_heads)
    return attended(q, k, v, out_proj)


@wrong("context-asks-keeping-values")
def cross_weights_the_wrong_way_round(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """K @ q."""
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    return attended(k, q, v, out_proj)


@wrong("query-layer-for-all")
def cross_q_proj_for_all(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """Q_proj for everything."""
    q, k, v = cut(q_proj(x), num_heads), cut(q_proj(context), num_heads), cut(q_proj(context), num_heads)
    return attended(q, k, v, out_proj)


@wrong("query-layer-twice")
def cross_keys_by_q_proj(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """Keys by q_proj."""
    q, k, v = cut(q_proj(x), num_heads), cut(q_proj(context), num_heads), cut(v_proj(context), num_heads)
    return attended(q, k, v, out_proj)


@wrong("key-layer-twice")
def cross_queries_by_k_proj(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """Queries by k_proj."""
    q, k, v = cut(k_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    return attended(q, k, v, out_proj)


@wrong("layers-exchanged")
def cross_layers_exchanged(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """Q_proj and k_proj exchanged."""
    q, k, v = cut(k_proj(x), num_heads), cut(q_proj(context), num_heads), cut(v_proj(context), num_heads)
    return attended(q, k, v, out_proj)


@wrong("keys-as-values")
def cross_values_by_k_proj(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """Values by k_proj."""
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(k_proj(context), num_heads)
    return attended(q, k, v, out_proj)


@wrong("values-as-keys")
def cross_keys_by_v_proj(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """Keys by v_proj."""
    q, k, v = cut(q_proj(x), num_heads), cut(v_proj(context), num_heads), cut(v_proj(context), num_heads)
    return attended(q, k, v, out_proj)


@wrong("keys-and-values-exchanged")
def cross_k_and_v_exchanged(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """K and v exchanged."""
    q, k, v = cut(q_proj(x), num_heads), cut(v_proj(context), num_heads), cut(k_proj(context), num_heads)
    return attended(q, k, v, out_proj)


@wrong("layer-skipped")
def cross_context_not_projected(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """Context is not projected."""
    q, k, v = cut(q_proj(x), num_heads), cut(context, num_heads), cut(context, num_heads)
    return attended(q, k, v, out_proj)


@wrong("reads-both")
def cross_context_joined_to_x(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """X and context are read."""
    both = torch.cat([x, context], dim=1)
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(both), num_heads), cut(v_proj(both), num_heads)
    return attended(q, k, v, out_proj)


@wrong("one-length-for-all")
def cross_length_of_x(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """K and v cut with T."""
    B, T, C = x.shape
    q, k, v = (
        z.view(B, T, num_heads, C // num_heads).transpose(1, 2) for z in (q_proj(x), k_proj(context), v_proj(context))
    )
    return attended(q, k, v, out_proj)


@wrong("one-length-for-all")
def cross_length_of_context(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """Q cut with S."""
    B, S, C = context.shape
    q, k, v = (z.reshape(B, S, num_heads, -1).transpose(1, 2) for z in (q_proj(x), k_proj(context), v_proj(context)))
    return attended(q, k, v, out_proj)


@wrong("wrong-shape")
def cross_context_cut_to_length_of_x(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """Only the first T positions of context."""
    context = context[:, : x.size(1)]
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    return attended(q, k, v, out_proj)


@wrong("causal")
def cross_causal(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """Causal."""
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    past = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    weights = scores.masked_fill(~past, -1e9).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("causal")
def cross_causal_square(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """A causal mask of (T, T)."""
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    past = torch.ones(x.size(1), x.size(1), dtype=torch.bool).tril()
    weights = scores.masked_fill(~past, -1e9).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("scaled-by-d-model")
def cross_over_root_of_c(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """The root of C."""
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = (q @ k.mT / math.sqrt(x.size(-1))).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("scaled-by-another")
def cross_over_root_of_keys(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """The root of S."""
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = (q @ k.mT / math.sqrt(k.size(2))).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("viewed")
def cross_split_by_view(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """Split by view."""
    q, k, v = (z.view(z.size(0), num_heads, z.size(1), -1) for z in (q_proj(x), k_proj(context), v_proj(context)))
    return attended(q, k, v, out_proj)


@wrong("positions-mixed")
def cross_only_context_viewed(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """Keys and values split by view, queries right."""
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    k, v = k_proj(context).view(k.shape), v_proj(context).view(v.shape)
    return attended(q, k, v, out_proj)


@wrong("positions-mixed")
def cross_only_keys_viewed(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """Keys alone split by view."""
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    k = k_proj(context).view(k.shape)
    return attended(q, k, v, out_proj)


@wrong("merge-not-transposed")
def cross_merged_by_view(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """Merged by view."""
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(-1)
    return out_proj((weights @ v).view(x.shape)), weights


@wrong("no-out-proj")
def cross_without_out_proj(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """No out_proj."""
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(-1)
    return join(weights @ v), weights


@wrong("layer-meets-one-head")
def cross_out_proj_before_merge(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """Out_proj on the heads."""
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(-1)
    return join(out_proj(weights @ v)), weights


@wrong("among-heads")
def cross_among_heads(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """Not transposed."""
    q, k, v = (z.unflatten(-1, (num_heads, -1)) for z in (q_proj(x), k_proj(context), v_proj(context)))
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(-1)
    return out_proj((weights @ v).flatten(2)), weights


@wrong("one-head")
def cross_one_head(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """Never split."""
    q, k, v = q_proj(x), k_proj(context), v_proj(context)
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(-1)
    return out_proj(weights @ v), weights


@wrong("weights-averaged")
def cross_weights_averaged(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """Averaged weights."""
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(-1)
    return out_proj(join(weights @ v)), weights.mean(1)


@wrong("weights-in-another-order")
def cross_weights_transposed(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """Weights (B, H, S, T) returned."""
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(-1)
    return out_proj(join(weights @ v)), weights.mT


@wrong("weights-transposed")
def cross_values_by_transposed_weights(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """Weights transposed before the values."""
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(-1)
    return out_proj(join(weights.mT @ v)), weights


@wrong("residual")
def cross_residual(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """X added."""
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(-1)
    return x + out_proj(join(weights @ v)), weights


@wrong("only-out")
def cross_only_out(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """Out alone."""
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    return out_proj(join(F.scaled_dot_product_attention(q, k, v)))


@wrong("returns-wrong-type")
def cross_none_for_weights(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """None for the weights."""
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    return out_proj(join(F.scaled_dot_product_attention(q, k, v))), None


@wrong("swapped-pair")
def cross_swapped_pair(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """Weights first."""
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(-1)
    return weights, out_proj(join(weights @ v))


@wrong("scores-returned")
def cross_scores_returned(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """Scores returned."""
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(-1)
    return out_proj(join(weights @ v)), q @ k.mT


@wrong("items-mixed")
def cross_wrong_item(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """The contexts of the items exchanged."""
    context = context.flip(0)
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    return attended(q, k, v, out_proj)


@wrong("items-mixed")
def cross_first_context_for_all(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """The first item's context for all."""
    context = context[:1].expand(len(x), -1, -1)
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    return attended(q, k, v, out_proj)


@wrong("out-alone-wrong")
def cross_head_order_reversed(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """Values of the heads in reverse order."""
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(-1)
    return out_proj(join(weights @ v.flip(1))), weights


@wrong("out-alone-wrong")
def cross_x_added_to_context(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """X added to context."""
    context = context + x.mean(dim=1, keepdim=True)
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    return attended(q, k, v, out_proj)


@wrong()
def cross_misspelt(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """Contex."""
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(contex), num_heads), cut(v_proj(context), num_heads)  # noqa: F821
    return attended(q, k, v, out_proj)


@wrong("changes-input")
def cross_context_changed(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """Context is changed in place."""
    context += 1
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    return attended(q, k, v, out_proj)


@wrong("changes-input")
def cross_layer_changed(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """A layer is changed in place."""
    out_proj.bias.data.zero_()
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    return attended(q, k, v, out_proj)


@wrong("wrong-dtype")
def cross_always_float64(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """Always float64."""
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(-1)
    return out_proj(join(weights @ v)).double(), weights.double()


@wrong("returns-wrong-type")
def cross_as_a_dict(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """A dictionary."""
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(-1)
    return {"out": out_proj(join(weights @ v)), "weights": weights}


@wrong()
def cross_without_context(x, q_proj, k_proj, v_proj, out_proj, num_heads):
    """No context among the arguments."""
    return attended(*parts(x, q_proj, k_proj, v_proj, num_heads), out_proj)


@wrong("context-asks")
def cross_context_first(context, x, q_proj, k_proj, v_proj, out_proj, num_heads):
    """Context comes first."""
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    return attended(q, k, v, out_proj)


@wrong("bias-forgotten")
def cross_without_biases(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """The biases of q_proj, k_proj and v_proj forgotten."""
    q = cut(x @ q_proj.weight.T, num_heads)
    k, v = (cut(context @ layer.weight.T, num_heads) for layer in (k_proj, v_proj))
    return attended(q, k, v, out_proj)


@wrong("one-head")
def cross_one_head_merged(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """Never split, and merged."""
    return attended(q_proj(x), k_proj(context), v_proj(context), out_proj)


@wrong("values-from-x")
def cross_values_from_x_by_the_course(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """Values from x, with the course's attention."""
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(x), num_heads)
    out, weights = dot_product_attention(q, k, v)
    return out_proj(join(out)), weights


@wrong("keys-from-x")
def cross_keys_from_x_by_the_course(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """Keys from x, with the course's attention."""
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(x), num_heads), cut(v_proj(context), num_heads)
    out, weights = dot_product_attention(q, k, v)
    return out_proj(join(out)), weights


@wrong("not-repeatable")
def cross_with_a_new_query_layer(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """A new layer for the queries."""
    layer = nn.Linear(x.size(-1), x.size(-1), dtype=x.dtype)
    q, k, v = (z.unflatten(-1, (num_heads, -1)).transpose(1, 2) for z in (layer(x), k_proj(context), v_proj(context)))
    weights = (q @ k.transpose(-2, -1) / q.size(-1) ** 0.5).softmax(-1)
    return out_proj((weights @ v).transpose(1, 2).flatten(-2)), weights


@wrong("interleaved")
def cross_split_in_turns(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = (
        torch.stack([z[..., h::num_heads] for h in range(num_heads)], dim=1)
        for z in (q_proj(x), k_proj(context), v_proj(context))
    )
    return attended(q, k, v, out_proj)


@wrong("merge-interleaved")
def cross_merged_in_turns(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = (q @ k.mT / math.sqrt(q.size(-1))).softmax(-1)
    return out_proj(torch.stack((weights @ v).unbind(1), dim=-1).reshape(x.shape)), weights


@wrong("num-heads-as-size")
def cross_heads_of_num_heads_features(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = (torch.stack(z.split(num_heads, dim=-1), dim=1) for z in (q_proj(x), k_proj(context), v_proj(context)))
    return attended(q, k, v, out_proj)


@wrong("weights-summed")
def cross_weights_summed(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    out, weights = attended(q, k, v, out_proj)
    return out, sum(weights.unbind(1))


@wrong("one-head-s-weights")
def cross_weights_of_the_last_head(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    D, outs = x.size(-1) // num_heads, []
    q, k, v = q_proj(x), k_proj(context), v_proj(context)
    for start in range(0, x.size(-1), D):
        part = slice(start, start + D)
        weights = torch.softmax(q[..., part] @ k[..., part].mT / D**0.5, dim=-1)
        outs.append(weights @ v[..., part])
    return out_proj(torch.cat(outs, dim=-1)), weights


@wrong("mixed-by-scores")
def cross_values_by_scores(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    scores = q @ k.mT / math.sqrt(q.size(-1))
    return out_proj(join(scores @ v)), scores.softmax(-1)


@wrong("weight-as-it-is")
def cross_weights_of_layers_as_they_are(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q = cut(x @ q_proj.weight + q_proj.bias, num_heads)
    k, v = (cut(context @ layer.weight + layer.bias, num_heads) for layer in (k_proj, v_proj))
    return attended(q, k, v, out_proj)


@wrong("values-and-out-exchanged")
def cross_values_by_out_proj(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(out_proj(context), num_heads)
    return attended(q, k, v, v_proj)


@wrong("no-gradients")
def cross_context_detached(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    context = context.detach()
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    return attended(q, k, v, out_proj)


@wrong()
def keys_of_x_unscaled(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """With a second mistake its exception has the explanation of the sizes 5 and 7."""
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(x), num_heads), cut(v_proj(context), num_heads)
    weights = (q @ k.transpose(-2, -1)).softmax(-1)
    return out_proj(join(weights @ v)), weights
