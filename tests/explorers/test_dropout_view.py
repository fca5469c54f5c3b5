"""The dropout explorer in a browser: every draw and every mean that it shows, compared with PyTorch's."""

import math
import re

import pytest
import torch

import explorers
from explorers.dropout import coins
from tests.explorers.browser import NARROW, PHONE, SIZE
from tests.explorers.test_dropout import after, causal, full, halves, many, scores, words
from tests.explorers.view import View, in_both_themes

pytestmark = pytest.mark.browser


def sums(weights, row, draws, p, divided=True):
    """What a row sums to in each draw, as float64."""
    T = len(weights)
    side = math.isqrt(draws * T * T) + 1  # the draws follow one another, so one large table has the numbers of all
    numbers = coins(1, 1, side).flatten()[: draws * T * T].view(draws, T, T)[:, row]
    return (weights[row].double() * (numbers >= p)).sum(dim=1) / (1 - p if divided else 1)


def sentence(word, draws, of_each):
    mean = f"; the mean of {draws:,} draws is {of_each.mean():.4f}" if draws > 1 else ""
    return f"Draw {draws:,}: the row of '{word}' sums to {of_each[-1]:.4f}{mean}"


def as_written(values):
    return [[f"{number:.2f}" for number in row] for row in values.tolist()]


# ---------------------------------------------------------------- the browser

TABLE = "weights after dropout"
P = "p (share dropped)"


@pytest.fixture(scope="module")
def page(open_page):
    return open_page(
        {
            "full": explorers.dropout(words, full),
            "causal": explorers.dropout(words, causal),
            "many": explorers.dropout(many, scores(12).softmax(-1)),
            "halves": explorers.dropout(["<pad>", "cat"], halves, seed=2),
        }
    )


def opened(page, which="full", row=5):
    """The explorer as it opens."""
    view = View(page, which)
    view.choose("training")
    view.tick("divide by 1 - p", True)
    view.slide(P, 0.5)
    view.click_square(TABLE, row, 0)
    view.click("Start over")
    return view


def last_points(view):
    """Where the last single draw and the mean stand in the chart: [row sum, ...], read from the drawing."""
    chart = view.output.locator("svg.abh-chart")
    top, bottom = 42, 190
    to = float(chart.locator("text.abh-end").evaluate_all("ticks => Math.max(...ticks.map(tick => tick.textContent))"))
    paths = [chart.locator(f"path.abh-{kind}").get_attribute("d") for kind in ("scattered", "line")]
    ends = [float(re.findall(r"(-?[\d.]+)(?:h0)?$", path)[0]) for path in paths]
    return [(bottom - y) / (bottom - top) * to for y in ends]


def test_it_opens_with_the_first_draw_under_names_and_roles(page):
    view = View(page, "full")
    assert view.grid(TABLE).get_attribute("role") == "grid"
    assert view.table(TABLE) == as_written(after(full, 1, 0.5))
    assert view.after(TABLE) == as_written(after(full, 1, 0.5).sum(-1, keepdim=True))
    assert view.said() == sentence("step", 1, sums(full, 5, 1, 0.5))
    assert view.slider(P).input_value() == "0.5" and view.slider(P).get_attribute("aria-valuetext") == "0.50"
    assert view.output.get_by_role("radio", name="training").is_checked()
    assert view.output.get_by_role("checkbox", name="divide by 1 - p").is_checked()
    assert view.output.get_by_role("img", name="colors: weight 0 is light, 1 is dark").is_visible()


def test_dropped_weights_are_hatched_unless_they_were_0(page):
    view = opened(page, "causal")
    dropped = (coins(1, 1, 6) < 0.5) & (causal > 0)
    assert view.table(TABLE) == as_written(after(causal, 1, 0.5))
    assert view.kinds(TABLE, "abh-hidden") == [tuple(place) for place in dropped.nonzero().tolist()]
    assert 0 < dropped.sum() < 21


def test_draws_are_added_and_start_over(page):
    view = opened(page)
    for draws in (2, 3):
        view.click("Draw again")
        assert view.said() == sentence("step", draws, sums(full, 5, draws, 0.5))
        assert view.table(TABLE) == as_written(after(full, draws, 0.5))
    view.click("Draw 1,000")
    assert view.said() == sentence("step", 1003, sums(full, 5, 1003, 0.5))
    assert view.table(TABLE) == as_written(after(full, 1003, 0.5))
    view.click("Start over")
    assert view.said() == sentence("step", 1, sums(full, 5, 1, 0.5))
    assert view.table(TABLE) == as_written(after(full, 1, 0.5))


