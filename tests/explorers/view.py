"""Page objects of the explorers: what they say and show, and how to operate their controls."""

from dataclasses import dataclass, field

import torch

from tests.explorers.browser import SETTLED

PARTS = "table, fieldset, label, input, button, output, section, canvas, svg, svg text, code, p, a, .abh-legend"

PRESS = f"""node => {{
  if (node.matches(":disabled") || !node.checkVisibility()) throw new Error("it cannot be pressed");
  node.click();
  return {SETTLED};
}}"""


# Converts pixels to numbers by the outermost ticks of both axes; a tick label on the left is 4 pixels below its line.
PLOTTED = """(chart, parts) => {
  const scale = (kind, at, shift) => {
    const ticks = [...chart.querySelectorAll(`text.${kind}`)].filter(({ textContent }) => Number.isFinite(+textContent))
      .map((tick) => [+tick.textContent, tick.getAttribute(at) - shift]).sort(([a], [b]) => a - b);
    const [[low, from], [high, to]] = [ticks[0], ticks.at(-1)];
    return (pixel) => low + (pixel - from) / (to - from) * (high - low);
  };
  const [x, y] = [scale("abh-middle", "x", 0), scale("abh-end", "y", 4)];
  return [...chart.querySelectorAll(parts)].flatMap((node) => node.matches("circle")
    ? [[node.getAttribute("cx"), node.getAttribute("cy")]]
    : [...node.getAttribute("d").matchAll(/(-?[\\d.]+) (-?[\\d.]+)/g)].map(([, ...place]) => place))
    .map((place) => [x(+place[0]), y(+place[1])]);
}"""

# The controls of an explorer by their accessible names; radio buttons by the name of their group.
CONTROLS = """root => {
  const own = node => [...node.childNodes].filter(part => !part.matches?.("select, input"))
    .map(part => part.textContent);
  const found = new Map();
  for (const node of root.querySelectorAll("input, select")) {
    if (!node.checkVisibility()) continue;
    const group = node.type === "radio" && node.closest("fieldset").querySelector("legend").textContent;
    const name = group || node.ariaLabel || own(node.labels[0]).join("").trim();
    const kind = node.type === "number" ? `${name} (field)` : name;
    found.set(kind, [...(found.get(kind) ?? []), node]);
  }
  return found;
}"""
VALUES = f"""root => Object.fromEntries([...({CONTROLS})(root)].map(([name, nodes]) => [name,
  nodes[0].type === "radio" ? nodes.find(node => node.checked)?.labels[0].textContent ?? ""
  : nodes[0].type === "checkbox" ? nodes[0].checked
  : nodes[0].ariaValueText ?? nodes[0].value]))"""
PUT = f"""(root, [name, value]) => {{
  const nodes = ({CONTROLS})(root).get(name);
  if (!nodes) throw new Error(`no control ${{name}}: ${{[...({CONTROLS})(root).keys()]}}`);
  const [node] = nodes;
  const input = at => {{ node.value = at; node.dispatchEvent(new InputEvent("input", {{ bubbles: true }})); }};
  if (node.type === "radio") {{
    const named = each => each.labels[0].textContent;
    (nodes.find(each => named(each) === value) ?? nodes.find(each => named(each).startsWith(value))).click();
  }}
  else if (node.type === "checkbox") {{ if (node.checked !== value) node.click(); }}
  else if (node.matches("select")) {{
    node.value = value;
    node.dispatchEvent(new Event("change", {{ bubbles: true }}));
  }} else if (typeof value === "number" || node.type === "text") input(value);
  else {{
    for (let at = +node.min; at <= +node.max; at += +node.step || 1) {{
      input(at);
      if (node.ariaValueText === value) return;
    }}
    throw new Error(`${{name}} never says ${{value}}`);
  }}
}}"""


INSIDE = """(nodes, mayScroll) => nodes.map(node => {
  const scrolls = each => /auto|scroll/.test(getComputedStyle(each).overflowX);
  for (let around = node.parentElement; mayScroll && around.closest(".abh"); around = around.parentElement)
    if (scrolls(around)) node = around;
  return [node.getBoundingClientRect().right, node.outerHTML.slice(0, 200)];
})"""


def drawn(*shape, seed=1):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def as_written(values):
    """The numbers of a tensor as the squares of a table show them."""
    return [["NaN" if number != number else f"{number:.2f}" for number in row] for row in values.tolist()]


