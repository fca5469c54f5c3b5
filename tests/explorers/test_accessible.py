"""All explorers on pages of every kind: targets, words, and colors and styles that are their own.

axe-core tries them in JupyterLab (test_in_jupyterlab.py) and on the website (tests/website).
"""

import io
import re

import pytest
import torch
from PIL import Image

import explorers
from tests.explorers.browser import PAGE, PHONE
from tests.explorers.test_attention import weights, words
from tests.explorers.test_masks import scores
from tests.explorers.test_next_token import IDS, WORDS, small
from tests.explorers.view import View

pytestmark = pytest.mark.browser

CAUSAL = torch.ones(6, 6).tril() == 1
LEAK = weights(6, 6) * CAUSAL
LEAK[1, 4] = 0.25
NUMBERS = torch.randn(9, 64, generator=torch.Generator().manual_seed(1))
TABLE = torch.randn(50, 32, generator=torch.Generator().manual_seed(1))  # some numbers beyond what colors show
EXPLORERS = {
    "attention": lambda: explorers.attention(words, torch.stack([LEAK, weights(6, 6)]), mask=CAUSAL),
    "cache": lambda: explorers.cache(),
    "dropout": lambda: explorers.dropout(words, weights(6, 6)),
    "heads": lambda: explorers.heads(["the", "cat", "sleeps", "well"], 8, 2),
    "long_texts": lambda: explorers.long_texts(),
    "masks": lambda: explorers.masks(words, scores(6), [False] + [True] * 5, mask="both"),
    "next_token": lambda: explorers.next_token(small(), WORDS, IDS),
    "positions": lambda: explorers.positions(TABLE),
    "rotation": lambda: explorers.rotation(NUMBERS[0], NUMBERS[1]),
    "scaling": lambda: explorers.scaling(NUMBERS, NUMBERS),
    "tiles": lambda: explorers.tiles(causal=True),
}
each_explorer = pytest.mark.parametrize("name", EXPLORERS)

# A page that is no part of Jupyter, with styles of its own for everything that an explorer is made of.
FOREIGN = """<!doctype html>
<style>
:root { color-scheme: light dark; }
body { background: Canvas; color: red; font: italic 22px/2.5 serif; letter-spacing: 2px; text-align: center; }
label, .content label { display: block; margin: 20px; color: red; font-weight: bold; }
legend { width: 100%; font-size: 24px; line-height: 3; }
button, select, input { margin: 20px; padding: 20px; color: red; background: lime; font-size: 30px; }
p, span, td, th, caption, table, summary, details, fieldset { margin: 15px; padding: 15px; color: red; }
code { color: red; background: yellow; font-size: 30px; }
</style>
<body class="content"></body>"""
COVERED = """nodes => nodes.filter(node => {
  node.scrollIntoView({ block: "center", inline: "center" });
  const { x, y, width, height } = node.getBoundingClientRect();
  const hit = document.elementFromPoint(x + width / 2, y + height / 2);
  return !node.disabled && !node.contains(hit) && hit?.closest("label")?.control !== node;
}).map(node => node.outerHTML.slice(0, 80))"""
LOOK = """root => [root,
  ...root.querySelectorAll("label, legend, button, select, p, td, th, caption, summary, code, b")]
  .map(node => { const { color, fontSize, fontStyle, lineHeight, letterSpacing, marginTop, paddingTop, textAlign } =
    getComputedStyle(node);
    return [node.tagName, color, fontSize, fontStyle, lineHeight, letterSpacing, marginTop, paddingTop,
      textAlign]; })"""


def all_explorers():
    return {name: make() for name, make in EXPLORERS.items()}


@pytest.fixture(scope="module")
def page(open_page):
    return open_page(all_explorers())


@pytest.fixture(scope="module")
def foreign(open_page):
    return open_page(all_explorers(), page=FOREIGN)


@pytest.fixture(scope="module")
def plain(open_page):
    return open_page(all_explorers(), page="<!doctype html><body></body>")


def opened(page, name):
    """An explorer with everything unfolded."""
    view = View(page, name)
    view.root.evaluate("root => root.querySelectorAll('details').forEach(details => { details.open = true; })")
    view.settle()
    return view


