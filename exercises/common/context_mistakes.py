"""What people get wrong where one sequence reads another: from which of the two, and by which layer, q, k, v come.

The mistakes are wrong steps `project` (see `attention_steps`), for 5.4 and 5.5.
"""

import torch

from exercises.common import explainers
from exercises.common.head_mistakes import layers_used
from feedback import Misconceptions
from helpers.attention import dot_product_attention

CONTEXT_MISTAKES = Misconceptions()


def add_layers(id, means, hint, explain, *used):
    """A mistake in `project`: 'xq' is q_proj(x), 'ck' is k_proj(context), 'x' is x itself."""
    CONTEXT_MISTAKES(id, means, hint, explain)
    for words in used:
        CONTEXT_MISTAKES.also(id, project=layers_used(*words))


add_layers(
    "keys-from-x",
    "The keys were made from x: x is compared with itself.",
    "x only asks. What are its queries compared with, and where does that come from?",
    explainers.shape,
    ("xq", "xk", "cv"),
)
CONTEXT_MISTAKES.also("keys-from-x", project=layers_used("xq", "xk", "cv"), attention=dot_product_attention)
add_layers(
    "values-from-x",
    "The values were made from x; what is read comes from context.",
    "x only asks. What is read, and where does it come from?",
    explainers.out_alone,
    ("xq", "ck", "xv"),
)
CONTEXT_MISTAKES.also("values-from-x", project=layers_used("xq", "ck", "xv"), attention=dot_product_attention)
add_layers(
    "queries-from-context",
    "The queries were made from context: context reads itself, and x has no part in it.",
    "x asks: its queries are what the keys are compared with.",
    explainers.shape,
    ("cq", "ck", "cv"),
)
add_layers(
    "context-ignored",
    "This is self-attention: queries, keys and values all come from x, and context was never used.",
    "x asks, context answers: keys and values come from context.",
    explainers.shape,
    ("xq", "xk", "xv"),
)
add_layers(
    "context-asks",
    "The roles have changed places: context asks and x answers.",
    "out has one row for each position of x: queries from x, keys and values from context.",
    explainers.shape,
    ("cq", "xk", "xv"),
)
add_layers(
    "context-asks-keeping-values",
    "Queries and keys have changed places: the rows of your scores belong to context, their columns to x.",
    "x asks: the rows of the scores belong to the queries, made from x.",
    explainers.shape,
    ("cq", "xk", "cv"),
    ("ck", "xq", "cv"),
)
add_layers(
    "query-layer-for-all",
    "`q_proj` made the queries, the keys and the values; `k_proj` and `v_proj` were never used.",
    "Each of the three layers is needed.",
    explainers.entry,
    ("xq", "cq", "cq"),
)
add_layers(
    "query-layer-twice",
    "`q_proj` made the keys as well, in place of `k_proj`.",
    "Each of the three layers is needed.",
    explainers.sharpness,
    ("xq", "cq", "cv"),
)
add_layers(
    "key-layer-twice",
    "`k_proj` made the queries as well, in place of `q_proj`.",
    "Each of the three layers is needed.",
    explainers.sharpness,
    ("xk", "ck", "cv"),
)
add_layers(
    "layers-exchanged",
    "`q_proj` and `k_proj` have changed places: `k_proj` was applied to x, `q_proj` to context.",
    "`q_proj` makes queries from x, `k_proj` keys from context.",
    explainers.sharpness,
    ("xk", "cq", "cv"),
)
add_layers(
    "keys-as-values",
    "The weights are right, but they average the keys; `v_proj` was never used.",
    "Keys decide how much is read; values are what is read.",
    explainers.out_alone,
    ("xq", "ck", "ck"),
)
add_layers(
    "values-as-keys",
    "The queries were compared with the values: `v_proj` made the keys, in place of `k_proj`.",
    "Keys decide how much is read.",
    explainers.entry,
    ("xq", "cv", "cv"),
)
add_layers(
    "keys-and-values-exchanged",
    "Keys and values have changed places.",
    "Keys are compared with the queries, values are mixed.",
    explainers.entry,
    ("xq", "cv", "ck"),
)
add_layers(
    "layer-skipped",
    "x or context itself was used where its projection belongs.",
    "Three layers, three results: `q_proj(x)`, `k_proj(context)` and `v_proj(context)`.",
    explainers.entry,
    ("xq", "ck", "c"),
    ("xq", "c", "cv"),
    ("x", "ck", "cv"),
    ("xq", "c", "c"),
    ("x", "c", "cv"),
    ("x", "c", "c"),
)


@CONTEXT_MISTAKES(
    "reads-both",
    means="x reads itself as well as the context: both were joined before the keys were made.",
    hint="Keys and values come from context alone.",
    explain=explainers.shape,
    step="project",
)
def keys_of_both(x, context, q_proj, k_proj, v_proj):
    both = torch.cat([x, context], dim=1)
    return q_proj(x), k_proj(both), v_proj(both)


@CONTEXT_MISTAKES.also("reads-both", step="project")
def keys_of_both_context_first(x, context, q_proj, k_proj, v_proj):
    both = torch.cat([context, x], dim=1)
    return q_proj(x), k_proj(both), v_proj(both)
