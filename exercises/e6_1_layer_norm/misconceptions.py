"""What people get wrong in exercise 6.1, layer_norm."""

import torch.nn.functional as F

from exercises.common.block import _NORMS, _by_a_new_layer, _known, _norm
from feedback import Misconception

MISCONCEPTIONS = (
        *_known(_norm, _NORMS),
        _by_a_new_layer(lambda norm: norm),
        Misconception(
            "no-norm-of-this-shape", "F.layer_norm was told of other axes than the last one: its second argument is "
            "the shape of what is normalised together, and weight must have this shape.",
            "One vector is normalised at a time: x.shape[-1:].",
            (lambda x, w, b, eps: F.layer_norm(x, x.shape[1:], w, b, eps),
             lambda x, w, b, eps: F.layer_norm(x, x.shape, w, b, eps))),
)
