"""The dropout explorer: what it refuses, and every draw and mean it shows beside the same from PyTorch."""

import inspect
import re

import pytest
import torch

import explorers
from explorers.base import INVITATION
from explorers.dropout import coins
from helpers.masks import causal_mask, masked_softmax
from tests.shown import Shown, in_both_themes

pytest_plugins = ["tests.browser"]

words = ["Your", "journey", "starts", "with", "one", "step"]
many = [f"token{i}" for i in range(12)]


def scores(T):
    return torch.randn(T, T, generator=torch.Generator().manual_seed(123))


CELLS = [f"import torch\nimport explorers\nfrom helpers import masks\n\n{inspect.getsource(scores)}\n\n{words = }\n{many = }",
         "explorers.dropout(words, scores(6).softmax(-1))",
         "explorers.dropout(words, masks.masked_softmax(scores(6), masks.causal_mask(6)))",
         "explorers.dropout(many, scores(12).softmax(-1))",
         "explorers.dropout(['<pad>', 'cat'], [[0, 0], [0.25, 0.25]], seed=2)"]
full, causal = scores(6).softmax(-1), masked_softmax(scores(6), causal_mask(6))
halves = torch.tensor([[0, 0], [0.25, 0.25]])


# ---------------------------------------------------------------- Python

def sent(view):
    return torch.frombuffer(bytearray(view.weights), dtype=torch.float32)


@pytest.mark.parametrize("given", [full.double().requires_grad_(), full.half(), full.tolist(), full.mT, full * 2,
                                   torch.zeros(6, 6)],
                         ids=["float64 with gradients", "float16", "lists", "not contiguous", "above 1", "zeros"])
def test_weights_of_every_kind_are_sent_as_they_are(given):
    view = explorers.dropout(words, given, seed=7)
    torch.testing.assert_close(sent(view).view(6, 6), torch.as_tensor(given).detach().float(), atol=0, rtol=0)
    assert (view.tokens, view.seed) == (words, 7)


def test_weights_on_a_gpu_are_taken(gpu):
    torch.testing.assert_close(sent(explorers.dropout(words, full.cuda())), full.flatten())


@pytest.mark.parametrize("error, message, arguments", [
    (TypeError, "one string 'Your journey'; split", ("Your journey", full)),
    (TypeError, "strings, got int at place 0; turn ids", ([3], [[1.0]])),
    (ValueError, "1 to 12 words, got 0; pass a part", ([], full)),
    (ValueError, "1 to 12 words, got 13; pass a part", (["a"] * 13, torch.ones(13, 13))),
    (ValueError, r"shape \(6, 6\), got \(6, 5\); pass those of one text", (words, full[:, :5])),
    (ValueError, r"shape \(6, 6\), got \(1, 6, 6\); pass those of one text and head", (words, full[None])),
    (ValueError, r"at least 0, got -0.5 at \[0, 1\]; pass what comes after the softmax", (["a", "b"], [[1, -.5]] * 2)),
    (ValueError, r"finite .* got nan at \[0, 0\]", (["a"], [[float("nan")]])),
    (ValueError, r"finite .* got inf at \[0, 0\]", (["a"], [[float("inf")]])),
    (TypeError, "weights must be a tensor or nested lists", (["a"], "weights")),
    (TypeError, "weights must be real numbers", (["a"], torch.ones(1, 1) * 1j)),
    (TypeError, "seed must be an int, got float; pass a whole number", (words, full, 1.0)),
    (TypeError, "seed must be an int, got bool", (words, full, True)),
    (TypeError, "seed must be an int, got NoneType", (words, full, None)),
    (ValueError, "seed must be 0 to 4294967295, got -1; pass a small", (words, full, -1)),
    (ValueError, "seed must be 0 to 4294967295, got 4294967296", (words, full, 2**32)),
])
def test_what_cannot_be_shown_is_refused_in_one_sentence(error, message, arguments):
    with pytest.raises(error, match=message) as caught:
        explorers.dropout(*arguments)
    said = str(caught.value)
    assert "\n" not in said and len(said) < 260 and "; " in said


def test_the_picture_is_that_of_the_first_draw():
    still = explorers.dropout(words, full).still()
    row = after(full, 1, 0.5)[3]
    before, drawn = still["text/plain"].split("\n")
    assert f"with: {words[full[3].argmax()]} {full[3].max():.2f};" in before
    assert f"with: {words[row.argmax()]} {row.max():.2f};" in drawn and drawn.endswith(INVITATION)
    assert still == explorers.dropout(words, full).still() != explorers.dropout(words, full, seed=2).still()


