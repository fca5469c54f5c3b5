"""The dropout explorer: its `ROW` for test_every_explorer.py, and tests of what only this explorer does."""

import math
import re

import pytest
import torch

import explorers
from explorers.dropout import coins
from helpers.masks import causal_mask, masked_softmax
from tests.explorers.browser import SIZE
from tests.explorers.view import KINDS, Row, View, as_written, drawn

words = ["Your", "journey", "starts", "with", "one", "step"]
many = [f"token{i}" for i in range(12)]


def scores(T):
    return drawn(T, T, seed=123)


full, causal = scores(6).softmax(-1), masked_softmax(scores(6), causal_mask(6))
halves = torch.tensor([[0, 0], [0.25, 0.25]])


def after(weights, draw, p, divided=True, seed=1):
    """The weights after one draw."""
    keep = coins(seed, draw, len(weights)) >= p
    return weights * keep / (1 - p if divided else 1)


REFUSED = [
    (TypeError, "one string 'Your journey'; split", ("Your journey", full)),
    (ValueError, "1 to 12 words, got 13; pass a part", (["a"] * 13, torch.ones(13, 13))),
    (ValueError, r"shape \(6, 6\), got \(6, 5\); pass those of one text", (words, full[:, :5])),
    (ValueError, r"shape \(6, 6\), got \(1, 6, 6\); pass those of one text and head", (words, full[None])),
    (ValueError, r"at least 0, got -0.5 at \[0, 1\]; pass what comes after", (["a", "b"], [[1, -0.5]] * 2)),
    (ValueError, r"finite .* got nan at \[0, 0\]", (["a"], [[float("nan")]])),
    (TypeError, "seed must be an int, got float; pass a whole number", (words, full, 1.0)),
    (TypeError, "seed must be an int, got bool", (words, full, True)),
    (ValueError, "seed must be 0 to 4294967295, got -1; pass a small", (words, full, -1)),
    (ValueError, "seed must be 0 to 4294967295, got 4294967296", (words, full, 2**32)),
]


@pytest.mark.slow
def test_the_picture_is_that_of_the_first_draw():
    still = explorers.dropout(words, full).still()
    row = after(full, 1, 0.5)[3]
    before, drawn = still["text/plain"].split("\n")
    assert f"with: {words[full[3].argmax()]} {full[3].max():.2f};" in before
    assert f"with: {words[row.argmax()]} {row.max():.2f};" in drawn
    assert still != explorers.dropout(words, full, seed=2).still()


def test_random_numbers_are_uniform_and_independent():
    assert coins(1, 1, 1).item() == 0x514E28B7 / 2**32  # 1 as MurmurHash3 mixes it
    numbers = torch.stack([coins(1, draw, 10) for draw in range(1, 1001)])
    shares = torch.histc(numbers, 10, 0, 1) / numbers.numel()
    torch.testing.assert_close(shares, torch.full((10,), 0.1), atol=0.004, rtol=0, check_dtype=False)
    of_each_square = (numbers >= 0.5).double().flatten(1)  # (draws, squares)
    together = torch.corrcoef(of_each_square.T) - torch.eye(100)
    assert together.abs().max() < 0.15 and (of_each_square.mean(0) - 0.5).abs().max() < 0.06
    assert not torch.equal(coins(1, 1, 6), coins(2, 1, 6))


# ---------------------------------------------------------------- in a browser

TABLE, P, DIVIDE = "weights after dropout", "p (share dropped)", "divide by 1 - p"
GIVEN = {  # name: (words, weights, seed)
    "full": (words, full, 1),
    "causal": (words, causal, 1),
    "many": (many, scores(12).softmax(-1), 1),
    "halves": (["<pad>", "cat"], halves, 2),
}


def sums(weights, row, draws, p, divided=True, seed=1):
    """The sum of a row in each draw, as float64."""
    T = len(weights)
    side = math.isqrt(draws * T * T) + 1  # one large draw has the consecutive numbers of all draws
    numbers = coins(seed, 1, side).flatten()[: draws * T * T].view(draws, T, T)[:, row]
    return (weights[row].double() * (numbers >= p)).sum(dim=1) / (1 - p if divided else 1)


