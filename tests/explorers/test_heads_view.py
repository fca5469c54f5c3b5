"""The heads explorer in a browser: every number that it shows, compared with PyTorch's."""

import itertools

import pytest
import torch

import explorers
from helpers.heads import split_heads
from tests.explorers.browser import NARROW, SIZE
from tests.explorers.test_heads import four, three
from tests.explorers.view import View, in_both_themes

pytestmark = pytest.mark.browser

SIZES = {"three": (three, 6, 2), "four": (four, 12, 3), "two": (["a", "b"], 5, 5)}
WITH_HEADS = [("three", (1, 2, 3, 6)), ("four", (1, 2, 3, 4, 6, 12)), ("two", (1, 5))]
SPLITS, MERGES = ["view, then transpose", "view alone (bug)"], ["transpose, then reshape", "reshape alone (bug)"]
BOTH = list(itertools.product(SPLITS, MERGES))


def steps(T, C, H, split, merge):
    """cut, split and merged, made by the code that is view."""
    D = C // H
    x = torch.arange(T)[:, None] * (10 if C <= 10 else 100) + torch.arange(C)
    cut = x.view(T, H, D) if split == SPLITS[0] else x.view(H, T, D)
    split = cut.transpose(0, 1) if split == SPLITS[0] else cut
    merged = split.transpose(0, 1).reshape(T, C) if merge == MERGES[0] else split.reshape(T, C)
    return x, cut, split, merged


def as_written(values, C):
    return [[f"{n:0{2 if C <= 10 else 3}d}" for n in row] for row in values.flatten(1).tolist()]


def index_of(values, n):
    return (values == n).nonzero()[0].tolist()


def code(view):
    """What is typed at each step, and where the ringed number is."""
    return view.output.locator(".abh-step code").all_text_contents()


def shapes(view):
    return view.output.locator(".abh-step .abh-shape").all_inner_texts()


# ---------------------------------------------------------------- the browser


@pytest.fixture(scope="module")
def page(open_page):
    return open_page({name: explorers.heads(*sizes) for name, sizes in SIZES.items()})


def opened(page, which, split=SPLITS[0], merge=MERGES[0], heads=None):
    view = View(page, which)
    for name in (split, merge, str(heads or SIZES[which][2])):
        view.choose(name)
    return view


def test_controls_and_tables_have_names_and_roles(page):
    view = View(page, "three")
    assert view.output.get_by_role("grid", name="x", exact=True).is_visible()
    assert [table.get_attribute("aria-label") for table in view.output.get_by_role("table").all()] == [
        "cut, token 0",
        "cut, token 1",
        "cut, token 2",
        "head 0",
        "head 1",
        "merged",
    ]
    assert [legend.inner_text() for legend in view.output.locator("fieldset legend").all()] == [
        "split",
        "merge",
        "heads",
    ]
    assert [
        view.output.get_by_role("radio", name=name, exact=True).is_checked()
        for name in (*SPLITS, *MERGES, "1", "2", "3", "6")
    ] == [True, False, True, False, False, True, False, False]
    assert view.output.get_by_text("token 2: sleeps").is_visible()
    assert view.said() == (
        "Token 1 ('cat'): 10 11 12 in head 0, 13 14 15 in head 1, each at position 1; merged: all in row 1"
    )
    assert view.explained() == "Right: in every head, position 1 holds token 1 alone, and merging returns x."


@pytest.mark.parametrize("which, H", [(which, H) for which, counts in WITH_HEADS for H in counts])
def test_every_split_with_every_merge(page, which, H):
    words, C, _ = SIZES[which]
    T, view = len(words), opened(page, which, heads=H)
    for split, merge in BOTH:
        view.choose(split)
        view.choose(merge)
        x, cut, heads, merged = steps(T, C, H, split, merge)
        expected = {"x": x, "merged": merged, **{f"head {n}": part for n, part in enumerate(heads)}}
        if split == SPLITS[0]:
            expected |= {f"cut, token {n}": part for n, part in enumerate(cut)}
        assert view.tables() == {name: as_written(part, C) for name, part in expected.items()}
        assert shapes(view) == [
            f"(T, C) = {tuple(x.shape)}",
            *([f"(T, H, D) = {tuple(cut.shape)}"] if split == SPLITS[0] else []),
            f"(H, T, D) = {tuple(heads.shape)}",
            f"(T, C) = {tuple(merged.shape)}",
        ]
        assert f"torch.equal(merged, x): {torch.equal(merged, x)}" in code(view)
        right = torch.equal(heads, split_heads(x, H)), torch.equal(merged, x)
        beginning = {
            (True, True): "Right",
            (False, False): "Wrong split",
            (True, False): "Wrong merge",
            (False, True): "Two bugs undo each other",
        }[right]
        assert view.explained().startswith(beginning)
        assert ("in spite of the bug" in view.explained()) == (H == 1 and (split, merge) != BOTH[0])


