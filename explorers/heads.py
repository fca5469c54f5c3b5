"""The numbers of a few tokens on their way into the heads and back, done correctly and with two bugs."""

import torch
import traitlets

import figures
from explorers import given
from explorers.base import Explorer
from helpers import heads as reference
from helpers import require

MOST_TOKENS = len(figures.COLORS)
MOST_FEATURES = 12


def heads(tokens, d_model, num_heads):
    """Follow a number through split and merge: choose the code of each, and see which rows a bug spoils.

    Shapes: tokens T words, 2 to 4; x is (T, C) with C = d_model features, 2 to 12, in H = num_heads heads
    Units:  the numbers are names: 10 * token + feature, or 100 * token + feature where C is above 10
    Errors: TypeError if the tokens are not strings or a size is not a whole number; ValueError if they
            are too few or too many, or num_heads does not divide d_model
    Source: notebook 05
    """
    tokens = given.words("tokens", tokens, MOST_TOKENS, least=2, fix="choose a few, they show what happens to many")
    given.require_size("d_model", d_model, 2, MOST_FEATURES, "choose a few, they show what happens to many")
    given.require_size("num_heads", num_heads, 1, d_model, "each head needs a feature of its own")
    require.divides(num_heads=num_heads, d_model=d_model)
    return HeadsExplorer(tokens=tokens, d_model=d_model, num_heads=num_heads)


class HeadsExplorer(Explorer):
    """The view of one x whose numbers are names. The sizes have been checked."""

    script = "heads.js"
    tokens = traitlets.List(traitlets.Unicode()).tag(sync=True)
    d_model = traitlets.Int().tag(sync=True)
    num_heads = traitlets.Int().tag(sync=True)

    def picture(self):
        """The view as it opens: split and merged correctly."""
        T, C = len(self.tokens), self.d_model
        unit = 10 if C <= 10 else 100  # so that no two numbers have the same name
        x = unit * torch.arange(T)[:, None] + torch.arange(C)  # (T, C)
        split = reference.split_heads(x, self.num_heads)  # (H, T, D)
        panels = {"x": x, **{f"head {h}": head for h, head in enumerate(split)}, "merged": reference.merge_heads(split)}
        return figures.origins(panels, [f"position {t}" for t in range(T)], unit)
