"""The mask explorer: what it refuses, and every number it shows beside the same number from PyTorch."""

import inspect

import pytest
import torch

import explorers
from helpers import masks as reference
from explorers.base import INVITATION
from tests.shown import Shown, in_both_themes

pytest_plugins = ["tests.browser"]
inf = float("inf")

words = ["Your", "journey", "starts", "with", "one", "step"]
padded = ["<pad>", "the", "cat", "sleeps"]


def scores(T):
    return torch.randn(T, T, generator=torch.Generator().manual_seed(123)).mul(2)


CELLS = [f"import torch\nimport explorers\n\n{inspect.getsource(scores)}\n\n{words = }\n{padded = }",
         "explorers.masks(words, scores(6), [True] * 4 + [False] * 2)",
         "explorers.masks(padded, scores(4), [False, True, True, True])",
         "explorers.masks(words, scores(6))"]


# ---------------------------------------------------------------- Python

def test_scores_and_words_are_sent_as_they_are():
    given = scores(6).double().requires_grad_()
    view = explorers.masks(words, given, torch.tensor([True] * 4 + [False] * 2))
    sent = torch.frombuffer(bytearray(view.scores), dtype=torch.float32).view(6, 6)
    torch.testing.assert_close(sent, given.detach().float(), atol=0, rtol=0)
    assert (view.tokens, view.real) == (words, [True] * 4 + [False] * 2)


@pytest.mark.parametrize("error, message, arguments", [
    (TypeError, "one string 'Your journey'; split", ("Your journey", scores(2))),
    (ValueError, "1 to 12 words, got 0; pass a part", ([], scores(1))),
    (ValueError, "1 to 12 words, got 13; pass a part", (["a"] * 13, scores(13))),
    (ValueError, r"shape \(6, 6\), got \(6, 5\); pass one matrix", (words, scores(6)[:, :5])),
    (ValueError, r"shape \(6, 6\), got \(1, 6, 6\); pass one matrix", (words, scores(6)[None])),
    (ValueError, r"finite, got -inf at \[0, 1\]; pass the scores before any mask", (["a", "b"], [[0, -inf], [0, 0]])),
    (ValueError, r"finite, got nan at \[0, 0\]", (["a"], [[float("nan")]])),
    (TypeError, "scores must be a tensor or nested lists", (["a"], "scores")),
    (TypeError, "real must be bool, .* got torch.int64; compare first", (words, scores(6), [1, 1, 1, 1, 0, 0])),
    (ValueError, r"real must have shape \(6,\).* got \(1, 1, 6\); take one row",
     (words, scores(6), torch.ones(1, 1, 6, dtype=torch.bool))),
])
def test_what_cannot_be_shown_is_refused_in_one_sentence(error, message, arguments):
    with pytest.raises(error, match=message) as caught:
        explorers.masks(*arguments)
    assert "\n" not in str(caught.value) and "; " in str(caught.value)


def test_the_picture_is_that_of_the_opening_view():
    still = explorers.masks(words, scores(6)).still()
    weights = reference.masked_softmax(scores(6), reference.causal_mask(6))
    assert f"starts: {words[weights[2].argmax()]} {weights[2].max():.2f};" in still["text/plain"]
    assert still["text/plain"].endswith(INVITATION)
    assert still == explorers.masks(words, scores(6)).still()


def test_a_later_change_of_the_scores_changes_nothing():
    given = scores(6)
    view = explorers.masks(words, given)
    before = view.still()
    given.zero_()
    assert view.still() == before


# ---------------------------------------------------------------- what the numbers must be

def mask_of(kind, T, real):
    mask = torch.ones(T, T, dtype=torch.bool)
    if kind in ("causal", "both"):
        mask &= reference.causal_mask(T)
    if kind in ("padding", "both"):
        mask &= torch.tensor(real)
    return mask


METHODS = {
    "multiply": lambda scores, mask: scores.softmax(-1) * mask,
    "multiply, renormalise": lambda scores, mask: (scores.softmax(-1) * mask) /
                                                  (scores.softmax(-1) * mask).sum(-1, keepdim=True),
    "fill with -1e9": lambda scores, mask: scores.masked_fill(~mask, -1e9).softmax(-1),
    "fill with -∞": lambda scores, mask: scores.masked_fill(~mask, -inf).softmax(-1),
    "masked_softmax": reference.masked_softmax,
    "add (1 - mask) × -∞": lambda scores, mask: (scores + (1 - mask.float()) * -inf).softmax(-1),
}


