"""What all explorers share: how the script is put together, the colours, and the picture to fall back on."""

from pathlib import Path

import anywidget
import traitlets

from helpers import plots

HERE = Path(__file__).parent
INVITATION = "Run this cell to explore it."


class Explorer(anywidget.AnyWidget):
    """A view drawn in the browser from numbers sent once; no key or pointer asks the kernel.

    A subclass names its `script` and returns a plots.Picture from `picture()`. The script may use every
    function of shared.js: a widget has room for one module, so the two files are joined here.
    """

    palette = traitlets.Bytes().tag(sync=True)  # 256 x (red, green, blue): the colours of plots.WEIGHTS
    _ipython_display_ = None  # ipywidgets 7 would show the view alone; the bundle below holds both

    def __init_subclass__(cls, **kwargs):
        if "script" in vars(cls):  # traitlets makes subclasses of its own, which must keep what they have
            cls._esm = _read("shared.js") + "\n" + _read(cls.script)
            cls._css = _read("shared.css")
        super().__init_subclass__(**kwargs)

    @traitlets.default("palette")
    def _palette_of_plots(self):
        return plots.WEIGHTS(range(256), bytes=True)[:, :3].tobytes()

    def __repr__(self):
        return f"{self.picture().alt} {INVITATION}"

    def _repr_mimebundle_(self, **kwargs):
        """The live view, and for places without a kernel the picture and its words, the same in every run."""
        data, metadata = super()._repr_mimebundle_(**kwargs)
        picture = self.picture()
        words = f"{picture.alt} {INVITATION}"
        return {**data, "image/svg+xml": picture.svg, "text/plain": words}, metadata


def _read(name):
    return (HERE / name).read_text(encoding="utf-8")
