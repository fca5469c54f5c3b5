"""What people get wrong in exercise 3.2, mask_by_renormalizing."""

from exercises.common import explainers
from exercises.common.attention.steps import INF
from exercises.common.inputs import causal_for
from feedback import Misconceptions

known = Misconceptions()


def divided(weights, dim=-1):
    """The right last step, or the same along another axis."""
    return weights / weights.sum(dim, keepdim=True)


@known(
    "not-renormalised",
    means="Hidden keys got the weight 0, but the rest of the row was not made to sum to 1 again.",
    hint="What was taken from the hidden keys is missing: what must each row be divided by?",
    explain=explainers.row_sum,
)
def zeroed(weights, mask):
    return weights * mask


@known(
    "spread-evenly",
    means="What was taken from the hidden keys was shared out equally among the visible ones.",
    hint="Visible keys keep their proportions: one with twice the weight of another still has twice its weight. What "
    "changes all numbers of a row by the same factor?",
)
def lost_and_spread(weights, mask):
    visible = weights * mask
    return visible + (1 - visible.sum(-1, keepdim=True)) * mask / mask.sum(-1, keepdim=True)


@known(
    "true-hides",
    means="The mask was read the wrong way around: you kept what is hidden.",
    hint="True = may attend. Multiply by the mask itself, not by its opposite.",
    explain=explainers.hidden_weight,
)
def hidden_kept(weights, mask):
    return divided(weights * ~mask)


@known.also("true-hides")
def hidden_kept_and_not_divided(weights, mask):
    return weights * ~mask


@known(
    "mask-ignored",
    means="The mask was never used: these are the weights that came in.",
    hint="What hides a key makes a new tensor, weights * mask for example: keep it.",
    explain=explainers.hidden_weight,
)
def unchanged(weights, mask):
    return weights.clone()


@known(
    "own-causal-mask",
    means="A causal mask hides the future here, whatever mask is given.",
    hint="The argument mask says all that is to be hidden: use it, and nothing else.",
    explain=explainers.hidden_weight,
)
def future_hidden(weights, mask):
    return divided(weights * causal_for(weights))


@known(
    "divided-by-count",
    means="The weights were divided by the number of visible keys, not by what they sum to.",
    hint="A row must sum to 1: divide it by its own sum.",
    explain=explainers.row_sum,
)
def divided_by_the_number_of_visible_keys(weights, mask):
    return weights * mask / mask.expand(weights.shape).sum(-1, keepdim=True)


@known(
    "softmax-again",
    means="A softmax was applied a second time: a weight of 0 becomes `exp(0)` = 1, so hidden keys are back, and "
    "the rest is flattened.",
    hint="The numbers are weights already; dividing by their sum is enough.",
    explain=explainers.hidden_weight,
)
def softmax_of_zeroed_weights(weights, mask):
    return (weights * mask).softmax(-1)


@known(
    "filled-weights",
    means="A softmax was taken of the visible weights, which come from a softmax already: they are flattened.",
    hint="exp belongs to the scores (exercise 3.3). Here multiply, then divide.",
)
def softmax_of_filled_weights(weights, mask):
    return weights.masked_fill(~mask, -INF).softmax(-1)


@known(
    "columns-renormalised",
    means="Another axis than the last was made to sum to 1: not each row by itself.",
    hint="Each query shares out its attention among its keys: which axis holds the keys, counted from the end?",
    explain=explainers.row_sum,
)
def columns_divided(weights, mask):
    return divided(weights * mask, -2)


@known.also("columns-renormalised")
def axis_0_divided(weights, mask):
    return divided(weights * mask, 0)


@known.also("columns-renormalised")
def axis_1_divided(weights, mask):
    return divided(weights * mask, 1)


@known(
    "one-sum-for-all",
    means="Everything was divided by one sum over the whole tensor.",
    hint="Each row has its own sum.",
    explain=explainers.row_sum,
)
def divided_by_the_sum_of_everything(weights, mask):
    return weights * mask / (weights * mask).sum()


def add_epsilon(epsilon):
    """One more number that is added to the sum."""

    @known.also("large-epsilon")
    def divided_by_the_sum_and_epsilon(weights, mask):
        return weights * mask / ((weights * mask).sum(-1, keepdim=True) + epsilon)


known(
    "large-epsilon",
    means="The number added to the sum, to avoid dividing by 0, is so large that rows no longer sum to 1.",
    hint="Something like 1e-12 is enough, and here you can do without it.",
    explain=explainers.row_sum,
)
for epsilon in (1.0, 0.1, 1e-2, 1e-3, 1e-4):
    add_epsilon(epsilon)


@known(
    "mask-added",
    means="The mask was added to the weights, not multiplied: True counts as 1.",
    hint="Multiplying by True keeps a number, by False makes it 0.",
    explain=explainers.hidden_weight,
)
def mask_added(weights, mask):
    return divided(weights + mask)


@known(
    "evenly-spread",
    means="All visible keys got the same weight: the weights themselves were lost.",
    hint="Keep the proportions of the visible weights.",
)
def visible_keys_alike(weights, mask):
    return divided(mask.to(weights.dtype)).expand_as(weights).clone()
