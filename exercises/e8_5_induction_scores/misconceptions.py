"""What people get wrong in exercise 8.5, induction_scores.

An answer lists pairs (query, key), takes their weights, and takes a mean. Wrong answers are assembled from wrong steps.
"""

import torch

from feedback import Misconceptions
from feedback.format import counted, number


def earlier(ids, i):
    """The earlier positions of the token at i, in order."""
    return [j for j in range(i) if ids[j] == ids[i]]


def after_the_previous(ids):
    """The right step `pairs`: (i, position after the previous occurrence)."""
    return [(i, earlier(ids, i)[-1] + 1) for i in range(len(ids)) if earlier(ids, i)]


def at_pairs(weights, pairs):
    """The right step `look`: (H, number of pairs)."""
    queries, keys = zip(*pairs, strict=True)
    return weights[:, list(queries), list(keys)]


def one_by_one(weights, pairs):
    """The same; a position after the end raises another message."""
    return torch.stack([weights[:, i, j] for i, j in pairs], dim=-1)


def mean(found, ids, pairs):
    """The right step `average`."""
    return found.mean(dim=-1)


def assemble(pairs=after_the_previous, look=at_pairs, average=mean):
    def scores(weights, ids):
        found = pairs(ids.tolist())
        return average(look(weights, found), ids, found)

    return scores


known = Misconceptions(assemble)


def compared(case):
    """A head's score, and the pairs that it is made of."""
    if not isinstance(case.actual, torch.Tensor) or case.actual.shape != case.expected.shape:
        return f"a score for each of the {case.expected.numel()} heads is asked for"
    off = (case.actual.double() - case.expected.double()).abs().nan_to_num(float("inf"))
    head = int(off.argmax())
    pairs = after_the_previous(case.args[1].tolist())
    shown = ", ".join(f"[{i}, {j}]" for i, j in pairs[:3]) + (", ..." if len(pairs) > 3 else "")
    return (
        f"your score of head {head} is {number(case.actual[head])}, and {number(case.expected[head])} is right: the "
        f"mean of {counted(len(pairs), 'weight', 'weights')}, at [query, key] = {shown}"
    )


def mistake(id, means, hint, step=None):
    return known(id, means=means, hint=hint, explain=compared, step=step)


# ---------------------------------------------------------------- which occurrence


@mistake(
    "first-occurrence",
    "You look at the first occurrence of a token, not at the previous one: they differ from its third occurrence on.",
    "Of all earlier positions with the same token, which is the closest? (A dict that is overwritten at every position "
    "holds the latest.)",
    step="pairs",
)
def after_the_first(ids):
    return [(i, earlier(ids, i)[0] + 1) for i in range(len(ids)) if earlier(ids, i)]


@mistake(
    "last-occurrence-of-all",
    "You look at an occurrence of the token that does not come before the position: it is the position itself, or a "
    "later one.",
    "An occurrence counts only if it comes before the position that you are at: fill your dict while you walk along, "
    "after you have looked into it.",
    step="pairs",
)
def after_the_last_of_all(ids):
    last = {token: j for j, token in enumerate(ids)}
    return [(i, last[token] + 1) for i, token in enumerate(ids)]


@known.also("last-occurrence-of-all", step="pairs")
def after_the_last_of_all_where_seen_before(ids):
    return [(i, j) for i, j in after_the_last_of_all(ids) if earlier(ids, i)]


@known.also("last-occurrence-of-all", step="pairs")
def after_the_last_of_all_within_the_text(ids):
    return [(i, j) for i, j in after_the_last_of_all(ids) if j < len(ids)]


@known.also("last-occurrence-of-all", step="pairs")
def after_the_last_of_all_seen_before_within_the_text(ids):
    return [(i, j) for i, j in after_the_last_of_all_where_seen_before(ids) if j < len(ids)]


known.also("last-occurrence-of-all", pairs=after_the_last_of_all, look=one_by_one)
known.also("last-occurrence-of-all", pairs=after_the_last_of_all_where_seen_before, look=one_by_one)


@mistake(
    "position-itself",
    "You look at the position itself, as if it were an earlier occurrence of its token.",
    "When is i written into your dict, before or after you look a token up? A position must not find itself.",
    step="pairs",
)
def after_itself_within_the_text(ids):
    return [(i, i + 1) for i in range(len(ids) - 1)]


@known.also("position-itself", step="pairs")
def after_itself_where_seen_before(ids):
    return [(i, j) for i, j in after_itself_within_the_text(ids) if earlier(ids, i)]


