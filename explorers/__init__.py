"""Interactive views for the mouse and the keyboard, drawn in the browser.

    positions   how similar two positions are, and how that depends on their distance    notebook 01
    scaling     why scores are divided by the root of D: weights and curves              notebook 02
    attention   which words each word reads: a heat map and lines, for one head or all   notebooks 00, 02, 03, 05, 07
    masks       scores to drag, and the weights that each way of masking gives           notebook 03
    dropout     what dropout does to weights: one draw, and the mean of many             notebook 04
    heads       where a token's numbers go in split and merge, and in two bugs           notebook 05
    next_token  the words that a language model expects next, and what its heads read    notebook 08
    rotation    pairs of features that turn with the position, and the score of each     notebook 09
    cache       what the keys and values of a text cost, and which heads share them      notebook 10
    long_texts  what a window reads and a cache keeps, and pages that texts share        notebook 11
    tiles       the softmax in tiles of keys: running maximum, sum and output           notebook 12

Each explorer is a Python file, which checks its arguments, and a script of the same name, which draws. The README in
this folder describes the scripts. The Python files share `base.py` and `given.py`, which checks arguments. Where no
code can run, such as in a notebook on a website, one of the course's figures replaces the view.
"""

from explorers.attention import attention
from explorers.cache import cache
from explorers.dropout import dropout
from explorers.heads import heads
from explorers.long_texts import long_texts
from explorers.masks import masks
from explorers.next_token import next_token
from explorers.positions import positions
from explorers.rotation import rotation
from explorers.scaling import scaling
from explorers.tiles import tiles

__all__ = [
    "attention",
    "cache",
    "dropout",
    "heads",
    "long_texts",
    "masks",
    "next_token",
    "positions",
    "rotation",
    "scaling",
    "tiles",
]
