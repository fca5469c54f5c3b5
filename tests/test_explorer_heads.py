"""The heads explorer: what it refuses, and every number it shows beside the same number from PyTorch."""

import itertools

import pytest
import torch

import explorers
from explorers.base import INVITATION
from helpers.heads import split_heads
from tests.shown import Shown, in_both_themes

pytest_plugins = ["tests.browser"]

three, four = ["the", "cat", "sleeps"], ["Your", "journey", "starts", "with"]
SIZES = {1: (three, 6, 2), 2: (four, 12, 3), 3: (["a", "b"], 5, 5)}  # of the cells
CELLS = ["import explorers", *(f"explorers.heads{sizes}" for sizes in SIZES.values())]
WITH_HEADS = [(1, (1, 2, 3, 6)), (2, (1, 2, 3, 4, 6, 12)), (3, (1, 5))]
SPLITS, MERGES = ["view, then transpose", "view alone (bug)"], ["transpose, then reshape", "reshape alone (bug)"]
BOTH = list(itertools.product(SPLITS, MERGES))


# ---------------------------------------------------------------- Python

def test_words_and_sizes_are_sent():
    view = explorers.heads(tuple(three), 6, 2)
    assert (view.tokens, view.d_model, view.num_heads) == (three, 6, 2)


@pytest.mark.parametrize("error, message, arguments", [
    (TypeError, "one string 'the cat'; split it", ("the cat", 4, 2)),
    (TypeError, "list of words, got int; pass one string", (3, 4, 2)),
    (TypeError, "strings, got int at place 0; turn ids", ([1, 2], 4, 2)),
    (ValueError, "tokens must be 2 to 4 words, got 0; choose a few", ([], 4, 2)),
    (ValueError, "tokens must be 2 to 4 words, got 1; choose a few", (["the"], 4, 2)),
    (ValueError, "tokens must be 2 to 4 words, got 5; choose a few", (["a"] * 5, 4, 2)),
    (TypeError, "d_model must be a whole number, got 4.0; pass an int", (three, 4.0, 2)),
    (TypeError, "d_model must be a whole number, got None; pass an int", (three, None, 2)),
    (TypeError, "num_heads must be a whole number, got True; pass an int", (three, 4, True)),
    (TypeError, "num_heads must be a whole number, got '2'; pass an int", (three, 4, "2")),
    (ValueError, "d_model must be 2 to 12, got 384; choose a few", (three, 384, 12)),
    (ValueError, "d_model must be 2 to 12, got 1; choose a few", (three, 1, 1)),
    (ValueError, "num_heads must be 1 to 4, got 0; each head needs a feature", (three, 4, 0)),
    (ValueError, "num_heads must be 1 to 4, got 8; each head needs a feature", (three, 4, 8)),
    (ValueError, "must divide d_model, got 3 heads for d_model = 4; a number near it that does is 2", (three, 4, 3)),
])
def test_what_cannot_be_shown_is_refused_in_one_sentence(error, message, arguments):
    with pytest.raises(error, match=message) as caught:
        explorers.heads(*arguments)
    assert "\n" not in str(caught.value) and "; " in str(caught.value)


def test_the_picture_is_that_of_the_opening_view():
    still = explorers.heads(three, 6, 2).still()
    assert still == explorers.heads(three, 6, 2).still()
    words = still["text/plain"]
    assert words.endswith(INVITATION) and "head 1: position 0: 03 04 05; position 1: 13 14 15;" in words
    assert "merged: position 0: 00 01 02 03 04 05; position 1: 10 11" in words


def test_no_two_numbers_of_a_picture_have_the_same_name():
    x = explorers.heads(four, 12, 3).picture().alt.split("head 0")[0]
    names = [name for name in x.replace(";", "").replace(".", "").split() if len(name) == 3 and name.isdigit()]
    assert len(set(names)) == len(names) == 48 and {"000", "011", "111", "311"} <= set(names)


# ---------------------------------------------------------------- the same with PyTorch

