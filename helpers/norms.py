"""RMSNorm: LayerNorm without the mean and without a bias. On the features of each head's q and k it is QK-norm."""

import torch
from torch import nn

from helpers import require


def rms_norm(x, weight, eps=1e-6):
    """Divide each vector by the root of the mean of its squares, then scale each feature.

    Shapes: x (..., C), weight (C,) -> (..., C)
    Units:  with a weight of ones, the mean of the squares becomes 1, less where it is not far above eps
    Errors: TypeError if x or weight has no floats; ValueError if the weight is not (C,)
    Source: Zhang and Sennrich 2019; notebook 10
    """
    require.shapes("x ... C, weight C", x, weight)
    exact = x.to(torch.promote_types(x.dtype, torch.float32))  # float16 ends at 65,504, the square of 256
    mean_square = exact.square().mean(dim=-1, keepdim=True)  # (..., 1)
    return (exact * torch.rsqrt(mean_square + eps) * weight).to(x.dtype)


class RMSNorm(nn.Module):
    """`rms_norm` with a weight to learn.

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
