"""What people get wrong with the layers of attention: which layer is applied to what, and layers multiplied by hand.

The mistakes are wrong steps `project`, `merge` and `finish` (see `attention.steps`), for 5.3, 5.4, 5.5 and 7.1.
"""

import torch

from exercises.common import explainers
from feedback import Misconceptions
from helpers.attention import dot_product_attention
from helpers.heads import merge_heads

OUT_PROJ_MISTAKES = Misconceptions()


# ---------------------------------------------------------------- the last layer


@OUT_PROJ_MISTAKES(
    "layer-meets-one-head",
    means="A layer was given D features, as wide as one head; each of the four layers takes all C "
    "features of a position.",
    hint="If it was `q_proj`, `k_proj` or `v_proj`: project, then split. If it was `out_proj`: put the heads side "
    "by side (do not add or average them), then project.",
    step="merge",
)
def not_merged(z):
    return z


def not_merged_as_after_a_transpose(z):
    """With the strides of a transposed view: a layer of another width then raises in other words."""
    return z.transpose(1, 2).contiguous().transpose(1, 2)


def only_transposed(z):
    return z.transpose(1, 2)


def heads_averaged(z):
    return z.mean(1)


def merged_after_the_layer(heads, out_proj, x):
    return merge_heads(out_proj(heads))


def flattened_after_the_layer(heads, out_proj, x):
    return out_proj(heads).flatten(2)


for merge in (not_merged_as_after_a_transpose, only_transposed, heads_averaged):
    OUT_PROJ_MISTAKES.also("layer-meets-one-head", merge=merge)
for merge in (not_merged, not_merged_as_after_a_transpose):
    OUT_PROJ_MISTAKES.also("layer-meets-one-head", merge=merge, finish=merged_after_the_layer)
OUT_PROJ_MISTAKES.also("layer-meets-one-head", merge=only_transposed, finish=flattened_after_the_layer)


@OUT_PROJ_MISTAKES(
    "no-out-proj",
    means="The weights are right, but `out_proj` was never used: out holds the merged heads themselves.",
    hint="Which of the four layers mixes what the heads have found?",
    explain=explainers.out_alone,
    step="finish",
)
def merged_heads_as_out(merged, out_proj, x):
    return merged


@OUT_PROJ_MISTAKES(
    "residual",
    means="x was added to out. That step belongs to the block around attention (notebook 06).",
    hint="Here out is what `out_proj` gives, and nothing else.",
    explain=explainers.out_alone,
    step="finish",
)
def x_added(merged, out_proj, x):
    return out_proj(merged) + x


# ---------------------------------------------------------------- the layers in front


def layers_used(q, k, v):
    """A step `project` by other layers: 'xq' is q_proj(x), 'ck' is k_proj(context), 'x' is x itself."""

    def project(x, context, *layers):
        def made(word):
            z = x if word[0] == "x" else context
            return layers["qkv".index(word[1])](z) if len(word) > 1 else z

        return made(q), made(k), made(v)

    return project


def add_layers(known, id, means, hint, explain, *used):
    """A mistake in `project`; each of `used` says which layers make q, k and v, as in `layers_used`."""
    known(id, means, hint, explain)
    for words in used:
        known.also(id, project=layers_used(*words))