def test_a_later_change_of_the_weights_changes_nothing():
    given = full.clone()
    view = explorers.dropout(words, given)
    before = view.still()
    given.zero_()
    assert view.still() == before


def test_the_coins_are_even_and_each_is_tossed_for_itself():
    assert coins(1, 1, 1).item() == 0x514E28B7 / 2**32  # 1 as MurmurHash3 mixes it
    numbers = torch.stack([coins(1, draw, 10) for draw in range(1, 1001)])
    shares = torch.histc(numbers, 10, 0, 1) / numbers.numel()
    torch.testing.assert_close(shares, torch.full((10,), 0.1), atol=0.004, rtol=0, check_dtype=False)
    of_each_square = (numbers >= 0.5).double().flatten(1)  # (draws, squares)
    together = torch.corrcoef(of_each_square.T) - torch.eye(100)
    assert together.abs().max() < 0.15 and (of_each_square.mean(0) - 0.5).abs().max() < 0.06
    assert not torch.equal(coins(1, 1, 6), coins(2, 1, 6))


# ---------------------------------------------------------------- what the numbers must be

def after(weights, draw, p, divided=True, seed=1):
    """The weights after one draw."""
    keep = coins(seed, draw, len(weights)) >= p
    return weights * keep / (1 - p if divided else 1)


def sums(weights, row, draws, p, divided=True):
    """What a row sums to in each draw."""
    return torch.stack([after(weights, draw, p, divided)[row].double().sum() for draw in range(1, draws + 1)])


def sentence(word, draws, of_each):
    mean = f"; the mean of {draws:,} draws is {of_each.mean():.4f}" if draws > 1 else ""
    return f"Draw {draws:,}: the row of '{word}' sums to {of_each[-1]:.4f}{mean}"


def as_written(values):
    return [[f"{number:.2f}" for number in row] for row in values.tolist()]


# ---------------------------------------------------------------- the browser

TABLE = "weights after dropout"
P = "p (share dropped)"


@pytest.fixture(scope="module")
def notebook(open_notebook):
    page = open_notebook(CELLS, name="dropout")
    page.run_all()
    return page


def opened(notebook, cell=1, row=5):
    """The explorer as it opens."""
    shown = Shown(notebook, cell)
    shown.choose("training")
    shown.tick("divide by 1 - p", True)
    shown.slide(P, 0.5)
    shown.square(TABLE, row, 0).click()
    shown.click("Start over")
    return shown


def last_points(shown):
    """Where the last single draw and the mean stand in the chart: [row sum, ...], read from the drawing."""
    chart = shown.output.locator("svg.abh-chart")
    top, bottom = 42, 190
    to = float(chart.locator("text.abh-end").evaluate_all("ticks => Math.max(...ticks.map(tick => tick.textContent))"))
    paths = [chart.locator(f"path.abh-{kind}").get_attribute("d") for kind in ("scattered", "line")]
    ends = [float(re.findall(r"(-?[\d.]+)(?:h0)?$", path)[0]) for path in paths]
    return [(bottom - y) / (bottom - top) * to for y in ends]


def test_it_opens_with_the_first_draw_under_names_and_roles(notebook):
    shown = Shown(notebook, 1)
    assert shown.grid(TABLE).get_attribute("role") == "grid"
    assert shown.table(TABLE) == as_written(after(full, 1, 0.5))
    assert shown.after(TABLE) == as_written(after(full, 1, 0.5).sum(-1, keepdim=True))
    assert shown.said() == sentence("step", 1, sums(full, 5, 1, 0.5))
    assert shown.slider(P).input_value() == "0.5" and shown.slider(P).get_attribute("aria-valuetext") == "0.50"
    assert shown.output.get_by_role("radio", name="training").is_checked()
    assert shown.output.get_by_role("checkbox", name="divide by 1 - p").is_checked()
    assert shown.output.get_by_role("img", name="colours: weight 0 is light, 1 is dark").is_visible()


def test_dropped_squares_are_hatched_where_there_was_something(notebook):
    shown = opened(notebook, 2)
    dropped = (coins(1, 1, 6) < 0.5) & (causal > 0)
    assert shown.table(TABLE) == as_written(after(causal, 1, 0.5))
    assert shown.kinds(TABLE, "abh-hidden") == [tuple(place) for place in dropped.nonzero().tolist()]
    assert 0 < dropped.sum() < 21