def steps(T, C, H, split, merge):
    """cut, split and merged, made by the code that is shown."""
    D = C // H
    x = torch.arange(T)[:, None] * (10 if C <= 10 else 100) + torch.arange(C)
    cut = x.view(T, H, D) if split == SPLITS[0] else x.view(H, T, D)
    split = cut.transpose(0, 1) if split == SPLITS[0] else cut
    merged = split.transpose(0, 1).reshape(T, C) if merge == MERGES[0] else split.reshape(T, C)
    return x, cut, split, merged


def as_written(values, C):
    return [[f"{n:0{2 if C <= 10 else 3}d}" for n in row] for row in values.flatten(1).tolist()]


def slices(shown, name, count):
    return [shown.table(f"{name} {n}") for n in range(count)]


def index_of(values, n):
    return (values == n).nonzero()[0].tolist()


def code(shown):
    """What is typed at each step, and where the ringed number is."""
    return shown.output.locator(".abh-step code").all_inner_texts()


def shapes(shown):
    return [text.splitlines()[1] for text in shown.output.locator(".abh-step p:first-child").all_inner_texts()]


# ---------------------------------------------------------------- the browser

@pytest.fixture(scope="module")
def notebook(open_notebook):
    page = open_notebook(CELLS, name="heads")
    page.run_all()
    return page


def opened(notebook, cell, split=SPLITS[0], merge=MERGES[0], heads=None):
    shown = Shown(notebook, cell)
    for name in (split, merge, str(heads or SIZES[cell][2])):
        shown.choose(name)
    return shown


def test_it_appears_with_names_and_roles(notebook):
    shown = Shown(notebook, 1)
    assert shown.output.get_by_role("grid", name="x", exact=True).is_visible()
    assert [table.get_attribute("aria-label") for table in shown.output.get_by_role("table").all()] == \
        ["cut, token 0", "cut, token 1", "cut, token 2", "head 0", "head 1", "merged"]
    assert [legend.inner_text() for legend in shown.output.locator("fieldset legend").all()] == \
        ["split", "merge", "heads"]
    assert [shown.output.get_by_role("radio", name=name, exact=True).is_checked() for name in
            (*SPLITS, *MERGES, "1", "2", "3", "6")] == [True, False, True, False, False, True, False, False]
    assert shown.output.get_by_text("token 2: sleeps").is_visible()
    assert shown.said() == ("Token 1 ('cat'): 10 11 12 in head 0, 13 14 15 in head 1, each at position 1; "
                            "merged: all in row 1")
    assert shown.explained() == "Right: in every head, position 1 holds token 1 alone, and merging gives x back."


@pytest.mark.parametrize("cell, H", [(cell, H) for cell, counts in WITH_HEADS for H in counts])
def test_every_split_with_every_merge(notebook, cell, H):
    words, C, _ = SIZES[cell]
    T, shown = len(words), opened(notebook, cell, heads=H)
    for split, merge in BOTH:
        shown.choose(split)
        shown.choose(merge)
        x, cut, heads, merged = steps(T, C, H, split, merge)
        first, axes = ("cut, token", "T, H, D") if split == SPLITS[0] else ("cut, head", "H, T, D")
        assert shown.table("x") == as_written(x, C) and shown.table("merged") == as_written(merged, C)
        assert slices(shown, first, len(cut)) == [as_written(part, C) for part in cut]
        assert slices(shown, "head", H) == [as_written(part, C) for part in heads]
        assert shapes(shown) == [f"(T, C) = {tuple(x.shape)}", f"({axes}) = {tuple(cut.shape)}",
                                 f"(H, T, D) = {tuple(heads.shape)}", f"(T, C) = {tuple(merged.shape)}"]
        assert f"torch.equal(merged, x): {torch.equal(merged, x)}" in code(shown)
        right = torch.equal(heads, split_heads(x, H)), torch.equal(merged, x)
        beginning = {(True, True): "Right", (False, False): "Wrong split", (True, False): "Wrong merge",
                     (False, True): "Two bugs undo each other"}[right]
        assert shown.explained().startswith(beginning)
        assert ("in spite of the bug" in shown.explained()) == (H == 1 and (split, merge) != BOTH[0])


