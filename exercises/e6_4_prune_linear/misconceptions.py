"""What people get wrong in exercise 6.4, prune_linear."""

import torch

from exercises.e6_4_prune_linear.steps import cut, cut_bias, line_from, prune_from, right, width
from feedback import Misconceptions

known = Misconceptions(prune_from)


# ---------------------------------------------------------------- rows or columns


@known(
    "wrong-axis",
    means="Rows and columns are exchanged: dim 0 should cut rows, dim 1 columns.",
    hint="dim counts the axes of weight: axis 0 is its rows, axis 1 its columns.",
    explain=line_from,
    step="axis",
)
def other_axis(dim):
    return 1 - dim


@known(
    "always-rows",
    means="Rows were taken out for dim 1 as well, where columns are asked for.",
    hint="`weight[features]` takes rows. What takes columns?",
    explain=line_from,
    step="axis",
)
def rows(dim):
    return 0


@known(
    "always-columns",
    means="Columns were taken out for dim 0 as well, where rows are asked for.",
    hint="`weight[:, features]` takes columns. What takes rows?",
    explain=line_from,
    step="axis",
)
def columns(dim):
    return 1


# ---------------------------------------------------------------- the bias


@known(
    "bias-not-pruned",
    means="For dim 0 the bias kept all its entries.",
    hint="Each row of weight has one entry of bias: where the row goes, its entry goes too.",
    step="cut_bias",
)
def whole_bias(bias, features, dim):
    return bias


@known(
    "bias-always-pruned",
    means="For dim 1 the bias was pruned as well.",
    hint="bias has one entry for each row, an output. Columns are inputs: which outputs go when a column goes?",
    step="cut_bias",
)
def bias_always_cut(bias, features, dim):
    return None if bias is None else bias[features]


@known(
    "bias-for-columns",
    means="The bias was pruned for dim 1 but not for dim 0: it should be the other way around.",
    hint="bias has one entry for each row of weight, and dim 0 means rows.",
    step="cut_bias",
)
def bias_cut_for_columns(bias, features, dim):
    return bias if bias is None or dim == 0 else bias[features]


@known(
    "bias-lost",
    means="The bias came back as None where a bias was given.",
    hint="None comes back only where bias is None. What should come back for dim 1?",
    step="cut_bias",
)
def no_bias(bias, features, dim):
    return None


@known.also("bias-lost", step="cut_bias")
def no_bias_for_columns(bias, features, dim):
    return None if bias is None or dim == 1 else bias[features]


@known.also("bias-lost", step="cut_bias")
def no_bias_for_rows(bias, features, dim):
    return None if dim == 0 else bias


@known(
    "bias-none",
    means="Without a bias the code stops: bias is None then, and None has no entries.",
    hint="Before the bias is touched: is there one?",
    step="cut_bias",
)
def bias_indexed(bias, features, dim):
    return bias if dim == 1 else bias[features]


@known.also("bias-none", step="cut_bias")
def bias_selected_by_a_function(bias, features, dim):
    return bias if dim == 1 else torch.index_select(bias, 0, features)


known.also("wrong-axis", axis=other_axis, cut_bias=whole_bias)
known.also("wrong-axis", axis=other_axis, cut_bias=bias_cut_for_columns)
known.also("always-rows", axis=rows, cut_bias=bias_always_cut)
known.also("always-columns", axis=columns, cut_bias=whole_bias)


@known(
    "bias-zeros",
    means="Where no bias was given, yours came back as a tensor of zeros.",
    hint="A layer without a bias stays one without: None comes back as None.",
)
def zeros_for_a_bias(weight, bias, heads, num_heads, dim):
    return right(weight, weight.new_zeros(len(weight)) if bias is None else bias, heads, num_heads, dim)


# ---------------------------------------------------------------- which heads


@known(
    "pruned-kept",
    means="You kept the heads to be pruned and removed the others.",
    hint="heads says which ones go. Does your code list those that go, or those that stay?",
    explain=line_from,
    step="gone",
)
def those_not_listed(heads, num_heads):
    return set(range(num_heads)) - set(heads)


