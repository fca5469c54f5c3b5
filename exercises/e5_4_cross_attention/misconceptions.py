"""What people get wrong in exercise 5.4, cross_attention."""

import torch

from exercises.common import explainers
from exercises.common.heads import _BY_HAND, _OUT_PROJ
from exercises.common.multi_head import (
    HEADS,
    SCORES,
    by_the_course,
    known,
    layers_used,
    projected,
    stepwise,
    weights_of,
)
from feedback import Misconception
from helpers.masks import causal_mask


def _cross(**steps):
    """The steps as an answer to 5.4."""
    attend = stepwise(**steps)
    return lambda x, context, wq, wk, wv, wo, num_heads: attend(x, context, (wq, wk, wv, wo), num_heads)


def _joined(x, context, q_proj, k_proj, v_proj):
    """x reads itself beside the context."""
    both = torch.cat([x, context], dim=1)
    return q_proj(x), k_proj(both), v_proj(both)


def _joined_behind(x, context, q_proj, k_proj, v_proj):
    both = torch.cat([context, x], dim=1)
    return q_proj(x), k_proj(both), v_proj(both)


def _cut_to_one_length(way, length, width):
    """q, k and v brought to (B, length, H, width) by view or reshape, whatever their own length is."""

    def answer(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
        def project(x, context, *layers):
            sizes = (x.size(0), length(x, context), num_heads, width(x, num_heads))
            return tuple(getattr(z, way)(*sizes).transpose(1, 2) for z in projected(x, context, *layers))

        attend = stepwise(project=project, split=lambda z, h: z)
        return attend(x, context, (q_proj, k_proj, v_proj, out_proj), num_heads)

    return answer


def _causal_here(q, k, mask):
    """The lower triangle of (T, S)."""
    visible = torch.ones(q.size(-2), k.size(-2), dtype=torch.bool).tril()
    return weights_of(q, k, visible)


_ROLES = (
    ("keys-from-x", "The keys were made from x: x is compared with itself.",
     "x only asks; what is compared with its queries comes from context: k = k_proj(context).",
     (layers_used("xq", "xk", "cv"), by_the_course(**layers_used("xq", "xk", "cv"))), explainers.shape),
    ("values-from-x", "The values were made from x; what is read comes from context.",
     "v = v_proj(context).",
     (layers_used("xq", "ck", "xv"), by_the_course(**layers_used("xq", "ck", "xv"))), explainers.out_alone),
    ("queries-from-context", "The queries were made from context: context reads itself, and x has no part in it.",
     "x asks: q = q_proj(x).", (layers_used("cq", "ck", "cv"),), explainers.shape),
    ("context-ignored", "This is self-attention: queries, keys and values all come from x, and context was never used.",
     "x asks, context answers: k = k_proj(context), v = v_proj(context).",
     (layers_used("xq", "xk", "xv"),), explainers.shape),
    ("context-asks", "The roles have changed places: context asks and x answers.",
     "out has one row for each position of x: queries from x, keys and values from context.",
     (layers_used("cq", "xk", "xv"),), explainers.shape),
    ("context-asks-keeping-values", "Queries and keys have changed places: the rows of your scores belong to context, "
     "their columns to x.",
     "x asks: q = q_proj(x), k = k_proj(context), and the scores are q @ k.transpose(-2, -1).",
     (layers_used("cq", "xk", "cv"), layers_used("ck", "xq", "cv")), explainers.shape),
    ("query-layer-for-all", "q_proj made the queries, the keys and the values; k_proj and v_proj were never used.",
     "k = k_proj(context), v = v_proj(context).", (layers_used("xq", "cq", "cq"),), explainers.entry),
    ("query-layer-twice", "q_proj made the keys as well; k_proj was never used.", "k = k_proj(context).",
     (layers_used("xq", "cq", "cv"),), explainers.sharpness),
    ("key-layer-twice", "k_proj made the queries as well; q_proj was never used.", "q = q_proj(x).",
     (layers_used("xk", "ck", "cv"),), explainers.sharpness),
    ("layers-exchanged", "q_proj and k_proj have changed places: k_proj was applied to x, q_proj to context.",
     "q_proj makes queries from x, k_proj keys from context.",
     (layers_used("xk", "cq", "cv"),), explainers.sharpness),
    ("keys-as-values", "The weights are right, but they average the keys; v_proj was never used.",
     "Keys decide how much is read; values are what is read: v = v_proj(context).",
     (layers_used("xq", "ck", "ck"),), explainers.out_alone),
    ("values-as-keys", "The queries were compared with the values; k_proj was never used.",
     "Keys decide how much is read: k = k_proj(context).", (layers_used("xq", "cv", "cv"),), explainers.entry),
    ("keys-and-values-exchanged", "Keys and values have changed places.",
     "Keys are compared with the queries, values are mixed: k = k_proj(context), v = v_proj(context).",
     (layers_used("xq", "cv", "ck"),), explainers.entry),
    ("layer-skipped", "x or context itself was used where its projection belongs.",
     "Three layers, three results: q_proj(x), k_proj(context) and v_proj(context).",
     (layers_used("xq", "ck", "c"), layers_used("xq", "c", "cv"), layers_used("x", "ck", "cv"),
      layers_used("xq", "c", "c"), layers_used("x", "c", "cv"), layers_used("x", "c", "c")), explainers.entry),
    ("reads-both", "x reads itself beside the context: both were joined before the keys were made.",
     "Keys and values come from context alone.", ({"project": _joined}, {"project": _joined_behind}), explainers.shape),
    ("softmax-twice", "A softmax was applied twice: the second flattens what the first made.",
     "One softmax, over the keys.",
     ({"weigh": lambda q, k, mask: weights_of(q, k, mask).softmax(-1)},), explainers.sharpness),
    ("causal", "A causal mask was made here: later positions of context are hidden.",
     "context is not the past of x: every position of x may read all of it.",
     ({"weigh": _causal_here}, {"weigh": lambda q, k, mask: weights_of(q, k, causal_mask(q.size(-2)))}),
     explainers.sharpness),
)


MISCONCEPTIONS = (
    *known(_cross, _ROLES),
    Misconception(
        "one-length-for-all", "q, k and v were all cut with the same number of positions; but x has T of them, and "
        "context has S.",
        "Take the length from what you cut, x.size(1) or context.size(1), or let your split_heads from exercise "
        "5.1 do it.",
        tuple(_cut_to_one_length(way, length, width) for way in ("view", "reshape")
              for length in (lambda x, c: x.size(1), lambda x, c: c.size(1))
              for width in (lambda x, h: x.size(2) // h, lambda x, h: -1)), explainers.shape),
    *known(_cross, HEADS), *known(_cross, _OUT_PROJ), *known(_cross, _BY_HAND), *known(_cross, SCORES))