def as_written(values):
    return [["NaN" if number != number else f"{number:.2f}" for number in row] for row in values.tolist()]


# ---------------------------------------------------------------- the browser

@pytest.fixture(scope="module")
def notebook(open_notebook):
    page = open_notebook(CELLS, name="masks")
    page.run_all()
    return page


def test_it_appears_with_names_and_roles(notebook):
    shown = Shown(notebook, 1)
    assert shown.grid("scores").get_attribute("role") == shown.grid("weights").get_attribute("role") == "grid"
    assert shown.table("scores") == as_written(scores(6))
    assert shown.table("weights") == as_written(METHODS["fill with -∞"](scores(6), mask_of("causal", 6, [])))
    assert shown.output.get_by_role("radio", name="causal", exact=True).is_checked()
    assert shown.output.get_by_role("img", name="colours: weight 0 is light, 1 is dark").is_visible()
    assert shown.output.get_by_role("img", name="colours: scores below 0 are orange, above 0 blue").is_visible()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", ["none", "causal", "padding", "both"])
@pytest.mark.parametrize("cell, T, real", [(1, 6, [True] * 4 + [False] * 2), (2, 4, [False, True, True, True])],
                         ids=["padding at the end", "padding in front"])
def test_every_mask_with_every_method(notebook, cell, T, real, kind, method):
    shown, mask = Shown(notebook, cell), mask_of(kind, T, real)
    shown.choose(kind)
    shown.choose(method)
    weights = METHODS[method](scores(T), mask)
    assert shown.table("weights") == as_written(weights)
    assert shown.after("weights") == as_written(weights.sum(-1, keepdim=True))
    assert shown.kinds("scores", "abh-hidden") == [tuple(place) for place in (~mask).nonzero().tolist()]
    assert shown.kinds("weights", "abh-broken") == [tuple(place) for place in weights.isnan().nonzero().tolist()]


@pytest.mark.parametrize("kind, method, verdict", [
    ("causal", "fill with -∞", "The row sums to 1.0000, and what is hidden has none of it."),
    ("causal", "multiply", "The row sums to 0.5582: what was hidden is missing."),
    ("none", "add (1 - mask) × -∞", "NaN, because 0 × -∞ is NaN: the keys that may be read are spoilt too."),
    ("both", "fill with -1e9", "The row may see nothing, yet its weights sum to 1.0000: they read what is hidden."),
    ("both", "fill with -∞", "NaN: every score of the row is -∞, and the softmax divides 0 by 0."),
    ("both", "multiply, renormalise", "NaN: the row may see nothing, and 0 is divided by 0."),
    ("both", "multiply", "The row may see nothing, and its weights are 0."),
    ("both", "masked_softmax", "The row may see nothing, and its weights are 0."),
])
def test_it_says_what_became_of_the_row(notebook, kind, method, verdict):
    shown = Shown(notebook, 2)  # its first token is padding: with both masks, row 0 sees nothing
    shown.square("scores", 0, 1).click()
    shown.choose(kind)
    shown.choose(method)
    weight = METHODS[method](scores(4), mask_of(kind, 4, [False, True, True, True]))[0, 1].item()
    hidden = "" if kind == "none" else ", hidden"
    number = "NaN" if weight != weight else f"{weight:.4f}"
    assert shown.said() == f"'<pad>' reads 'the': score {scores(4)[0, 1]:.4f}{hidden}, weight {number}"
    assert shown.explained() == verdict


def test_raising_a_future_score_makes_renormalising_fail_and_filling_not(notebook):
    shown, raised = Shown(notebook, 3), scores(6)
    shown.choose("multiply, renormalise")
    square = shown.square("scores", 1, 3)
    square.click()
    box = square.bounding_box()
    shown.page.mouse.move(box["x"] + 15, box["y"] + 10)
    shown.page.mouse.down()
    shown.page.mouse.move(box["x"] + 15, box["y"] - 190, steps=4)
    shown.page.mouse.up()
    shown.settle()
    raised[1, 3] = 200
    assert shown.table("scores")[1][3] == "200"
    assert shown.table("weights") == as_written(METHODS["multiply, renormalise"](raised, mask_of("causal", 6, [])))
    assert shown.explained().startswith("NaN: the softmax gave all the weight to what is hidden; nothing is left")
    assert shown.table("step by step: the row of 'journey'")[2:] == [["0.00"] * 6, ["NaN"] * 6]
    shown.choose("fill with -∞")
    assert shown.table("weights") == as_written(METHODS["fill with -∞"](scores(6), mask_of("causal", 6, [])))
    shown.click("All scores as they were")
    assert shown.table("scores") == as_written(scores(6))


