"""What people get wrong in exercise 4.4, drop_with_coins."""

from exercises.common import explainers
from exercises.e4_4_drop_with_coins.given import drop_with_coins as given
from feedback import Misconceptions


def in_its_mode(case):
    """In evaluation a row that does not sum to 1, in training the number that is furthest off."""
    training = case.args[-1]
    seen = explainers.entry(case) if training else explainers.row_sum(case)
    return f"in {'training' if training else 'evaluation'}, {seen}"


known = Misconceptions()

known(
    "corrected-twice",
    means="This is the code as it was given, or does what it does. On average, a row has another sum in training than "
    "in evaluation.",
    hint="Sum up a row of weights in evaluation, before and after. Should anything have changed?",
    explain=in_its_mode,
)(given)


@known(
    "original-form",
    means="The two modes now fit together, as in dropout's original form: what is kept stays as it is, and evaluation "
    "makes up for it. But the docstring asks for inverted dropout.",
    hint="In inverted dropout, which of the two modes does nothing at all?",
    explain=in_its_mode,
)
def original_form(weights, coins, p, training):
    return weights * (coins >= p) if training else weights * (1 - p)


@known(
    "not-scaled",
    means="Evaluation is right now, but in training the weights that are kept are no longer scaled.",
    hint="Over many draws, what is the mean of a weight of 0.5 with p = 0.2?",
    explain=in_its_mode,
)
def not_scaled(weights, coins, p, training):
    return weights * (coins >= p) if training else weights


@known(
    "multiplied-in-training",
    means="In training, the weights that are kept are made smaller. As it was given, that line was right.",
    hint="Some weights become 0. Must the others grow or shrink, so that the mean stays what it was?",
    explain=in_its_mode,
)
def multiplied_in_training(weights, coins, p, training):
    return weights * (coins >= p) * (1 - p) if training else weights


@known.also("multiplied-in-training")
def multiplied_in_both(weights, coins, p, training):
    return weights * (coins >= p) * (1 - p) if training else weights * (1 - p)


@known(
    "divided-in-evaluation",
    means="In evaluation the weights are divided by 1 - p, so rows sum to more than 1.",
    hint="Nothing is dropped in evaluation. What is there to make up for?",
    explain=in_its_mode,
)
def divided_in_evaluation(weights, coins, p, training):
    return weights * (coins >= p) / (1 - p) if training else weights / (1 - p)


@known(
    "multiplied-by-p",
    means="In evaluation the weights are multiplied by p.",
    hint="Nothing is dropped in evaluation. What is there to make up for?",
    explain=in_its_mode,
)
def multiplied_by_p(weights, coins, p, training):
    return weights * (coins >= p) / (1 - p) if training else weights * p


@known(
    "divided-by-p",
    means="In training the weights that are kept are divided by p. As it was given, that line was right.",
    hint="How often is a weight kept: with probability p, or 1 - p?",
    explain=in_its_mode,
)
def divided_by_p(weights, coins, p, training):
    return weights * (coins >= p) / p if training else weights


@known.also("divided-by-p")
def divided_by_p_and_left(weights, coins, p, training):
    return weights * (coins >= p) / p if training else weights * (1 - p)


@known(
    "drops-in-evaluation",
    means="Weights are dropped in evaluation, too.",
    hint="A finished model should give its best answer, the same each time. Which coins does it need?",
    explain=in_its_mode,
)
def drops_in_both(weights, coins, p, training):
    return weights * (coins >= p) / (1 - p)


@known(
    "modes-exchanged",
    means="The two modes have changed places: weights are dropped in evaluation, and not in training.",
    hint="Which of the two modes is disturbed on purpose?",
    explain=in_its_mode,
)
def modes_exchanged(weights, coins, p, training):
    return weights if training else weights * (coins >= p) / (1 - p)


@known.also("modes-exchanged")
def modes_exchanged_and_left(weights, coins, p, training):
    return given(weights, coins, p, not training)


@known(
    "dropped-are-kept",
    means="The weights that should be dropped are kept, and the others dropped. As it was given, that line was right.",
    hint="How often is a number from 0 to 1 at least p?",
    explain=in_its_mode,
)
def dropped_are_kept(weights, coins, p, training):
    return weights * (coins < p) / (1 - p) if training else weights


@known.also("dropped-are-kept")
def dropped_are_kept_and_left(weights, coins, p, training):
    return weights * (coins < p) / (1 - p) if training else weights * (1 - p)


@known(
    "renormalized",
    means="In training, each row was made to sum to 1.",
    hint="Only on average does a row keep its sum: each draw has a sum of its own.",
    explain=in_its_mode,
)
def renormalized(weights, coins, p, training):
    kept = weights * (coins >= p)
    return kept / kept.sum(dim=-1, keepdim=True).clamp(min=1e-9) if training else weights
