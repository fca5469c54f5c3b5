"""Tests for all explorers, in Python and on a bare page, with the data in the `ROW` of each of the other files.

The `assert_right` of a row's view reads the controls and compares the numbers, written or drawn, with PyTorch's, so
that it works after any setting and any key. axe-core checks all explorers in JupyterLab, where they also follow the
theme, and on the website (tests/website).
"""

import base64
import contextlib
import copy
import importlib
import re

import pytest
import torch

import explorers
from explorers.base import INVITATION
from tests.explorers.browser import NARROW, PAGE, PHONE, SIZE, ExplorerPage, traits
from tests.explorers.view import KINDS, Opened, View

ROWS = {name: importlib.import_module(f"tests.explorers.test_{name}").ROW for name in explorers.__all__}
BLANK = "<!doctype html><body></body>"
CONTROLS = "input, select, button, summary, td[tabindex]"

# A page outside Jupyter, with its own styles for all kinds of elements in an explorer.
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
SIZES = """nodes => nodes.map(node => {
  const { width, height } = (node.type === "checkbox" ? node.parentElement : node).getBoundingClientRect();
  return [node.outerHTML.slice(0, 80), width, height];
})"""
LOOK = """root => [root,
  ...root.querySelectorAll("label, legend, button, select, p, td, th, caption, summary, code, b")]
  .map(node => { const { color, fontSize, fontStyle, lineHeight, letterSpacing, marginTop, paddingTop, textAlign } =
    getComputedStyle(node);
    return [node.tagName, color, fontSize, fontStyle, lineHeight, letterSpacing, marginTop, paddingTop,
      textAlign]; })"""
LOOKS = """nodes => nodes.map(node => {
  const { fill, stroke, strokeDasharray, backgroundColor, outlineStyle } = getComputedStyle(node);
  return [fill, stroke, strokeDasharray, backgroundColor, outlineStyle].join();
})"""
BACK = """node => {
  const { backgroundColor, backgroundImage } = getComputedStyle(node);
  return backgroundColor + backgroundImage;
}"""
# A key that operates the focused element, depending on its kind.
KEYS = """() => {
  const node = document.activeElement;
  if (node.type === "checkbox") return ["Space"];
  if (node.matches("input[type=text], a")) return [];
  if (node.matches("select") && navigator.platform.startsWith("Mac")) return [];  // it would open the system's own menu
  if (node.matches("button, summary")) return ["Enter"];
  if (node.matches("select") && node.selectedIndex === node.options.length - 1) return ["ArrowUp"];
  if (node.type === "range" && node.value === node.max || node.matches("[role=listbox]")) return ["ArrowLeft"];
  if (node.matches("tr:last-child > [role=gridcell]")) return ["ArrowUp"];
  return node.type === "number" || node.matches("[role=grid], [role=gridcell], select")
    ? ["ArrowDown"] : ["ArrowRight"];
}"""


def rows_with(what):
    """Parametrize a test with the rows in which this field is set."""
    return pytest.mark.parametrize("opened", [name for name, row in ROWS.items() if getattr(row, what)], indirect=True)


@contextlib.contextmanager
def naming(*where):
    """Add to an error at which case and setting a check failed."""
    try:
        yield
    except Exception as error:
        raise AssertionError(f"at {where}: {error}") from error


@pytest.fixture(scope="module", params=ROWS)
def opened(chromium, request):
    """The page of one row for all its tests, closed before that of the next row opens."""
    row = ROWS[request.param]
    page = ExplorerPage(chromium, row.make_all())
    yield Opened(row, page)
    page.close()


FACES = {f"{name} {case}": (row, case) for name, row in ROWS.items() for case in (row.usual, *row.faces)}
NAMES = {name: f"{name} {row.usual}" for name, row in ROWS.items()}


# ---------------------------------------------------------------- in Python

each_explorer = pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)


def given(row):
    """A copy of the arguments of the usual case."""
    return copy.deepcopy(row.cases[row.usual])


@each_explorer
def test_numbers_of_every_kind_are_sent_as_they_are(row):
    for kind in row.kinds:
        arguments = list(given(row))
        place = next(n for n, each in enumerate(arguments) if isinstance(each, torch.Tensor))
        arguments[place] = KINDS[kind](arguments[place])
        numbers = torch.as_tensor(arguments[place]).detach().float().numpy().tobytes()
        sent = {"bytes": base64.b64encode(numbers).decode()}
        assert sent in traits(row.make(arguments)).values(), kind


