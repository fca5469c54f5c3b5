"""Explorers on a bare page: a real browser, but neither JupyterLab nor a kernel.

A test asks for the fixture `open_page`:

    open_page({"six words": explorers.attention(...)})   a page with these explorers: an `ExplorerPage`
"""

import base64
from urllib.parse import urlsplit

import anywidget

LOOPBACK = {"localhost", "127.0.0.1", "::1", "[::1]"}
SIZE = (1100, 900)
NARROW = 600  # the width of a narrow window
PHONE = {"size": (390, 844), "has_touch": True, "is_mobile": True}

SETTLED = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"  # the page is painted

# The variables of JupyterLab's themes that shared.css reads.
PAGE = """<!doctype html>
<meta name="viewport" content="width=device-width">
<style>
body { --jp-content-font-color1: rgba(0, 0, 0, 0.87); --jp-content-font-color2: rgba(0, 0, 0, 0.54);
       --jp-layout-color1: #ffffff; --jp-border-color1: #bdbdbd; }
body[data-jp-theme-light="false"] {
       --jp-content-font-color1: #ffffff; --jp-content-font-color2: rgba(255, 255, 255, 0.7);
       --jp-layout-color1: #111111; --jp-border-color1: #616161; }
body { background: var(--jp-layout-color1); }
</style>
<body data-jp-theme-light="true"></body>"""

# As anywidget does it: a module from a blob, rendered into an element that is not in the page yet.
MOUNT = """async ({ name, module, style, traits }) => {
  window.messages ??= [];
  const value = (trait) => trait?.bytes === undefined ? trait
    : new DataView(Uint8Array.from(atob(trait.bytes), (letter) => letter.charCodeAt(0)).buffer);
  const record = (...message) => window.messages.push(JSON.stringify(message));
  const model = { get: (trait) => value(traits[trait]), set: record, save_changes: record, send: record };
  const { default: widget } = await import(URL.createObjectURL(new Blob([module], { type: "text/javascript" })));
  let [el, stop] = [document.createElement("div"), undefined];
  document.body.append(el);
  (window.mounts ??= {})[name] = async () => {
    stop?.();
    const old = el;
    el = document.createElement("div");
    el.dataset.explorer = name;
    el.append(Object.assign(document.createElement("style"), { textContent: style }));
    stop = await widget.render({ model, el });
    old.replaceWith(el);
  };
  await window.mounts[name]();
}"""


class WatchedPage:
    """A browser page that records `problems`: requests to other machines, and errors.

    `browser` may also be a browser context, whose pages share a cache. `options` go to `new_page`.
    """

    watched = []  # open pages whose problems fail the current test

    def __init__(self, browser, size=SIZE, **options):
        self.problems = []
        self.page = browser.new_page(**options)
        self.resize(*size)
        self.page.on("request", lambda request: self.visit(request.url))
        self.page.on("console", self._record_error)
        self.page.on("pageerror", lambda error: self.problems.append(f"error in the page: {error}"))

    def resize(self, width, height=900):
        self.page.set_viewport_size({"width": width, "height": height})

    def close(self):
        if self in self.watched:
            self.watched.remove(self)
        self.page.close()

    def take_problems(self):
        """Return the problems since the last call, and forget them."""
        problems, self.problems[:] = list(self.problems), []
        return problems

    def visit(self, url):
        """Record a problem if the page asks another machine for this address."""
        if not _is_local(url):
            self.problems.append(f"asked for {url}")

    def _record_error(self, message):
        if message.type == "error":
            self.problems.append(f"console: {message.text} ({message.location.get('url', '')})")


def _is_local(url):
    parts = urlsplit(url)
    return parts.scheme in ("data", "blob", "about", "file") or parts.hostname in LOOPBACK


class ExplorerPage(WatchedPage):
    """Named explorers on an empty page, each with a model that has its traits but no kernel."""

    def __init__(self, browser, explorers, size=SIZE, page=PAGE, dark=False, **options):
        super().__init__(browser, size, **options)
        self.watched.append(self)
        self.page.emulate_media(color_scheme="dark" if dark else "light")
        self.page.set_content(page)
        for name, explorer in explorers.items():
            self.page.evaluate(
                MOUNT, {"name": name, "module": explorer._esm, "style": explorer._css, "traits": traits(explorer)}
            )

    @property
    def messages(self):
        """How many messages went to the kernel."""
        return self.page.evaluate("window.messages.length")

    def theme(self, name):
        """Switch to the theme "Light" or "Dark"."""
        self.page.evaluate("light => { document.body.dataset.jpThemeLight = light; }", str(name == "Light").lower())

    def reopen(self, name):
        """Render the explorer again, in its initial state, as if the cell had run again."""
        self.page.evaluate("name => window.mounts[name]()", name)

    def output(self, name):
        """The element around an explorer, scrolled into view."""
        output = self.page.locator(f'[data-explorer="{name}"]')
        output.evaluate("node => node.scrollIntoView({ block: 'center' })")
        return output

    def take_problems(self):
        problems = super().take_problems()
        sent = self.page.evaluate("window.messages.splice(0)")
        return problems + [f"sent to the kernel: {message}" for message in sent]


def traits(explorer):
    """The traits that the view reads, as JSON."""
    of_every_widget = anywidget.AnyWidget.class_traits()
    names = [name for name in explorer.traits(sync=True) if name not in of_every_widget and not name.startswith("_")]
    values = {name: getattr(explorer, name) for name in names}
    return {
        name: {"bytes": base64.b64encode(value).decode()} if isinstance(value, bytes) else value
        for name, value in values.items()
    }