@pytest.mark.parametrize("divided", [True, False], ids=["divided", "not divided"])
@pytest.mark.parametrize("p", [0.0, 0.05, 0.15, 0.55, 0.9])
def test_every_p_uses_the_same_random_numbers(page, p, divided):
    view = opened(page)
    view.click("Draw 1,000")
    view.slide(P, p)
    view.tick("divide by 1 - p", divided)
    each = sums(full, 5, 1001, p, divided)
    assert view.said() == sentence("step", 1001, each)
    assert view.table(TABLE) == as_written(after(full, 1001, p, divided))
    assert view.charts() == [
        f"1,001 draws of the row of 'step': mean {each.mean():.4f}, expectation "
        f"{1 if divided else 1 - p:.4f}, single draws from {each.min():.4f} to {each.max():.4f}"
    ]
    assert last_points(view) == pytest.approx([each[-1].item(), each.mean().item()], abs=0.006 / (1 - p))


def test_in_evaluation_every_draw_is_the_same(page):
    view = opened(page)
    view.click("Draw again")
    view.choose("evaluation")
    for divided in (False, True):
        view.tick("divide by 1 - p", divided)
        view.slide(P, 0.8)
        assert view.table(TABLE) == as_written(full) and view.kinds(TABLE, "abh-hidden") == []
        assert view.said() == "Draw 2: the row of 'step' sums to 1.0000; the mean of 2 draws is 1.0000"
        assert view.explained().startswith("In evaluation, nothing is dropped or divided")
        assert view.table("step by step: the row of 'step' in draw 2") == as_written(full[5:]) + 3 * [6 * [""]]
    view.choose("training")
    assert view.table(TABLE) == as_written(after(full, 2, 0.8))


def test_every_row_has_its_own_sums_of_the_same_draws(page):
    view = opened(page, "causal")
    view.click("Draw 1,000")
    for row in (0, 3):
        view.click_square(TABLE, row, 2)
        each = sums(causal, row, 1001, 0.5)
        assert view.said() == sentence(words[row], 1001, each)
        assert f"Single draws: {each.min():.4f} to {each.max():.4f}. " in view.explained()
    assert set(sums(causal, 0, 1001, 0.5).tolist()) == {0, 2}, "one weight of 1 is lost or doubled"


def test_it_says_what_the_mean_settles_on(page):
    view = opened(page)
    assert view.explained() == (
        "A single draw is pure chance. Draw again: the mean of many settles on 1.0000, "
        "as without dropout, because of the division."
    )
    view.click("Draw 1,000")
    each = sums(full, 5, 1001, 0.5)
    assert view.explained() == (
        f"Single draws: {each.min():.4f} to {each.max():.4f}. The mean, "
        f"{(each.mean() - 1).abs():.4f} off, settles on 1.0000, as without dropout, "
        "because of the division."
    )
    view.tick("divide by 1 - p", False)
    view.slide(P, 0.2)
    each = sums(full, 5, 1001, 0.2, divided=False)
    assert view.explained() == (
        f"Single draws: {each.min():.4f} to {each.max():.4f}. The mean, "
        f"{(each.mean() - 0.8).abs():.4f} off, settles on (1 - p) × 1.0000 = 0.8000, "
        "which is too small without the division."
    )
    view.slide(P, 0)
    assert view.explained() == "With p = 0, nothing is dropped: every draw is the same."


def test_rows_that_do_not_sum_to_1_and_another_seed(page):
    view = opened(page, "halves", row=1)
    for draw in (1, 2):
        assert view.table(TABLE) == as_written(after(halves, draw, 0.5, seed=2))
        view.click("Draw again")
    assert "settles on 0.5000, as without" in view.explained()
    view.tick("divide by 1 - p", False)
    assert "settles on (1 - p) × 0.5000 = 0.2500, which" in view.explained()
    view.click_square(TABLE, 0, 0)
    assert view.explained() == "The row is 0 before dropout, so there is nothing to drop."


