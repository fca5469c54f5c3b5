"""Wrong answers to exercise 5.3, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET503, RET504 - a return inside a loop, and naming a result before returning it, are what learners do

import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from exercises.common.heads import answers_wrong_weights
from exercises.common.heads.answers_parts import cut, hidden, join, parts
from feedback.bank import WrongAnswers
from helpers.attention import dot_product_attention

wrong = WrongAnswers()


def with_weights(weigh):
    """An answer that is right but for its weights, which weigh(q, k, mask) makes."""

    def answer(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
        q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
        weights = weigh(q, k, mask)
        return out_proj(join(weights @ v)), weights

    answer.__name__ = f"multi_{weigh.__name__}"
    return answer


for weigh, diagnosis in (*answers_wrong_weights.wrong_scores.answers, *answers_wrong_weights.wrong_masks.answers):
    wrong(diagnosis)(with_weights(weigh))


@wrong("scaled-by-d-model")
def multi_over_root_of_c(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(x.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("viewed")
def multi_split_by_view(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    B, T, C = x.shape
    q, k, v = (layer(x).view(B, num_heads, T, C // num_heads) for layer in (q_proj, k_proj, v_proj))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("viewed")
def multi_viewed_both_ways(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    B, T, C = x.shape
    q, k, v = (layer(x).view(B, num_heads, T, -1) for layer in (q_proj, k_proj, v_proj))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj((weights @ v).view(B, T, C)), weights


@wrong("merge-not-transposed")
def multi_merged_by_view(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj((weights @ v).reshape(x.shape)), weights


@wrong()
def multi_merged_by_view_after_transpose(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj((weights @ v).transpose(1, 2).view(x.shape)), weights


@wrong("interleaved")
def multi_split_in_turns(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    B, T, C = x.shape
    q, k, v = (layer(x).view(B, T, -1, num_heads).permute(0, 3, 1, 2) for layer in (q_proj, k_proj, v_proj))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("positions-mixed")
def multi_only_queries_viewed(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    q = q_proj(x).view(q.shape)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("positions-mixed")
def multi_only_values_viewed(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    v = v_proj(x).reshape(v.shape)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("among-heads")
def multi_among_heads(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = (layer(x).unflatten(-1, (num_heads, -1)) for layer in (q_proj, k_proj, v_proj))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj((weights @ v).flatten(2)), weights


@wrong("one-head")
def multi_one_head(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = q_proj(x), k_proj(x), v_proj(x)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(weights @ v), weights


@wrong("no-out-proj")
def multi_without_out_proj(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return join(weights @ v), weights


@wrong("layer-meets-one-head")
def multi_out_proj_before_merge(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return join(out_proj(weights @ v)), weights


@wrong("layer-meets-one-head")
def multi_layers_after_split(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    z = cut(x, num_heads)
    q, k, v = q_proj(z), k_proj(z), v_proj(z)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("layer-meets-one-head")
def multi_heads_averaged(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj((weights @ v).mean(dim=1)), weights


@wrong("weights-averaged")
def multi_weights_averaged(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights.mean(dim=1)


@wrong("residual")
def multi_residual(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return x + out_proj(join(weights @ v)), weights


@wrong("masked-after-softmax")
def multi_mask_for_the_last_step_only(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = scores.softmax(-1)
    out = out_proj(join(weights @ v))
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return out, weights


@wrong("mask-for-out-only")
def multi_sdpa_without_mask_in_weights(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    visible = None if mask is None else torch.atleast_2d(mask)
    out = F.scaled_dot_product_attention(q, k, v, attn_mask=visible)
    return out_proj(join(out)), scores.softmax(-1)


@wrong("mask-for-weights-only")
def multi_sdpa_without_mask(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(F.scaled_dot_product_attention(q, k, v))), weights


@wrong("own-causal-mask")
def multi_sdpa_causal_by_itself(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    out = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    past = torch.ones(x.size(1), x.size(1), dtype=torch.bool).tril()
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    return out_proj(join(out)), hidden(scores, past).softmax(-1)


@wrong("own-causal-mask")
def multi_causal_for_any_mask(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(torch.ones(x.size(1), x.size(1)).triu(1).bool(), -1e9)
    weights = scores.softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("query-layer-for-all")
def multi_q_proj_for_all(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q = k = v = cut(q_proj(x), num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("query-layer-twice")
def multi_k_by_q_proj(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, q_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("keys-as-values")
def multi_v_by_k_proj(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, k_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("keys-and-values-exchanged")
def multi_keys_and_values_exchanged(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, v_proj, k_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("layer-skipped")
def multi_values_not_projected(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    v = cut(x, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("weights-transposed")
def multi_weights_transposed(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights.transpose(-2, -1) @ v)), weights


@wrong("only-out")
def multi_only_out(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v))


@wrong("swapped-pair")
def multi_swapped_pair(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return weights, out_proj(join(weights @ v))


@wrong("scores-returned")
def multi_scores_returned(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), scores


@wrong("one-head-s-weights")
def multi_last_weights_of_a_loop(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    D = x.size(-1) // num_heads
    outs = []
    for h in range(num_heads):
        q, k, v = (layer(x)[..., h * D : (h + 1) * D] for layer in (q_proj, k_proj, v_proj))
        full = None if mask is None else mask.expand(len(x), num_heads, x.size(1), x.size(1))[:, h]
        weights = hidden(q @ k.mT / math.sqrt(D), full).softmax(-1)
        outs.append(weights @ v)
    return out_proj(torch.cat(outs, -1)), weights


@wrong("weights-in-another-order")
def multi_stacked_in_front(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), torch.stack(weights.unbind(1))


@wrong("heads-mixed")
def multi_same_slice_for_every_head(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    q, k, v = (z[:, :1].expand(-1, num_heads, -1, -1) for z in (q, k, v))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("out-alone-wrong")
def multi_dropped_head(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    heads = weights @ v
    heads[:, -1] = 0
    return out_proj(join(heads)), weights


@wrong("out-alone-wrong")
def multi_heads_reversed_in_merge(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join((weights @ v).flip(1))), weights


@wrong("items-mixed")
def multi_batch_rolled(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    k, v = k.roll(1, dims=0), v.roll(1, dims=0)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("no-scale")
def multi_unscaled_and_viewed(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    weights = hidden(q @ k.transpose(-2, -1), mask).softmax(-1)
    return out_proj((weights @ v).reshape(x.shape)), weights


@wrong("weights-alone-wrong")
def multi_unscaled_weights_returned(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), hidden(q @ k.transpose(-2, -1), mask).softmax(-1)


@wrong("returns-wrong-type")
def multi_as_numpy(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)).detach().numpy(), weights.detach().numpy()


@wrong("returns-none")
def multi_not_returned(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    print(out_proj(join(weights @ v)))


@wrong("wrong-dtype")
def multi_weights_in_float32(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights.float()


@wrong("changes-input")
def multi_x_changed(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    x *= 1.5
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("changes-input")
def multi_layer_changed(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    with torch.no_grad():
        q_proj.weight /= math.sqrt(x.size(-1) // num_heads)
        q_proj.bias /= math.sqrt(x.size(-1) // num_heads)
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    weights = hidden(q @ k.transpose(-2, -1), mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong()
def multi_with_a_mask_always(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    weights = hidden(q @ k.mT / math.sqrt(q.size(-1)), mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong()
def multi_of_six_arguments(x, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    weights = (q @ k.mT / math.sqrt(q.size(-1))).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("one-head")
def multi_one_head_over_its_root(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = q_proj(x), k_proj(x), v_proj(x)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1) // num_heads)
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(weights @ v), weights


@wrong("one-head")
def multi_one_head_merged(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = q_proj(x), k_proj(x), v_proj(x)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("one-head")
def multi_one_head_by_the_course(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = q_proj(x), k_proj(x), v_proj(x)
    out, weights = dot_product_attention(q, k, v, mask)
    return out_proj(out), weights


@wrong("layer-meets-one-head")
def multi_never_merged(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(weights @ v), weights


@wrong("layer-meets-one-head")
def multi_out_proj_before_flatten(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj((weights @ v).transpose(1, 2)).flatten(-2), weights


@wrong("bias-forgotten")
def multi_without_biases(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = (cut(x @ layer.weight.T, num_heads) for layer in (q_proj, k_proj, v_proj))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("bias-forgotten")
def multi_without_any_bias(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = (cut(x @ layer.weight.T, num_heads) for layer in (q_proj, k_proj, v_proj))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return join(weights @ v) @ out_proj.weight.T, weights


@wrong("weight-as-it-is")
def multi_weights_as_they_are(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = (cut(x @ layer.weight, num_heads) for layer in (q_proj, k_proj, v_proj))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("not-repeatable")
def multi_with_a_new_out_layer(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = (f(x).unflatten(-1, (num_heads, -1)).transpose(1, 2) for f in (q_proj, k_proj, v_proj))
    scores = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(-1)
    layer = nn.Linear(x.size(-1), x.size(-1), dtype=x.dtype)
    return layer((weights @ v).transpose(1, 2).flatten(-2)), weights


@wrong("among-heads")
def multi_among_heads_without_mask(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    B, T, C = x.shape
    q, k, v = (f(x).view(B, T, num_heads, C // num_heads) for f in (q_proj, k_proj, v_proj))
    weights = (q @ k.transpose(-2, -1) / (C // num_heads) ** 0.5).softmax(-1)
    return out_proj((weights @ v).reshape(B, T, C)), weights


@wrong("merge-interleaved")
def multi_merged_in_turns(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    weights = hidden(q @ k.mT / math.sqrt(q.size(-1)), mask).softmax(-1)
    return out_proj(torch.stack((weights @ v).unbind(1), dim=-1).reshape(x.shape)), weights


@wrong("num-heads-as-size")
def multi_heads_of_num_heads_features(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = (torch.stack(layer(x).split(num_heads, dim=-1), dim=1) for layer in (q_proj, k_proj, v_proj))
    weights = hidden(q @ k.mT / math.sqrt(q.size(-1)), mask).softmax(-1)
    return out_proj(torch.cat((weights @ v).unbind(1), dim=-1)), weights


@wrong("weights-summed")
def multi_weights_summed(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    weights = hidden(q @ k.mT / math.sqrt(q.size(-1)), mask).softmax(-1)
    return out_proj(join(weights @ v)), torch.einsum("bhts->bts", weights)


@wrong("mixed-by-scores")
def multi_values_by_scores(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.mT / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(scores @ v)), weights


@wrong("scores-returned")
def multi_masked_scores_returned(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = hidden(q @ k.mT / math.sqrt(q.size(-1)), mask)
    return out_proj(join(scores.softmax(-1) @ v)), scores


@wrong("key-layer-twice")
def multi_q_by_k_proj(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = (cut(layer(x), num_heads) for layer in (k_proj, k_proj, v_proj))
    weights = hidden(q @ k.mT / math.sqrt(q.size(-1)), mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("queries-as-values")
def multi_v_by_q_proj(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = (cut(layer(x), num_heads) for layer in (q_proj, k_proj, q_proj))
    weights = hidden(q @ k.mT / math.sqrt(q.size(-1)), mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("values-as-keys")
def multi_k_by_v_proj(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, v = cut(q_proj(x), num_heads), cut(v_proj(x), num_heads)
    weights = hidden(q @ v.mT / math.sqrt(q.size(-1)), mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("values-and-out-exchanged")
def multi_values_by_out_proj(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = (cut(layer(x), num_heads) for layer in (q_proj, k_proj, out_proj))
    weights = hidden(q @ k.mT / math.sqrt(q.size(-1)), mask).softmax(-1)
    return v_proj(join(weights @ v)), weights


@wrong("no-gradients")
def multi_split_by_numpy(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    def heads(layer):
        z = layer(x).detach().numpy()
        return torch.from_numpy(z.reshape(*z.shape[:2], num_heads, -1).transpose(0, 2, 1, 3))

    q, k, v = heads(q_proj), heads(k_proj), heads(v_proj)
    weights = hidden(q @ k.mT / math.sqrt(q.size(-1)), mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("keys-ask")
def multi_queries_and_keys_exchanged(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    weights = hidden(k @ q.mT / math.sqrt(q.size(-1)), mask).softmax(-1)
    return out_proj(join(weights @ v)), weights