LAYERS_MIXED_UP = (  # id, means, hint, explainer, and which layers make q, k and v
    (
        "query-layer-twice",
        "{q_proj} made the keys as well, in place of {k_proj}.",
        "Each of the three layers is needed.",
        explainers.sharpness,
        ("xq", "xq", "xv"),
    ),
    (
        "query-layer-for-all",
        "{q_proj} made the queries, the keys and the values; {k_proj} and {v_proj} were never used.",
        "Each of the three layers is needed.",
        explainers.entry,
        ("xq", "xq", "xq"),
    ),
    (
        "key-layer-twice",
        "{k_proj} made the queries as well, in place of {q_proj}.",
        "Each of the three layers is needed.",
        explainers.sharpness,
        ("xk", "xk", "xv"),
    ),
    (
        "keys-ask",
        "Queries and keys have changed places: position j asks position i.",
        "Row i must hold position i's query against all keys.",
        explainers.entry,
        ("xk", "xq", "xv"),
    ),
    (
        "keys-as-values",
        "The weights are right, but they average the keys; {v_proj} was never used.",
        "Keys decide how much is read; values are what is read.",
        explainers.out_alone,
        ("xq", "xk", "xk"),
    ),
    (
        "queries-as-values",
        "The weights are right, but they average the queries; {v_proj} was never used.",
        "Values are what is read.",
        explainers.out_alone,
        ("xq", "xk", "xq"),
    ),
    (
        "values-as-keys",
        "The queries were compared with the values: {v_proj} made the keys, in place of {k_proj}.",
        "Keys decide how much is read.",
        explainers.entry,
        ("xq", "xv", "xv"),
    ),
    (
        "keys-and-values-exchanged",
        "Keys and values have changed places.",
        "Keys are compared with the queries, values are mixed.",
        explainers.entry,
        ("xq", "xv", "xk"),
    ),
    (
        "layer-skipped",
        "x itself was used where its projection belongs.",
        "Three layers make three things from x: {q_proj}(x), {k_proj}(x) and {v_proj}(x).",
        explainers.entry,
        ("xq", "xk", "x"),
        ("xq", "x", "xv"),
        ("x", "xk", "xv"),
        ("x", "x", "xv"),
        ("x", "x", "x"),
    ),
)


def layers_mixed_up(q_proj, k_proj, v_proj):
    """Mistakes of self-attention with its three layers, which go by these names."""
    names = {"q_proj": q_proj, "k_proj": k_proj, "v_proj": v_proj}
    known = Misconceptions()
    for id, means, hint, explain, *used in LAYERS_MIXED_UP:
        add_layers(known, id, means.format(**names), hint.format(**names), explain, *used)
    return known


# ---------------------------------------------------------------- layers multiplied by hand

BY_HAND_MISTAKES = Misconceptions()
BY_HAND_MISTAKES(
    "bias-forgotten",
    means="The bias of a layer was left out: a layer adds it to `x @ layer.weight.T`.",
    hint="Call the layer itself, like a function.",
    explain=explainers.entry,
)
BY_HAND_MISTAKES(
    "weight-as-it-is",
    means="The weight of a layer was used without the transpose: `nn.Linear` multiplies by `weight.T`, and adds "
    "the bias.",
    hint="Call the layer itself, like a function.",
    explain=explainers.entry,
)


def without_bias(layer, z):
    return z @ layer.weight.T


def not_transposed(layer, z):
    return z @ layer.weight + layer.bias


def not_transposed_without_bias(layer, z):
    return z @ layer.weight


def projected_by(apply):
    """A step `project` whose layers are applied by apply(layer, z)."""

    def project(x, context, q_proj, k_proj, v_proj):
        return apply(q_proj, x), apply(k_proj, context), apply(v_proj, context)

    return project


def finished_by(apply):
    """A step `finish` whose layer is applied by apply(layer, z)."""

    def finish(merged, out_proj, x):
        return apply(out_proj, merged)

    return finish


BY_HAND = (
    ("bias-forgotten", without_bias),
    ("weight-as-it-is", not_transposed),
    ("weight-as-it-is", not_transposed_without_bias),
)
for id, apply in BY_HAND:
    BY_HAND_MISTAKES.also(id, project=projected_by(apply))


def add_out_proj_by_hand(known):
    """Register layers multiplied by hand, out_proj among them, for exercises that have it."""
    for id, apply in BY_HAND:
        known.also(id, project=projected_by(apply), finish=finished_by(apply))
    known.also("bias-forgotten", finish=finished_by(without_bias))


# ---------------------------------------------------------------- one sequence reads another