def test_every_explorer_is_here():
    assert set(EXPLORERS) == set(explorers.__all__)


@each_explorer
def test_what_can_be_pressed_is_large_enough(page, name):
    """24 pixels, as WCAG 2.2 asks (2.5.8). The label of a box to tick is part of its target."""
    view = opened(page, name)
    sizes = view.root.locator("input, select, button, summary, td[tabindex]").evaluate_all(
        "nodes => nodes.map(node => { const { width, height } ="
        " (node.type === 'checkbox' ? node.parentElement : node).getBoundingClientRect();"
        " return [node.outerHTML.slice(0, 80), width, height]; })"
    )
    assert sizes and [size for size in sizes if min(size[1:]) < 24] == []


@each_explorer
def test_nothing_covers_what_can_be_pressed(page, name):
    """The other tests press by script."""
    view = opened(page, name)
    covered = view.root.locator("input, select, button, summary, td[tabindex]").evaluate_all(COVERED)
    assert covered == []


@each_explorer
def test_no_style_of_the_page_gets_in(foreign, plain, name):
    assert opened(foreign, name).root.evaluate(LOOK) == opened(plain, name).root.evaluate(LOOK)


def brightness(color):
    return sum(map(float, re.findall(r"[\d.]+", color)[:3])) / 3


def ink_and_paper(page, name="attention"):
    look = View(page, name).root.evaluate(
        "root => { const { color, backgroundColor } = getComputedStyle(root); return [color, backgroundColor]; }"
    )
    return [brightness(color) for color in look]


@pytest.mark.parametrize(
    "system, says, dark",
    [
        ("light", None, False),
        ("dark", None, True),
        ("dark", "light", False),
        ("light", "dark", True),
    ],
)
def test_outside_jupyter_the_page_decides_and_else_the_system(foreign, system, says, dark):
    foreign.page.emulate_media(color_scheme=system)
    foreign.page.evaluate(
        "says => says ? document.documentElement.dataset.theme = says : delete document.documentElement.dataset.theme",
        says,
    )
    ink, paper = ink_and_paper(foreign)
    foreign.page.evaluate("delete document.documentElement.dataset.theme")
    foreign.page.emulate_media(color_scheme="light")
    assert (ink > paper) == dark


def test_in_jupyter_its_theme_decides_and_not_the_system(open_page):
    page = open_page({"attention": EXPLORERS["attention"]()}, page=PAGE, dark=True)
    ink, paper = ink_and_paper(page)
    assert ink < paper


def test_the_drawing_follows_a_change_of_the_system(foreign):
    canvas = View(foreign, "attention").root.locator(".abh-stage canvas").nth(1)
    drawn = canvas.evaluate("canvas => canvas.toDataURL()")
    for scheme, is_as_before in (("dark", False), ("light", True)):
        foreign.page.emulate_media(color_scheme=scheme)
        foreign.page.wait_for_function(
            "([canvas, drawn, wanted]) => (canvas.toDataURL() === drawn) === wanted",
            arg=[canvas.element_handle(), drawn, is_as_before],
        )


def test_the_thumb_is_below_the_mark_of_its_feature(page):
    view = View(page, "positions")
    slider = view.slider("feature")
    for feature in (0, 13, 31):
        slider.fill(str(feature))
        view.settle()
        strip, track = view.output.locator(".abh-strips canvas").bounding_box(), slider.bounding_box()
        thumb = track["x"] + 8 + feature / 31 * (track["width"] - 16)
        assert thumb == pytest.approx(strip["x"] + (feature + 0.5) * strip["width"] / 32, abs=0.6)
    assert view.output.get_by_text("The colors end at 3 times the root mean square").is_visible()


@each_explorer
def test_where_no_pointer_hovers_a_click_is_a_tap(open_page, name):
    view = opened(open_page({name: EXPLORERS[name]()}, **PHONE), name)
    said = " ".join(view.root.locator(".abh-help").all_inner_texts())
    assert not re.search(r"\b([Cc]lick|[Pp]oint at)\b", said)


