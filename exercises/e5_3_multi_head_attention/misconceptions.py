"""What people get wrong in exercise 5.3, multi_head_attention."""

from exercises.common.heads import _BY_HAND, _OUT_PROJ
from exercises.common.multi_head import (
    HEADS,
    MASKS,
    SCORES,
    known,
    layers_mixed_up,
    stepwise,
)


def _self(**steps):
    """The steps as an answer to 5.3."""
    attend = stepwise(**steps)
    return lambda x, wq, wk, wv, wo, num_heads, mask=None: attend(x, x, (wq, wk, wv, wo), num_heads, mask)


_LAYERS = layers_mixed_up("q_proj", "k_proj", "v_proj")


MISCONCEPTIONS = (*known(_self, HEADS), *known(_self, _OUT_PROJ), *known(_self, SCORES), *known(_self, _LAYERS),
    *known(_self, _BY_HAND), *known(_self, MASKS))
