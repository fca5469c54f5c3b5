"""Views to walk through with the mouse or the keyboard, drawn in the browser.

    attention   which words each word reads: a heat map and lines, for one head or for all
    scaling     why scores are divided by the root of D: weights and curves against the width

Each explorer is one Python file, which checks what it is given, and one script beside it, which draws.
What they share stands in `base.py`, `shared.js` and `shared.css`; `still.py` draws the picture that
stands in for an explorer where nothing can run.
"""

from helpers.explorers.attention import attention
from helpers.explorers.masks import masks
from helpers.explorers.scaling import scaling

__all__ = ["attention", "masks", "scaling"]