def test_the_code_that_is_shown_makes_what_is_shown(page):
    view, (T, H, D, C) = View(page, "four"), (4, 3, 4, 12)
    for split, merge in BOTH:
        view.choose(split)
        view.choose(merge)
        made = {"T": T, "H": H, "D": D, "C": C, "x": steps(T, C, H, split, merge)[0]}
        typed = [line for line in code(view) if " = " in line]
        exec("\n".join(typed), made)
        names = [line.split(" = ")[0] for line in typed]
        assert names == (["cut", "split", "merged"] if split == SPLITS[0] else ["split", "merged"])
        for name, expected in zip(("cut", "split", "merged"), steps(T, C, H, split, merge)[1:], strict=True):
            assert name not in names or torch.equal(made[name], expected)


@pytest.mark.parametrize("split, merge", BOTH)
def test_a_number_is_found_at_every_step(page, split, merge):
    view = opened(page, "three", split, merge)
    made = dict(zip(("x", "cut", "split", "merged"), steps(3, 6, 2, split, merge), strict=True))
    for t, c in [(0, 4), (2, 0), (1, 5)]:
        view.click_square("x", t, c)
        n = 10 * t + c
        shown = [name for name in made if name != "cut" or split == SPLITS[0]]
        places = {name: index_of(made[name], n) for name in shown}
        assert {f"{name}{place} is {n:02d}" for name, place in places.items()} <= set(code(view))
        head, position, d = places["split"]
        assert view.kinds(f"head {head}", "abh-ringed") == [(position, d)]
        assert view.kinds(f"head {1 - head}", "abh-ringed") == []
        assert view.kinds("merged", "abh-ringed") == [tuple(places["merged"])]
        if "cut" in places:
            part, i, j = places["cut"]
            assert view.kinds(f"cut, token {part}", "abh-ringed") == [(i, j)]
        followed = (made["merged"] // 10 == t).nonzero().tolist()
        assert view.kinds("merged", "abh-followed") == [tuple(place) for place in followed]
        assert view.said().startswith(f"Token {t} ('{three[t]}'): ")


@pytest.mark.parametrize("table, i, j", [("cut, token 2", 1, 0), ("head 1", 0, 2), ("merged", 2, 1)])
def test_every_table_can_be_clicked(page, table, i, j):
    view = opened(page, "three")
    view.click_square(table, i, j)
    n = int(view.square(table, i, j).text_content())
    assert view.kinds("x", "abh-ringed") == [divmod(n, 10)] and view.kinds(table, "abh-ringed") == [(i, j)]


@pytest.mark.parametrize(
    "split, merge, said, explained",
    [
        (
            "view alone (bug)",
            "transpose, then reshape",
            "Token 0 ('the'): 00 01 02 03 04 05 in head 0 at positions 0 and 1; merged: 00 01 02 in row 0, 03 04 05 "
            "in row 1",
            "Wrong split: the shape (2, 3, 3) is right, but 4 of 6 rows hold another token: head 1 has token 1 at "
            "position 0, "
            "and attention would take it for token 0.",
        ),
        (
            "view, then transpose",
            "reshape alone (bug)",
            "Token 0 ('the'): 00 01 02 in head 0, 03 04 05 in head 1, each at position 0; "
            "merged: 00 01 02 in row 0, 03 04 05 in row 1",
            "Wrong merge: the heads are right, and so is the shape (3, 6), but row 0 holds numbers of tokens 0 and 1.",
        ),
        (
            "view alone (bug)",
            "reshape alone (bug)",
            "Token 0 ('the'): 00 01 02 03 04 05 in head 0 at positions 0 and 1; merged: all in row 0",
            "Two bugs undo each other: neither the shapes nor comparing merged with x reveals them. But head 1 has "
            "token 1 "
            "at position 0, and attention would take it for token 0.",
        ),
    ],
)
def test_it_says_where_the_token_went_and_what_is_wrong(page, split, merge, said, explained):
    view = opened(page, "three", split, merge)
    view.click_square("x", 0, 0)
    assert (view.said(), view.explained()) == (said, explained)


@pytest.mark.parametrize("which, H", [("three", 2), ("three", 6), ("four", 4), ("four", 12), ("two", 5)])
def test_the_misplaced_row_that_is_named_is_one(page, which, H):
    words, C, _ = SIZES[which]
    T, unit = len(words), 10 if C <= 10 else 100
    view = opened(page, which, SPLITS[1], heads=H)
    heads = steps(T, C, H, SPLITS[1], MERGES[0])[2] // unit  # the token of each number
    wrong = (heads != torch.arange(T)[:, None]).any(dim=-1)  # (H, T)
    for t in range(T):
        view.click_square("x", t, 0)
        head = int(wrong[:, t].nonzero()[0])
        assert (heads[head, t] == heads[head, t, 0]).all()
        assert (
            f"{int(wrong.sum())} of {H * T} rows hold another token: head {head} has token {heads[head, t, 0]} at "
            f"position {t}, and attention would take it for token {t}." in view.explained()
        )


def test_the_keyboard_alone_suffices(page):
    view = opened(page, "three")
    view.click_square("x", 1, 0)
    assert view.tab_stops() == ["view, then transpose", "transpose, then reshape", "2", "x"]
    view.square("x", 1, 0).focus()
    view.press("ArrowDown", "ArrowRight", "ArrowRight")
    assert view.kinds("merged", "abh-ringed") == [(2, 2)] and view.focused()
    view.press("End")
    assert "x[2, 5] is 25" in code(view)
    view.press("Control+Home")
    assert "x[0, 0] is 00" in code(view)
    for name, after in (SPLITS, MERGES, ["2", "3"]):
        view.output.get_by_role("radio", name=name, exact=True).focus()
        view.press("ArrowRight")
        assert view.output.get_by_role("radio", name=after, exact=True).is_checked() and view.focused()
    x, _, heads, merged = steps(3, 6, 3, SPLITS[1], MERGES[1])
    assert view.table("head 2") == as_written(heads[2], 6) and view.table("merged") == as_written(merged, 6)


def test_each_token_has_a_color_of_its_own(page):
    view = opened(page, "four")

    def color(table, t):
        return view.square(table, t, 3).evaluate("cell => getComputedStyle(cell).backgroundColor")

    view.click_square("x", 0, 0)
    before = [color("x", t) for t in range(4)]
    assert len(set(before)) == 4
    view.click_square("x", 2, 0)
    after = [color("x", t) for t in range(4)]
    assert [a == b for a, b in zip(before, after, strict=True)] == [False, True, False, True]  # strong and pale
    assert len(set(after)) == 4 and color("merged", 2) == after[2]


@pytest.mark.parametrize("which, H", [("three", 2), ("four", 3), ("four", 12)])
@pytest.mark.parametrize("split", SPLITS)
def test_it_fits_a_narrow_window(page, which, H, split):
    page.resize(NARROW)
    view = opened(page, which, split, heads=H)
    view.assert_inside()
    page.resize(*SIZE)


@pytest.mark.parametrize("split", SPLITS)
def test_all_steps_are_in_one_row_next_to_the_contents_panel(page, split):
    """At 1280 pixels, with JupyterLab's panel of contents open, an output is 848 pixels wide."""
    page.resize(848 + 16)
    view = opened(page, "three", split)
    boxes = [step.bounding_box() for step in view.output.locator(".abh-step").all()]
    view.assert_inside()
    page.resize(*SIZE)
    assert len({box["y"] for box in boxes}) == 1
    assert all(a["x"] + a["width"] + 30 < b["x"] for a, b in itertools.pairwise(boxes))  # an arrow between them


def test_where_there_is_no_room_the_steps_are_below_each_other_and_arrows_point_down(page):
    page.resize(NARROW)
    view = opened(page, "three")
    boxes = [step.bounding_box() for step in view.output.locator(".abh-step").all()]
    arrows = view.output.locator(".abh-step").evaluate_all(
        "steps => steps.map(step => getComputedStyle(step, '::after').content)"
    )
    page.resize(*SIZE)
    assert all(a["y"] + a["height"] < b["y"] for a, b in itertools.pairwise(boxes))
    assert arrows == ['"↓"', '"↓"', '"↓"', "none"]


def test_it_follows_the_theme(page, tmp_path):
    dark, light = in_both_themes(page, "three", tmp_path)
    assert dark[0] != light[0] and dark[1] != light[1]


def test_a_switch_leaves_the_tables_in_the_page(page):
    view = opened(page, "three")
    for name in (MERGES[1], MERGES[0], SPLITS[1], SPLITS[0]):
        added = view.nodes_added(lambda name=name: view.choose(name))
        assert 0 < added <= 5, name  # three lines of code and the breaks between them


@pytest.mark.parametrize("which, H", [("three", 2), ("four", 12)])
def test_a_repaint_is_little_work(page, which, H):
    view = opened(page, which, heads=H)
    view.click_square("x", 0, 0)
    view.follow(
        view.grid("x"),
        "keydown",
        lambda i: page.page.keyboard.press(
            "ArrowDown" if i % 6 == 5 else "ArrowRight" if i // 6 % 2 == 0 else "ArrowLeft"
        ),
    )
    view.output.get_by_role("radio", name=SPLITS[0], exact=True).focus()
    view.follow(view.root, "change", lambda i: page.page.keyboard.press("ArrowRight"))