@known.also("pruned-kept")
def listed_heads_in_their_order(weight, bias, heads, num_heads, dim):
    size = width(weight, num_heads, dim)
    features = torch.tensor([h * size + i for h in heads for i in range(size)], dtype=torch.long)
    return cut(weight, dim, features), cut_bias(bias, features, dim)


known(
    "one-head-only",
    means="Only one head was removed, however many are in heads.",
    hint="Go through all of heads. If a loop does it: does `return` come after the loop?",
)


def add_choice(choose):
    @known.also("one-head-only", step="gone")
    def one_of_them(heads, num_heads):
        return set(choose(heads))


def first(heads):
    return list(heads)[:1]


def last(heads):
    return list(heads)[-1:]


def smallest(heads):
    return sorted(heads)[:1]


def largest(heads):
    return sorted(heads)[-1:]


for choose in (first, last, smallest, largest):
    add_choice(choose)


@known(
    "counted-heads",
    means="You removed the right number of heads, but always the first (or last) ones, not those listed in heads.",
    hint="heads holds the numbers of the heads that go: {2} means head 2, not two heads.",
    explain=line_from,
    step="gone",
)
def as_many_of_the_first(heads, num_heads):
    return range(len(heads))


@known.also("counted-heads", step="gone")
def as_many_of_the_last(heads, num_heads):
    return range(num_heads - len(heads), num_heads)


@known(
    "up-to",
    means="You removed every head from the smallest in heads to the largest.",
    hint="Only the heads in heads go; those between them may stay.",
    step="gone",
)
def whole_stretch(heads, num_heads):
    return range(min(heads), max(heads) + 1) if heads else ()


known(
    "one-after-another",
    means="The heads were cut out one after the other, and each cut moves up those that come after it: the next "
    "number then means another head.",
    hint="Either choose all features that stay first, and cut once; or begin with the last head.",
    explain=line_from,
)