def test_the_steps_lead_from_the_weights_to_what_is_used(page):
    view = opened(page, row=2)
    view.slide(P, 0.25)
    view.click("Draw again")
    name = "step by step: the row of 'starts' in draw 2"
    numbers, row = coins(1, 2, 6)[2], full[2]
    kept = row * (numbers >= 0.25)
    assert view.table(name) == as_written(torch.stack([row, numbers, kept, kept / 0.75]))
    assert view.after(name) == [["1.00"], [""], [f"{kept.sum():.2f}"], [f"{kept.sum() / 0.75:.2f}"]]
    dropped = (numbers < 0.25).nonzero().flatten().tolist()
    assert view.kinds(name, "abh-hidden") == [(k, j) for k in (1, 2, 3) for j in dropped] != []
    view.tick("divide by 1 - p", False)
    assert view.table(name) == [*as_written(torch.stack([row, numbers, kept])), 6 * [""]]


@pytest.mark.parametrize("width", [600, 848])
def test_nothing_moves_when_mode_or_division_change(page, width):
    page.resize(width)
    view = opened(page)
    view.click("Draw 1,000")
    heights = set()
    for mode in ("training", "evaluation"):
        view.choose(mode)
        for divided in (True, False):
            view.tick("divide by 1 - p", divided)
            heights.add(view.root.bounding_box()["height"])
    page.resize(*SIZE)
    assert len(heights) == 1


def test_a_random_number_without_effect_is_not_shown(page):
    view = opened(page, "causal", row=1)
    assert [text != "" for text in view.table("step by step: the row of 'journey' in draw 1")[1]] == (
        causal[1] > 0
    ).tolist()


def test_the_chart_ends_with_the_last_draw(page):
    view = opened(page)
    for _ in range(11):
        view.click("Draw 1,000")
    view.click("Draw again")
    again = view.output.get_by_role("button", name="Draw again")
    assert again.get_attribute("aria-disabled") == "true"
    said = sentence("step", 10_000, sums(full, 5, 10_000, 0.5))
    assert view.said() == said.replace("Draw 10,000:", "Draw 10,000, the last:")
    assert view.table(TABLE) == as_written(after(full, 10_000, 0.5))
    view.click("Start over")
    assert again.get_attribute("aria-disabled") == "false"


def test_the_keyboard_alone_suffices(page):
    view = opened(page)
    assert view.tab_stops() == [
        P,
        "training",
        "divide by 1 - p",
        "Draw again",
        "Draw 1,000",
        "Start over",
        TABLE,
        "Read as a table",
    ]
    view.slider(P).focus()
    view.press("ArrowRight", "ArrowRight")
    assert view.table(TABLE) == as_written(after(full, 1, 0.6)) and view.focused()
    view.press("Tab", "Tab", "Space")
    assert view.table(TABLE) == as_written(after(full, 1, 0.6, divided=False)) and view.focused()
    view.press("Tab", "Enter", "Space")
    assert view.said().startswith("Draw 3: the row of 'step'") and view.focused()
    view.press("Tab", "Tab", "Tab", "ArrowUp", "ArrowRight")
    assert view.said().startswith("Draw 3: the row of 'one'") and view.focused()
    view.press("Control+Home")
    assert view.said() == sentence("Your", 3, sums(full, 0, 3, 0.6, divided=False))
    view.press(*["Shift+Tab"] * 5, "ArrowRight")
    assert view.output.get_by_role("radio", name="evaluation").is_checked() and view.focused()


def test_it_fits_a_narrow_window_and_the_chart_follows(page):
    view = opened(page)
    wide = view.output.locator("svg.abh-chart").bounding_box()["width"]
    page.resize(NARROW)
    view = View(page, "full")
    view.assert_inside()
    chart = view.output.locator("svg.abh-chart")
    assert float(chart.get_attribute("width")) == pytest.approx(view.output.bounding_box()["width"] - 8, abs=12)
    page.resize(*SIZE)
    view.settle()
    assert View(page, "full").output.locator("svg.abh-chart").bounding_box()["width"] == wide


def test_on_a_phone_the_sums_of_six_words_are_seen(open_page):
    page = open_page({"full": explorers.dropout(words, full)}, **PHONE)
    View(page, "full").assert_inside("table")


def test_it_follows_the_theme(page, tmp_path):
    dark, light = in_both_themes(page, "full", tmp_path)
    assert dark[0] != light[0] and dark[1] != light[1]


@pytest.mark.parametrize("which, draws", [("full", 1000), ("many", 9_000)])
def test_a_repaint_is_little_work(page, which, draws):
    view = opened(page, which)
    for _ in range(draws // 1000):
        view.click("Draw 1,000")
    view.drag(P)
    again = view.output.get_by_role("button", name="Draw again")
    view.follow(again, "click", lambda i: view.page.keyboard.press("Enter") if i else again.click())
