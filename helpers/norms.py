"""RMSNorm: LayerNorm without the mean and bias. Applied to each head's q and k, it is called QK-norm."""

import torch
from torch import nn

from helpers import require


def rms_norm(x, weight, eps=1e-6):
    """Divide each vector by the root of the mean of its squares, then scale each feature.

    Shapes: x (..., C), weight (C,) -> (..., C)
    Units:  with a weight of ones, the mean of the squares becomes 1, or less where it was not far above eps
    Errors: TypeError if x or weight is not floating; ValueError if the weight is not (C,)
    Source: Zhang and Sennrich 2019; notebook 10
    """
    require.shapes("x ... C, weight C", x, weight)
    exact = x.to(torch.promote_types(x.dtype, torch.float32))  # in float16, the square of 256 would overflow
    mean_square = exact.square().mean(dim=-1, keepdim=True)  # (..., 1)
    return (exact * torch.rsqrt(mean_square + eps) * weight).to(x.dtype)


class RMSNorm(nn.Module):
    """`rms_norm` with a learned weight.

    Shapes: x (..., d) -> (..., d)
    Errors: as `rms_norm`
    Source: Zhang and Sennrich 2019; Henry et al. 2020 and Dehghani et al. 2023 for QK-norm; notebook 10
    """

    def __init__(self, d, eps=1e-6):
        super().__init__()
        require.sizes(d=d)
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d))

    def forward(self, x):
        return rms_norm(x, self.weight, self.eps)