class DropoutView(View):
    def draws(self):
        return int(re.match(r"Draw ([\d,]+)", self.said())[1].replace(",", ""))

    def assert_right(self):
        """Assert that every visible draw and mean equals PyTorch's."""
        words, weights, seed = GIVEN[self.which]
        now, draws, (row, _) = self.controls(), self.draws(), self.chosen(TABLE)
        p, divided, training = float(now[P]), now[DIVIDE], now["mode"] == "training"
        expected = after(weights, draws, p, divided, seed) if training else weights
        dropped = (coins(seed, draws, len(words)) < p) & (weights > 0) & training
        assert self.table(TABLE) == as_written(expected)
        assert self.after(TABLE) == as_written(expected.sum(-1, keepdim=True))
        assert self.kinds(TABLE, "abh-hidden") == [tuple(place) for place in dropped.nonzero().tolist()]
        used = (p, divided) if training else (0.0, False)
        self._assert_sums(words[row], sums(weights, row, draws, *used, seed), weights[row].sum().item(), *used)
        self._assert_steps(words[row], weights[row], coins(seed, draws, len(words))[row], draws, p, divided, training)

    def _assert_sums(self, word, each, whole, p, divided):
        draws = len(each)
        mean = f"; the mean of {draws:,} draws is {each.mean():.4f}" if draws > 1 else ""
        last = ", the last" if draws == 10_000 else ""
        assert self.said() == f"Draw {draws:,}{last}: the row of '{word}' sums to {each[-1]:.4f}{mean}"
        assert self.charts() == [
            f"{draws:,} draws of the row of '{word}': mean {each.mean():.4f}, expectation "
            f"{whole if divided else whole * (1 - p):.4f}, single draws from {each.min():.4f} to {each.max():.4f}"
        ]
        if "Single draws" in self.explained():
            assert f"Single draws: {each.min():.4f} to {each.max():.4f}. " in self.explained()
        last = [self.plotted(f"path.abh-{kind}")[-1][1] for kind in ("scattered", "line")]
        assert last == pytest.approx([each[-1].item(), each.mean().item()], abs=0.006 / (1 - p))

    def _assert_steps(self, word, row, numbers, draws, p, divided, training):
        """Check the steps from the weights to those used; a random number without effect is not shown."""
        name = f"step by step: the row of '{word}' in draw {draws:,}"
        none, kept = [""] * len(row), row * (numbers >= p)
        random = [f"{number:.2f}" if weight > 0 else "" for number, weight in zip(numbers, row, strict=True)]
        shown = [as_written(row[None])[0], none, none, none]
        if training:
            shown[1:3] = random, as_written(kept[None])[0]
        if training and divided:
            shown[3] = as_written(kept[None] / (1 - p))[0]
        assert self.table(name) == shown
        dropped = ((numbers < p) & (row > 0)).nonzero().flatten().tolist() if training else []
        hidden = [(k, j) for k in range(1, 4 if divided else 3) for j in dropped]
        assert self.kinds(name, "abh-hidden") == hidden


AGAIN, MORE, LAST = {"Draw again": None}, {"Draw 1,000": None}, {TABLE: (5, 0)}
OF_SMALL = sums(full, 5, 1001, 0.2, divided=False)
ROW = Row(
    explorers.dropout,
    DropoutView,
    GIVEN,
    kinds=KINDS,
    refused=REFUSED,
    legends=1,
    opens={"full": {P: "0.50", "mode": "training", DIVIDE: True}},
    stops={"full": [P, "training", DIVIDE, "Draw again", "Draw 1,000", "Start over", TABLE, "Read as a table"]},
    settings=[("full", {**MORE, P: p, DIVIDE: on}) for p, on in ((0, True), (0.15, False), (0.9, True))]
    + [("full", {**AGAIN, "mode": "evaluation", DIVIDE: on, P: 0.8}) for on in (True, False)]
    + [("full", {**AGAIN, P: 0.25, TABLE: (2, 0)})]
    + [("causal", {**MORE, TABLE: (row, 2)}) for row in (0, 3)]
    + [("halves", {**AGAIN, TABLE: (row, 0)}) for row in (0, 1)],
    says=[
        ("full", LAST, None, "A single draw is pure chance. Draw again: the mean of many settles on 1.0000, "
         "as without dropout, because of the division."),
        ("full", {**LAST, **MORE, DIVIDE: False, P: 0.2}, None,
         f"Single draws: {OF_SMALL.min():.4f} to {OF_SMALL.max():.4f}. The mean, {(OF_SMALL.mean() - 0.8).abs():.4f} "
         "off, settles on (1 - p) × 1.0000 = 0.8000, which is too small without the division."),
        ("full", {P: 0}, None, "With p = 0, nothing is dropped: every draw is the same."),
        ("full", {"mode": "evaluation"}, None,
         "In evaluation, nothing is dropped or divided: every draw is the same, whatever p is."),
        ("halves", {TABLE: (0, 0)}, None, "The row is 0 before dropout, so there is nothing to drop."),
    ],
    fits={"full": 390, "causal": 390, "many": SIZE[0]},
    grid=TABLE,
    steady=("svg.abh-chart", "full",
            [MORE, *({"mode": mode, DIVIDE: on} for mode in ("training", "evaluation") for on in (True, False))]),
    marks=[("td.abh-hidden", "td.abh-square:not(.abh-hidden)")],
)  # fmt: skip


def test_draws_are_added_up_to_the_last_and_start_over(opened):
    view = opened.view()
    for draws in (2, 3):
        view.click("Draw again")
        assert view.draws() == draws
    for _ in range(10):
        view.click("Draw 1,000")
    again = view.output.get_by_role("button", name="Draw again")
    assert again.get_attribute("aria-disabled") == "true" and view.draws() == 10_000
    view.assert_right()
    view.click("Start over")
    assert again.get_attribute("aria-disabled") == "false" and view.draws() == 1
    view.assert_right()
