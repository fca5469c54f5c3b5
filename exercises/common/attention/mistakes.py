"""What people get wrong in attention, once for all exercises that can have it.

The mistakes are wrong steps (see `attention.steps`). An exercise takes over those that it can have, with an `assemble`
of its own, and with other words where it needs them:

    known = Misconceptions(attention_from)
    known.include(SCALE_MISTAKES, "no-scale", "scaled-by-d", hints={"no-scale": "Where do you divide?"})
"""

import math

import torch

from exercises.common import explainers
from exercises.common.attention.steps import compare, fill, right_weights, scale, softmax
from feedback import Misconceptions

SCALE_MISTAKES = Misconceptions()
COMPARE_MISTAKES = Misconceptions()
PRODUCT_MISTAKES = Misconceptions()  # for 2.1, 2.3 and 2.4, which have no mask
SOFTMAX_MISTAKES = Misconceptions()
MIX_MISTAKES = Misconceptions()


# ---------------------------------------------------------------- the division by sqrt(D)


@SCALE_MISTAKES(
    "no-scale",
    means="The scores were not divided by `sqrt(D)`.",
    hint="A dot product of D numbers grows with D. What is it divided by, and where does q tell you D?",
    explain=explainers.sharpness,
    step="scale",
)
def unscaled(q, k):
    return 1


@SCALE_MISTAKES(
    "scaled-by-d",
    means="The scores were divided by D instead of `sqrt(D)`. (Dividing by `sqrt(D)` twice does the same.)",
    hint="The standard deviation of a dot product grows like `sqrt(D)`, its variance like D. Divide once, by the root.",
    explain=explainers.sharpness,
    step="scale",
)
def by_the_size_itself(q, k):
    return 1 / q.size(-1)


@SCALE_MISTAKES(
    "root-without-brackets",
    means="The scores were divided by D / 2, not by `sqrt(D)`: `D ** 1 / 2` is half of D.",
    hint="`**` comes before `/`: `math.sqrt(D)`, `D ** 0.5` or D ** (1 / 2).",
    explain=explainers.sharpness,
    step="scale",
)
def by_half_of_the_size(q, k):
    return 2 / q.size(-1)


@SCALE_MISTAKES(
    "divided-by-d-and-by-2",
    means="The scores were divided by D and then by 2: that is how scores / `D ** 1 / 2` is read.",
    hint="`**` comes before `/`: `math.sqrt(D)`, `D ** 0.5` or D ** (1 / 2).",
    explain=explainers.sharpness,
    step="scale",
)
def by_the_size_and_by_2(q, k):
    return 1 / q.size(-1) / 2


@SCALE_MISTAKES(
    "root-of-two",
    means="The scores were divided by √2, which is right only for D = 2.",
    hint="Take the size from q itself: `q.size(-1)`.",
    explain=explainers.sharpness,
    step="scale",
)
def by_the_root_of_two(q, k):
    return 1 / math.sqrt(2)


SCALE_MISTAKES(
    "fixed-scale",
    means="The scores were divided by a fixed number, such as 2 or 8, which is right only for one D.",
    hint="Take the size from q itself: `q.size(-1)`.",
    explain=explainers.sharpness,
)


def add_fixed_scale(divisor, catalog=SCALE_MISTAKES):
    """One more number that scores are divided by."""

    @catalog.also("fixed-scale", step="scale")
    def by_a_fixed_number(q, k):
        return 1 / divisor


for divisor in (math.sqrt(3), 2, math.sqrt(11), math.sqrt(32), 8):
    add_fixed_scale(divisor)


@SCALE_MISTAKES(
    "multiplied",
    means="The scores were multiplied by `sqrt(D)` instead of divided by it.",
    hint="Scaling should bring the scores closer together. Does yours?",
    explain=explainers.sharpness,
    step="scale",
)
def times_the_root(q, k):
    return math.sqrt(q.size(-1))


SCALE_MISTAKES(
    "scaled-by-another",
    means="The scores were divided by the square root of another number than D: of positions, items, heads, or of all "
    "numbers.",
    hint="Which axis does a dot product sum over? D is its size: `q.size(-1)`.",
    explain=explainers.sharpness,
)


@SCALE_MISTAKES.also("scaled-by-another", step="scale")
def by_the_root_of_the_number_of_queries(q, k):
    return 1 / math.sqrt(q.size(-2))


@SCALE_MISTAKES.also("scaled-by-another", step="scale")
def by_the_root_of_the_number_of_keys(q, k):
    return 1 / math.sqrt(k.size(-2))


@SCALE_MISTAKES.also("scaled-by-another", step="scale")
def by_the_root_of_axis_0(q, k):
    return 1 / math.sqrt(q.size(0))


@SCALE_MISTAKES.also("scaled-by-another", step="scale")
def by_the_root_of_axis_0_of_the_keys(q, k):
    return 1 / math.sqrt(k.size(0))


@SCALE_MISTAKES.also("scaled-by-another", step="scale")
def by_the_root_of_axis_1(q, k):
    return 1 / math.sqrt(q.size(1))


