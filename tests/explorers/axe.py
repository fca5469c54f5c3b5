"""Run axe-core, which finds obstacles for people with a screen reader or low vision, in a page of Playwright."""

from importlib.resources import files

SCRIPT = files("axe_playwright_python") / "axe.min.js"
RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
OF_NAMES = ("label-content-name-mismatch",)  # WCAG 2.1, level A; axe-core has it off by default, as experimental
OF_COLORS = ("color-contrast", "link-in-text-block")  # the rules that depend on the theme
WHOLE_PAGES = ("region", "landmark-one-main", "page-has-heading-one", "document-title", "html-has-lang", "bypass")

MARK_LOOKS = """(root) => {
  const looks = new Set(), behind = new Map([[null, ""]]);
  for (const node of document.querySelectorAll("html, html *")) {
    const { color, backgroundColor, backgroundImage, opacity, fontSize, fontWeight, textDecorationLine, display } =
      getComputedStyle(node);
    const painted = [backgroundColor, backgroundImage, opacity].join().replace("rgba(0, 0, 0, 0),none,1", "");
    behind.set(node, painted + behind.get(node.parentElement));
    const written = [...node.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.data.trim());
    const look = [color, fontSize, fontWeight, textDecorationLine, display, behind.get(node)].join();
    const isNew = node.closest(root) && written && node.checkVisibility() && !looks.has(look);
    node.toggleAttribute("data-look", Boolean(isNew));
    if (isNew) looks.add(look);
  }
}"""
RUN = """async ([root, rules, enabled, disabled, others]) => {
  // preload would fetch style sheets that none of our rules reads, which a page opened as a file may not do
  const chosen = [...enabled.map((id) => [id, { enabled: true }]), ...disabled.map((id) => [id, { enabled: false }])];
  const options = { runOnly: rules, preload: false, rules: Object.fromEntries(chosen) };
  const { violations, passes } = await axe.run(root ?? document, options);
  const isOthers = (rule, { target }) =>
    others.some(([id, selector]) => id === rule && document.querySelector(target.at(-1)).matches(selector));
  const found = violations.map(({ id, help, nodes }) => [id, help, nodes.filter((node) => !isOthers(id, node))
    .map(({ target, failureSummary }) => `${target}: ${failureSummary}`)]);
  return [found, passes.find(({ id }) => id === "color-contrast")?.nodes.length ?? 0];
}"""


def violations(page, root=None, disabled=WHOLE_PAGES, rules=RULES, others=()):
    """What axe-core finds within `root`, a CSS selector, or on the whole page: ["rule: what is wrong: where", ...].

    `disabled` are rules to leave out: by default those on titles, landmarks and headings of a whole page.
    `rules` are the ids or tags of the rules to try.
    `others` are known violations to ignore because they are not ours: [(rule, CSS selector of the elements)].
    """
    return _run(page, root, rules, disabled, others)[0]


def violations_of_colors(page, root, others=()):
    """The violations of color rules, and how many texts have enough contrast; texts that axe-core cannot measure count
    as neither.

    All texts of a page would take minutes, so only one for each combination of colors and font is tried.
    """
    page.evaluate(MARK_LOOKS, root)
    return _run(page, "[data-look]", OF_COLORS, (), others)


def _run(page, root, rules, disabled, others):
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(SCRIPT.read_text(encoding="utf-8"))
    enabled = OF_NAMES if rules == RULES else ()
    found, measured = page.evaluate(RUN, [root, *map(list, (rules, enabled, disabled, others))])
    return [f"{rule}: {help}: {node}" for rule, help, nodes in found for node in nodes], measured