@each_explorer
def test_the_smallest_and_the_largest_are_taken_and_no_picture_is_large(row):
    for taken in row.taken:
        svg = row.make(taken).still()["image/svg+xml"]
        assert len(svg) < 40_000 and "nan" not in svg


@each_explorer
def test_invalid_arguments_raise_one_clear_sentence(row):
    for error, message, arguments in row.refused:
        with pytest.raises(error, match=message) as caught:
            row.make(arguments)
        said = str(caught.value)
        assert "\n" not in said and said.count("; ") == 1 and len(said) < 200, said


@pytest.mark.slow
@each_explorer
def test_the_picture_is_the_same_in_every_run_and_when_arguments_change_later(row):
    arguments = given(row)
    one, other = row.make(arguments), row.make(given(row))
    expected = other.still(), traits(other)
    with torch.no_grad():
        for each in arguments:
            for part in each.parameters() if isinstance(each, torch.nn.Module) else [each]:
                if isinstance(part, torch.Tensor):
                    part.zero_()
    assert (one.still(), traits(one)) == expected
    words = expected[0]["text/plain"]
    assert words.endswith(INVITATION) and "0x" not in words


@each_explorer
def test_tensors_on_a_gpu_are_taken(gpu, row):
    moved = [x.cuda() if isinstance(x, (torch.Tensor, torch.nn.Module)) else x for x in given(row)]
    assert traits(row.make(moved)) == traits(row.make(given(row)))


# ---------------------------------------------------------------- display and controls


def test_it_opens_with_what_it_was_given(opened):
    for case, expected in opened.row.opens.items():
        found = opened.view(case).controls()
        assert {name: found.get(name) for name in expected} == expected, case


def test_at_every_setting_the_numbers_are_those_of_pytorch(opened):
    for case, settings in [*((case, {}) for case in opened.row.cases), *opened.row.settings]:
        with naming(case, settings):
            opened.view(case, settings).assert_right()


def test_it_says_what_the_numbers_mean(opened):
    for case, settings, said, explained in opened.row.says:
        view = opened.view(case, settings)
        assert (said and view.said(), explained and view.explained()) == (said, explained)


def test_the_keyboard_alone_reaches_and_operates_every_control(opened):
    for case, stops in opened.row.stops.items():
        view = opened.view(case)
        assert view.tab_stops() == stops
        view.to_the_start()
        for stop in stops:
            with naming(case, stop):
                view.put(opened.row.first.get(stop, {}))
                view.press("Tab")
                assert view.focused()
                before, keys = view.state(), view.page.evaluate(KEYS)
                view.press(*keys)
                assert (view.state() != before) == bool(keys), keys
                assert view.focused()
                view.assert_right()
                if view.page.evaluate("document.activeElement.matches('summary')"):
                    view.press("Enter")  # fold it again, or there would be more stops


@rows_with("grid")
def test_keys_lead_from_square_to_square(opened):
    view, name = opened.view(), opened.row.grid
    rows, columns = len(view.table(name)), len(view.table(name)[0])
    view.grid(name).locator("[tabindex='0']").focus()
    for key, place in [
        ("Control+Home", (0, 0)),
        ("ArrowDown", (1, 0)),
        ("ArrowRight", (1, 1)),
        ("End", (1, columns - 1)),
        ("Home", (1, 0)),
        ("ArrowUp", (0, 0)),
        ("ArrowLeft", (0, 0)),
        ("Control+End", (rows - 1, columns - 1)),
    ]:
        view.press(key)
        assert view.chosen(name) == place and view.focused(), key
    view.assert_right()


def test_what_can_be_pressed_is_large_enough_and_nothing_covers_it(opened):
    """WCAG 2.2 (2.5.8) requires 24 pixels; the label of a checkbox counts. Other tests click by script."""
    view = opened.view()
    view.unfold()
    controls = view.root.locator(CONTROLS)
    sizes = controls.evaluate_all(SIZES)
    assert sizes and [size for size in sizes if min(size[1:]) < 24] == []
    assert controls.evaluate_all(COVERED) == []