@SCALE_MISTAKES.also("scaled-by-another", step="scale")
def by_the_root_of_axis_1_of_the_keys(q, k):
    return 1 / math.sqrt(k.size(1))


@SCALE_MISTAKES(
    "scaled-after-softmax",
    means="The division by `sqrt(D)` comes after the softmax, so the rows no longer sum to 1.",
    hint="First make the scores smaller, then turn them into weights.",
    explain=explainers.row_sum,
    step="weigh",
)
def scaled_after_the_softmax(q, k, mask=None):
    scores = compare(q, k)
    return softmax(scores if mask is None else fill(scores, mask)) * scale(q, k)


# ---------------------------------------------------------------- queries and keys


@COMPARE_MISTAKES(
    "keys-ask",
    means="Queries and keys have changed places: your rows belong to the keys.",
    hint="Row i should say how query i shares its attention among the keys. Whose rows does your product have?",
    explain=explainers.shape,
    step="compare",
)
def keys_with_queries(q, k):
    return k @ q.transpose(-2, -1)


@COMPARE_MISTAKES(
    "keys-ignored",
    means="The queries are compared with themselves: k is never used.",
    hint="Each of the T queries is compared with each of the S keys.",
    explain=explainers.shape,
    step="compare",
)
def queries_with_queries(q, k):
    return q @ q.transpose(-2, -1)


@COMPARE_MISTAKES(
    "reshaped-not-transposed",
    means="k was brought to the shape (D, S) by view or reshape: that keeps the order in memory and only "
    "moves the line breaks, so numbers of different keys get mixed.",
    hint="The rows of k must become columns: which method swaps two axes?",
    explain=explainers.entry,
    step="compare",
)
def reshaped_keys(q, k):
    return q @ k.reshape(*k.shape[:-2], k.size(-1), k.size(-2))


COMPARE_MISTAKES(
    "all-axes-reversed",
    means="`k.T` reverses all axes of k, not only the last two.",
    hint="Which method swaps just two axes, counted from the end?",
    explain=explainers.shape,
)


@COMPARE_MISTAKES.also("all-axes-reversed", step="compare")
def all_axes_of_the_keys_reversed(q, k):
    return q @ k.permute(*range(k.dim() - 1, -1, -1))  # what k.T does, also in future versions of torch


MULTIPLIES = r"(?<!\*)\*(?!\*)|\bmul"  # a line with `*`, .mul(...) or torch.multiply(...), not `**`


@PRODUCT_MISTAKES(
    "elementwise",
    means="Queries and keys are multiplied element by element: query i is paired with key i alone, and where there "
    "are more keys than queries the sizes do not fit.",
    hint="Every query is compared with every key. Which product of two matrices does that? Compare `*` and `@` in "
    "notebook 00.",
    step="compare",
    raised_in=MULTIPLIES,
)
def multiplied(q, k):
    return q * k


@PRODUCT_MISTAKES.also("elementwise", step="compare")
def multiplied_and_summed(q, k):
    return (q * k).sum(-1)


@PRODUCT_MISTAKES.also("elementwise", step="compare")
def multiplied_and_summed_to_a_column(q, k):
    return (q * k).sum(-1, keepdim=True)


@PRODUCT_MISTAKES.also("elementwise", step="compare")
def multiplied_by_transposed_keys(q, k):
    return q * k.transpose(-2, -1)


@PRODUCT_MISTAKES(
    "fixed-axes",
    means="You count axes from the front, so this works only for inputs with exactly that many axes.",
    hint="Count from the end: the last two axes are -2 and -1, with and without a batch.",
    explain=explainers.shape,
    step="compare",
)
def swaps_0_and_1(q, k):
    return q @ k.transpose(0, 1)


@PRODUCT_MISTAKES.also("fixed-axes", step="compare")
def swaps_1_and_2(q, k):
    return q @ k.transpose(1, 2)


@PRODUCT_MISTAKES.also("fixed-axes", step="compare")
def permutes_three_axes(q, k):
    return q @ k.permute(0, 2, 1)


@PRODUCT_MISTAKES.also("fixed-axes", step="compare")
def batched_product(q, k):
    return torch.bmm(q, k.transpose(1, 2))


# ---------------------------------------------------------------- the softmax

AXIS_FROM_THE_FRONT_MEANS = (
    "The softmax runs over another axis than the last: one that was counted from the front (such as `dim=0` or "
    "`dim=1`, or none given)."
)
AXIS_FROM_THE_FRONT_HINT = "Keys are the last axis, with and without a batch: `dim=-1`."


@SOFTMAX_MISTAKES(
    "over-queries",
    means="The softmax runs over the queries: columns sum to 1, rows do not.",
    hint="Each query shares out its attention among the keys, and the keys are the last axis.",
    explain=explainers.row_sum,
    step="softmax",
)
def over_queries(scores):
    return scores.softmax(dim=-2)


@SOFTMAX_MISTAKES(
    "over-heads",
    means="The softmax runs over axis 1, the heads: the heads compete with each other, and rows do not sum to 1.",
    hint="With heads there is one more axis in front, and the keys are still the last one.",
    explain=explainers.row_sum,
    step="softmax",
)
def over_heads(scores):
    return scores.softmax(dim=1)


