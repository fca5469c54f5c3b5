"""The course's own answer to exercise 6.2."""

from exercises.common.norm.steps import layer_norm


def add_and_norm(sublayer_out, x, weight, bias, eps):
    """Add what a sublayer computed to what came in, and normalize the sum.

    Shapes: sublayer_out (..., C), x (..., C) -> (..., C)
    Source: Vaswani et al. 2017, section 3.1; notebook 06
    """
    return layer_norm(sublayer_out + x, weight, bias, eps)