# ---------------------------------------------------------------- layout


def test_on_a_phone_it_fits_in_both_orientations_and_does_not_mention_clicks(chromium, opened):
    row = opened.row
    with contextlib.closing(ExplorerPage(chromium, row.make_all(), **PHONE)) as page:
        for case, settings in [*((case, {}) for case in row.cases), *row.roomy]:
            fits = row.fits.get(case, 320)
            page.resize(320)
            view = Opened(row, page).view(case, settings)
            for width in (320, NARROW, min(fits, 390)):
                page.resize(width)
                view.settle()
                view.assert_inside(may_scroll=width < fits)
        said = " ".join(page.page.locator(".abh-help").all_inner_texts())
    assert not re.search(r"\b([Cc]lick|[Pp]oint at)\b", said)


@rows_with("steady")
def test_nothing_jumps_from_setting_to_setting(opened):
    part, case, settings = opened.row.steady
    for width in (390, 848, SIZE[0]):
        opened.page.resize(width)
        view, places = opened.view(case), set()
        for each in settings:
            view.put(each)
            box, root = view.root.locator(part).first.bounding_box(), view.root.bounding_box()
            places.add((round(box["y"] - root["y"], 1), round(root["height"], 1)))
        assert len(places) == 1, width
    opened.page.resize(*SIZE)


# ---------------------------------------------------------------- other pages and high contrast


@pytest.fixture(scope="module")
def show(open_page):
    """show(page, **options) -> an ExplorerPage with every face of every explorer."""
    made = {face: row.make(row.cases[case]) for face, (row, case) in FACES.items()}
    return lambda page, **options: open_page(made, page=page, **options)


@pytest.fixture(scope="module")
def foreign(show):
    return show(FOREIGN)


def test_no_style_of_the_page_gets_in(foreign, show):
    plain = show(BLANK)
    for face in FACES:
        looks = []
        for page in (foreign, plain):
            view = View(page, face)
            view.unfold()
            looks.append(view.root.evaluate(LOOK))
        assert looks[0] == looks[1], face


def is_dark(page):
    def brightness(color):
        return sum(map(float, re.findall(r"[\d.]+", color)[:3]))

    ink, paper = map(brightness, View(page, next(iter(FACES))).colors())
    return ink > paper


def test_colors_follow_jupyters_theme_or_else_the_page_or_else_the_system(foreign, show):
    assert not is_dark(show(PAGE, dark=True))
    for system, says, dark in [
        ("dark", None, True),
        ("dark", "light", False),
        ("light", "dark", True),
        ("light", None, False),
    ]:
        foreign.page.emulate_media(color_scheme=system)
        foreign.page.evaluate(
            "says => document.documentElement.toggleAttribute('data-theme', !!says)"
            " && (document.documentElement.dataset.theme = says)",
            says,
        )
        assert is_dark(foreign) == dark, (system, says)


def test_the_drawing_follows_a_change_of_the_system(foreign):
    canvas = View(foreign, NAMES["attention"]).root.locator(".abh-stage canvas").nth(1)
    drawn = canvas.evaluate("canvas => canvas.toDataURL()")
    for scheme, is_as_before in (("dark", False), ("light", True)):
        foreign.page.emulate_media(color_scheme=scheme)
        foreign.page.wait_for_function(
            "([canvas, drawn, wanted]) => (canvas.toDataURL() === drawn) === wanted",
            arg=[canvas.element_handle(), drawn, is_as_before],
        )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_in_high_contrast_marks_differ_and_legends_keep_their_colors(show, scheme):
    """High contrast replaces the colors of a page by the reader's."""
    page = show(BLANK, dark=scheme == "dark", forced_colors="active")
    for name, row in ROWS.items():
        view = View(page, NAMES[name])
        for one, other in row.marks:
            backs = [view.root.locator(selector).first.evaluate(BACK) for selector in (one, other)]
            assert backs[0] != backs[1], (name, one, other)
        bars = view.root.locator(".abh-bar").all()
        assert ["gradient" in bar.evaluate(BACK) for bar in bars] == [True] * row.legends, name
        for settings, selector, ways in row.looks:
            view.put(settings)
            assert len(set(view.root.locator(selector).evaluate_all(LOOKS))) >= ways, (name, selector)
