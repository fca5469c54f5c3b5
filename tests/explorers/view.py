"""An explorer as a reader experiences it: what it says, what can be pressed, how much it does to react."""

MOVES = 10
MOST = 1000  # changes of the page for one repaint; dropout with 9,000 draws needs 557

LISTEN = """(root, [node, kind]) => {
  window.changes = [];
  window.listening?.abort();  // what an earlier test listened to on this page
  window.listening = new AbortController();
  let changes = 0;
  const watch = new MutationObserver(records => { changes += records.length; });
  watch.observe(root, { attributes: true, characterData: true, childList: true, subtree: true });
  node.addEventListener(kind, () => requestAnimationFrame(() => {
    const done = new MessageChannel();  // its message comes after the frame is painted
    done.port1.onmessage = () => { window.changes.push(changes); changes = 0; };
    done.port2.postMessage(0);
  }), { signal: window.listening.signal });
}"""


SETTLED = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
PRESS = f"""node => {{
  if (node.matches(":disabled") || !node.checkVisibility()) throw new Error("it cannot be pressed");
  node.click();
  return {SETTLED};
}}"""


class View:
    """One explorer of an ExplorerPage, by its name, or of a LabPage, by the number of its cell.

    Controls and tables are found by the names that a screen reader reads out.
    """

    def __init__(self, opened, which):
        self.opened, self.page, self.output = opened, opened.page, opened.output(which)
        self.root = self.output.locator(".abh")
        self.root.wait_for()
        self.settle()

    def settle(self):
        """Wait until the page is painted."""
        self.page.evaluate(f"() => {SETTLED}")

    # ---- what it says and shows

    def said(self):
        """The sentence in bold."""
        return self._spoken(0)

    def explained(self):
        """The line below it."""
        return self._spoken(1)

    def _spoken(self, line):
        return self.output.get_by_role("status").evaluate("(node, line) => node.children[line].textContent", line)

    def table(self, name):
        """The squares of a table, row after row, as they are written."""
        return self._read(name, "td.abh-square")

    def tables(self):
        """The squares of all tables, as `table` gives them: {name: rows}."""
        return self.root.evaluate(
            "root => Object.fromEntries([...root.querySelectorAll('table[aria-label]')].map(table =>"
            " [table.ariaLabel, [...table.tBodies[0].rows].map(row =>"
            " [...row.querySelectorAll('td.abh-square')].map(cell => cell.textContent))]))"
        )

    def after(self, name):
        """The columns after the squares."""
        return self._read(name, "td.abh-after")

    def _read(self, name, cells):
        return (
            self.grid(name)
            .locator("tbody tr")
            .evaluate_all(
                "(rows, cells) => rows.map(row => [...row.querySelectorAll(cells)].map(cell => cell.textContent))",
                cells,
            )
        )

    def listings(self):
        """What "Read as a table" shows: [[caption, rows]]."""
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
        """What the charts say to a screen reader."""
        return [chart.get_attribute("aria-label") for chart in self.output.locator("svg.abh-chart").all()]

    # ---- what can be pressed

    def slider(self, name):
        return self.output.get_by_role("slider", name=name)

    def slide(self, name, value):
        self.slider(name).fill(str(value))
        self.settle()

    def choose(self, name):
        """One of the round buttons."""
        self._press(self.output.get_by_role("radio", name=name, exact=True))

    def tick(self, name, on):
        box = self.output.get_by_role("checkbox", name=name)
        if box.is_checked() != on:
            self._press(box)

    def click(self, name):
        self._press(self.output.get_by_role("button", name=name, exact=True))

    def read_as_a_table(self):
        self.output.get_by_text("Read as a table").click()
        self.settle()  # the list is made after the click

    def click_square(self, name, i, j):
        """With the mouse."""
        self.square(name, i, j).click()
        self.settle()

    def _press(self, control):
        """By script, not with the mouse: test_accessible.py shows that nothing covers a control."""
        control.evaluate(PRESS)

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)
        self.settle()

    def tab_stops(self):
        """What the tab key reaches in the explorer, in order: the name of each stop."""
        self.root.evaluate("root => { root.tabIndex = -1; root.focus(); root.removeAttribute('tabindex'); }")
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

    def focused(self):
        """Whether what has the focus shows it."""
        return self.page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle") == "solid"

    def colors(self):
        """Of its ink and its paper."""
        return self.root.evaluate(
            "node => { const look = getComputedStyle(node); return [look.color, look.backgroundColor]; }"
        )

    def assert_inside(self, parts="table, fieldset, label, button, output, svg, code, section"):
        """Nothing reaches beyond the right edge of the output."""
        edge = self.output.evaluate("node => node.getBoundingClientRect().right")
        found = self.root.locator(parts).evaluate_all(
            "nodes => nodes.map(node => [node.getBoundingClientRect().right, node.outerHTML.slice(0, 200)])"
        )
        assert found
        assert [part for right, part in found if right > edge + 1] == []

    # ---- how much work

    def nodes_added(self, act):
        """How many nodes the view puts into the page while act() is done: text that changes in place adds none."""
        added = self.root.evaluate_handle("""root => {
          const added = [];
          const watch = new MutationObserver(records => added.push(...records.flatMap(each => [...each.addedNodes])));
          watch.observe(root, { childList: true, subtree: true });
          return added;
        }""")
        act()
        return added.evaluate("added => added.length")

    def follow(self, node, kind, move):
        """Call move(i) again and again: each time the page is repainted, with little work, and without the kernel."""
        self.root.evaluate(LISTEN, [node.element_handle(), kind])
        messages = self.opened.messages
        for i in range(MOVES):
            move(i)
            self.page.wait_for_function("count => window.changes.length >= count", arg=i + 1)
        assert max(self.page.evaluate("window.changes")) < MOST
        assert self.opened.messages == messages, "a message went to the kernel"

    def drag(self, name):
        """Drag a slider back and forth, with the same checks."""
        box, mouse = self.slider(name).bounding_box(), self.page.mouse
        points = [(box["x"] + share * box["width"], box["y"] + box["height"] / 2) for share in (0.5, 0.7, 0.3)]
        mouse.move(*points[0])
        mouse.down()
        self.follow(self.root, "input", lambda i: mouse.move(*points[1 + i % 2]))
        mouse.up()


def in_both_themes(opened, which, folder):
    """Screenshots in light and dark; returns the colors of ink and paper in each."""
    found = []
    for theme in ("Dark", "Light"):
        opened.theme(theme)
        view = View(opened, which)
        view.output.screenshot(path=folder / f"{theme}.png")
        found.append(view.colors())
    print(f"\nscreenshots: {folder}")
    return found
