"""Views to walk through with the mouse or the keyboard, drawn in the browser.

    positions   how alike two places are, and what their distance does to it             notebook 01
    scaling     why scores are divided by the root of D: weights and curves              notebook 02
    attention   which words each word reads: a heat map and lines, for one head or all   notebooks 00, 02, 03, 05, 07
    masks       scores to drag, and what each way of hiding makes of them                notebook 03
    dropout     what coins make of weights: one draw, and the mean of many               notebook 04
    heads       where a token's numbers go in split and merge, and in two bugs           notebook 05

Each explorer is one Python file, which checks what it is given, and one script beside it, which draws.
What they share stands in `base.py`, `given.py`, `shared.js` and `shared.css`; `still.py` draws the picture
that stands in for an explorer where nothing can run.
"""

from explorers.attention import attention
from explorers.dropout import dropout
from explorers.heads import heads
from explorers.masks import masks
from explorers.positions import positions
from explorers.scaling import scaling

__all__ = ["attention", "dropout", "heads", "masks", "positions", "scaling"]