def test_the_steps_lead_from_the_scores_to_the_weights(notebook):
    shown, mask = Shown(notebook, 1), mask_of("both", 6, [True] * 4 + [False] * 2)
    shown.square("weights", 2, 0).click()
    shown.choose("both")
    shown.choose("multiply, renormalise")
    row = scores(6)[2]
    kept = row.softmax(-1) * mask[2]
    assert shown.table("step by step: the row of 'starts'") == as_written(
        torch.stack([row, row.softmax(-1), kept, kept / kept.sum()]))
    assert shown.after("step by step: the row of 'starts'") == [[""], ["1.00"], [f"{kept.sum():.2f}"], ["1.00"]]


def test_the_slider_sets_the_chosen_score(notebook):
    shown, changed = Shown(notebook, 3), scores(6)
    shown.square("scores", 4, 2).click()
    shown.slide("score of 'one' for 'starts'", -0.3)
    changed[4, 2] = 200 * (-0.3) ** 3
    assert shown.said().startswith(f"'one' reads 'starts': score {changed[4, 2]:.4f}, weight ")
    assert shown.table("weights") == as_written(METHODS["fill with -∞"](changed, mask_of("causal", 6, [])))
    shown.click("All scores as they were")


def test_the_keyboard_alone_suffices(notebook):
    shown = Shown(notebook, 1)
    shown.choose("causal")
    shown.choose("fill with -∞")
    shown.square("scores", 0, 1).click()
    assert shown.tab_stops() == ["causal", "fill with -∞", "score of 'Your' for 'journey'", "All scores as they were",
                                  "scores", "weights"]
    shown.square("scores", 0, 1).focus()
    shown.press("ArrowDown", "ArrowRight", "ArrowDown")
    assert shown.said().startswith("'starts' reads 'starts'") and shown.focused()
    shown.press("End")
    assert shown.said().startswith("'starts' reads 'step'")
    shown.press("Control+Home")
    assert shown.said().startswith("'Your' reads 'Your'")
    shown.output.get_by_role("radio", name="causal", exact=True).focus()
    shown.press("ArrowRight")
    assert shown.output.get_by_role("radio", name="padding", exact=True).is_checked()
    assert shown.table("weights") == as_written(METHODS["fill with -∞"](scores(6), mask_of("padding", 6, [True] * 4 +
                                                                                          [False] * 2)))
    shown.slider("score of 'Your' for 'Your'").focus()
    shown.press("End")
    assert shown.said().startswith("'Your' reads 'Your': score 200.0000, weight 1.0000")
    shown.click("All scores as they were")


def test_padding_is_offered_only_where_there_is_some(notebook):
    shown = Shown(notebook, 3)
    assert [label.inner_text() for label in shown.output.locator("fieldset").first.locator("label").all()] == \
        ["none", "causal"]


def test_it_fits_a_narrow_window(notebook):
    notebook.page.set_viewport_size({"width": 760, "height": 900})
    shown = Shown(notebook, 1)
    shown.assert_inside()
    notebook.page.set_viewport_size({"width": 1280, "height": 900})


def test_it_follows_the_theme(notebook, tmp_path):
    dark, light = in_both_themes(notebook, 1, tmp_path)
    assert dark[0] != light[0] and dark[1] != light[1]


def test_a_drag_is_followed_at_once(notebook):
    shown = Shown(notebook, 3)
    square = shown.square("scores", 2, 4)
    box = square.bounding_box()
    shown.page.mouse.move(box["x"] + 10, box["y"] + 10)
    shown.page.mouse.down()
    shown.follow(square, "pointermove", lambda i: shown.page.mouse.move(box["x"] + 10, box["y"] + 9 - i))
    shown.page.mouse.up()
    shown.drag("score of 'starts' for 'one'")
