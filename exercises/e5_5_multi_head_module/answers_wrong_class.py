"""Wrong answers to exercise 5.5: its methods, and the layers that it has."""

import torch
import torch.nn as nn

from exercises.common.heads.answers_parts import cut
from exercises.e5_5_multi_head_module.answers_base import FourLayers
from feedback.bank import WrongAnswers

wrong = WrongAnswers()


@wrong("no-init")
class MultiHeadMisspeltInit(nn.Module):
    def init(self, d_model, num_heads, dropout=0.0):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_model)

    forward = FourLayers.forward


@wrong("no-forward")
class MultiHeadMisspeltForward(nn.Module):
    __init__ = FourLayers.__init__

    def foward(self, x, context=None, mask=None):
        return x, x


@wrong()
class MultiHeadWithoutSuper(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0):
        self.q_proj = nn.Linear(d_model, d_model)

    forward = FourLayers.forward


@wrong("not-a-module")
class MultiHeadPlainClass:
    def __init__(self, d_model, num_heads, dropout=0.0):
        self.q_proj = self.k_proj = self.v_proj = self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, x, context=None, mask=None):
        return x, x


@wrong()
class MultiHeadOfTwoArguments(FourLayers):
    def __init__(self, d_model, num_heads):
        super().__init__(d_model, num_heads)


@wrong()
class MultiHeadWithoutDefault(FourLayers):
    def __init__(self, d_model, num_heads, dropout):
        super().__init__(d_model, num_heads, dropout)


@wrong("forward-arguments")
class MultiHeadOfOneInput(FourLayers):
    def forward(self, x):
        return super().forward(x)


@wrong("forward-arguments")
class MultiHeadWithoutContext(FourLayers):
    def forward(self, x, mask=None):
        return super().forward(x, None, mask)


@wrong("forward-arguments")
class MultiHeadOfThreeInputs(FourLayers):
    def forward(self, query, key, value, mask=None):
        return super().forward(query, key, mask)


@wrong("forward-arguments")
class MultiHeadAlwaysMasked(FourLayers):
    def forward(self, x, context, mask):
        return super().forward(x, context, mask)


@wrong("inputs-exchanged")
class MultiHeadMaskBeforeContext(FourLayers):
    def forward(self, x, mask=None, context=None):
        return super().forward(x, context, mask)


@wrong("forward-arguments")
class MultiHeadInputsByNameAlone(FourLayers):
    def forward(self, x, *, context=None, mask=None):
        return super().forward(x, context, mask)


@wrong("no-projection")
class MultiHeadOtherNames(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__()
        self.W_query, self.W_key = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.W_value, self.out_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)

    forward = FourLayers.forward


@wrong("no-projection")
class MultiHeadOneLayerForThree(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__()
        self.qkv_proj, self.out_proj = nn.Linear(d_model, 3 * d_model), nn.Linear(d_model, d_model)

    forward = FourLayers.forward


@wrong("no-projection")
class MultiHeadAroundTorchs(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__()
        self.attention = nn.MultiheadAttention(d_model, num_heads, dropout, batch_first=True)

    def forward(self, x, context=None, mask=None):
        context = x if context is None else context
        return self.attention(x, context, context, attn_mask=mask, average_attn_weights=False)


@wrong("no-projection")
class MultiHeadLayersInAList(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__()
        self.layers = [nn.Linear(d_model, d_model) for _ in range(4)]

    forward = FourLayers.forward


@wrong("no-projection")
class MultiHeadWithoutOutLayer(FourLayers):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__(d_model, num_heads, dropout)
        del self.out_proj


@wrong("no-bias")
class MultiHeadWithoutBias(FourLayers):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__(d_model, num_heads, dropout)
        self.q_proj, self.k_proj, self.v_proj = (nn.Linear(d_model, d_model, bias=False) for _ in range(3))


@wrong("wrong-projection-size")
class MultiHeadOneHeadWide(FourLayers):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__(d_model, num_heads, dropout)
        self.q_proj, self.k_proj, self.v_proj = (nn.Linear(d_model, d_model // num_heads) for _ in range(3))


@wrong("wrong-projection-size")
class MultiHeadOutOfOneHead(FourLayers):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__(d_model, num_heads, dropout)
        self.out_proj = nn.Linear(d_model // num_heads, d_model)


@wrong("shared-layer")
class MultiHeadOneLayerTwice(FourLayers):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__(d_model, num_heads, dropout)
        self.v_proj = self.k_proj


@wrong("extra-parameters")
class MultiHeadWithLayerNorm(FourLayers):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__(d_model, num_heads, dropout)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x, context=None, mask=None):
        out, weights = super().forward(x, context, mask)
        return self.norm(x + out), weights


@wrong("extra-parameters")
class MultiHeadWithALearnedScale(FourLayers):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__(d_model, num_heads, dropout)
        self.scale = nn.Parameter(torch.tensor((d_model // num_heads) ** -0.5))

    def scores(self, q, k):
        return q @ k.mT * self.scale


@wrong()
class MultiHeadForgotNumHeads(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__()
        self.q_proj, self.k_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.v_proj, self.out_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)

    def forward(self, x, context=None, mask=None):
        q = cut(self.q_proj(x), self.num_heads)
        return q, q
