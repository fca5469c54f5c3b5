"""Views to walk through with the mouse or the keyboard, drawn in the browser.

    attention   which words each word reads: a heat map and lines, for one head or for all
    heads       where each number goes when heads are split and merged, rightly and by two bugs

Each explorer is one Python file, which checks what it is given, and one script beside it, which draws.
What they share stands in `base.py`, `shared.js` and `shared.css`; `still.py` draws the picture that
stands in for an explorer where nothing can run.
"""

from helpers.explorers.attention import attention
from helpers.explorers.heads import heads
from helpers.explorers.masks import masks

__all__ = ["attention", "heads", "masks"]
