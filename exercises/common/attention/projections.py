"""The three projections of a self-attention module, `W_query`, `W_key` and `W_value`: exercises 2.5 and 4.3."""

from exercises.common.modules import Layers, fill

PROJECTIONS = ("W_query", "W_key", "W_value")


_ASKED = Layers(PROJECTIONS, "nn.Linear(d_in, d_out, bias=False)", "`d_in` = {} features to `d_out` = {}", bias=False)


def fill_projections(module, attempt, weights):
    """Copy `weights` into W_query, W_key and W_value, or say what is wrong with them."""
    fill(module, attempt, _ASKED, weights)