# ---- high contrast, which replaces the colors of a page by the reader's


BACK = """node => {
  const { backgroundColor, backgroundImage } = getComputedStyle(node);
  return backgroundColor + backgroundImage;
}"""


@pytest.fixture(scope="module", params=["light", "dark"])
def contrast(open_page, request):
    page = open_page(all_explorers(), page="<!doctype html><body></body>")
    page.page.emulate_media(forced_colors="active", color_scheme=request.param)
    return page


@pytest.mark.parametrize(
    "name, one, other",
    [
        ("masks", "td.abh-hidden", "td.abh-square:not(.abh-hidden)"),
        ("masks", ".abh-swatch.abh-hatched", ".abh-swatch.abh-alarm"),
        ("dropout", "td.abh-hidden", "td.abh-square:not(.abh-hidden)"),
        ("cache", ".abh-length", ".abh-track"),
        ("cache", ".abh-here .abh-length", "tr:not(.abh-here) .abh-length"),
        ("long_texts", ".abh-here .abh-length", "tr:not(.abh-here) .abh-length"),
        ("long_texts", ".abh-swatch.abh-token-mark", ".abh-swatch.abh-token-line"),
        ("long_texts", ".abh-swatch.abh-reached", ".abh-swatch.abh-gone"),
        ("next_token", ".abh-length", ".abh-track"),
        ("next_token", ".abh-own", ".abh-track"),
        ("heads", "td.abh-followed", "td.abh-square:not(.abh-followed)"),
        ("heads", ".abh-swatch.abh-token-line", ".abh-swatch.abh-token-mark"),
        ("tiles", ".abh-swatch.abh-token-line", ".abh-swatch.abh-token-mark"),
        ("tiles", ".abh-swatch.abh-crossed", ".abh-swatch.abh-open"),
        ("tiles", ".abh-here td.abh-square", "tr:not(.abh-here) td.abh-square"),
    ],
)
def test_in_high_contrast_marks_differ_from_what_they_mark(contrast, name, one, other):
    root = View(contrast, name).root
    assert root.locator(one).first.evaluate(BACK) != root.locator(other).first.evaluate(BACK)


@pytest.mark.parametrize("name", ["masks", "dropout", "next_token", "positions"])
def test_in_high_contrast_legends_keep_their_colors(contrast, name):
    assert "gradient" in View(contrast, name).root.locator(".abh-bar").first.evaluate(BACK)


def test_in_high_contrast_the_words_of_a_text_keep_their_weights(contrast):
    chips = View(contrast, "next_token").root.locator(".abh-chip")
    assert len({chip.evaluate(BACK) for chip in chips.all()}) > 2


def test_in_high_contrast_the_slider_below_the_strips_is_seen(contrast):
    picture = View(contrast, "positions").slider("feature").screenshot()
    colors = Image.open(io.BytesIO(picture)).convert("RGB").getcolors(10_000)
    assert len([count for count, _ in colors if count > 20]) >= 3  # ground, track and thumb


def test_in_high_contrast_the_chosen_circle_and_the_two_arrows_are_told_apart(contrast):
    root = View(contrast, "rotation").root
    outlines = root.locator(".abh-dials label > span").evaluate_all(
        "nodes => nodes.map(node => getComputedStyle(node).outlineStyle)"
    )
    assert outlines == ["solid"] + ["none"] * 31
    query, key = (
        root.locator(f".abh-dial .abh-{which} line").first.evaluate(
            "node => { const { stroke, strokeDasharray } = getComputedStyle(node); return [stroke, strokeDasharray]; }"
        )
        for which in ("query", "key")
    )
    assert query[0] != key[0] and query[1] == "none" != key[1]


def test_in_high_contrast_the_tiles_that_are_read_are_told_apart(contrast):
    root = View(contrast, "tiles").root
    looks = [
        root.locator(f"svg path.abh-{kind}").evaluate(
            "node => { const { fill, stroke, strokeDasharray } = getComputedStyle(node);"
            " return fill + stroke + strokeDasharray; }"
        )
        for kind in ("elsewhere", "before", "now", "later", "skipped")
    ]
    assert len(set(looks)) == 5
