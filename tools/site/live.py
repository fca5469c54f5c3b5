"""The interactive views of a page: explorers and predictions, with the scripts that they have in Jupyter.

A page must also work as a local file, for which browsers refuse modules and requests. So each script, and the numbers
of each view, become a classic script that calls `abhPart`; site/static/live.js loads the two when the view is near the
visible part of the page. Before that, and if no script runs, the page shows the saved notebook's picture or text.
"""

import base64
import hashlib
import json
import re
from html import escape

import anywidget

from explorers import modules

FOLDER = "_static/live"
DEFAULT = re.compile(r"^export default ", re.MULTILINE)
EMBEDDED = re.compile(r'src="data:image/svg\+xml;base64,([^"]+)"')
SIZE = re.compile(r'<svg[^>]*? width="([\d.]+)(pt)?" height="([\d.]+)', re.DOTALL)
POINT = 4 / 3  # pixels


class Files:
    """The files that a site's pages share; `texts` is {address: content}, as in {"_static/live/masks.js": "..."}."""

    def __init__(self):
        self.texts = {}

    def add(self, name, text):
        """Add a file and return its address."""
        self.texts[f"{FOLDER}/{name}"] = text
        return f"{FOLDER}/{name}"

    def write(self, folder):
        for address, text in self.texts.items():
            path = folder / address
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")


def explorer(widget, name, files):
    """Return an explorer's HTML, with its picture from a saved notebook but without the invitation to run a cell."""
    return view(widget.script, widget._esm, state(widget), name, with_files(widget.picture().html(), files), files)


def view(script, module, values, name, still, files):
    """Return the HTML of a view, which shows `still` until its script is loaded.

    module  the text of an ES module with a default export, as anywidget takes it
    values  what the view reads from its model
    name    the name of the file with these values, without its suffix
    """
    address = files.add(script, classic(module))
    numbers = files.add(f"{name}.js", f"abhPart(() => ({json.dumps(values, ensure_ascii=False)}));\n")
    return f'<div class="course-live" data-script="{address}" data-values="{numbers}">\n{still}\n</div>'


def classic(module):
    """Return a module as a classic script, which passes its default export to abhPart."""
    text = modules.EXPORT.sub("", DEFAULT.sub("const defaultExport = ", module))
    return f"abhPart(() => {{\n{text}\nreturn defaultExport;\n}});\n"


def state(widget):
    """Return the traits that a view reads; bytes become {"base64": text}, since JSON has no bytes."""
    common = anywidget.AnyWidget.class_traits()
    traits = {name: getattr(widget, name) for name in widget.traits(sync=True) if name not in common}
    return {
        name: {"base64": base64.b64encode(value).decode()} if isinstance(value, bytes) else value
        for name, value in traits.items()
        if not name.startswith("_")
    }


def with_files(html, files):
    """Return the HTML with each embedded figure moved to a file, which browsers load lazily."""
    return EMBEDDED.sub(lambda match: _source(base64.b64decode(match[1]).decode(), files), html)


def _source(svg, files):
    address = files.add(f"figures/{hashlib.sha256(svg.encode()).hexdigest()[:12]}.svg", svg)
    width, points, height = SIZE.search(svg).groups()
    unit = POINT if points else 1
    return (
        f'src="{escape(address)}" width="{float(width) * unit:.0f}" height="{float(height) * unit:.0f}" loading="lazy"'
    )
