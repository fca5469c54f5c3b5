"""What people get wrong in exercise 6.1, layer_norm."""

import torch.nn.functional as F

from exercises.common.norm.mistakes import NORM_MISTAKES
from exercises.common.norm.steps import norm_from
from feedback import Misconceptions

known = Misconceptions(norm_from)
known.include(NORM_MISTAKES)


@known(
    "no-norm-of-this-shape",
    means="`F.layer_norm` was told to normalize over axes other than the last one: its second argument is the "
    "shape of what is normalized together, and weight must have this shape.",
    hint="One vector is normalized at a time. What is the shape of one vector?",
)
def all_but_the_first_axis(x, weight, bias, eps):
    return F.layer_norm(x, x.shape[1:], weight, bias, eps)


@known.also("no-norm-of-this-shape")
def all_axes(x, weight, bias, eps):
    return F.layer_norm(x, x.shape, weight, bias, eps)