def add_turns(order, measured_again):
    """Heads cut out in turn; D is measured once, or again after each cut."""

    @known.also("one-after-another")
    def one_after_another(weight, bias, heads, num_heads, dim):
        size = width(weight, num_heads, dim)
        for h in order(heads):
            size = width(weight, num_heads, dim) if measured_again else size
            left = torch.tensor(
                [i for i in range(weight.size(dim)) if i // size != h] if size else [], dtype=torch.long
            )
            weight, bias = cut(weight, dim, left), cut_bias(bias, left, dim)
        return weight, bias


for order in (list, sorted):
    add_turns(order, measured_again=False)
    add_turns(order, measured_again=True)


# ---------------------------------------------------------------- which features a head has


@known(
    "interleaved",
    means="Feature i was given to head i % `num_heads`: the features were dealt out in turn.",
    hint="A head owns D neighbors: head 0 has the features 0 to D - 1. Which ones does head 1 have?",
    explain=line_from,
    step="head_of",
)
def dealt_out(feature, width, num_heads):
    return feature % num_heads


@known.also("interleaved")
def dealt_out_and_sorted_by_heads(weight, bias, heads, num_heads, dim):
    features = torch.tensor(
        [i for h in range(num_heads) if h not in heads for i in range(h, weight.size(dim), num_heads)]
    )
    return cut(weight, dim, features), cut_bias(bias, features, dim)


@known(
    "num-heads-as-size",
    means="`num_heads` was mistaken for the size of a head: feature i was given to head `i // num_heads`.",
    hint="`num_heads` heads share the features along dim. How many does each of them have?",
    explain=line_from,
    step="head_of",
)
def divided_by_num_heads(feature, width, num_heads):
    return feature // num_heads


@known(
    "interleaved-by-size",
    means="Feature i was given to head i % D: that is its position within a head.",
    hint="`i // D` and i % D: one is the head, the other says which of its features. Which is which?",
    explain=line_from,
    step="head_of",
)
def remainder_by_size(feature, width, num_heads):
    return feature % width


@known(
    "one-feature-each",
    means="One row or column was removed for each head: a head's number was used as a feature's.",
    hint="A head has D = `weight.size(dim) // num_heads` features. Which ones has head h?",
    step="head_of",
)
def one_feature(feature, width, num_heads):
    return feature


@known(
    "first-feature-each",
    means="Only the first feature of each pruned head was removed.",
    hint="All D features of a head go. Where do they begin and end?",
    step="head_of",
)
def first_feature(feature, width, num_heads):
    return None if feature % width else feature // width


@known(
    "heads-not-features",
    means="The numbers of the heads that stay were used as numbers of features: at most `num_heads` features are left.",
    hint="Each head that stays keeps D features: `repeat_interleave(D)` turns a list of heads into one of features.",
)
def numbers_of_heads(weight, bias, heads, num_heads, dim):
    features = torch.tensor([h for h in range(num_heads) if h not in heads], dtype=torch.long)
    return cut(weight, dim, features), cut_bias(bias, features, dim)


@known(
    "counted-from-1",
    means="The heads were counted from 1.",
    hint="What is the number of the first head?",
    explain=line_from,
    step="head_of",
)
def counted_from_1(feature, width, num_heads):
    return feature // width + 1


@known(
    "next-head",
    means="You removed the head after each pruned one.",
    hint="Which features does head 0 have? And head h?",
    explain=line_from,
    step="head_of",
)
def one_head_later(feature, width, num_heads):
    return feature // width - 1


# ---------------------------------------------------------------- how many features a head has

known(
    "size-of-other-axis",
    means="The size of a head was taken from the other axis of weight.",
    hint="Along dim there are `weight.size(dim)` features, shared by `num_heads` heads.",
    explain=line_from,
)
known(
    "size-from-rows",
    means="The size of a head was always taken from the rows, `weight.size(0) // num_heads`, for dim 1 as well.",
    hint="Along dim there are `weight.size(dim)` features, shared by `num_heads` heads.",
    explain=line_from,
)
known(
    "size-from-columns",
    means="The size of a head was always taken from the columns, `weight.size(1) // num_heads`, for dim 0 as well.",
    hint="Along dim there are `weight.size(dim)` features, shared by `num_heads` heads.",
    explain=line_from,
)


def add_size(id, measured):
    """Another size of a head, measured(weight, num_heads, dim), in each of several ways to cut."""

    @known.also(id, step="width")
    def at_least_one(weight, num_heads, dim):
        return max(1, measured(weight, num_heads, dim))

    @known.also(id)
    def joined_slices(weight, bias, heads, num_heads, dim):
        size = measured(weight, num_heads, dim)

        def slices(tensor, dim):
            pieces = [
                torch.arange(tensor.size(dim))[h * size : (h + 1) * size] for h in range(num_heads) if h not in heads
            ]
            return cut(tensor, dim, torch.cat(pieces))

        return slices(weight, dim), bias if bias is None or dim == 1 else slices(bias, 0)

    def add_mask(take):
        @known.also(id)
        def mask_over_features(weight, bias, heads, num_heads, dim):
            keep = torch.tensor([h not in heads for h in range(num_heads)], dtype=torch.bool)
            keep = keep.repeat_interleave(measured(weight, num_heads, dim))
            return take(weight, dim, keep), bias if bias is None or dim == 1 else take(bias, 0, keep)

    for take in (by_numbers, by_mask):
        add_mask(take)


def by_numbers(tensor, dim, keep):
    return cut(tensor, dim, keep.nonzero().flatten())


def by_mask(tensor, dim, keep):
    return tensor[keep] if dim == 0 else tensor[:, keep]


def width_along_the_other_axis(weight, num_heads, dim):
    return width(weight, num_heads, 1 - dim)


def width_along_rows(weight, num_heads, dim):
    return width(weight, num_heads, 0)


def width_along_columns(weight, num_heads, dim):
    return width(weight, num_heads, 1)


add_size("size-of-other-axis", width_along_the_other_axis)
add_size("size-from-rows", width_along_rows)
add_size("size-from-columns", width_along_columns)


# ---------------------------------------------------------------- how they are taken out


@known(
    "zeroed",
    means="The pruned heads were set to 0, but they are still there.",
    hint="A smaller layer has fewer numbers. How do you keep only the features that stay?",
)
def set_to_zero(weight, bias, heads, num_heads, dim):
    stays = torch.tensor([i // width(weight, num_heads, dim) not in heads for i in range(weight.size(dim))])
    zeroed = weight * (stays[:, None] if dim == 0 else stays)
    return zeroed, bias if bias is None or dim == 1 else bias * stays


@known.also("zeroed")
def weight_set_to_zero(weight, bias, heads, num_heads, dim):
    return set_to_zero(weight, bias, heads, num_heads, dim)[0], bias


@known(
    "heads-apart",
    means="The right heads were removed, but the others still have an axis of their own.",
    hint="Join the heads that stay with their features again, so that two axes are left.",
)
def axis_of_heads(weight, bias, heads, num_heads, dim):
    stay = torch.tensor([h for h in range(num_heads) if h not in heads])
    blocks = weight.unflatten(dim, (num_heads, -1)).index_select(dim, stay)
    return blocks, bias if bias is None or dim == 1 else bias.unflatten(0, (num_heads, -1))[stay]


@known.also("heads-apart")
def axis_of_heads_in_weight_alone(weight, bias, heads, num_heads, dim):
    return axis_of_heads(weight, None, heads, num_heads, dim)[0], right(weight, bias, heads, num_heads, dim)[1]


@known(
    "in-another-order",
    means="The right features stayed, but in another order.",
    hint="What stays keeps its order: the other layers still use it.",
    explain=line_from,
    step="cut",
)
def reversed_order(tensor, dim, features):
    return cut(tensor, dim, features).flip(dim)


def bias_in_reversed_order(bias, features, dim):
    return bias if bias is None or dim == 1 else reversed_order(bias, 0, features)


known.also("in-another-order", cut=reversed_order, cut_bias=bias_in_reversed_order)


@known(
    "transposed",
    means="The weight came back transposed.",
    hint="It stays (out, in): one row for each output.",
    explain=line_from,
    step="finish",
)
def weight_transposed(weight, bias):
    return weight.T, bias


@known(
    "unchanged",
    means="Everything came back as it was: nothing was removed.",
    hint="Indexing and `index_select` return a new tensor. Is it the one that you return?",
)
def nothing_removed(weight, bias, heads, num_heads, dim):
    return weight, bias


# ---------------------------------------------------------------- what is returned


@known(
    "only-weight",
    means="Only the weight was returned; the bias belongs to the answer, even where it is None.",
    hint="End with `return weight, bias`.",
    step="finish",
)
def weight_alone(weight, bias):
    return weight


@known(
    "bias-first",
    means="The pair is the wrong way around: bias, then weight.",
    hint="End with `return weight, bias`.",
    step="finish",
)
def bias_in_front(weight, bias):
    return bias, weight


# ---------------------------------------------------------------- a set, or nothing at all


def turned_off(index):
    """An answer that sets keep[index(heads)] = False."""

    def prune(weight, bias, heads, num_heads, dim):
        keep = torch.ones(num_heads, dtype=torch.bool)
        keep[index(heads)] = False
        return right(weight, bias, (~keep).nonzero().flatten().tolist(), num_heads, dim)

    return prune


def heads_themselves(heads):
    return heads


def tensor_of_a_list(heads):
    return torch.tensor(list(heads))


known(
    "not-an-index",
    means="heads was treated as a list: looked up by position, sorted in place, used as an index or made into a "
    "tensor. It may be a set, which allows none of these.",
    hint="`list(heads)` is always a list; and h in heads works with every collection.",
)
known.also("not-an-index")(turned_off(heads_themselves))
known.also("not-an-index")(turned_off(torch.tensor))


@known.also("not-an-index", step="gone")
def looked_up_by_position(heads, num_heads):
    return {heads[i] for i in range(len(heads))}


known(
    "empty-collection",
    means="With no heads to prune the code stops: `torch.tensor([])` holds floats, and they cannot be an index.",
    hint="What is the dtype of `torch.tensor([])`? A plain list works as an index, too.",
)
known.also("empty-collection")(turned_off(tensor_of_a_list))
