"""How a report looks."""

import html
import re

import pytest

from exercises import EXERCISES, check, hint


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
    for word in re.findall(r"[^\s:]+", report.message):
        assert word in shown, word
    assert "<script" not in bundle["text/html"] and "color:#" not in bundle["text/html"]


def test_html_from_a_learner_is_escaped():
    def code(x):
        print("<b>&bold")
        raise ValueError("<script>alert(1)</script>")

    card = check("0.1", code)._repr_mimebundle_()["text/html"]
    assert "<script" not in card and "<b>&bold" not in card and "&lt;script&gt;" in card