def test_draws_are_added_and_start_over(notebook):
    shown = opened(notebook)
    for draws in (2, 3):
        shown.click("Draw again")
        assert shown.said() == sentence("step", draws, sums(full, 5, draws, 0.5))
        assert shown.table(TABLE) == as_written(after(full, draws, 0.5))
    shown.click("Draw 1,000")
    assert shown.said() == sentence("step", 1003, sums(full, 5, 1003, 0.5))
    assert shown.table(TABLE) == as_written(after(full, 1003, 0.5))
    shown.click("Start over")
    assert shown.said() == sentence("step", 1, sums(full, 5, 1, 0.5))
    assert shown.table(TABLE) == as_written(after(full, 1, 0.5))


@pytest.mark.parametrize("divided", [True, False], ids=["divided", "not divided"])
@pytest.mark.parametrize("p", [0.0, 0.05, 0.15, 0.55, 0.9])
def test_every_p_with_the_same_coins(notebook, p, divided):
    shown = opened(notebook)
    shown.click("Draw 1,000")
    shown.slide(P, p)
    shown.tick("divide by 1 - p", divided)
    each = sums(full, 5, 1001, p, divided)
    assert shown.said() == sentence("step", 1001, each)
    assert shown.table(TABLE) == as_written(after(full, 1001, p, divided))
    assert shown.charts() == [f"1,001 draws of the row of 'step': mean {each.mean():.4f}, expectation "
                              f"{1 if divided else 1 - p:.4f}, single draws from {each.min():.4f} to {each.max():.4f}"]
    assert last_points(shown) == pytest.approx([each[-1].item(), each.mean().item()], abs=0.006 / (1 - p))


def test_in_evaluation_every_draw_is_the_same(notebook):
    shown = opened(notebook)
    shown.click("Draw again")
    shown.choose("evaluation")
    for divided in (False, True):
        shown.tick("divide by 1 - p", divided)
        shown.slide(P, 0.8)
        assert shown.table(TABLE) == as_written(full) and shown.kinds(TABLE, "abh-hidden") == []
        assert shown.said() == "Draw 2: the row of 'step' sums to 1.0000; the mean of 2 draws is 1.0000"
        assert shown.explained().startswith("In evaluation nothing is dropped and nothing divided")
        assert shown.table("step by step: the row of 'step' in draw 2") == as_written(full[5:])
    shown.choose("training")
    assert shown.table(TABLE) == as_written(after(full, 2, 0.8))


def test_every_row_has_its_own_sums_of_the_same_draws(notebook):
    shown = opened(notebook, 2)
    shown.click("Draw 1,000")
    for row in (0, 3):
        shown.square(TABLE, row, 2).click()
        each = sums(causal, row, 1001, 0.5)
        assert shown.said() == sentence(words[row], 1001, each)
        assert f"Single draws: {each.min():.4f} to {each.max():.4f}. " in shown.explained()
    assert set(sums(causal, 0, 1001, 0.5).tolist()) == {0, 2}, "one weight of 1 is lost or doubled"


def test_it_says_what_the_mean_settles_on(notebook):
    shown = opened(notebook)
    assert shown.explained() == ("One draw is chance alone. Draw again: the mean of many settles on 1.0000, "
                                 "as without dropout: the division sees to it.")
    shown.click("Draw 1,000")
    each = sums(full, 5, 1001, 0.5)
    assert shown.explained() == (f"Single draws: {each.min():.4f} to {each.max():.4f}. The mean, "
                                 f"{(each.mean() - 1).abs():.4f} off, settles on 1.0000, as without dropout: "
                                 "the division sees to it.")
    shown.tick("divide by 1 - p", False)
    shown.slide(P, 0.2)
    each = sums(full, 5, 1001, 0.2, divided=False)
    assert shown.explained() == (f"Single draws: {each.min():.4f} to {each.max():.4f}. The mean, "
                                 f"{(each.mean() - 0.8).abs():.4f} off, settles on (1 - p) × 1.0000 = 0.8000: "
                                 "without the division it is too small.")
    shown.slide(P, 0)
    assert shown.explained() == "With p = 0 nothing is dropped: every draw is the same."


def test_rows_that_do_not_sum_to_1_and_another_seed(notebook):
    shown = opened(notebook, 4, row=1)
    for draw in (1, 2):
        assert shown.table(TABLE) == as_written(after(halves, draw, 0.5, seed=2))
        shown.click("Draw again")
    assert "settles on 0.5000, as without" in shown.explained()
    shown.tick("divide by 1 - p", False)
    assert "settles on (1 - p) × 0.5000 = 0.2500: without" in shown.explained()
    shown.square(TABLE, 0, 0).click()
    assert shown.explained() == "The row is 0 before dropout: there is nothing to drop."


