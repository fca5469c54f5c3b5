"""Dropout at the wrong time or place, for the exercises in which it belongs on the weights of attention."""

from exercises.common.attention.steps import compare, right_weights, scale
from exercises.common.dropout.steps import dropped_scores
from feedback import Misconceptions


def dropped_out(q, k, v, drop, mask):
    weights = right_weights(q, k, mask)
    return drop(weights @ v), weights


def dropped_for_out_only(q, k, v, drop, mask):
    weights = right_weights(q, k, mask)
    return drop(weights) @ v, weights


def place_mistakes(explainer):
    """The catalog, in words for one exercise: `explainer` is its DroppedWeights."""
    known = Misconceptions()
    add_wrong_modes(known, explainer)
    add_before_the_softmax(known, explainer)
    add_wrong_tensors(known, explainer)
    add_weights_apart_from_out(known, explainer)
    return known


def add_wrong_modes(known, explainer):
    """In evaluation, or never."""

    @known(
        "always-on",
        means="In evaluation something is dropped: your code does not look at the mode, or not everywhere.",
        hint="In evaluation every weight counts, and the same input gives the same output. Where does your code "
        "look at the mode?",
        explain=explainer.in_evaluation,
        step="active",
    )
    def always(training):
        return True

    known.also("always-on", active=always, attend=dropped_out)
    known.also("always-on", active=always, attend=dropped_for_out_only)

    @known(
        "training-turned-around",
        means="Dropout happens in evaluation, and here not in training.",
        hint="Drop where training is True, with a generator or without one.",
        explain=explainer.in_evaluation,
        step="active",
    )
    def in_evaluation(training):
        return not training

    @known(
        "never-on",
        means="Nothing was dropped in training.",
        hint="Is dropout called on the weights, in training? It gives a new tensor: keep it, and use it for out.",
        explain=explainer.counted,
        step="active",
    )
    def never(training):
        return False


def add_before_the_softmax(known, explainer):
    """The scores are dropped, not the weights."""

    @known(
        "before-softmax",
        means="Dropout came before the softmax (or before a second one), so none of the weights is 0: a score of 0 is "
        "an ordinary score, and `exp(0)` = 1.",
        hint="First the weights, with their softmax; then dropout on the weights, and no softmax after it.",
        explain=explainer.counted,
        step="attend",
    )
    def scores_dropped(q, k, v, drop, mask):
        weights = dropped_scores(q, k, drop, mask)
        return weights @ v, weights

    @known.also("before-softmax", step="attend")
    def hidden_scores_dropped_too(q, k, v, drop, mask):
        """Where -inf is dropped, 0 * -inf is NaN."""
        scores = compare(q, k) * scale(q, k)
        scores = scores if mask is None else scores.masked_fill(~mask, float("-inf"))
        weights = drop(scores).softmax(dim=-1)
        return weights @ v, weights

    @known(
        "on-scores-and-weights",
        means=f"Some weights that were kept are not the right ones divided by 1 - {explainer.p_name}: dropout acts "
        "before the softmax as well, or some weights escape it.",
        hint="Here dropout is applied once, to all weights, after the softmax. What happens to the weight shown?",
        explain=explainer.scaled,
        step="attend",
    )
    def scores_and_weights_dropped(q, k, v, drop, mask):
        weights = drop(dropped_scores(q, k, drop, mask))
        return weights @ v, weights


def add_wrong_tensors(known, explainer):
    """Something other than the weights is dropped."""
    leaning = "Dropout should keep a query from relying on a single key: drop the weights first, then multiply by v."
    known(
        "on-out",
        means="Dropout was applied to out; no weight was dropped.",
        hint=leaning,
        explain=explainer.where,
        step="attend",
    )(dropped_out)

    @known(
        "on-values",
        means="Dropout was applied to v; no weight was dropped.",
        hint=leaning,
        explain=explainer.where,
        step="attend",
    )
    def values_dropped(q, k, v, drop, mask):
        weights = right_weights(q, k, mask)
        return weights @ drop(v), weights


def add_weights_apart_from_out(known, explainer):
    """The weights returned are not those that mixed the values, or out is dropped too."""
    known(
        "weights-before-dropout",
        means="out was made with the weights after dropout, but the weights returned are those before it.",
        hint="Return what multiplied v, so that a picture of the weights shows what happened: one name for both.",
        explain=explainer.where,
        step="attend",
    )(dropped_for_out_only)

    @known(
        "out-undropped",
        means="The weights returned were dropped, but out was made before, with all of them.",
        hint="Dropout first, then `weights @ v`: the order of your lines.",
        explain=explainer.where,
        step="attend",
    )
    def dropped_after_out(q, k, v, drop, mask):
        weights = right_weights(q, k, mask)
        return weights @ v, drop(weights)

    @known(
        "two-draws",
        means="out and the weights returned come from two draws: their zeros are in different positions.",
        hint="Call dropout once, give the result a name, and use it twice.",
        explain=explainer.where,
        step="attend",
    )
    def dropped_for_each(q, k, v, drop, mask):
        weights = right_weights(q, k, mask)
        return drop(weights) @ v, drop(weights)

    @known(
        "on-weights-and-out",
        means="Dropout was applied twice: to the weights, and then to out.",
        hint="Here dropout is applied to the weights only.",
        explain=explainer.where,
        step="attend",
    )
    def weights_and_out_dropped(q, k, v, drop, mask):
        weights = drop(right_weights(q, k, mask))
        return drop(weights @ v), weights
