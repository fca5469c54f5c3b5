"""The heads explorer: its `ROW` for test_every_explorer.py, and tests of what only this explorer does."""

import itertools
import re

import pytest
import torch

import explorers
from helpers.heads import split_heads
from tests.explorers.browser import NARROW, SIZE
from tests.explorers.view import Row, View

three, four = ["the", "cat", "sleeps"], ["Your", "journey", "starts", "with"]


REFUSED = [
    (TypeError, "one string 'the cat'; split it", ("the cat", 4, 2)),
    (ValueError, "tokens must be 2 to 4 words, got 1; choose a few", (["the"], 4, 2)),
    (ValueError, "tokens must be 2 to 4 words, got 5; choose a few", (["a"] * 5, 4, 2)),
    (TypeError, "d_model must be a whole number, got 4.0; pass an int", (three, 4.0, 2)),
    (ValueError, "d_model must be 2 to 12, got 384; choose a few", (three, 384, 12)),
    (ValueError, "num_heads must be 1 to 4, got 8; each head needs a feature", (three, 4, 8)),
    (ValueError, "must divide d_model, got 3 heads for d_model = 4; a number near it that does is 2", (three, 4, 3)),
]


@pytest.mark.slow
def test_the_picture_is_that_of_the_opening_view_and_no_two_numbers_have_the_same_name():
    words = explorers.heads(three, 6, 2).still()["text/plain"]
    assert "head 1: position 0: 03 04 05; position 1: 13 14 15;" in words
    assert "merged: position 0: 00 01 02 03 04 05; position 1: 10 11" in words
    names = re.findall(r"\b\d{3}\b", explorers.heads(four, 12, 3).picture().alt.split("head 0")[0])
    assert len(set(names)) == len(names) == 48 and {"000", "011", "111", "311"} <= set(names)


# ---------------------------------------------------------------- in a browser

SIZES = {"three": (three, 6, 2), "four": (four, 12, 3), "two": (["a", "b"], 5, 5)}
SPLITS, MERGES = ["view, then transpose", "view alone (bug)"], ["transpose, then reshape", "reshape alone (bug)"]
BOTH = list(itertools.product(SPLITS, MERGES))
AXES = {"x": "T, C", "cut": "T, H, D", "split": "H, T, D", "merged": "T, C"}

VERDICTS = {  # {(is the split right, is the merge right): verdict}
    (True, True): "Right",
    (False, False): "Wrong split",
    (True, False): "Wrong merge",
    (False, True): "Two bugs undo each other",
}


def as_written(values, C):
    return [[f"{n:0{2 if C <= 10 else 3}d}" for n in row] for row in values.flatten(1).tolist()]


def index_of(values, n):
    return (values == n).nonzero()[0].tolist()


