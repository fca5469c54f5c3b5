"""Figures as text that a test can compare, and as pixels where no test should."""

import hashlib
import io
import re
from html import escape

from helpers.plots.style import PAPER


class Picture:
    """A figure as SVG, and its description in words for readers and tools that cannot show it."""

    def __init__(self, svg, alt):
        label = escape(" ".join(alt.split()))  # for screen readers, where the SVG is part of a page
        self.svg, self.alt = svg.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1), alt

    def __repr__(self):
        return self.alt

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"image/svg+xml": self.svg, "text/plain": self.alt}


class Measured:
    """A figure of measured times, as pixels, with a description that is true on every machine."""

    def __init__(self, png, alt):
        self.png, self.alt = png, alt

    def __repr__(self):
        return self.alt

    def _repr_mimebundle_(self, include=None, exclude=None):
        width, height = (int.from_bytes(self.png[at : at + 4], "big") // 2 for at in (16, 20))  # sharp on every screen
        return {"image/png": self.png, "text/plain": self.alt}, {"image/png": {"width": width, "height": height}}


def to_svg(figure):
    """The figure as SVG text that is the same whenever and wherever it is drawn."""
    figure.get_layout_engine().set(w_pad=0.14, h_pad=0.14)
    out = io.BytesIO()
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    svg = out.getvalue().decode("utf-8")
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    # A background with round corners instead of the square one: a quiet card in light and dark themes.
    svg = svg.replace(f'style="fill: {PAPER}"', 'style="fill: none"', 1)
    svg = svg.replace("</defs>", f'</defs>\n <rect width="100%" height="100%" rx="8" fill="{PAPER}"/>', 1)
    svg = svg.replace("'DejaVu Sans'", "'DejaVu Sans', Verdana, sans-serif")  # where DejaVu is not installed
    return _with_stable_ids(svg[svg.index("<svg") :])


def _with_stable_ids(svg):
    """Replace Matplotlib's ids, which differ from one of its versions to the next.

    The new ids contain a digest of the figure, so that no two figures on a page share one.
    """
    for n, name in enumerate(dict.fromkeys(re.findall(r'id="([a-z][0-9a-f]{10})"', svg))):
        svg = svg.replace(name, f"@{n}@")
    digest = hashlib.sha256(svg.encode()).hexdigest()[:8]
    return re.sub(r"@(\d+)@", rf"f{digest}-\1", svg)
