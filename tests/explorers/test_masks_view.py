"""The mask explorer in a browser: every number that it shows, compared with PyTorch's."""

import pytest
import torch

import explorers
from helpers import masks as reference
from tests.explorers.browser import NARROW, PHONE, SIZE
from tests.explorers.test_masks import inf, scores, words
from tests.explorers.view import View, in_both_themes

pytestmark = pytest.mark.browser
padded = ["<pad>", "the", "cat", "sleeps"]
REAL = {"padding at the end": [True] * 4 + [False] * 2, "padding in front": [False, True, True, True]}


def mask_of(kind, T, real):
    mask = torch.ones(T, T, dtype=torch.bool)
    if kind in ("causal", "both"):
        mask &= reference.causal_mask(T)
    if kind in ("padding", "both"):
        mask &= torch.tensor(real)
    return mask


METHODS = {
    "multiply": lambda scores, mask: scores.softmax(-1) * mask,
    "multiply, renormalize": lambda scores, mask: (scores.softmax(-1) * mask)
    / (scores.softmax(-1) * mask).sum(-1, keepdim=True),
    "fill with -1e9": lambda scores, mask: scores.masked_fill(~mask, -1e9).softmax(-1),
    "fill with -∞": lambda scores, mask: scores.masked_fill(~mask, -inf).softmax(-1),
    "masked_softmax": reference.masked_softmax,
    "add (1 - mask) × -∞": lambda scores, mask: (scores + (1 - mask.float()) * -inf).softmax(-1),
}


def as_written(values):
    return [["NaN" if number != number else f"{number:.2f}" for number in row] for row in values.tolist()]


# ---------------------------------------------------------------- the browser


@pytest.fixture(scope="module")
def page(open_page):
    return open_page(
        {
            "padding at the end": explorers.masks(words, scores(6), REAL["padding at the end"]),
            "padding in front": explorers.masks(padded, scores(4), REAL["padding in front"]),
            "no padding": explorers.masks(words, scores(6)),
            "opens on both": explorers.masks(padded, scores(4), REAL["padding in front"], mask="both"),
        }
    )


def test_controls_and_tables_have_names_and_roles(page):
    view = View(page, "padding at the end")
    assert view.grid("scores").get_attribute("role") == view.grid("weights").get_attribute("role") == "grid"
    assert view.table("scores") == as_written(scores(6))
    assert view.table("weights") == as_written(METHODS["fill with -∞"](scores(6), mask_of("causal", 6, [])))
    assert view.output.get_by_role("radio", name="causal", exact=True).is_checked()
    assert view.output.get_by_role("img", name="colors: weight 0 is light, 1 is dark").is_visible()
    assert view.output.get_by_role("img", name="colors: scores below 0 are orange, above 0 blue").is_visible()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", ["none", "causal", "padding", "both"])
@pytest.mark.parametrize("which", ["padding at the end", "padding in front"])
def test_every_mask_with_every_method(page, which, kind, method):
    T = len(REAL[which])
    view, mask = View(page, which), mask_of(kind, T, REAL[which])
    view.choose(kind)
    view.choose(method)
    weights = METHODS[method](scores(T), mask)
    assert view.table("weights") == as_written(weights)
    assert view.after("weights") == as_written(weights.sum(-1, keepdim=True))
    assert view.kinds("scores", "abh-hidden") == [tuple(place) for place in (~mask).nonzero().tolist()]
    assert view.kinds("weights", "abh-broken") == [tuple(place) for place in weights.isnan().nonzero().tolist()]
    assert view.kinds("weights", "abh-alarm") == [tuple(place) for place in (~mask & (weights > 0)).nonzero().tolist()]


