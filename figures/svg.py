"""Figures as text that a test can compare, shown with a caption and described in words."""

import base64
import hashlib
import io
import re
from html import escape

from figures.style import FONT, PAPER

MARGIN = 0.14  # inches around the drawing
FAMILY = f"'{FONT}', Verdana, sans-serif"  # where DejaVu is not installed
CAPTION = "max-width: 46em; margin: 0.4em 0 0.2em; font-size: 0.93em; line-height: 1.4"


class Picture:
    """A figure as SVG, a description of it in words, and a caption: one sentence to be read below the figure.

    JupyterLab gives an SVG output no text alternative, but it shows HTML where there is some: an image whose text
    alternative is the description. Where HTML is stripped, the SVG remains.
    """

    def __init__(self, svg, alt, caption=""):
        self.svg, self.alt, self.caption = svg, alt, caption

    def __repr__(self):
        return self.alt

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/html": self.html(), "image/svg+xml": self.svg, "text/plain": self.alt}

    def html(self):
        data = base64.b64encode(self.svg.encode()).decode()
        caption = f'<figcaption style="{CAPTION}">{escape(self.caption)}</figcaption>\n' if self.caption else ""
        return (
            f'<figure style="margin: 0">\n<img alt="{escape(" ".join(self.alt.split()))}" '
            f'style="max-width: 100%; height: auto" src="data:image/svg+xml;base64,{data}">\n{caption}</figure>'
        )


def to_svg(figure):
    """Crop a figure to what is drawn, and save it as SVG text that is the same on every machine."""
    out = io.BytesIO()
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None}, bbox_inches="tight", pad_inches=MARGIN)
    svg = out.getvalue().decode("utf-8")
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    # A background with round corners instead of the square one: a quiet card in light and dark themes.
    svg = svg.replace(f'style="fill: {PAPER}"', 'style="fill: none"', 1)
    svg = svg.replace("</defs>", f'</defs>\n <rect width="100%" height="100%" rx="8" fill="{PAPER}"/>', 1)
    return _with_stable_ids(_shortened(svg[svg.index("<svg") :]))


def _shortened(svg):
    """Shorten by half without visible changes: the font named once, two decimals instead of six, no comments."""
    svg = svg.replace(f"font-family: '{FONT}'; ", "").replace("<svg ", f'<svg font-family="{FAMILY}" ', 1)
    svg = re.sub(r' *<!--.*?-->\n| transform="rotate\(-?0 [^"]*"', "", svg, flags=re.DOTALL)
    places = re.compile(r'\b(?:d|x|y|width|height|viewBox|transform)="[^"]*"')
    return places.sub(lambda place: re.sub(r"\d+\.\d{3,}", _two_decimals, " ".join(place[0].split())), svg)


def _two_decimals(number):
    return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")


def _with_stable_ids(svg):
    """Replace Matplotlib's ids, which differ from one of its versions to the next.

    The new ids contain a digest of the figure, so that no two figures on a page share one.
    """
    for n, name in enumerate(dict.fromkeys(re.findall(r'id="([a-z][0-9a-f]{10})"', svg))):
        svg = svg.replace(name, f"@{n}@")
    digest = hashlib.sha256(svg.encode()).hexdigest()[:8]
    return re.sub(r"@(\d+)@", rf"{digest}-\1", svg)