@mistake(
    "all-occurrences",
    "You count every earlier occurrence of a token; only the previous one, the closest, counts.",
    "Each position with an earlier occurrence gives exactly one pair. How many does your code find for a token's third "
    "occurrence?",
    step="pairs",
)
def after_every_earlier(ids):
    return [(i, j + 1) for i in range(len(ids)) for j in earlier(ids, i)]


@known.also("all-occurrences")
def sum_over_every_earlier(weights, ids):
    ids = ids.tolist()
    pairs = after_every_earlier(ids)
    return at_pairs(weights, pairs).sum(-1) / len(after_the_previous(ids))


@known.also("all-occurrences")
def mean_over_every_earlier_for_each_query(weights, ids):
    ids = ids.tolist()
    means = [
        torch.stack([weights[:, i, j + 1] for j in earlier(ids, i)]).mean(0) for i in range(len(ids)) if earlier(ids, i)
    ]
    return torch.stack(means).mean(0)


@mistake(
    "next-occurrence",
    "You look for the same token later in the text, not earlier.",
    "At position i, the text up to i has been read. Where before i was this token?",
    step="pairs",
)
def after_the_next(ids):
    size = len(ids)
    later = [[j for j in range(i + 1, size) if ids[j] == ids[i]] for i in range(size)]
    return [(i, found[0] + 1) for i, found in enumerate(later) if found and found[0] + 1 < size]


@known.also("next-occurrence", step="pairs")
def after_the_next_out_of_range(ids):
    size = len(ids)
    later = [[j for j in range(i + 1, size) if ids[j] == ids[i]] for i in range(size)]
    return [(i, found[0] + 1) for i, found in enumerate(later) if found]


@mistake(
    "each-token-once",
    "Each token counts only once: its first repetition, or its last.",
    "Every position whose token occurred before is a pair of its own.",
    step="pairs",
)
def first_repetition(ids):
    return [(i, j) for i, j in after_the_previous(ids) if len(earlier(ids, i)) == 1]


@known.also("each-token-once", step="pairs")
def last_repetition(ids):
    return list({ids[i]: (i, j) for i, j in after_the_previous(ids)}.values())


@mistake(
    "neighbors-left-out",
    "Where a token follows itself, the pair is left out: the position after its previous occurrence is then the "
    "position itself, and it counts too.",
    "The rule has no exception: a token at positions 4 and 5 gives the pair [5, 5].",
    step="pairs",
)
def strictly_before(ids):
    return [(i, j) for i, j in after_the_previous(ids) if j < i]


@mistake(
    "fixed-distance",
    "You assume that the second half of the text repeats the first. Where a token occurred before must be read from "
    "ids.",
    "Go through ids: where was this very token before?",
)
def halves(weights, ids):
    half = len(ids) // 2
    return weights.diagonal(1 - half, dim1=-2, dim2=-1).mean(-1)


@known.also("fixed-distance")
def second_half_alone(weights, ids):
    half = len(ids) // 2
    queries = torch.arange(half, len(ids))
    return weights[:, queries, queries - half + 1].mean(-1)


@known.also("fixed-distance")
def two_halves_of_equal_length(weights, ids):
    half = len(ids) // 2
    queries = torch.arange(half, 2 * half)
    return weights[:, queries, queries - half + 1].mean(-1)


# ---------------------------------------------------------------- which weight


def shifted(by):
    def pairs(ids):
        return [(i, j + by) for i, j in after_the_previous(ids)]

    return pairs


@mistake(
    "on-the-occurrence",
    "You take the weight on the previous occurrence itself. An induction head reads the position right after it: what "
    "came next the last time.",
    "The previous occurrence is at j. Where is the token that followed it?",
    step="pairs",
)
def on_the_previous(ids):
    return shifted(-1)(ids)


@mistake(
    "before-the-occurrence",
    "You take the weight on the position before the previous occurrence.",
    "What came next the last time is at j + 1, not at j - 1.",
    step="pairs",
)
def before_the_previous(ids):
    return shifted(-2)(ids)


@mistake(
    "two-after",
    "You take the weight two positions after the previous occurrence.",
    "Is 1 added twice, once when the position is kept and once when it is used?",
    step="pairs",
)
def two_after_the_previous(ids):
    return shifted(1)(ids)


@known.also("two-after", step="pairs")
def two_after_the_previous_within_the_text(ids):
    return [(i, j) for i, j in shifted(1)(ids) if j < len(ids)]


@mistake(
    "query-one-late",
    "You take the row next to that of the repeated token. The head reads at the repeated token itself, so that it can "
    "predict the one that follows.",
    "The row is i, the position of the repeated token; the column is j + 1.",
    step="pairs",
)
def from_the_next_query(ids):
    return [(i + 1, j) for i, j in after_the_previous(ids) if i + 1 < len(ids)]


