"""Wrong answers to exercise 0.1, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET503, RET504 - a return inside a loop, and naming a result before returning it, are what learners do

import torch

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


@wrong("column-means")
def means_of_columns_by_loop(x):
    """The means of the columns, by a loop."""
    return torch.stack([x[:, column].mean() for column in range(x.shape[1])])


@wrong("mean-of-all")
def means_of_everything(x):
    """One mean of everything."""
    return x.sum() / x.numel()


@wrong("returns-wrong-type")
def means_as_a_float(x):
    """One mean of everything, as a Python float."""
    return x.mean().item()


@wrong("sum-not-mean")
def means_not_divided(x):
    """Sums, never divided."""
    return torch.stack([row.sum() for row in x])


@wrong("kept-dimension")
def means_with_keepdim(x):
    """An axis of size 1 kept."""
    return (x.sum(1) / x.size(1)).unsqueeze(1)


@wrong("divided-by-rows")
def means_divided_by_rows(x):
    """Divided by the number of rows."""
    return x.sum(dim=1) / x.shape[0]


@wrong("divided-by-rows")
def means_divided_by_len(x):
    """Divided by len(x), the number of rows, in a loop."""
    result = torch.zeros(len(x), dtype=x.dtype)
    for i, row in enumerate(x):
        result[i] = row.sum() / len(x)
    return result


@wrong()
def means_divided_by_one_less(x):
    """Divided by one too few."""
    return x.sum(dim=1) / (x.shape[1] - 1)


@wrong()
def means_divided_by_numel(x):
    """Divided by the number of all elements."""
    return x.sum(dim=1) / x.numel()


@wrong("returns-wrong-type")
def means_as_a_list(x):
    """A list of numbers."""
    return [row.mean().item() for row in x]


@wrong("returns-wrong-type")
def means_as_a_list_of_tensors(x):
    """A list of tensors."""
    return [row.mean() for row in x]


@wrong("returns-wrong-type")
def means_as_numpy(x):
    """A numpy array."""
    return x.numpy().mean(axis=1)


@wrong("returns-none")
def means_printed(x):
    """Printed, not returned."""
    print(x.mean(dim=1))


@wrong("return-in-loop")
def means_of_the_first_row(x):
    """Return inside the loop: the first row only."""
    for row in x:  # noqa: B007
        return row.mean()


@wrong()
def means_without_the_last_row(x):
    """The last row is left out."""
    result = torch.zeros(x.shape[0], dtype=x.dtype)
    for i in range(x.shape[0] - 1):
        result[i] = x[i].mean()
    return result


@wrong()
def means_without_the_last_column(x):
    """The last column is left out."""
    return x[:, :-1].mean(dim=1)


@wrong()
def means_running_total(x):
    """The total is not set back between rows."""
    result, total = [], 0
    for row in x:
        for value in row:
            total += value
        result.append(total / len(row))
    return torch.stack(result)


@wrong("median-not-mean")
def means_by_median(x):
    """Medians."""
    return x.sort(dim=1).values[:, (x.size(1) - 1) // 2]


@wrong()
def means_by_max(x):
    """Largest values."""
    return x.max(dim=1).values


@wrong()
def means_misspelt(x):
    """A misspelt method."""
    return x.maen(dim=1)


@wrong()
def means_of_another_name(x):
    """A variable with another name than the argument's."""
    return matrix.mean(dim=1)  # noqa: F821


@wrong()
def means_with_two_arguments(x, dim):
    """Two arguments wanted."""
    return x.mean(dim=dim)


@wrong()
def means_without_arguments():
    """No arguments taken."""
    return torch.randn(3, 5).mean(dim=1)


@wrong()
def means_over_a_third_axis(x):
    """An axis that is not there."""
    return x.mean(dim=2)


@wrong("changes-input")
def means_in_place(x):
    """The input is divided in place."""
    x /= x.shape[1]
    return x.sum(dim=1)


@wrong()
def means_rounded(x):
    """Rounded to whole numbers."""
    return x.mean(dim=1).round()


@wrong("wrong-dtype")
def means_always_float32(x):
    """Always float32."""
    result = torch.zeros(x.shape[0])
    for i in range(x.shape[0]):
        result[i] = x[i].mean()
    return result


@wrong("wrong-dtype")
def means_always_float64(x):
    """Always float64."""
    return torch.tensor(x.tolist(), dtype=torch.float64).mean(dim=1)


@wrong()
def means_by_view(x):
    """The axes reinterpreted by view instead of transposed."""
    return x.reshape(x.shape[1], x.shape[0]).mean(dim=0)


@wrong()
def means_of_three_columns(x):
    """Three columns, hard-coded."""
    return (x[:, 0] + x[:, 1] + x[:, 2]) / 3


@wrong("returns-wrong-type")
def means_in_a_tuple(x):
    """Inside a tuple."""
    return (x.mean(dim=1),)


@wrong("wrong-shape")
def means_expanded(x):
    """Repeated into the shape of x."""
    return x.mean(dim=1, keepdim=True).expand_as(x)


@wrong("wrong-shape")
def means_taken_away(x):
    """Each row minus its mean."""
    return x - x.mean(dim=1, keepdim=True)


@wrong()
def means_nan(x):
    """0/0: NaN."""
    return x.sum(dim=1) * 0 / 0


@wrong("never-ends")
def means_endless(x):
    """An endless loop."""
    row, result = 0, torch.zeros(x.shape[0], dtype=x.dtype)
    while row < x.shape[0]:
        result[row] = x[row].mean()
    return result


@wrong()
def means_divided_by_seven(x):
    """Seven columns, read off the checker's messages."""
    return x.sum(dim=1) / 7


@wrong()
def means_of_what_is_not_zero(x):
    return x.sum(dim=1) / x.count_nonzero(dim=1)


@wrong()
def means_of_different_numbers(x):
    return torch.stack([row.unique().mean() for row in x])