def test_the_code_that_is_shown_makes_what_is_shown(notebook):
    shown, (T, H, D, C) = Shown(notebook, 2), (4, 3, 4, 12)
    for split, merge in BOTH:
        shown.choose(split)
        shown.choose(merge)
        made = {"T": T, "H": H, "D": D, "C": C, "x": steps(T, C, H, split, merge)[0]}
        typed = [line for line in code(shown) if " = " in line]
        exec("\n".join(typed), made)
        assert len(typed) == 3
        for name, expected in zip(("cut", "split", "merged"), steps(T, C, H, split, merge)[1:], strict=True):
            assert torch.equal(made[name], expected)


@pytest.mark.parametrize("split, merge", BOTH)
def test_a_number_is_found_at_every_step(notebook, split, merge):
    shown = opened(notebook, 1, split, merge)
    made = dict(zip(("x", "cut", "split", "merged"), steps(3, 6, 2, split, merge), strict=True))
    for t, c in [(0, 4), (2, 0), (1, 5)]:
        shown.square("x", t, c).click()
        shown.settle()
        n = 10 * t + c
        places = {name: index_of(values, n) for name, values in made.items()}
        assert {f"{name}{place} is {n:02d}" for name, place in places.items()} <= set(code(shown))
        head, position, d = places["split"]
        assert shown.kinds(f"head {head}", "abh-ringed") == [(position, d)]
        assert shown.kinds(f"head {1 - head}", "abh-ringed") == []
        assert shown.kinds("merged", "abh-ringed") == [tuple(places["merged"])]
        part, i, j = places["cut"]
        assert shown.kinds(f"cut, {'token' if split == SPLITS[0] else 'head'} {part}", "abh-ringed") == [(i, j)]
        followed = (made["merged"] // 10 == t).nonzero().tolist()
        assert shown.kinds("merged", "abh-followed") == [tuple(place) for place in followed]
        assert shown.said().startswith(f"Token {t} ('{three[t]}'): ")


@pytest.mark.parametrize("table, i, j", [("cut, token 2", 1, 0), ("head 1", 0, 2), ("merged", 2, 1)])
def test_every_table_can_be_clicked(notebook, table, i, j):
    shown = opened(notebook, 1)
    shown.square(table, i, j).click()
    shown.settle()
    n = int(shown.square(table, i, j).text_content())
    assert shown.kinds("x", "abh-ringed") == [divmod(n, 10)] and shown.kinds(table, "abh-ringed") == [(i, j)]


@pytest.mark.parametrize("split, merge, said, explained", [
    ("view alone (bug)", "transpose, then reshape",
     "Token 0 ('the'): 00 01 02 03 04 05 in head 0 at positions 0 and 1; merged: 00 01 02 in row 0, 03 04 05 in row 1",
     "Wrong split: the shape (2, 3, 3) is right, but 4 of 6 rows hold another token: head 1 has token 1 at position 0, "
     "and attention would take it for token 0."),
    ("view, then transpose", "reshape alone (bug)",
     "Token 0 ('the'): 00 01 02 in head 0, 03 04 05 in head 1, each at position 0; "
     "merged: 00 01 02 in row 0, 03 04 05 in row 1",
     "Wrong merge: the heads are right, and so is the shape (3, 6), but row 0 holds numbers of the tokens 0 and 1."),
    ("view alone (bug)", "reshape alone (bug)",
     "Token 0 ('the'): 00 01 02 03 04 05 in head 0 at positions 0 and 1; merged: all in row 0",
     "Two bugs undo each other: neither the shapes nor comparing merged with x can show them. But head 1 has token 1 "
     "at position 0, and attention would take it for token 0."),
])
def test_it_says_where_the_token_went_and_what_is_wrong(notebook, split, merge, said, explained):
    shown = opened(notebook, 1, split, merge)
    shown.square("x", 0, 0).click()
    shown.settle()
    assert (shown.said(), shown.explained()) == (said, explained)


@pytest.mark.parametrize("cell, H", [(1, 2), (1, 6), (2, 4), (2, 12), (3, 5)])
def test_the_stray_row_that_is_named_is_one(notebook, cell, H):
    words, C, _ = SIZES[cell]
    T, unit = len(words), 10 if C <= 10 else 100
    shown = opened(notebook, cell, SPLITS[1], heads=H)
    heads = steps(T, C, H, SPLITS[1], MERGES[0])[2] // unit  # the token of each number
    wrong = (heads != torch.arange(T)[:, None]).any(dim=-1)  # (H, T)
    for t in range(T):
        shown.square("x", t, 0).click()
        shown.settle()
        head = int(wrong[:, t].nonzero()[0])
        assert (heads[head, t] == heads[head, t, 0]).all()
        assert f"{int(wrong.sum())} of {H * T} rows hold another token: head {head} has token {heads[head, t, 0]} at " \
            f"position {t}, and attention would take it for token {t}." in shown.explained()


def test_the_keyboard_alone_suffices(notebook):
    shown = opened(notebook, 1)
    shown.square("x", 1, 0).click()
    assert shown.tab_stops() == ["view, then transpose", "transpose, then reshape", "2", "x"]
    shown.square("x", 1, 0).focus()
    shown.press("ArrowDown", "ArrowRight", "ArrowRight")
    assert shown.kinds("merged", "abh-ringed") == [(2, 2)] and shown.focused()
    shown.press("End")
    assert "x[2, 5] is 25" in code(shown)
    shown.press("Control+Home")
    assert "x[0, 0] is 00" in code(shown)
    for name, after in (SPLITS, MERGES, ["2", "3"]):
        shown.output.get_by_role("radio", name=name, exact=True).focus()
        shown.press("ArrowRight")
        assert shown.output.get_by_role("radio", name=after, exact=True).is_checked() and shown.focused()
    x, _, heads, merged = steps(3, 6, 3, SPLITS[1], MERGES[1])
    assert shown.table("head 2") == as_written(heads[2], 6) and shown.table("merged") == as_written(merged, 6)


def test_each_token_has_a_colour_of_its_own(notebook):
    shown = opened(notebook, 2)

    def colour(table, t):
        return shown.square(table, t, 3).evaluate("cell => getComputedStyle(cell).backgroundColor")

    shown.square("x", 0, 0).click()
    shown.settle()
    before = [colour("x", t) for t in range(4)]
    assert len(set(before)) == 4
    shown.square("x", 2, 0).click()
    shown.settle()
    after = [colour("x", t) for t in range(4)]
    assert [a == b for a, b in zip(before, after, strict=True)] == [False, True, False, True]  # strong and pale
    assert len(set(after)) == 4 and colour("merged", 2) == after[2]


@pytest.mark.parametrize("cell, H", [(1, 2), (2, 3), (2, 12)])
@pytest.mark.parametrize("split", SPLITS)
def test_it_fits_a_narrow_window(notebook, cell, H, split):
    notebook.page.set_viewport_size({"width": 760, "height": 900})
    shown = opened(notebook, cell, split, heads=H)
    shown.assert_inside()
    notebook.page.set_viewport_size({"width": 1280, "height": 900})


def test_it_follows_the_theme(notebook, tmp_path):
    dark, light = in_both_themes(notebook, 1, tmp_path)
    assert dark[0] != light[0] and dark[1] != light[1]


@pytest.mark.parametrize("cell, H", [(1, 2), (2, 12)])
def test_a_walk_is_followed_at_once(notebook, cell, H):
    shown = opened(notebook, cell, heads=H)
    shown.square("x", 0, 0).click()
    shown.follow(shown.grid("x"), "keydown", lambda i: notebook.page.keyboard.press(
        "ArrowDown" if i % 6 == 5 else "ArrowRight" if i // 6 % 2 == 0 else "ArrowLeft"))
    shown.output.get_by_role("radio", name=SPLITS[0], exact=True).focus()
    shown.follow(shown.root, "change", lambda i: notebook.page.keyboard.press("ArrowRight"))