CONTEXT_MISTAKES = Misconceptions()
add_layers(
    CONTEXT_MISTAKES,
    "keys-from-x",
    "The keys were made from x: x is compared with itself.",
    "x only asks. What are its queries compared with, and where does that come from?",
    explainers.shape,
    ("xq", "xk", "cv"),
)
CONTEXT_MISTAKES.also("keys-from-x", project=layers_used("xq", "xk", "cv"), attention=dot_product_attention)
add_layers(
    CONTEXT_MISTAKES,
    "values-from-x",
    "The values were made from x; what is read comes from context.",
    "x only asks. What is read, and where does it come from?",
    explainers.out_alone,
    ("xq", "ck", "xv"),
)
CONTEXT_MISTAKES.also("values-from-x", project=layers_used("xq", "ck", "xv"), attention=dot_product_attention)
add_layers(
    CONTEXT_MISTAKES,
    "queries-from-context",
    "The queries were made from context: context reads itself, and x has no part in it.",
    "x asks: its queries are what the keys are compared with.",
    explainers.shape,
    ("cq", "ck", "cv"),
)
add_layers(
    CONTEXT_MISTAKES,
    "context-ignored",
    "This is self-attention: queries, keys and values all come from x, and context was never used.",
    "x asks, context answers: keys and values come from context.",
    explainers.shape,
    ("xq", "xk", "xv"),
)
add_layers(
    CONTEXT_MISTAKES,
    "context-asks",
    "The roles have changed places: context asks and x answers.",
    "out has one row for each position of x: queries from x, keys and values from context.",
    explainers.shape,
    ("cq", "xk", "xv"),
)
add_layers(
    CONTEXT_MISTAKES,
    "context-asks-keeping-values",
    "Queries and keys have changed places: the rows of your scores belong to context, their columns to x.",
    "x asks: the rows of the scores belong to the queries, made from x.",
    explainers.shape,
    ("cq", "xk", "cv"),
    ("ck", "xq", "cv"),
)
add_layers(
    CONTEXT_MISTAKES,
    "query-layer-for-all",
    "`q_proj` made the queries, the keys and the values; `k_proj` and `v_proj` were never used.",
    "Each of the three layers is needed.",
    explainers.entry,
    ("xq", "cq", "cq"),
)
add_layers(
    CONTEXT_MISTAKES,
    "query-layer-twice",
    "`q_proj` made the keys as well, in place of `k_proj`.",
    "Each of the three layers is needed.",
    explainers.sharpness,
    ("xq", "cq", "cv"),
)
add_layers(
    CONTEXT_MISTAKES,
    "key-layer-twice",
    "`k_proj` made the queries as well, in place of `q_proj`.",
    "Each of the three layers is needed.",
    explainers.sharpness,
    ("xk", "ck", "cv"),
)
add_layers(
    CONTEXT_MISTAKES,
    "layers-exchanged",
    "`q_proj` and `k_proj` have changed places: `k_proj` was applied to x, `q_proj` to context.",
    "`q_proj` makes queries from x, `k_proj` keys from context.",
    explainers.sharpness,
    ("xk", "cq", "cv"),
)
add_layers(
    CONTEXT_MISTAKES,
    "keys-as-values",
    "The weights are right, but they average the keys; `v_proj` was never used.",
    "Keys decide how much is read; values are what is read.",
    explainers.out_alone,
    ("xq", "ck", "ck"),
)
add_layers(
    CONTEXT_MISTAKES,
    "values-as-keys",
    "The queries were compared with the values: `v_proj` made the keys, in place of `k_proj`.",
    "Keys decide how much is read.",
    explainers.entry,
    ("xq", "cv", "cv"),
)
add_layers(
    CONTEXT_MISTAKES,
    "keys-and-values-exchanged",
    "Keys and values have changed places.",
    "Keys are compared with the queries, values are mixed.",
    explainers.entry,
    ("xq", "cv", "ck"),
)
add_layers(
    CONTEXT_MISTAKES,
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
