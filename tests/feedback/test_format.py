"""How numbers are written on cards."""

import math

import pytest
import torch

from feedback.format import number, tables


@pytest.mark.parametrize(
    ("value", "text"),
    [(10.0, "10.0"), (-0.0, "0.0"), (0.25, "0.2500"), (10.00001, "10.0000"), (3e-5, "3.0e-05"), (2e6, "2.0e+06"),
     (math.nan, "NaN"), (-math.inf, "-inf")],
)  # fmt: skip
def test_whole_numbers_have_one_decimal_and_others_four(value, text):
    assert number(torch.tensor(value)) == text and number(torch.tensor(True)) == "1.0"


def test_a_table_has_decimals_unless_all_its_numbers_are_whole():
    right = torch.tensor([[1.0, 2.0]])
    assert tables(right, 2 * right) == ("[[1.0, 2.0]]", "[[2.0, 4.0]]")
    assert tables(right, right / 2) == ("[[1.0000, 2.0000]]", "[[0.5000, 1.0000]]")
    assert tables(right, right + 1e-5)[0] == "[[1, 2]]"
