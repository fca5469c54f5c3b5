"""What people get wrong in exercise 14.2, to_bool_mask."""

import torch

from exercises.common import explainers
from feedback import Misconceptions


def from_hidden(mask):
    return ~mask


def from_added(mask):
    return mask == 0


def from_padding(mask):
    return (mask == 1)[:, None, None]


def assemble(hidden=from_hidden, added=from_added, padding=from_padding):
    """An answer to 14.2, made of what it does with each convention."""

    def converted(mask, convention):
        return {"hidden": hidden, "added": added, "padding": padding}[convention](mask)

    return converted


def entry_of_the_mask(case):
    """An entry that is the wrong way around, and what it was before."""
    mask, convention = case.args
    got, right = case.actual, case.expected
    if not isinstance(got, torch.Tensor) or got.shape != right.shape or got.dtype != right.dtype:
        return explainers.entry(case)
    at = tuple(int(i) for i in (got != right).nonzero()[0])
    before = mask[at if convention != "padding" else (at[0], at[-1])].item()
    return f"{before} became {got[at].item()}, and {right[at].item()} is right"


known = Misconceptions(assemble)


def mistake(id, means, hint, step):
    return known(id, means=means, hint=hint, step=step, explain=entry_of_the_mask)


# ---------------------------------------------------------------- True = hidden


@mistake(
    "hidden-kept",
    "A mask with True = hidden came back as it was: what was to be hidden may now be read, and nothing else.",
    "Here True means the opposite of what it means in this course. Which sign turns a bool mask around?",
    "hidden",
)
def hidden_as_it_is(mask):
    return mask.clone()


# ---------------------------------------------------------------- 0 and a very low number


@mistake(
    "added-as-true",
    "An added mask was read like one of ones and zeros: every number but 0 became True. But it is the 0 that leaves a "
    "score as it is.",
    "What does adding 0 do to a score? And is True the value for what may be read, or for what may not?",
    "added",
)
def added_as_true(mask):
    return mask != 0


@mistake(
    "only-infinity-hidden",
    "Only -inf was taken for hidden. Libraries also add the lowest finite number, or -10,000.",
    "Instead of looking for the low number, look for the other one: which one is it?",
    "added",
)
def all_but_infinity(mask):
    return mask != float("-inf")


@mistake(
    "only-the-lowest-hidden",
    "Not every number that hides a key became False: depending on the library, it is the lowest number of the dtype, "
    "-10,000 or -inf.",
    "Which number is the same in all these masks, whatever their dtype and library?",
    "added",
)
def all_above_the_lowest(mask):
    return mask > torch.finfo(mask.dtype).min


@known.also("only-the-lowest-hidden", step="added")
def all_but_the_lowest(mask):
    return mask != torch.finfo(mask.dtype).min


@known.also("only-the-lowest-hidden", step="added")
def above_minus_1e9(mask):
    return mask > -1e9


@mistake(
    "equal-to-one",
    "An added mask was compared with 1. It holds no 1 at all, so everything is hidden.",
    "An added mask holds 0 and a very low number. Which of them stands for what may be read?",
    "added",
)
def added_equal_to_one(mask):
    return mask == 1


# ---------------------------------------------------------------- ones and zeros, (B, S)


@mistake(
    "padding-inverted",
    "The table of ones and zeros was turned around: the padding may be read, and the words may not.",
    "1 = real. May a real token be read?",
    "padding",
)
def padding_inverted(mask):
    return (mask == 0)[:, None, None]


@mistake(
    "padding-without-axes",
    "The table is bool now, but still (B, S). Next to scores (B, H, T, S) its first axis would be taken for T.",
    "Which axes of the scores does the table not have? They need a place, of size 1.",
    "padding",
)
def padding_without_axes(mask):
    return mask == 1


@mistake(
    "padding-of-queries",
    "The padding stands on the axis of the queries: padded tokens read nothing, but everybody reads them.",
    "The last axis of the scores is that of the keys. Which tokens must not be read?",
    "padding",
)
def padding_of_queries(mask):
    return (mask == 1)[:, None, :, None]


@mistake(
    "padding-squared",
    "The mask hides padded queries as well, in a table of T by S. Their rows would see nothing; only keys need to be "
    "hidden.",
    "What should the row of a padded query look like? Nobody reads its result. (B, 1, 1, S) is asked for.",
    "padding",
)
def padding_squared(mask):
    real = mask == 1
    return (real[:, None, :] & real[:, :, None])[:, None]


known(
    "too-few-axes",
    means="The two new axes do not stand between B and S. Aligned from the right with scores (B, H, T, S), B or S "
    "would stand below the wrong axis: in a mask (B, 1, S), B below H.",
    hint="Write (B, H, T, S) and below it your shape, aligned from the right. Which axis stands below B?",
)


def add_axes(change):
    @known.also("too-few-axes", step="padding")
    def with_other_axes(mask):
        return change(mask == 1)


for change in (
    lambda mask: mask[:, None],
    lambda mask: mask[None, None],
    lambda mask: mask[..., None, None],
    lambda mask: mask[None],
):
    add_axes(change)