@known.also("query-one-late", step="pairs")
def from_the_next_query_out_of_range(ids):
    return [(i + 1, j) for i, j in after_the_previous(ids)]


known.also("query-one-late", pairs=from_the_next_query_out_of_range, look=one_by_one)


@known.also("query-one-late", step="pairs")
def from_the_query_before(ids):
    return [(i - 1, j) for i, j in after_the_previous(ids)]


@mistake(
    "rows-and-columns-exchanged",
    "Rows and columns are exchanged: you take the weight of the earlier position on the later one.",
    "Rows are queries, who reads; columns are keys, what is read. Who reads here?",
    step="look",
)
def exchanged(weights, pairs):
    return at_pairs(weights.transpose(-2, -1), pairs)


@mistake(
    "table-not-pairs",
    "Two lists of positions were crossed: the mean runs over every query with every key, not over the pairs.",
    "`weights[:, queries, keys]` takes pairs. `weights[:, queries][:, :, keys]` makes a table of all combinations.",
    step="look",
)
def crossed(weights, pairs):
    queries, keys = zip(*pairs, strict=True)
    return weights[:, list(queries)][:, :, list(keys)].mean(1)


@mistake(
    "whole-rows",
    "You average whole rows of weights; a row sums to 1, so every head gets the same score.",
    "From each row only one entry is wanted, in the column j + 1.",
    step="look",
)
def rows(weights, pairs):
    return weights[:, [i for i, _ in pairs]].mean(-1)


# ---------------------------------------------------------------- the mean


@mistake(
    "divided-by-all-positions",
    "The sum was divided by the number of all positions; tokens that occur for the first time do not count.",
    "Divide by the number of pairs that you found.",
    step="average",
)
def over_all(found, ids, pairs):
    return found.sum(-1) / len(ids)


@known.also("divided-by-all-positions", step="average")
def over_all_but_the_first(found, ids, pairs):
    return found.sum(-1) / (len(ids) - 1)


@mistake(
    "divided-by-tokens",
    "The sum was divided by the number of different tokens, not by the number of pairs.",
    "A token that occurs three times gives two pairs. Count the pairs.",
    step="average",
)
def over_tokens(found, ids, pairs):
    return found.sum(-1) / len(ids.unique())


@known.also("divided-by-tokens", step="average")
def over_repeated_tokens(found, ids, pairs):
    return found.sum(-1) / len({int(ids[i]) for i, _ in pairs})


@mistake(
    "mean-of-means",
    "A mean was taken for each token, and then the mean of these: frequent tokens count less for each of their "
    "positions.",
    "Every position whose token occurred before has the same share: one sum, divided once.",
    step="average",
)
def mean_of_the_tokens(found, ids, pairs):
    tokens = [int(ids[i]) for i, _ in pairs]
    means = [found[:, [k for k, t in enumerate(tokens) if t == token]].mean(-1) for token in dict.fromkeys(tokens)]
    return torch.stack(means).mean(0)


@mistake(
    "sum-not-mean",
    "This is the sum over the pairs; divide it by their number.",
    "A score is a mean weight: it lies between 0 and 1.",
    step="average",
)
def summed(found, ids, pairs):
    return found.sum(-1)


@mistake(
    "largest-weight",
    "This is the largest of the weights, not their mean.",
    "A single weight may be large by accident: take the mean over all pairs.",
    step="average",
)
def largest(found, ids, pairs):
    return found.amax(-1)


@known(
    "heads-averaged",
    means="The mean also runs over the heads; each head has a score of its own.",
    hint="The first axis of weights is the heads: leave it alone, and take the mean over the pairs.",
    step="average",
)
def mean_of_all(found, ids, pairs):
    return found.mean()


@known.also("heads-averaged", step="average")
def mean_over_heads(found, ids, pairs):
    return found.mean(0)


@known(
    "not-averaged",
    means="There is a weight for each pair, but no mean over the pairs.",
    hint="Each head has one score: which axis is still to be averaged?",
    step="average",
)
def one_for_each_pair(found, ids, pairs):
    return found


# ---------------------------------------------------------------- tensors as keys


@mistake(
    "tensors-as-keys",
    "The scores are those of a text in which no token is found again. As keys of a dict or in a set, two tensors are "
    "different, whatever numbers they hold.",
    "`ids.tolist()` or `int(ids[i])` gives plain numbers, which are found again.",
)
def nan_for_all(weights, ids):
    return weights.new_full((len(weights),), float("nan"))


@known.also("tensors-as-keys")
def stack_of_nothing(weights, ids):
    return torch.stack([])


@known.also("tensors-as-keys")
def zero_for_all(weights, ids):
    return weights.new_zeros(len(weights))
