"""Wrong answers to exercise 5.5, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET503, RET504 - a return inside a loop, and naming a result before returning it, are what learners do

import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from exercises.common import wrong_weights
from exercises.e5_5_multi_head_module.answers_frame import FourLayers, cut, join
from exercises.e5_5_multi_head_module.answers_wrong_dropout import wrong as of_dropout
from feedback.bank import WrongAnswers
from helpers.attention import dot_product_attention

wrong = WrongAnswers()
wrong.answers += of_dropout.answers


# ---------------------------------------------------------------- the class


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


# ---------------------------------------------------------------- weights

TOLD_OTHERWISE = {
    "with_dropout": "not-repeatable",
    "no_transpose_of_keys": None,
}


def with_weights(weigh):
    """A module that is right but for its weights, which weigh(q, k, mask) makes."""

    class Answer(FourLayers):
        def weights(self, q, k, mask):
            return weigh(q, k, mask)

    Answer.__name__ = f"MultiHead_{weigh.__name__}"
    return Answer


for weigh, diagnosis in (*wrong_weights.wrong_scores.answers, *wrong_weights.wrong_masks.answers):
    wrong(TOLD_OTHERWISE.get(weigh.__name__, diagnosis))(with_weights(weigh))


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


@wrong()
class MultiHeadWeightsTransposed(FourLayers):
    """Columns mix the values, which a context shorter or longer than x does not allow."""

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


# ---------------------------------------------------------------- layers, and who is read


@wrong("no-out-proj")
class MultiHeadWithoutOutProj(FourLayers):
    def mix(self, weights, v):
        return join(weights @ v)


@wrong("residual")
class MultiHeadResidual(FourLayers):
    def forward(self, x, context=None, mask=None):
        out, weights = super().forward(x, context, mask)
        return x + out, weights


@wrong("values-and-out-exchanged")
class MultiHeadValuesByOutProj(FourLayers):
    def heads(self, x, context):
        q, k, _ = super().heads(x, context)
        return q, k, cut(self.out_proj(x if context is None else context), self.num_heads)

    def mix(self, weights, v):
        return self.v_proj(join(weights @ v))


class Used(FourLayers):
    """Other layers, of x and of the context, than those asked for."""

    def used(self, x, context):
        return self.q_proj(x), self.k_proj(context), self.v_proj(context)

    def heads(self, x, context):
        return (cut(z, self.num_heads) for z in self.used(x, x if context is None else context))


def used(used):
    """A class in which used(self, x, context) gives queries, keys and values."""
    return type(f"MultiHead_{used.__name__}", (Used,), {"used": used})


@wrong("context-ignored")
@used
def context_ignored(self, x, context):
    return self.q_proj(x), self.k_proj(x), self.v_proj(x)


@wrong("keys-from-x")
@used
def keys_from_x(self, x, context):
    return self.q_proj(x), self.k_proj(x), self.v_proj(context)


@wrong("values-from-x")
@used
def values_from_x(self, x, context):
    return self.q_proj(x), self.k_proj(context), self.v_proj(x)


@wrong("queries-from-context")
@used
def queries_from_context(self, x, context):
    return self.q_proj(context), self.k_proj(context), self.v_proj(context)


@wrong("context-asks")
@used
def context_asks(self, x, context):
    return self.q_proj(context), self.k_proj(x), self.v_proj(x)


@wrong("query-layer-for-all")
@used
def one_layer_for_all(self, x, context):
    return self.q_proj(x), self.q_proj(context), self.q_proj(context)


@wrong("query-layer-twice")
@used
def query_layer_twice(self, x, context):
    return self.q_proj(x), self.q_proj(context), self.v_proj(context)


@wrong("key-layer-twice")
@used
def key_layer_twice(self, x, context):
    return self.k_proj(x), self.k_proj(context), self.v_proj(context)


@wrong("layers-exchanged")
@used
def layers_exchanged(self, x, context):
    return self.k_proj(x), self.q_proj(context), self.v_proj(context)


@wrong("keys-as-values")
@used
def keys_as_values(self, x, context):
    return self.q_proj(x), self.k_proj(context), self.k_proj(context)


@wrong("values-as-keys")
@used
def values_as_keys(self, x, context):
    return self.q_proj(x), self.v_proj(context), self.v_proj(context)


@wrong("keys-and-values-exchanged")
@used
def keys_and_values_exchanged(self, x, context):
    return self.q_proj(x), self.v_proj(context), self.k_proj(context)


@wrong("layer-skipped")
@used
def values_not_projected(self, x, context):
    return self.q_proj(x), self.k_proj(context), context


@wrong("reads-both")
@used
def reads_both(self, x, context):
    read = x if context is x else torch.cat([x, context], dim=1)
    return self.q_proj(x), self.k_proj(read), self.v_proj(read)


@wrong("context-asks-keeping-values")
class MultiHeadKeysAsk(FourLayers):
    def scores(self, q, k):
        return k @ q.transpose(-2, -1) / math.sqrt(q.size(-1))


@wrong("bias-forgotten")
@used
def without_biases(self, x, context):
    return x @ self.q_proj.weight.T, context @ self.k_proj.weight.T, context @ self.v_proj.weight.T


@wrong("weight-as-it-is")
@used
def weights_as_they_are(self, x, context):
    layers = ((self.q_proj, x), (self.k_proj, context), (self.v_proj, context))
    return (z @ layer.weight + layer.bias for layer, z in layers)


@wrong("context-needed")
class MultiHeadContextNeeded(FourLayers):
    def forward(self, x, context=None, mask=None):
        q, k, v = (
            cut(layer(z), self.num_heads)
            for layer, z in ((self.q_proj, x), (self.k_proj, context), (self.v_proj, context))
        )
        weights = self.dropout(self.weights(q, k, mask))
        return self.mix(weights, v), weights


@wrong()
class MultiHeadContextOrX(FourLayers):
    def forward(self, x, context=None, mask=None):
        return super().forward(x, context or x, mask)


@wrong("context-never-none")
class MultiHeadContextTheWrongWayAround(FourLayers):
    def heads(self, x, context):
        if context is not None:
            context = x
        layers = ((self.q_proj, x), (self.k_proj, context), (self.v_proj, context))
        return (cut(layer(z), self.num_heads) for layer, z in layers)
