"""Wrong answers to exercise 5.5: dropout, gradients, and what a module keeps or changes."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from exercises.common.heads.answers_parts import join
from exercises.e5_5_multi_head_module.answers_base import FourLayers
from feedback.bank import WrongAnswers

wrong = WrongAnswers()


def dropped_by(forward):
    """A class whose forward is forward(self, q, k, v, mask), given the queries, keys and values of all heads."""

    def whole(self, x, context=None, mask=None):
        return forward(self, *self.heads(x, context), mask)

    return type(f"MultiHead_{forward.__name__}", (FourLayers,), {"forward": whole})


@wrong("never-on")
@dropped_by
def dropout_forgotten(self, q, k, v, mask):
    weights = self.weights(q, k, mask)
    return self.mix(weights, v), weights


@wrong("always-on")
@dropped_by
def dropout_in_every_mode(self, q, k, v, mask):
    weights = F.dropout(self.weights(q, k, mask), self.p)
    return self.mix(weights, v), weights


@wrong("always-on")
@dropped_by
def new_dropout_layer(self, q, k, v, mask):
    weights = nn.Dropout(self.p)(self.weights(q, k, mask))
    return self.mix(weights, v), weights


@wrong("training-turned-around")
@dropped_by
def dropout_in_evaluation(self, q, k, v, mask):
    weights = F.dropout(self.weights(q, k, mask), self.p, not self.training)
    return self.mix(weights, v), weights


@wrong("before-softmax")
@dropped_by
def dropout_on_scores(self, q, k, v, mask):
    weights = self.hide(self.dropout(self.scores(q, k)), mask).softmax(-1)
    return self.mix(weights, v), weights


@wrong("before-softmax")
@dropped_by
def dropout_on_hidden_scores(self, q, k, v, mask):
    """Where -inf is dropped, 0 * -inf is NaN."""
    weights = self.dropout(self.hide(self.scores(q, k), mask)).softmax(-1)
    return self.mix(weights, v), weights


@wrong("on-scores-and-weights")
@dropped_by
def dropout_on_scores_and_weights(self, q, k, v, mask):
    weights = self.dropout(self.hide(self.dropout(self.scores(q, k)), mask).softmax(-1))
    return self.mix(weights, v), weights


@wrong("on-out")
@dropped_by
def dropout_on_out(self, q, k, v, mask):
    weights = self.weights(q, k, mask)
    return self.dropout(self.mix(weights, v)), weights


@wrong("on-out")
@dropped_by
def dropout_before_out_proj(self, q, k, v, mask):
    weights = self.weights(q, k, mask)
    return self.out_proj(self.dropout(join(weights @ v))), weights


@wrong("on-weights-and-out")
@dropped_by
def dropout_on_weights_and_out(self, q, k, v, mask):
    weights = self.dropout(self.weights(q, k, mask))
    return self.dropout(self.mix(weights, v)), weights


@wrong("on-values")
@dropped_by
def dropout_on_values(self, q, k, v, mask):
    weights = self.weights(q, k, mask)
    return self.mix(weights, self.dropout(v)), weights


@wrong("weights-before-dropout")
@dropped_by
def weights_before_dropout(self, q, k, v, mask):
    weights = self.weights(q, k, mask)
    return self.mix(self.dropout(weights), v), weights


@wrong("out-undropped")
@dropped_by
def dropped_after_out(self, q, k, v, mask):
    weights = self.weights(q, k, mask)
    return self.mix(weights, v), self.dropout(weights)


@wrong("two-draws")
@dropped_by
def two_draws(self, q, k, v, mask):
    weights = self.weights(q, k, mask)
    return self.mix(self.dropout(weights), v), self.dropout(weights)


@wrong("weights-before-dropout")
@dropped_by
def fused_with_dropout(self, q, k, v, mask):
    """The fused function drops by itself, and keeps it to itself."""
    visible = mask if mask is None else torch.atleast_2d(mask)
    out = F.scaled_dot_product_attention(q, k, v, visible, dropout_p=self.p if self.training else 0.0)
    return self.out_proj(join(out)), self.weights(q, k, mask)


@wrong("always-on")
@dropped_by
def fused_with_dropout_always(self, q, k, v, mask):
    visible = mask if mask is None else torch.atleast_2d(mask)
    out = F.scaled_dot_product_attention(q, k, v, visible, dropout_p=self.p)
    return self.out_proj(join(out)), self.weights(q, k, mask)


@wrong("dropped-twice")
@dropped_by
def dropped_twice(self, q, k, v, mask):
    weights = self.dropout(F.dropout(self.weights(q, k, mask), self.p, self.training))
    return self.mix(weights, v), weights


@wrong("always-half")
@dropped_by
def dropout_without_p(self, q, k, v, mask):
    weights = F.dropout(self.weights(q, k, mask), training=self.training)
    return self.mix(weights, v), weights


@wrong("p-kept")
class MultiHeadOneMinusDropout(FourLayers):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__(d_model, num_heads, dropout)
        self.dropout = nn.Dropout(1 - dropout)


@wrong("p-not-used")
class MultiHeadFixedDropout(FourLayers):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__(d_model, num_heads, 0.1)


@wrong("dropout-by-default")
class MultiHeadDropsByDefault(FourLayers):
    def __init__(self, d_model, num_heads, dropout=0.1):
        super().__init__(d_model, num_heads, dropout)


class ByHand(FourLayers):
    def drop(self, weights):
        raise NotImplementedError

    def forward(self, x, context=None, mask=None):
        q, k, v = self.heads(x, context)
        weights = self.weights(q, k, mask)
        if self.training and self.p:
            weights = self.drop(weights)
        return self.mix(weights, v), weights


@wrong("not-scaled")
class MultiHeadNotScaledUp(ByHand):
    def drop(self, weights):
        return weights * (torch.rand_like(weights) >= self.p)


@wrong("share-turned-around")
class MultiHeadKeepsTheWrongOnes(ByHand):
    def drop(self, weights):
        return weights * (torch.rand_like(weights) < self.p) / (1 - self.p)


@wrong("renormalized")
class MultiHeadRenormalized(ByHand):
    def drop(self, weights):
        weights = weights * (torch.rand_like(weights) >= self.p)
        return weights / weights.sum(-1, keepdim=True).clamp(min=1e-9)


@wrong("whole-positions")
class MultiHeadOneDrawForAllHeads(ByHand):
    def drop(self, weights):
        return weights * (torch.rand_like(weights[:, :1]) >= self.p) / (1 - self.p)


@wrong("zeros-tied")
class MultiHeadDropsWholeHeads(ByHand):
    def drop(self, weights):
        return F.dropout2d(weights, self.p)


@wrong("one-draw-for-all")
class MultiHeadOneDraw(ByHand):
    def drop(self, weights):
        return weights * (torch.rand(1, device=weights.device) >= self.p) / (1 - self.p)


@wrong("same-zeros")
class MultiHeadSeeded(ByHand):
    def drop(self, weights):
        noise = torch.rand(weights.shape, generator=torch.Generator().manual_seed(1))
        return weights * (noise >= self.p) / (1 - self.p)


@wrong("stays-on-the-cpu")
class MultiHeadDrawsOnTheCpu(ByHand):
    def drop(self, weights):
        return weights * (torch.rand(weights.shape) >= self.p) / (1 - self.p)


@wrong("stays-on-the-cpu")
class MultiHeadMaskOnTheCpu(FourLayers):
    def hide(self, scores, mask):
        if mask is None:
            mask = torch.ones(1, 1, dtype=torch.bool)
        return scores + torch.zeros(mask.shape, dtype=scores.dtype).masked_fill(~mask, float("-inf"))


@wrong("stays-on-the-cpu")
class MultiHeadCollectsOnTheCpu(FourLayers):
    def weights(self, q, k, mask):
        found = torch.zeros(*q.shape[:3], k.size(2), dtype=q.dtype)
        weights = super().weights(q, k, mask)
        for head in range(self.num_heads):
            found[:, head] = weights[:, head]
        return found


@wrong("remembers")
class MultiHeadRemembersTheContext(FourLayers):
    def forward(self, x, context=None, mask=None):
        if context is not None:
            self.context = getattr(self, "context", context)
            context = self.context
        return super().forward(x, context, mask)


@wrong("remembers")
class MultiHeadScalesItsLayer(FourLayers):
    def scores(self, q, k):
        with torch.no_grad():
            self.k_proj.weight /= math.sqrt(q.size(-1))
            self.k_proj.bias /= math.sqrt(q.size(-1))
        return super().scores(q, k)


@wrong("no-gradients")
class MultiHeadWeightsDetached(FourLayers):
    def weights(self, q, k, mask):
        return super().weights(q, k, mask).detach()


@wrong("no-gradients")
class MultiHeadContextDetached(FourLayers):
    def heads(self, x, context):
        return super().heads(x, None if context is None else context.detach())


@wrong("no-gradients")
class MultiHeadOneHeadDetached(FourLayers):
    """A loop over heads in which the first is kept by its numbers alone."""

    def weights(self, q, k, mask):
        weights = super().weights(q, k, mask)
        return torch.cat([weights[:, :1].detach(), weights[:, 1:]], dim=1)


@wrong("no-gradients")
class MultiHeadDetachedInTraining(FourLayers):
    def forward(self, x, context=None, mask=None):
        q, k, v = self.heads(x, context)
        weights = self.weights(q, k, mask)
        if self.training:
            weights = self.dropout(weights).data
        return self.mix(weights, v), weights


@wrong("no-gradients")
class MultiHeadByNumpy(FourLayers):
    def heads(self, x, context):
        return (torch.from_numpy(z.detach().numpy().copy()) for z in super().heads(x, context))


@wrong("changes-input")
class MultiHeadChangesTheMask(FourLayers):
    def hide(self, scores, mask):
        if mask is None:
            return scores
        mask.logical_not_()
        return scores.masked_fill(mask, float("-inf"))


@wrong("changes-input")
class MultiHeadChangesX(FourLayers):
    def forward(self, x, context=None, mask=None):
        found = super().forward(x, context, mask)
        x.zero_()
        return found