def test_the_steps_lead_from_the_weights_to_what_is_used(notebook):
    shown = opened(notebook, row=2)
    shown.slide(P, 0.25)
    shown.click("Draw again")
    name = "step by step: the row of 'starts' in draw 2"
    numbers, row = coins(1, 2, 6)[2], full[2]
    kept = row * (numbers >= 0.25)
    assert shown.table(name) == as_written(torch.stack([row, numbers, kept, kept / 0.75]))
    assert shown.after(name) == [["1.00"], [""], [f"{kept.sum():.2f}"], [f"{kept.sum() / 0.75:.2f}"]]
    dropped = (numbers < 0.25).nonzero().flatten().tolist()
    assert shown.kinds(name, "abh-hidden") == [(k, j) for k in (1, 2, 3) for j in dropped] != []
    shown.tick("divide by 1 - p", False)
    assert shown.table(name) == as_written(torch.stack([row, numbers, kept]))


def test_a_number_that_decides_nothing_is_not_shown(notebook):
    shown = opened(notebook, 2, row=1)
    assert [text != "" for text in shown.table("step by step: the row of 'journey' in draw 1")[1]] == \
        (causal[1] > 0).tolist()


def test_the_chart_ends_with_the_last_draw(notebook):
    shown = opened(notebook)
    for _ in range(11):
        shown.click("Draw 1,000")
    shown.click("Draw again")
    said = sentence("step", 10_000, sums(full, 5, 10_000, 0.5))
    assert shown.said() == said.replace("Draw 10,000:", "Draw 10,000, the last:")
    assert shown.table(TABLE) == as_written(after(full, 10_000, 0.5))


def test_the_keyboard_alone_suffices(notebook):
    shown = opened(notebook)
    assert shown.tab_stops() == [P, "training", "divide by 1 - p", "Draw again", "Draw 1,000", "Start over", TABLE]
    shown.slider(P).focus()
    shown.press("ArrowRight", "ArrowRight")
    assert shown.table(TABLE) == as_written(after(full, 1, 0.6)) and shown.focused()
    shown.press("Tab", "Tab", "Space")
    assert shown.table(TABLE) == as_written(after(full, 1, 0.6, divided=False)) and shown.focused()
    shown.press("Tab", "Enter", "Space")
    assert shown.said().startswith("Draw 3: the row of 'step'") and shown.focused()
    shown.press("Tab", "Tab", "Tab", "ArrowUp", "ArrowRight")
    assert shown.said().startswith("Draw 3: the row of 'one'") and shown.focused()
    shown.press("Control+Home")
    assert shown.said() == sentence("Your", 3, sums(full, 0, 3, 0.6, divided=False))
    shown.press(*["Shift+Tab"] * 5, "ArrowRight")
    assert shown.output.get_by_role("radio", name="evaluation").is_checked() and shown.focused()


def test_it_fits_a_narrow_window_and_the_chart_follows(notebook):
    shown = opened(notebook)
    wide = shown.output.locator("svg.abh-chart").bounding_box()["width"]
    notebook.page.set_viewport_size({"width": 760, "height": 900})
    shown = Shown(notebook, 1)
    shown.assert_inside()
    chart = shown.output.locator("svg.abh-chart")
    assert float(chart.get_attribute("width")) == pytest.approx(shown.output.bounding_box()["width"] - 8, abs=12)
    notebook.page.set_viewport_size({"width": 1280, "height": 900})
    shown.settle()
    assert Shown(notebook, 1).output.locator("svg.abh-chart").bounding_box()["width"] == wide


def test_it_follows_the_theme(notebook, tmp_path):
    dark, light = in_both_themes(notebook, 1, tmp_path)
    assert dark[0] != light[0] and dark[1] != light[1]


@pytest.mark.parametrize("cell, draws", [(1, 1000), (3, 10_000)], ids=["6 words, 1,000 draws", "12 words, 10,000"])
def test_the_slider_and_the_button_are_followed_at_once(notebook, cell, draws):
    shown = opened(notebook, cell)
    for _ in range(draws // 1000):
        shown.click("Draw 1,000")
    shown.drag(P)
    again = shown.output.get_by_role("button", name="Draw again")
    shown.follow(again, "click", lambda i: shown.page.keyboard.press("Enter") if i else again.click())