KINDS = {  # {kind of numbers: how a tensor becomes one}
    "with gradients": lambda x: x.clone().requires_grad_(),
    "float64": torch.Tensor.double,
    "float16": torch.Tensor.half,
    "lists": torch.Tensor.tolist,
    "not contiguous": lambda x: torch.stack([x, x], dim=-1)[..., 0],
    "whole numbers": lambda x: (10 * x).int(),
}


@dataclass
class Row:
    """The data about one explorer for test_every_explorer.py; a case is a key of `cases`.

    Arguments are a tuple, or a dictionary of keyword arguments.
    """

    function: object
    view: type  # its subclass of View, whose assert_right() compares what it shows with PyTorch, at any setting
    cases: dict  # {case: arguments}; the first is the usual one
    refused: list  # [(error, message, arguments)]
    opens: dict  # {case: initial values of some controls}
    stops: dict  # {case: tab stops, in order}
    settings: list  # [(case, settings)] at which the numbers are compared
    taken: list = ()  # [arguments], the smallest and the largest
    kinds: list = ()  # the KINDS of numbers that it takes
    says: list = ()  # [(case, settings, the sentence in bold, the line below)]; None is not compared
    first: dict = field(default_factory=dict)  # {stop: settings without which its key would do nothing}
    roomy: list = ()  # [(case, settings)] that need the most room
    steady: tuple = ()  # (selector of a part, case, [settings]) between which the part must not move
    faces: tuple = ()  # cases that consist of other parts than the usual one
    marks: list = ()  # [(selector, selector)] that look different in high contrast
    looks: list = ()  # [(settings, selector, how many different looks these have at least in high contrast)]
    legends: int = 0  # number of color scales
    grid: str = ""  # the table that the arrow keys move through
    fits: dict = field(default_factory=dict)  # {case: the narrowest window without scrolling, if not 320}

    def __post_init__(self):
        self.usual = next(iter(self.cases))

    def make(self, arguments):
        return self.function(**arguments) if isinstance(arguments, dict) else self.function(*arguments)

    def make_all(self):
        return {case: self.make(arguments) for case, arguments in self.cases.items()}


class Opened:
    """The page with the cases of a row."""

    def __init__(self, row, page):
        self.row, self.page = row, page

    def view(self, case=None, settings=None):
        """Reopen a case, and return its View after applying the settings."""
        case = case or self.row.usual
        self.page.reopen(case)
        view = self.row.view(self.page, case)
        view.put(settings or {})
        return view


