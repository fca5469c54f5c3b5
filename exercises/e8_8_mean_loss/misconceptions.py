"""What people get wrong in exercise 8.8, mean_loss."""

import torch.nn.functional as F

from exercises.common import explainers
from exercises.e8_8_mean_loss.given import mean_loss as given
from feedback import Misconceptions
from feedback.format import listed


def _losses(logits, ids, pad_id):
    """The loss of each target, 0 where it is padding; and which are not."""
    targets = ids[:, 1:]
    losses = F.cross_entropy(logits[:, :-1].transpose(1, 2), targets, reduction="none")
    real = targets != pad_id
    return losses * real, real


def next_to_another(case):
    """The numbers of targets, and both results."""
    logits, ids, pad_id = case.args
    counts = listed([str(int(real)) for real in (ids[:, 1:] != pad_id).sum(dim=1)])
    return (
        f"texts of {counts} targets give {explainers.number(float(case.actual))}, and "
        f"{explainers.number(float(case.expected))} is right"
    )


known = Misconceptions()

known(
    "not-the-mean-of-all",
    means="This is the code as it was given, or does what it does. A single text comes out right, and so do texts of "
    "one length.",
    hint="Compare it with `F.cross_entropy` of all real targets in one row, for a long text and a short one. Which "
    "of the two pulls your number its way?",
    explain=next_to_another,
)(given)


@known(
    "padding-counts",
    means="The sum is right, but it is divided by the number of all positions, padding included.",
    hint="The more padding there is, the smaller your loss. How many targets have a loss?",
    explain=next_to_another,
)
def mean_of_all_positions(logits, ids, pad_id):
    losses, _ = _losses(logits, ids, pad_id)
    return losses.mean()


@known(
    "padding-has-a-loss",
    means="Padding is not left out: the losses of padded targets are in the mean.",
    hint="As it was given, the loss of a padded target was multiplied by 0. Why?",
    explain=next_to_another,
)
def padding_is_predicted(logits, ids, pad_id):
    return F.cross_entropy(logits[:, :-1].transpose(1, 2), ids[:, 1:])


@known(
    "a-sum",
    means="This is a sum of losses: it was not divided by the number of targets.",
    hint="Twice as many texts of the same kind: should the result be twice as large?",
    explain=next_to_another,
)
def sum_of_all(logits, ids, pad_id):
    return _losses(logits, ids, pad_id)[0].sum()


@known.also("a-sum")
def sum_for_each_text(logits, ids, pad_id):
    return _losses(logits, ids, pad_id)[0].sum(dim=1).mean()


@known.also("a-sum")
def means_are_added(logits, ids, pad_id):
    losses, real = _losses(logits, ids, pad_id)
    return (losses.sum(dim=1) / real.sum(dim=1)).sum()


@known(
    "divided-twice",
    means="The sums of the texts are divided by the number of all targets, and then by the number of texts.",
    hint="By how many targets must the sum of all losses be divided, and how often?",
    explain=next_to_another,
)
def shares_are_averaged(logits, ids, pad_id):
    losses, real = _losses(logits, ids, pad_id)
    return (losses.sum(dim=1) / real.sum()).mean()


@known(
    "first-tokens-count",
    means="The sum is divided by the number of tokens, but the first token of a text is no target.",
    hint="How many predictions does a text of T tokens have?",
    explain=next_to_another,
)
def by_the_tokens(logits, ids, pad_id):
    return _losses(logits, ids, pad_id)[0].sum() / (ids != pad_id).sum()


@known(
    "not-shifted",
    means="Each position is compared with the token that it reads. As it was given, the targets were right.",
    hint="What does the model say at position t: the token there, or the next one?",
    explain=next_to_another,
)
def compared_in_place(logits, ids, pad_id):
    return F.cross_entropy(logits.transpose(1, 2), ids, ignore_index=pad_id)


@known.also("not-shifted")
def compared_in_place_by_texts(logits, ids, pad_id):
    losses = F.cross_entropy(logits.transpose(1, 2), ids, reduction="none")
    real = ids != pad_id
    return ((losses * real).sum(dim=1) / real.sum(dim=1)).mean()


@known(
    "mean-of-position-means",
    means="First the texts are averaged at each position, then the positions: a position that few texts reach counts "
    "as much as the others.",
    hint="Every target is to count the same. Does it, if you take means twice?",
    explain=next_to_another,
)
def positions_first(logits, ids, pad_id):
    losses, real = _losses(logits, ids, pad_id)
    return (losses.sum(dim=0) / real.sum(dim=0)).mean()
