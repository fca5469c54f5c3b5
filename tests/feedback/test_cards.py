"""How a report looks, and how numbers are written on it."""

import html
import math
import re

import pytest
import torch

from exercises import EXERCISES, check, hint
from feedback.format import number, tables
from feedback.markup import with_code
from feedback.report import Hints, Text, following


def visible(card):
    """The words of a card, without its tags."""
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", card)))


CARDS = [
    lambda: check("3.2", dots2),
    lambda: check("3.2", EXERCISES["3.2"].reference),
    lambda: check("3.2", EXERCISES["3.2"].misconceptions[0].variants[0]),
    lambda: check("3.2", lambda w, m: w @ m),
    lambda: check("3.2", lambda w, m: w**2 * m),
    lambda: hint("3.2"),
]


def dots2(weights, mask): ...


@pytest.mark.parametrize("make", CARDS)
def test_the_card_and_the_plain_text_say_the_same(make):
    report = make()
    bundle = report._repr_mimebundle_()
    shown = visible(bundle["text/html"])
    assert bundle["text/plain"] == report.message == str(report)
    said = "\n".join(part.plain() for part in report.parts if not isinstance(part, Hints))
    for word in re.findall(r"[^\s:`]+", f"{report.title} {said}"):
        assert word in shown, word
    assert "<script" not in bundle["text/html"] and "color:#" not in bundle["text/html"]


@pytest.mark.parametrize("make", CARDS[1:5])
def test_every_other_card_says_what_comes_next(make):
    report = make()
    steps = [part for part in report.parts if isinstance(part, Text) and part.kind == "next"]
    assert len(steps) == 1
    assert any(isinstance(part, Hints) for part in report.parts) is not report.solved


def test_hints_are_folded_into_each_other():
    card = check("3.2", dots2)._repr_mimebundle_()["text/html"]
    assert visible(card).startswith(" ○ not attempted yet 3.2 mask_by_renormalizing Stuck? Hint 1 of "), "one line"
    count = len(EXERCISES["3.2"].hints)
    assert card.count("<details") == card.count("</details>") == count
    assert card.index("</details>") > card.rindex("<details")  # the first closes only after the last has opened
    for n, text in enumerate(EXERCISES["3.2"].hints, start=1):
        assert f"Hint {n} of {count}" in card and visible(with_code(text)) in visible(card)


def test_html_from_a_learner_is_escaped():
    def code(x):
        print("<b>&bold")
        raise ValueError("<script>alert(1)</script>")

    card = hint("6.2", 1)._repr_mimebundle_()["text/html"]
    assert "<code>hint(&quot;6.2&quot;, 2)</code>" in card and "`" not in card
    card = check("0.1", code)._repr_mimebundle_()["text/html"]
    assert "<script" not in card and "<b>&bold" not in card and "&lt;script&gt;" in card


def test_only_the_name_of_the_next_notebook_is_a_link():
    part = following("notebook 09.", "09.ipynb", lead="the rest of this notebook, then ")
    assert part.plain() == "Next: the rest of this notebook, then notebook 09."
    assert 'the rest of this notebook, then <a href="09.ipynb"' in part.html()


@pytest.mark.parametrize(
    ("value", "text"),
    [(10.0, "10.0"), (-0.0, "0.0"), (0.25, "0.2500"), (10.00001, "10.0000"), (3e-5, "3.0e-05"), (2e6, "2.0e+06"),
     (math.nan, "NaN"), (-math.inf, "-inf")],
)  # fmt: skip
def test_whole_numbers_have_one_decimal_and_others_four(value, text):
    assert number(torch.tensor(value)) == text and number(torch.tensor(True)) == "1.0"


def test_a_table_has_four_decimals_unless_all_its_numbers_are_whole():
    right = torch.tensor([[1.0, 2.0]])
    assert tables(right, 2 * right) == ("[[1.0, 2.0]]", "[[2.0, 4.0]]")
    assert tables(right, right / 2) == ("[[1.0000, 2.0000]]", "[[0.5000, 1.0000]]")
    assert tables(right, right + 1e-5)[0] == "[[1, 2]]"
