"""Wrong answers to exercise 5.5, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET503, RET504 - a return inside a loop, and naming a result before returning it, are what learners do

import math

import torch
import torch.nn.functional as F

from exercises.common.heads import answers_wrong_weights
from exercises.common.heads.answers_parts import cut, join
from exercises.e5_5_multi_head_module.answers_base import FourLayers
from feedback.bank import WrongAnswers
from helpers.attention import dot_product_attention

wrong = WrongAnswers()


# ---------------------------------------------------------------- weights


def with_weights(weigh):
    """A module that is right but for its weights, which weigh(q, k, mask) makes."""

    class Answer(FourLayers):
        def weights(self, q, k, mask):
            return weigh(q, k, mask)

    Answer.__name__ = f"MultiHead_{weigh.__name__}"
    return Answer


for weigh, diagnosis in (*answers_wrong_weights.wrong_scores.answers, *answers_wrong_weights.wrong_masks.answers):
    wrong(diagnosis)(with_weights(weigh))


@wrong("scaled-by-d-model")
class MultiHeadRootOfDModel(FourLayers):
    def scores(self, q, k):
        return q @ k.mT / math.sqrt(self.q_proj.in_features)


@wrong()
class MultiHeadFusedWithTheBareMask(FourLayers):
    """F.scaled_dot_product_attention takes no mask of one axis."""

    def forward(self, x, context=None, mask=None):
        q, k, v = self.heads(x, context)
        weights = self.dropout(self.weights(q, k, mask))
        if self.training:
            return self.mix(weights, v), weights
        return self.out_proj(join(F.scaled_dot_product_attention(q, k, v, mask))), weights


@wrong("returns-wrong-type")
class MultiHeadFusedWithoutWeights(FourLayers):
    def forward(self, x, context=None, mask=None):
        q, k, v = self.heads(x, context)
        return self.out_proj(join(F.scaled_dot_product_attention(q, k, v, mask))), None


@wrong("mask-for-self-attention-only")
class MultiHeadMaskForSelfAttention(FourLayers):
    def forward(self, x, context=None, mask=None):
        if context is not None:
            return super().forward(x, context)
        return super().forward(x, x, mask)


@wrong("mask-for-context-only")
class MultiHeadMaskForCrossAttention(FourLayers):
    def forward(self, x, context=None, mask=None):
        if context is None:
            return super().forward(x)
        return super().forward(x, context, mask)


class Modes(FourLayers):
    mask_in = None

    def forward(self, x, context=None, mask=None):
        return super().forward(x, context, mask if self.training is self.mask_in else None)


@wrong("mask-only-in-training")
class MultiHeadMaskInTraining(Modes):
    mask_in = True


@wrong("mask-only-in-evaluation")
class MultiHeadMaskInEvaluation(Modes):
    mask_in = False


@wrong("own-causal-mask")
class MultiHeadAlwaysCausal(FourLayers):
    def hide(self, scores, mask):
        T, S = scores.shape[-2:]
        past = torch.ones(T, S, dtype=torch.bool, device=scores.device).tril()
        return super().hide(scores, past if mask is None else mask & past)


@wrong("mask-reshaped")
class MultiHeadMaskExpectsItems(FourLayers):
    def hide(self, scores, mask):
        return super().hide(scores, mask if mask is None or mask.dim() != 2 else mask[:, None, None, :])


@wrong("mask-for-out-only")
class MultiHeadUnmaskedWeightsShown(FourLayers):
    def forward(self, x, context=None, mask=None):
        q, k, v = self.heads(x, context)
        out, _ = super().forward(x, context, mask)
        return out, self.dropout(self.weights(q, k, None))


@wrong("mask-for-weights-only")
class MultiHeadOutWithoutMask(FourLayers):
    def forward(self, x, context=None, mask=None):
        out, _ = super().forward(x, context)
        q, k, _ = self.heads(x, context)
        return out, self.dropout(self.weights(q, k, mask))


@wrong("scores-returned")
class MultiHeadScoresReturned(FourLayers):
    def forward(self, x, context=None, mask=None):
        q, k, v = self.heads(x, context)
        scores = self.hide(self.scores(q, k), mask)
        return self.mix(self.dropout(scores.softmax(-1)), v), scores


@wrong("mixed-by-scores")
class MultiHeadMixedByScores(FourLayers):
    def forward(self, x, context=None, mask=None):
        q, k, v = self.heads(x, context)
        return self.mix(self.scores(q, k), v), self.dropout(self.weights(q, k, mask))


@wrong("weights-transposed")
class MultiHeadWeightsTransposed(FourLayers):
    def mix(self, weights, v):
        return super().mix(weights.mT, v)


@wrong("weights-averaged")
class MultiHeadWeightsAveraged(FourLayers):
    def forward(self, x, context=None, mask=None):
        out, weights = super().forward(x, context, mask)
        return out, weights.mean(dim=1)


@wrong("weights-summed")
class MultiHeadWeightsSummed(FourLayers):
    def forward(self, x, context=None, mask=None):
        out, weights = super().forward(x, context, mask)
        return out, weights.sum(1)


@wrong("one-head-s-weights")
class MultiHeadWeightsOfOneHead(FourLayers):
    def forward(self, x, context=None, mask=None):
        out, weights = super().forward(x, context, mask)
        return out, weights[:, -1]


@wrong("weights-in-another-order")
class MultiHeadWeightsStackedInFront(FourLayers):
    def forward(self, x, context=None, mask=None):
        out, weights = super().forward(x, context, mask)
        return out, torch.stack(weights.unbind(1))


@wrong("only-out")
class MultiHeadOnlyOut(FourLayers):
    def forward(self, x, context=None, mask=None):
        return super().forward(x, context, mask)[0]


@wrong("swapped-pair")
class MultiHeadSwappedPair(FourLayers):
    def forward(self, x, context=None, mask=None):
        return super().forward(x, context, mask)[::-1]


# ---------------------------------------------------------------- heads


@wrong("viewed")
class MultiHeadViewed(FourLayers):
    def heads(self, x, context):
        context = x if context is None else context
        B, H = len(x), self.num_heads
        return (
            self.q_proj(x).view(B, H, x.size(1), -1),
            self.k_proj(context).view(B, H, context.size(1), -1),
            self.v_proj(context).view(B, H, context.size(1), -1),
        )


@wrong("interleaved")
class MultiHeadInterleaved(FourLayers):
    def heads(self, x, context):
        context = x if context is None else context
        layers = ((self.q_proj, x), (self.k_proj, context), (self.v_proj, context))
        return (layer(z).unflatten(-1, (-1, self.num_heads)).permute(0, 3, 1, 2) for layer, z in layers)


@wrong("among-heads")
class MultiHeadAmongHeads(FourLayers):
    def heads(self, x, context):
        return (z.transpose(1, 2) for z in super().heads(x, context))

    def mix(self, weights, v):
        return self.out_proj((weights @ v).flatten(2))


@wrong("one-head")
class MultiHeadOneHead(FourLayers):
    def heads(self, x, context):
        context = x if context is None else context
        return self.q_proj(x), self.k_proj(context), self.v_proj(context)

    def mix(self, weights, v):
        return self.out_proj(weights @ v)


@wrong("one-head")
class MultiHeadOneHeadByTheCourse(FourLayers):
    def forward(self, x, context=None, mask=None):
        context = x if context is None else context
        out, weights = dot_product_attention(self.q_proj(x), self.k_proj(context), self.v_proj(context), mask)
        return self.out_proj(out), weights


@wrong("num-heads-as-size")
class MultiHeadHeadsOfNumHeadsFeatures(FourLayers):
    def heads(self, x, context):
        context = x if context is None else context
        layers = ((self.q_proj, x), (self.k_proj, context), (self.v_proj, context))
        return (torch.stack(layer(z).split(self.num_heads, dim=-1), dim=1) for layer, z in layers)


@wrong("keys-turned-wrongly")
class MultiHeadKeysByT(FourLayers):
    def scores(self, q, k):
        return q @ k.T / math.sqrt(q.size(-1))


@wrong("merge-not-transposed")
class MultiHeadMergedByReshape(FourLayers):
    def mix(self, weights, v):
        out = weights @ v
        return self.out_proj(out.reshape(out.size(0), out.size(2), -1))


@wrong("merge-interleaved")
class MultiHeadMergedInTurns(FourLayers):
    def mix(self, weights, v):
        return self.out_proj((weights @ v).permute(0, 2, 3, 1).flatten(2))


@wrong("layer-meets-one-head")
class MultiHeadNotMerged(FourLayers):
    def mix(self, weights, v):
        return self.out_proj(weights @ v)


@wrong("layer-meets-one-head")
class MultiHeadSplitFirst(FourLayers):
    def heads(self, x, context):
        z, y = cut(x, self.num_heads), cut(x if context is None else context, self.num_heads)
        return self.q_proj(z), self.k_proj(y), self.v_proj(y)


@wrong()
class MultiHeadViewAfterTranspose(FourLayers):
    def mix(self, weights, v):
        out = (weights @ v).transpose(1, 2)
        return self.out_proj(out.view(out.size(0), out.size(1), -1))


@wrong("batch-as-positions")
class MultiHeadAcrossTheBatch(FourLayers):
    def heads(self, x, context):
        return super().heads(x.transpose(0, 1), None if context is None else context.transpose(0, 1))

    def mix(self, weights, v):
        return super().mix(weights, v).transpose(0, 1)


@wrong("one-length-for-all")
class MultiHeadLengthOfX(FourLayers):
    def heads(self, x, context):
        context = x if context is None else context
        B, T, C = x.shape
        layers = ((self.q_proj, x), (self.k_proj, context), (self.v_proj, context))
        return (layer(z).view(B, T, self.num_heads, C // self.num_heads).transpose(1, 2) for layer, z in layers)


@wrong("one-length-for-all")
class MultiHeadMergedWithTheLengthOfTheContext(FourLayers):
    def forward(self, x, context=None, mask=None):
        context = x if context is None else context
        q, k, v = self.heads(x, context)
        weights = self.dropout(self.weights(q, k, mask))
        B, S, C = context.shape
        return self.out_proj((weights @ v).transpose(1, 2).reshape(B, S, C)), weights


@wrong("stays-on-the-cpu")
class MultiHeadMakesItsOwnMaskOnTheCpu(FourLayers):
    """A mask is made where none is given, and on the CPU."""

    def hide(self, scores, mask):
        if mask is None:
            mask = torch.ones(scores.size(-2), scores.size(-1), dtype=torch.bool)
        return scores.masked_fill(~mask, float("-inf"))