class HeadsView(View):
    def code(self):
        """The code of each step, and where the ringed number is."""
        return self.output.locator(".abh-step code").all_text_contents()

    def assert_right(self):
        words, C, _ = SIZES[self.which]
        now, T = self.controls(), len(words)
        split, merge, H = now["split"], now["merge"], int(now["heads"])
        made = self._made(T, C, H)
        assert ("cut" in made) == (split == SPLITS[0])
        expected = {"x": made["x"], "merged": made["merged"]}
        expected |= {f"head {n}": part for n, part in enumerate(made["split"])}
        expected |= {f"cut, token {n}": part for n, part in enumerate(made.get("cut", []))}
        assert {name: self.table(name) for name in expected} == {n: as_written(part, C) for n, part in expected.items()}
        assert self.root.locator("table").count() == len(expected)
        shapes = [f"({AXES[name]}) = {tuple(values.shape)}" for name, values in made.items()]
        assert self.output.locator(".abh-step .abh-shape").all_inner_texts() == shapes
        assert f"torch.equal(merged, x): {torch.equal(made['merged'], made['x'])}" in self.code()
        self._assert_followed(made, words)
        right = torch.equal(made["split"], split_heads(made["x"], H)), torch.equal(made["merged"], made["x"])
        assert self.explained().startswith(VERDICTS[right])
        assert ("in spite of the bug" in self.explained()) == (H == 1 and (split, merge) != BOTH[0])

    def _made(self, T, C, H):
        """The tensors that the shown code computes; ROW.says checks that it is the code of the chosen way."""
        x = torch.arange(T)[:, None] * (10 if C <= 10 else 100) + torch.arange(C)
        names = {"T": T, "C": C, "H": H, "D": C // H, "x": x}
        exec("\n".join(line for line in self.code() if " = " in line), names)
        return {name: names[name] for name in AXES if name in names}

    def _assert_followed(self, made, words):
        """Assert that the chosen number is ringed at every step, and its token marked."""
        ((t, c),) = self.kinds("x", "abh-ringed")
        n, C = made["x"][t, c], made["x"].size(1)
        places = {name: index_of(values, n) for name, values in made.items()}
        assert {f"{name}{place} is {as_written(n[None, None], C)[0][0]}" for name, place in places.items()} <= {
            *self.code()
        }
        head, position, d = places["split"]
        for other in range(len(made["split"])):
            assert self.kinds(f"head {other}", "abh-ringed") == ([(position, d)] if other == head else [])
        assert self.kinds("merged", "abh-ringed") == [tuple(places["merged"])]
        if "cut" in places:
            part, i, j = places["cut"]
            assert self.kinds(f"cut, token {part}", "abh-ringed") == [(i, j)]
        followed = (made["merged"] // made["x"][1, 0] == t).nonzero().tolist()
        assert self.kinds("merged", "abh-followed") == [tuple(place) for place in followed]
        assert self.said().startswith(f"Token {t} ('{words[t]}'): ")


def chosen(split, merge, **others):
    return {"split": split, "merge": merge, **others}


ROW = Row(
    explorers.heads,
    HeadsView,
    SIZES,
    refused=REFUSED,
    opens={"three": chosen(*BOTH[0], heads="2"), "four": {"heads": "3"}},
    stops={"three": ["view, then transpose", "transpose, then reshape", "2", "x"]},
    settings=[("three", chosen(*both, heads=heads)) for heads in ("1", "2") for both in BOTH]
    + [("three", chosen(*both, x=(2, 0))) for both in BOTH]
    + [("four", chosen(*BOTH[2], heads="12")), ("two", chosen(*BOTH[1], x=(0, 0)))],
    says=[
        ("three", {},
         "Token 1 ('cat'): 10 11 12 in head 0, 13 14 15 in head 1, each at position 1; merged: all in row 1",
         "Right: in every head, position 1 holds token 1 alone, and merging returns x."),
        ("three", chosen(*BOTH[2], x=(0, 0)),
         "Token 0 ('the'): 00 01 02 03 04 05 in head 0 at positions 0 and 1; merged: 00 01 02 in row 0, 03 04 05 "
         "in row 1",
         "Wrong split: the shape (2, 3, 3) is right, but 4 of 6 rows hold another token: head 1 has token 1 at "
         "position 0, and attention would take it for token 0."),
        ("three", chosen(*BOTH[1], x=(0, 0)),
         "Token 0 ('the'): 00 01 02 in head 0, 03 04 05 in head 1, each at position 0; "
         "merged: 00 01 02 in row 0, 03 04 05 in row 1",
         "Wrong merge: the heads are right, and so is the shape (3, 6), but row 0 holds numbers of tokens 0 and 1."),
        ("three", chosen(*BOTH[3], x=(0, 0)),
         "Token 0 ('the'): 00 01 02 03 04 05 in head 0 at positions 0 and 1; merged: all in row 0",
         "Two bugs undo each other: neither the shapes nor comparing merged with x reveals them. But head 1 has "
         "token 1 at position 0, and attention would take it for token 0."),
    ],
    fits={"four": NARROW},
    roomy=[(which, {"split": split, "heads": H}) for which, H in (("three", "2"), ("four", "3"), ("four", "12"))
           for split in SPLITS],
    grid="x",
    marks=[
        ("td.abh-followed", "td.abh-square:not(.abh-followed)"),
        (".abh-swatch.abh-token-line", ".abh-swatch.abh-token-mark"),
    ],
)  # fmt: skip


def test_every_table_can_be_clicked(opened):
    view = opened.view()
    for table, i, j in [("cut, token 2", 1, 0), ("head 1", 0, 2), ("merged", 2, 1)]:
        view.square(table, i, j).click()
        view.settle()
        n = int(view.square(table, i, j).text_content())
        assert view.kinds("x", "abh-ringed") == [divmod(n, 10)] and view.kinds(table, "abh-ringed") == [(i, j)]


def test_each_token_has_a_color_of_its_own(opened):
    view = opened.view("four")

    def color(table, t):
        return view.square(table, t, 3).evaluate("cell => getComputedStyle(cell).backgroundColor")

    view.put({"x": (0, 0)})
    before = [color("x", t) for t in range(4)]
    assert len(set(before)) == 4
    view.put({"x": (2, 0)})
    after = [color("x", t) for t in range(4)]
    assert [a == b for a, b in zip(before, after, strict=True)] == [False, True, False, True]  # strong and pale
    assert len(set(after)) == 4 and color("merged", 2) == after[2]


def test_steps_are_in_a_row_or_below_each_other_if_there_is_no_room(opened):
    for width, arrow, edge in ((848 + 16, "→", "y"), (NARROW, "↓", "x")):  # 848 is left next to a contents panel
        opened.page.resize(width)
        steps = opened.view().root.locator(".abh-step")
        arrows = steps.evaluate_all("steps => steps.map(step => getComputedStyle(step, '::after').content)")
        assert arrows == [*[f'"{arrow}"'] * 3, "none"]
        assert len({step.bounding_box()[edge] for step in steps.all()}) == 1
    opened.page.resize(*SIZE)
