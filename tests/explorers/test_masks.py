"""The masks explorer: its `ROW` for test_every_explorer.py, and tests of what only this explorer does."""

import pytest
import torch

import explorers
from helpers import masks as reference
from tests.explorers.browser import PHONE
from tests.explorers.view import KINDS, Row, View, as_written, drawn

inf = float("inf")
STOOD_STILL = "() => { const before = window.seen; window.seen = scrollY; return before === scrollY; }"

words = ["Your", "journey", "starts", "with", "one", "step"]


def scores(T):
    return drawn(T, T, seed=123).mul(2)


REFUSED = [
    (TypeError, "one string 'Your journey'; split", ("Your journey", scores(2))),
    (ValueError, "1 to 12 words, got 13; pass a part", (["a"] * 13, scores(13))),
    (ValueError, r"shape \(6, 6\), got \(6, 5\); pass one matrix", (words, scores(6)[:, :5])),
    (ValueError, r"shape \(6, 6\), got \(1, 6, 6\); pass one matrix", (words, scores(6)[None])),
    (ValueError, r"finite, got -inf at \[0, 1\]; pass the scores before any mask", (["a", "b"], [[0, -inf], [0, 0]])),
    (ValueError, "mask must be one of none, .*, got 'future'; choose", (words, scores(6), None, "future")),
    (ValueError, "mask 'both' needs padding to hide, .*; pass real=", (words, scores(6), None, "both")),
    (TypeError, "real must be bool, .* got torch.int64; compare first", (words, scores(6), [1, 1, 1, 1, 0, 0])),
    (ValueError, r"real .* shape \(6,\).* got \(1, 1, 6\); take one", (words, scores(6), torch.ones(1, 1, 6) > 0)),
]


@pytest.mark.slow
def test_the_picture_shows_the_mask_of_the_call():
    weights = reference.masked_softmax(scores(6), reference.causal_mask(6))
    causal = explorers.masks(words, scores(6)).still()["text/plain"]
    assert f"starts: {words[weights[2].argmax()]} {weights[2].max():.2f};" in causal
    both = explorers.masks(words, scores(6), torch.tensor([False] + [True] * 5), mask="both").still()["text/plain"]
    assert both.startswith("causal and padding mask, filled with -∞") and "Hidden by the mask: 21." in both
    assert "Your: NaN; journey: journey 1.00;" in both
    none = explorers.masks(words, scores(6), mask="none").still()["text/plain"]
    assert none.startswith("no mask") and "Hidden" not in none


# ---------------------------------------------------------------- in a browser

padded = ["<pad>", "the", "cat", "sleeps"]
REAL = {"padding at the end": [True] * 4 + [False] * 2, "padding in front": [False, True, True, True]}
PADDING = {**REAL, "no padding": [True] * 6, "both": REAL["padding in front"]}


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


class MasksView(View):
    def assert_right(self):
        now, real = self.controls(), PADDING[self.which]
        kind, method, T = now["mask"], now["method"], len(real)
        text = self.grid("scores").locator("tbody th").all_text_contents()
        (i, j), given = self.chosen("scores"), scores(T)
        slider = self.slider(f"score of '{text[i]}' for '{text[j]}'")
        if slider.get_attribute("aria-valuetext") != f"{given[i, j]:.4f}":
            given[i, j] = 200 * float(slider.input_value()) ** 3
        mask = mask_of(kind, T, real)
        weights = METHODS[method](given, mask)
        assert self.chosen("weights") == (i, j)
        assert self.table("scores") == as_written(given)
        assert self.table("weights") == as_written(weights)
        assert self.after("weights") == as_written(weights.sum(-1, keepdim=True))
        assert self.kinds("scores", "abh-hidden") == places(~mask)
        assert self.kinds("weights", "abh-broken") == places(weights.isnan())
        assert self.kinds("weights", "abh-alarm") == places(~mask & (weights > 0))
        weight = "NaN" if weights[i, j].isnan() else f"{weights[i, j]:.4f}"
        hidden = "" if mask[i, j] else ", hidden"
        assert self.said() == f"'{text[i]}' reads '{text[j]}': score {given[i, j]:.4f}{hidden}, weight {weight}"
        steps = self.table(f"step by step: the row of '{text[i]}'")
        assert (steps[0], steps[-1]) == (as_written(given)[i], as_written(weights)[i])