@SOFTMAX_MISTAKES(
    "over-batch",
    means="The softmax runs over axis 0, the batch: the items compete with each other, and rows do not sum to 1.",
    hint="Each query shares out its attention among the keys, and the keys are the last axis.",
    explain=explainers.row_sum,
    step="softmax",
)
def over_the_batch(scores):
    return scores.softmax(dim=0)


@SOFTMAX_MISTAKES(
    "axis-from-the-front",
    means=AXIS_FROM_THE_FRONT_MEANS,
    hint=AXIS_FROM_THE_FRONT_HINT,
    explain=explainers.row_sum,
    step="softmax",
)
def over_axis_0(scores):
    return scores.softmax(dim=0)


@SOFTMAX_MISTAKES.also("axis-from-the-front", step="softmax")
def over_axis_1(scores):
    return scores.softmax(dim=1)


@SOFTMAX_MISTAKES.also("axis-from-the-front", step="softmax")
def over_the_axis_that_torch_guesses(scores):
    return torch.nn.functional.softmax(scores, dim=None)


@SOFTMAX_MISTAKES(
    "no-softmax",
    means="The values were mixed by the scores themselves: the softmax is missing.",
    hint="Weights are positive, and each row sums to 1.",
    explain=explainers.row_sum,
    step="softmax",
)
def scores_as_they_are(scores):
    return scores


@SOFTMAX_MISTAKES(
    "softmax-twice",
    means="A softmax was applied twice: the second one flattens what the first one made.",
    hint="How many times does a softmax run between the scores and the weights? Once is enough.",
    explain=explainers.sharpness,
    step="softmax",
)
def softmax_twice(scores):
    return scores.softmax(dim=-1).softmax(dim=-1)


# ---------------------------------------------------------------- what becomes of the weights


@MIX_MISTAKES(
    "only-out",
    means="Only out was returned; the weights belong to the answer.",
    hint="End with `return out, weights`.",
    step="give",
)
def only_out(out, weights):
    return out


@MIX_MISTAKES(
    "only-weights",
    means="Only the weights were returned; they still have to mix the values.",
    hint="out = `weights @ v`; then `return out, weights`.",
    step="give",
)
def only_weights(out, weights):
    return weights


@MIX_MISTAKES(
    "swapped-pair",
    means="The pair is the wrong way around: out comes first, then the weights.",
    hint="Which of the two does the next layer need? In this course it comes first.",
    step="give",
)
def weights_first(out, weights):
    return weights, out


@MIX_MISTAKES(
    "scores-returned",
    means="The second thing returned is the scores, not the weights.",
    hint="Which tensor multiplied v? That one is returned.",
    explain=explainers.row_sum,
    step="show",
)
def scores_shown(weights, q, k):
    return compare(q, k) * scale(q, k)


@MIX_MISTAKES.also("scores-returned", step="show")
def unscaled_scores_shown(weights, q, k):
    return compare(q, k)


@MIX_MISTAKES(
    "mixed-by-scores",
    means="The weights are right, but the values were mixed by the scores instead.",
    hint="What you return as weights must be what multiplied v.",
    explain=explainers.out_alone,
    step="mix",
)
def mixed_by_scores(weights, v, q, k):
    return compare(q, k) * scale(q, k) @ v


@MIX_MISTAKES.also("mixed-by-scores", step="mix")
def mixed_by_unscaled_scores(weights, v, q, k):
    return compare(q, k) @ v


@MIX_MISTAKES(
    "weights-transposed",
    means="out was made with the weights transposed: columns, not rows, mix the values.",
    hint="Row i of the weights says how query i mixes the values.",
    explain=explainers.out_alone,
    step="mix",
)
def mixed_by_columns(weights, v, q, k):
    return weights.transpose(-2, -1) @ v


@MIX_MISTAKES(
    "keys-as-values",
    means="The weights are right, but they average the keys instead of the values.",
    hint="Keys decide how much is read; values are what is read.",
    explain=explainers.shape,
    step="mix",
)
def keys_mixed(weights, v, q, k):
    return weights @ k


@MIX_MISTAKES(
    "queries-as-values",
    means="The weights are right, but they average the queries instead of the values.",
    hint="Keys decide how much is read. What is it that is read?",
    explain=explainers.shape,
    step="mix",
)
def queries_mixed(weights, v, q, k):
    return weights @ q


@MIX_MISTAKES(
    "mask-for-out-only",
    means="The returned weights were made without the mask, but out with it.",
    hint="Return the weights that multiplied v: hidden keys have 0 in them.",
    explain=explainers.hidden_weight,
    step="show",
)
def weights_without_mask_shown(weights, q, k):
    return right_weights(q, k)


@MIX_MISTAKES(
    "mask-for-weights-only",
    means="The returned weights are right, but out was made without the mask.",
    hint="Mix the values with the very weights that you return.",
    explain=explainers.out_alone,
    step="mix",
)
def mixed_without_mask(weights, v, q, k):
    return right_weights(q, k) @ v
