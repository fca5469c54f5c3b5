"""Views to walk through with the mouse or the keyboard, drawn in the browser.

    attention   which words each word reads: a heat map and lines, for one head or for all
    positions   two rows of a table of positions, and how their likeness falls with the distance

Each explorer is one Python file, which checks what it is given, and one script beside it, which draws.
What they share stands in `base.py`, `shared.js` and `shared.css`; `still.py` draws the picture that
stands in for an explorer where nothing can run.
"""

from helpers.explorers.attention import attention
from helpers.explorers.masks import masks
from helpers.explorers.positions import positions

__all__ = ["attention", "masks", "positions"]