@pytest.mark.parametrize(
    "kind, method, verdict",
    [
        ("causal", "fill with -∞", "The row sums to 1.0000, and the hidden keys get none of it."),
        ("causal", "multiply", "The row sums to 0.5582: the share of the hidden keys is missing."),
        ("none", "add (1 - mask) × -∞", "NaN, because 0 × -∞ is NaN: even the keys that may be read are lost."),
        ("none", "fill with -∞", "The row sums to 1.0000, and nothing in it is hidden."),
        ("both", "fill with -1e9", "This row may see nothing, yet its weights sum to 1.0000: it reads what is hidden."),
        ("both", "fill with -∞", "NaN: every score in the row is -∞, and the softmax divides 0 by 0."),
        ("both", "add (1 - mask) × -∞", "NaN: every score in the row is -∞, and the softmax divides 0 by 0."),
        ("both", "multiply, renormalize", "NaN: this row may see nothing, and 0 is divided by 0."),
        ("both", "multiply", "This row may see nothing, and all its weights are 0."),
        ("both", "masked_softmax", "This row may see nothing, and all its weights are 0."),
    ],
)
def test_it_explains_the_row(page, kind, method, verdict):
    view = View(page, "padding in front")  # its first token is padding: with both masks, row 0 sees nothing
    view.click_square("scores", 0, 1)
    view.choose(kind)
    view.choose(method)
    weight = METHODS[method](scores(4), mask_of(kind, 4, [False, True, True, True]))[0, 1].item()
    hidden = "" if kind == "none" else ", hidden"
    number = "NaN" if weight != weight else f"{weight:.4f}"
    assert view.said() == f"'<pad>' reads 'the': score {scores(4)[0, 1]:.4f}{hidden}, weight {number}"
    assert view.explained() == verdict


def test_raising_a_future_score_makes_renormalizing_fail_and_filling_not(page):
    view, raised = View(page, "no padding"), scores(6)
    view.choose("multiply, renormalize")
    view.click_square("scores", 1, 3)
    box = view.square("scores", 1, 3).bounding_box()
    view.page.mouse.move(box["x"] + 15, box["y"] + 10)
    view.page.mouse.down()
    view.page.mouse.move(box["x"] + 15, box["y"] - 190, steps=4)
    view.page.mouse.up()
    view.settle()
    raised[1, 3] = 200
    assert view.table("scores")[1][3] == "200"
    assert view.table("weights") == as_written(METHODS["multiply, renormalize"](raised, mask_of("causal", 6, [])))
    assert view.explained().startswith("NaN: the softmax gave all the weight to hidden keys; nothing is left")
    assert view.table("step by step: the row of 'journey'")[2:] == [["0.00"] * 6, ["NaN"] * 6]
    view.choose("fill with -∞")
    assert view.table("weights") == as_written(METHODS["fill with -∞"](scores(6), mask_of("causal", 6, [])))
    view.click("Reset all scores")
    assert view.table("scores") == as_written(scores(6))


def swipe(view, i, j):
    """Move a finger up by 120 pixels, beginning on a score."""
    box, touch = view.square("scores", i, j).bounding_box(), view.page.context.new_cdp_session(view.page)
    for kind, moved in [("touchStart", 0), *(("touchMove", 10 * k) for k in range(1, 13))]:
        finger = {"x": box["x"] + 12, "y": box["y"] + 12 - moved}
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [finger]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    view.settle()


def test_a_finger_scrolls_the_page_unless_it_begins_on_the_chosen_score(open_page):
    page = open_page({"masks": explorers.masks(words, scores(6))}, **PHONE)
    page.page.evaluate("document.body.style.paddingBottom = '2000px'")
    view = View(page, "masks")
    before = page.page.evaluate("scrollY")
    swipe(view, 5, 1)
    page.page.wait_for_function("before => scrollY > before + 60", arg=before)
    assert view.table("scores") == as_written(scores(6))
    view.square("scores", 5, 1).tap()
    view.settle()
    before = page.page.evaluate("scrollY")
    swipe(view, 5, 1)
    assert float(view.table("scores")[5][1]) > 20
    assert page.page.evaluate("scrollY") == before


def test_on_a_phone_the_sums_of_six_words_are_seen(open_page):
    page = open_page({"masks": explorers.masks(words, scores(6))}, **PHONE)
    View(page, "masks").assert_inside("table")