def places(found):
    return [tuple(place) for place in found.nonzero().tolist()]


END, FRONT = REAL
NOTHING = "This row may see nothing"
ROW = Row(
    explorers.masks,
    MasksView,
    {
        END: (words, scores(6), REAL[END]),
        FRONT: (padded, scores(4), REAL[FRONT]),
        "no padding": (words, scores(6)),
        "both": (padded, scores(4), REAL[FRONT], "both"),
    },
    kinds=KINDS,
    refused=REFUSED,
    legends=2,
    opens={"no padding": {"mask": "causal", "method": "fill with -∞"}, "both": {"mask": "both"}},
    stops={
        END: ["causal", "fill with -∞", "scores", "weights", "Step by step: the row of 'Your'"]
        + ["score of 'Your' for 'journey'", "Reset all scores"],
    },
    settings=[(FRONT, {"mask": "both", "method": method}) for method in METHODS]
    + [(FRONT, {"mask": kind, "method": "masked_softmax"}) for kind in ("none", "causal", "padding")],
    says=[
        (FRONT, {"scores": (0, 1), "mask": kind, "method": method}, None, verdict)  # row 0 may see nothing
        for kind, method, verdict in [
            ("causal", "fill with -∞", "The row sums to 1.0000, and the hidden keys get none of it."),
            ("causal", "multiply", "The row sums to 0.5582: the share of the hidden keys is missing."),
            ("none", "add (1 - mask) × -∞", "NaN, because 0 × -∞ is NaN: even the keys that may be read are lost."),
            ("none", "fill with -∞", "The row sums to 1.0000, and nothing in it is hidden."),
            (
                "both",
                "fill with -1e9",
                NOTHING + ", yet its weights sum to 1.0000: it reads what is hidden.",
            ),
            ("both", "multiply, renormalize", "NaN: this row may see nothing, and 0 is divided by 0."),
            ("both", "masked_softmax", NOTHING + ", and all its weights are 0."),
        ]
    ]
    + [
        (
            "no padding",
            {"scores": (4, 2), "score of 'one' for 'starts'": 1},
            "'one' reads 'starts': score 200.0000, weight 1.0000",
            None,
        )
    ],
    grid="scores",
    fits={END: 390, "no padding": 390},
    marks=[
        ("td.abh-hidden", "td.abh-square:not(.abh-hidden)"),
        (".abh-swatch.abh-hatched", ".abh-swatch.abh-alarm"),
    ],
)


def test_raising_a_future_score_makes_renormalizing_fail_and_filling_not(opened):
    view, raised = opened.view("no padding"), scores(6)
    view.choose("multiply, renormalize")
    view.square("scores", 1, 3).click()
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
    """Move a finger up by 120 pixels, starting on a score."""
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
    page.page.wait_for_function(STOOD_STILL, polling=200)  # so that the tap hits the square
    assert view.table("scores") == as_written(scores(6))
    view.square("scores", 5, 1).tap()
    view.settle()
    before = page.page.evaluate("scrollY")
    swipe(view, 5, 1)
    assert float(view.table("scores")[5][1]) > 20
    assert page.page.evaluate("scrollY") == before


def test_the_steps_lead_from_the_scores_to_the_weights(opened):
    view = opened.view(END, {"weights": (2, 0), "mask": "both", "method": "multiply, renormalize"})
    row = scores(6)[2]
    kept = row.softmax(-1) * mask_of("both", 6, REAL[END])[2]
    steps = "step by step: the row of 'starts'"
    assert view.table(steps) == as_written(torch.stack([row, row.softmax(-1), kept, kept / kept.sum()]))
    assert view.after(steps) == [[""], ["1.00"], [f"{kept.sum():.2f}"], ["1.00"]]


def test_padding_is_offered_only_where_there_is_some(opened):
    labels = opened.view("no padding").output.locator("fieldset").first.locator("label")
    assert labels.all_inner_texts() == ["none", "causal"]