class View:
    """One explorer of an ExplorerPage, by its name, or of a LabPage, by the number of its cell.

    Controls and tables are found by their accessible names.
    """

    def __init__(self, opened, which):
        self.opened, self.page, self.which, self.output = opened, opened.page, which, opened.output(which)
        self.root = self.output.locator(".abh")
        self.root.wait_for()
        self.settle()

    def settle(self):
        """Wait until the page is painted."""
        self.page.evaluate(f"() => {SETTLED}")

    # ---- texts and display

    def said(self):
        """The sentence in bold."""
        return self._spoken(0)

    def explained(self):
        """The line below it."""
        return self._spoken(1)

    def _spoken(self, line):
        return self.output.get_by_role("status").evaluate("(node, line) => node.children[line].textContent", line)

    def table(self, name, cells="td.abh-square"):
        """The texts of a table's squares, or of other cells, row by row."""
        rows = self.grid(name).locator("tbody tr")
        return rows.evaluate_all(
            "(rows, cells) => rows.map(row => [...row.querySelectorAll(cells)].map(cell => cell.textContent))", cells
        )

    def after(self, name):
        """The texts of the columns after the squares."""
        return self.table(name, "td.abh-after")

    def listings(self):
        """The tables in "Read as a table": [[caption, rows]]."""
        return self.output.locator(".abh-reading table").evaluate_all(
            "tables => tables.map(({ caption, tBodies }) => [caption.textContent,"
            " [...tBodies[0].rows].map(row => [...row.cells].map(cell => cell.textContent))])"
        )

    def grid(self, name):
        return self.output.locator(f"table[aria-label={name!r}]")

    def square(self, name, i, j):
        return self.grid(name).locator("tbody tr").nth(i).locator(".abh-square").nth(j)

    def kinds(self, name, kind):
        """The squares of a table with this class: [(row, column)]."""
        found = (
            self.grid(name)
            .locator("tbody tr")
            .evaluate_all(
                "(rows, kind) => rows.map(row => [...row.querySelectorAll('.abh-square')]"
                ".map(cell => cell.classList.contains(kind)))",
                kind,
            )
        )
        return [(i, j) for i, row in enumerate(found) for j, marked in enumerate(row) if marked]

    def charts(self):
        """The charts' texts for screen readers."""
        return [chart.get_attribute("aria-label") for chart in self.output.locator("svg.abh-chart").all()]

    def plotted(self, parts, n=0):
        """The points of curves or dots in the n-th chart, in the numbers of its axes: [[x, y]]."""
        return self.output.locator("svg.abh-chart").nth(n).evaluate(PLOTTED, parts)

    # ---- controls

    def controls(self):
        """{name of a control or of a group of radio buttons: its value, in words}."""
        return self.root.evaluate(VALUES)

    def put(self, settings):
        """Set controls to values as `controls` gives them; a slider also takes a number.

        None presses the button of this name, and a pair of numbers chooses a square in the table of this name.
        """
        for name, value in settings.items():
            if value is None:
                self.click(name)
            elif isinstance(value, tuple):
                self._press(self.square(name, *value))
            else:
                self.root.evaluate(PUT, [name, value])
        self.settle()

    def chosen(self, name):
        """The square of a table that is chosen: (row, column)."""
        return tuple(
            self.grid(name).evaluate("""grid => {
              const cell = grid.querySelector(".abh-square[aria-selected=true]");
              return [cell.parentNode.sectionRowIndex, [...cell.parentNode.cells].indexOf(cell) - 1];
            }""")
        )

    def slider(self, name):
        return self.output.get_by_role("slider", name=name)

    def choose(self, name):
        """Choose a radio button."""
        self._press(self.output.get_by_role("radio", name=name, exact=True))

    def click(self, name):
        self._press(self.output.get_by_role("button", name=name, exact=True))

    def _press(self, control):
        """Click by script, not with the mouse; test_every_explorer.py checks that nothing covers a control."""
        control.evaluate(PRESS)

    def unfold(self):
        """Open everything that is folded, such as "Read as a table"."""
        self.root.evaluate("root => root.querySelectorAll('details').forEach(details => { details.open = true; })")
        self.settle()

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)
        self.settle()

    def tab_stops(self):
        """The names of the explorer's tab stops, in order."""
        self.to_the_start()
        stops = []
        for _ in range(30):
            self.page.keyboard.press("Tab")
            if not self.root.evaluate("root => root.contains(document.activeElement)"):
                return stops
            stops.append(
                self.page.evaluate("""() => {
                const node = document.activeElement;
                const words = [...(node.labels?.[0] ?? node).childNodes].filter(part => part.nodeName !== "SELECT");
                return (node.closest("[role=grid]") ?? node).ariaLabel || words.map(part => part.textContent).join("");
            }""")
            )
        raise AssertionError(f"the tab key does not leave the explorer: {stops}")

    def to_the_start(self):
        """Put the focus in front of the first tab stop."""
        self.root.evaluate("root => { root.tabIndex = -1; root.focus(); root.removeAttribute('tabindex'); }")

    def state(self):
        """Everything that an action can change: words, values, what is unfolded, and what is drawn."""
        return self.root.evaluate("""root => [root.innerText, ...[...root.querySelectorAll("input, select, details,"
          + "[aria-selected], [aria-activedescendant], svg, canvas")].map(node => [node.value, node.checked, node.open,
          node.ariaSelected, node.getAttribute("aria-activedescendant"), node.toDataURL?.().length,
          node.matches("svg") && node.innerHTML])]""")

    def focused(self):
        """Whether the focus is visible."""
        return self.page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle") == "solid"

    def colors(self):
        """The colors of text and background."""
        return self.root.evaluate(
            "node => { const look = getComputedStyle(node); return [look.color, look.backgroundColor]; }"
        )

    def assert_inside(self, may_scroll=False):
        """Assert that nothing extends beyond the right edge; with `may_scroll`, contents of scrolling parts may."""
        edge = self.output.evaluate("node => node.getBoundingClientRect().right")
        found = self.root.locator(PARTS).evaluate_all(INSIDE, may_scroll)
        assert found
        assert [part for right, part in found if right > edge + 1] == []
