"""What people get wrong in exercise 14.1, split_projection."""

import torch

from exercises.common import explainers
from feedback import Misconceptions

known = Misconceptions()


def rows_of_heads(weight, num_heads):
    """The three weights of an interleaved one, (C, C) each."""
    return weight.unflatten(0, (num_heads, 3, -1)).transpose(0, 1).flatten(1, 2).unbind()


def right(weight, num_heads, layout):
    if layout == "interleaved":
        return rows_of_heads(weight, num_heads)
    return (weight.T if layout == "transposed" else weight).chunk(3)


def which_row(case):
    """The first row that is not right, and the row of the fused weight that it is."""
    weight, _, layout = case.args
    rows = weight.T if layout == "transposed" else weight
    for name, actual, expected in case.leaves:
        if not isinstance(actual, torch.Tensor) or actual.shape != expected.shape:
            break
        wrong = (actual != expected).any(dim=-1)
        if wrong.any():
            at = int(wrong.nonzero()[0])
            mine, right_one = (explainers.number_of_row(rows, table[at]) for table in (actual, expected))
            if mine is not None and right_one is not None:
                return f"row {at} of your {name} is row {mine} of the fused weight; row {right_one} is right"
            break
    return explainers.entry(case)


def mistake(id, means, hint):
    return known(id, means=means, hint=hint, explain=which_row)


# ---------------------------------------------------------------- the interleaved rows


@mistake(
    "layout-ignored",
    "Interleaved rows were cut into three blocks, as if all rows of q came first. Each of your weights mixes rows of "
    "different projections.",
    "Interleaved means: q, k and v of head 0, then those of head 1. How many rows does one of these pieces have?",
)
def always_stacked(weight, num_heads, layout):
    return right(weight, num_heads, "transposed" if layout == "transposed" else "stacked")


@mistake(
    "every-third-row",
    "Of the interleaved rows you took every third one, as if q, k and v alternated row by row.",
    "They alternate piece by piece: a head has D rows of q one below the other. What is D here?",
)
def every_third_row(weight, num_heads, layout):
    if layout == "interleaved":
        return tuple(weight[part::3] for part in range(3))
    return right(weight, num_heads, layout)


@mistake(
    "heads-and-width-swapped",
    "The pieces of the interleaved rows have the wrong size: you cut them into `num_heads` rows each, where each has "
    "D = C / `num_heads`.",
    "With 10 features and 2 heads, how many rows of q does one head have?",
)
def heads_and_width_swapped(weight, num_heads, layout):
    if layout == "interleaved":
        return rows_of_heads(weight, weight.size(1) // num_heads)
    return right(weight, num_heads, layout)


@mistake(
    "features-before-heads",
    "The rows of q, k and v were told apart, but within each the heads are mixed: first come the first rows of all "
    "heads, then the second ones.",
    "When you join axes again, which one is the slowest? The rows of head 0 stand together.",
)
def features_before_heads(weight, num_heads, layout):
    if layout == "interleaved":
        return weight.unflatten(0, (num_heads, 3, -1)).permute(1, 2, 0, 3).flatten(1, 2).unbind()
    return right(weight, num_heads, layout)


@mistake(
    "heads-in-reverse",
    "The heads of the interleaved weight come out in the wrong order.",
    "Head 0 is the first piece of the fused weight, and the first D rows of each result.",
)
def heads_in_reverse(weight, num_heads, layout):
    if layout == "interleaved":
        return tuple(
            part.unflatten(0, (num_heads, -1)).flip(0).flatten(0, 1) for part in rows_of_heads(weight, num_heads)
        )
    return right(weight, num_heads, layout)


@mistake(
    "only-the-first-head",
    "The same rows were taken for every head.",
    "Where do the rows of head 1 begin? How many rows of head 0 come before them?",
)
def only_the_first_head(weight, num_heads, layout):
    if layout == "interleaved":
        return tuple(part[: len(part) // num_heads].repeat(num_heads, 1) for part in rows_of_heads(weight, num_heads))
    return right(weight, num_heads, layout)


# ---------------------------------------------------------------- the other layouts


@mistake(
    "always-interleaved",
    "Stacked rows were read head by head, as if they were interleaved.",
    "Stacked means: all rows of q, for all heads, then all of k, then all of v.",
)
def always_interleaved(weight, num_heads, layout):
    if layout == "transposed":
        return right(weight, num_heads, layout)
    return rows_of_heads(weight, num_heads)


@mistake(
    "layouts-swapped",
    'The two layouts were taken for each other: "stacked" was read head by head, and "interleaved" in three blocks.',
    "Read the two definitions in the docstring again, with C = 4 and 2 heads.",
)
def layouts_swapped(weight, num_heads, layout):
    return right(weight, num_heads, {"stacked": "interleaved", "interleaved": "stacked"}.get(layout, layout))


@mistake(
    "still-transposed",
    "The transposed weight was cut into three, but its pieces were left as (in, out). They are square, so no shape "
    "tells.",
    "`nn.Linear` holds (out, in), one row for each output. Which axis of your pieces belongs to the outputs?",
)
def still_transposed(weight, num_heads, layout):
    if layout == "transposed":
        return weight.chunk(3, dim=1)
    return right(weight, num_heads, layout)


@mistake(
    "reshaped",
    "The transposed weight was reshaped to (3C, C), which cuts the same numbers into other rows. Its axes have to be "
    "swapped.",
    "What does notebook 00 say of `view` and `transpose`?",
)
def reshaped(weight, num_heads, layout):
    if layout == "transposed":
        return weight.reshape(-1, weight.size(0)).chunk(3)
    return right(weight, num_heads, layout)


@mistake(
    "transposed-interleaved",
    "The transposed weight was read head by head; it is stacked, along its columns.",
    "Swap its two axes: which layout do its rows have then?",
)
def transposed_interleaved(weight, num_heads, layout):
    if layout == "transposed":
        return rows_of_heads(weight.T, num_heads)
    return right(weight, num_heads, layout)


@mistake(
    "transposed-too-often",
    "All results are transposed, also where the fused weight was not.",
    'Only the layout "transposed" holds (in, out). What do the others hold?',
)
def transposed_too_often(weight, num_heads, layout):
    return tuple(part.T for part in right(weight, num_heads, layout))


# ---------------------------------------------------------------- the order of the three


def add_order(order):
    @known.also("another-order")
    def reordered(weight, num_heads, layout):
        parts = right(weight, num_heads, layout)
        return tuple(parts[i] for i in order)


known(
    "another-order",
    means="The three weights come out in another order than q, k, v.",
    hint="Which of the three does the fused weight begin with?",
    explain=which_row,
)
for order in ((1, 0, 2), (0, 2, 1), (2, 1, 0), (1, 2, 0), (2, 0, 1)):
    add_order(order)