def test_the_steps_lead_from_the_scores_to_the_weights(page):
    view, mask = View(page, "padding at the end"), mask_of("both", 6, [True] * 4 + [False] * 2)
    view.click_square("weights", 2, 0)
    view.choose("both")
    view.choose("multiply, renormalize")
    row = scores(6)[2]
    kept = row.softmax(-1) * mask[2]
    assert view.table("step by step: the row of 'starts'") == as_written(
        torch.stack([row, row.softmax(-1), kept, kept / kept.sum()])
    )
    assert view.after("step by step: the row of 'starts'") == [[""], ["1.00"], [f"{kept.sum():.2f}"], ["1.00"]]


def test_the_slider_sets_the_chosen_score(page):
    view, changed = View(page, "no padding"), scores(6)
    view.click_square("scores", 4, 2)
    view.slide("score of 'one' for 'starts'", -0.3)
    changed[4, 2] = 200 * (-0.3) ** 3
    assert view.said().startswith(f"'one' reads 'starts': score {changed[4, 2]:.4f}, weight ")
    assert view.table("weights") == as_written(METHODS["fill with -∞"](changed, mask_of("causal", 6, [])))
    view.click("Reset all scores")


def test_the_keyboard_alone_suffices(page):
    view = View(page, "padding at the end")
    view.choose("causal")
    view.choose("fill with -∞")
    view.click_square("scores", 0, 1)
    assert view.tab_stops() == [
        "causal",
        "fill with -∞",
        "scores",
        "weights",
        "Step by step: the row of 'Your'",
        "score of 'Your' for 'journey'",
        "Reset all scores",
    ]
    view.square("scores", 0, 1).focus()
    view.press("ArrowDown", "ArrowRight", "ArrowDown")
    assert view.said().startswith("'starts' reads 'starts'") and view.focused()
    view.press("End")
    assert view.said().startswith("'starts' reads 'step'")
    view.press("Control+Home")
    assert view.said().startswith("'Your' reads 'Your'")
    view.output.get_by_role("radio", name="causal", exact=True).focus()
    view.press("ArrowRight")
    assert view.output.get_by_role("radio", name="padding", exact=True).is_checked()
    assert view.table("weights") == as_written(
        METHODS["fill with -∞"](scores(6), mask_of("padding", 6, [True] * 4 + [False] * 2))
    )
    view.slider("score of 'Your' for 'Your'").focus()
    view.press("End")
    assert view.said().startswith("'Your' reads 'Your': score 200.0000, weight 1.0000")
    view.click("Reset all scores")


def test_it_opens_on_the_mask_of_the_call(page):
    view = View(page, "opens on both")
    assert view.output.get_by_role("radio", name="both", exact=True).is_checked()
    mask = mask_of("both", 4, REAL["padding in front"])
    assert view.table("weights") == as_written(METHODS["fill with -∞"](scores(4), mask))


def test_padding_is_offered_only_where_there_is_some(page):
    view = View(page, "no padding")
    assert [label.inner_text() for label in view.output.locator("fieldset").first.locator("label").all()] == [
        "none",
        "causal",
    ]


def test_it_fits_a_narrow_window(page):
    page.resize(NARROW)
    view = View(page, "padding at the end")
    view.assert_inside()
    page.resize(*SIZE)


def test_it_follows_the_theme(page, tmp_path):
    dark, light = in_both_themes(page, "no padding", tmp_path)
    assert dark[0] != light[0] and dark[1] != light[1]


def test_a_repaint_is_little_work(page):
    view = View(page, "no padding")
    square = view.square("scores", 2, 4)
    box = square.bounding_box()
    view.page.mouse.move(box["x"] + 10, box["y"] + 10)
    view.page.mouse.down()
    view.follow(square, "pointermove", lambda i: view.page.mouse.move(box["x"] + 10, box["y"] + 9 - i))
    view.page.mouse.up()
    view.drag("score of 'starts' for 'one'")
