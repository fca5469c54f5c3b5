"""Answers to exercise 5.5 with two mistakes at once: naming either is true, naming a third is not."""

import math

from exercises.common.heads.answers_parts import join
from exercises.e5_5_multi_head_module.answers_base import FourLayers
from feedback.bank import TwoMistakes

both = TwoMistakes()


class Unscaled(FourLayers):
    def scores(self, q, k):
        return q @ k.mT


class RootOfDModel(FourLayers):
    def scores(self, q, k):
        return q @ k.mT / math.sqrt(self.q_proj.in_features)


class NoOutProj(FourLayers):
    def mix(self, weights, v):
        return join(weights @ v)


class MergedByReshape(FourLayers):
    def mix(self, weights, v):
        out = weights @ v
        return self.out_proj(out.reshape(out.size(0), out.size(2), -1))


class InvertedMask(FourLayers):
    def hide(self, scores, mask):
        return scores if mask is None else scores.masked_fill(mask, float("-inf"))


class ContextIgnored(FourLayers):
    def heads(self, x, context):
        return super().heads(x, None)


class NoDropout(FourLayers):
    def forward(self, x, context=None, mask=None):
        q, k, v = self.heads(x, context)
        weights = self.weights(q, k, mask)
        return self.mix(weights, v), weights


class CleanWeights(FourLayers):
    def forward(self, x, context=None, mask=None):
        q, k, v = self.heads(x, context)
        weights = self.weights(q, k, mask)
        return self.mix(self.dropout(weights), v), weights


@both("no-scale", "never-on")
class UnscaledWithoutDropout(Unscaled, NoDropout):
    pass


@both("no-scale", "no-out-proj")
class UnscaledWithoutOutProj(Unscaled, NoOutProj):
    pass


@both("scaled-by-d-model", "true-hides")
class RootOfDModelInvertedMask(RootOfDModel, InvertedMask):
    pass


@both("true-hides", "merge-not-transposed")
class InvertedMaskMergedByReshape(InvertedMask, MergedByReshape):
    pass


@both("true-hides", "weights-before-dropout")
class InvertedMaskCleanWeights(InvertedMask, CleanWeights):
    pass


@both("context-ignored", "no-scale")
class ContextIgnoredUnscaled(ContextIgnored, Unscaled):
    pass


@both("context-ignored", "never-on")
class ContextIgnoredWithoutDropout(ContextIgnored, NoDropout):
    pass


@both("no-out-proj", "weights-before-dropout")
class NoOutProjCleanWeights(NoOutProj, CleanWeights):
    pass


class CutByView(FourLayers):
    def heads(self, x, context):
        for z in super().heads(x, context):
            yield z.transpose(1, 2).reshape(z.shape)


@both("positions-mixed", "scaled-by-d-model")
class RootOfDModelCutByView(RootOfDModel, CutByView):
    pass
