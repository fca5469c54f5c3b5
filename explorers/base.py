"""The base class of all explorers: their module, their colors, and the picture shown where no code can run."""

import re
from pathlib import Path

import anywidget
import traitlets

import figures
from explorers import modules
from feedback.display import show_live

STYLE = Path(__file__).with_name("shared.css")
INVITATION = "Run this cell to explore it."
ROOT = re.compile(r"<svg [^>]*>")


class Explorer(anywidget.AnyWidget):
    """A view drawn in the browser from numbers that are sent once; afterwards it does not need the kernel.

    A subclass names its `script` and returns a figures.Picture from `picture()`.
    """

    palette = traitlets.Bytes().tag(sync=True)  # 256 x (red, green, blue): the colors of figures.WEIGHTS, 0 to 1
    signed = traitlets.Bytes().tag(sync=True)  # the same for figures.SIGNED, -1 to 1

    def __init_subclass__(cls, **kwargs):
        if "script" in vars(cls):  # traitlets makes subclasses of its own, which inherit the module
            cls._esm = modules.joined(cls.script)
            cls._css = STYLE.read_text(encoding="utf-8")
        super().__init_subclass__(**kwargs)

    @traitlets.default("palette")
    def _colors_of_weights(self):
        return _table(figures.WEIGHTS)

    @traitlets.default("signed")
    def _colors_of_scores(self):
        return _table(figures.SIGNED)

    def __repr__(self):
        return f"{self.picture().alt} {INVITATION}"

    def _ipython_display_(self):
        """Show the picture, then the live view, which hides the picture (in shared.css)."""
        view = {"model_id": self.model_id, "version_major": 2, "version_minor": 0}
        show_live(view, self._for_colab(), self.still())

    def _for_colab(self):
        """The metadata that Colab needs to show the view; anywidget gives it, except an old one with ipywidgets 7."""
        bundle = getattr(super(), "_repr_mimebundle_", None)
        return bundle()[1] if bundle else {}

    def still(self):
        """The output where no code runs: the picture and its text, with an invitation; the same in every run."""
        picture = self.picture()
        return figures.Picture(
            _inviting(picture.svg), f"{picture.alt} {INVITATION}", picture.caption
        )._repr_mimebundle_()


def _table(colors):
    return colors(range(256), bytes=True)[:, :3].tobytes()


def _inviting(svg):
    """Add a line to the picture that says how to start the view."""
    root = ROOT.search(svg)[0]
    left, top, width, height = map(float, re.search(r'viewBox="([^"]*)"', root)[1].split())
    taller = re.sub(r'(height=")[\d.]+', rf"\g<1>{height + 22:g}", root, count=1)
    taller = re.sub(r'viewBox="[^"]*"', f'viewBox="{left:g} {top:g} {width:g} {height + 22:g}"', taller)
    line = (
        f'<text x="{left + 12:g}" y="{top + height + 10:g}" font-family="DejaVu Sans, Verdana, sans-serif" '
        f'font-size="10.5" font-style="italic" fill="#5b6575">{INVITATION}</text>'
    )
    return svg.replace(root, taller, 1).replace("</svg>", f"{line}\n</svg>")
