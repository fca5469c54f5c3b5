"""Wrong answers to exercise 7.1, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET503, RET504 - a return inside a loop, and naming a result before returning it, are what learners do

import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from exercises.common.heads import answers_wrong_weights
from exercises.common.heads.answers_parts import cut, hidden, join, parts
from feedback.bank import WrongAnswers

wrong = WrongAnswers()


class QueryKeyValue(nn.Module):
    """What most of the wrong classes below get right; `attend` is what they get wrong."""

    def __init__(self, config):
        super().__init__()
        C = config.hidden_size
        self.num_heads = config.num_attention_heads
        self.query, self.key, self.value = nn.Linear(C, C), nn.Linear(C, C), nn.Linear(C, C)

    def heads(self, x):
        return parts(x, self.query, self.key, self.value, self.num_heads)

    def forward(self, x, mask=None):
        q, k, v = self.heads(x)
        weights = hidden(q @ k.mT / math.sqrt(q.size(-1)), mask).softmax(-1)
        return join(weights @ v), weights


@wrong()
class BertWithoutSuper(nn.Module):
    def __init__(self, config):
        self.num_heads = config.num_attention_heads
        self.query = nn.Linear(config.hidden_size, config.hidden_size)

    forward, heads = QueryKeyValue.forward, QueryKeyValue.heads


@wrong("no-init")
class BertMisspeltInit(nn.Module):
    def init(self, config):
        super().__init__()
        self.query = nn.Linear(config.hidden_size, config.hidden_size)

    forward, heads = QueryKeyValue.forward, QueryKeyValue.heads


@wrong("no-forward")
class BertMisspeltForward(nn.Module):
    __init__ = QueryKeyValue.__init__

    def foward(self, x, mask=None):
        return x, x


@wrong("not-a-module")
class BertPlainClass:
    def __init__(self, config):
        self.query = self.key = self.value = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, x, mask=None):
        return x, x


@wrong()
class BertOfTwoSizes(nn.Module):
    def __init__(self, hidden_size, num_heads):
        super().__init__()
        self.query = nn.Linear(hidden_size, hidden_size)

    forward, heads = QueryKeyValue.forward, QueryKeyValue.heads


@wrong()
class BertMisreadConfig(QueryKeyValue):
    def __init__(self, config):
        super().__init__(config)
        self.num_heads = config.num_heads


@wrong()
class BertConfigAsDict(QueryKeyValue):
    def __init__(self, config):
        super().__init__(config)
        self.num_heads = config["num_attention_heads"]


@wrong("forward-arguments")
class BertAlwaysMasked(QueryKeyValue):
    def forward(self, x, mask):
        return super().forward(x, mask)


@wrong("forward-arguments")
class BertWithoutMask(QueryKeyValue):
    def forward(self, x):
        return super().forward(x)


@wrong("forward-arguments")
class BertOfThreeInputs(QueryKeyValue):
    def forward(self, q, k, v, mask=None):
        return super().forward(q, mask)


@wrong("no-projection")
class BertOtherNames(nn.Module):
    def __init__(self, config):
        super().__init__()
        C, self.num_heads = config.hidden_size, config.num_attention_heads
        self.W_query, self.W_key, self.W_value = nn.Linear(C, C), nn.Linear(C, C), nn.Linear(C, C)

    def forward(self, x, mask=None):
        q, k, v = parts(x, self.W_query, self.W_key, self.W_value, self.num_heads)
        weights = hidden(q @ k.mT / math.sqrt(q.size(-1)), mask).softmax(-1)
        return join(weights @ v), weights


@wrong("wrong-projection-size")
class BertOneHeadWide(QueryKeyValue):
    def __init__(self, config):
        super().__init__(config)
        self.query = nn.Linear(config.hidden_size, config.hidden_size // config.num_attention_heads)


@wrong("no-bias")
class BertWithoutBias(QueryKeyValue):
    def __init__(self, config):
        super().__init__(config)
        self.query, self.key, self.value = (
            nn.Linear(config.hidden_size, config.hidden_size, bias=False) for _ in range(3)
        )


@wrong("shared-layer")
class BertSharedLayer(QueryKeyValue):
    def __init__(self, config):
        super().__init__(config)
        self.key = self.query


@wrong("extra-parameters")
class BertWithDense(QueryKeyValue):
    def __init__(self, config):
        super().__init__(config)
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, x, mask=None):
        out, weights = super().forward(x, mask)
        return self.dense(out), weights


@wrong("extra-parameters")
class BertWithLayerNorm(QueryKeyValue):
    def __init__(self, config):
        super().__init__(config)
        self.LayerNorm = nn.LayerNorm(config.hidden_size)

    def forward(self, x, mask=None):
        out, weights = super().forward(x, mask)
        return self.LayerNorm(out + x), weights


@wrong("viewed")
class BertViewed(QueryKeyValue):
    def heads(self, x):
        return (layer(x).view(len(x), self.num_heads, x.size(1), -1) for layer in (self.query, self.key, self.value))


@wrong("one-head")
class BertOneHead(QueryKeyValue):
    def forward(self, x, mask=None):
        q, k, v = self.query(x), self.key(x), self.value(x)
        weights = hidden(q @ k.mT / math.sqrt(q.size(-1)), mask).softmax(-1)
        return weights @ v, weights


@wrong("among-heads")
class BertAmongHeads(QueryKeyValue):
    def forward(self, x, mask=None):
        q, k, v = (layer(x).unflatten(-1, (self.num_heads, -1)) for layer in (self.query, self.key, self.value))
        weights = hidden(q @ k.mT / math.sqrt(q.size(-1)), mask).softmax(-1)
        return (weights @ v).flatten(2), weights


@wrong("layer-meets-one-head")
class BertSplitFirst(QueryKeyValue):
    def heads(self, x):
        z = cut(x, self.num_heads)
        return self.query(z), self.key(z), self.value(z)


@wrong("merge-not-transposed")
class BertMergedByView(QueryKeyValue):
    def forward(self, x, mask=None):
        _, weights = super().forward(x, mask)
        return (weights @ cut(self.value(x), self.num_heads)).reshape(x.shape), weights


@wrong("not-contiguous")
class BertViewAfterTranspose(QueryKeyValue):
    def forward(self, x, mask=None):
        _, weights = super().forward(x, mask)
        return (weights @ cut(self.value(x), self.num_heads)).transpose(1, 2).view(x.shape), weights


@wrong("not-merged")
class BertNotMerged(QueryKeyValue):
    def forward(self, x, mask=None):
        _, weights = super().forward(x, mask)
        return weights @ cut(self.value(x), self.num_heads), weights


@wrong("heads-averaged")
class BertHeadsAveraged(QueryKeyValue):
    def forward(self, x, mask=None):
        _, weights = super().forward(x, mask)
        return (weights @ cut(self.value(x), self.num_heads)).mean(dim=1), weights


@wrong("weights-averaged")
class BertWeightsAveraged(QueryKeyValue):
    def forward(self, x, mask=None):
        out, weights = super().forward(x, mask)
        return out, weights.mean(1)


@wrong("residual")
class BertResidual(QueryKeyValue):
    def forward(self, x, mask=None):
        out, weights = super().forward(x, mask)
        return out + x, weights


class Scored(QueryKeyValue):
    """The weights are made by a method, to be replaced."""

    def weights(self, scores, mask):
        return hidden(scores, mask).softmax(-1)

    def scaled(self, q):
        return math.sqrt(q.size(-1))

    def forward(self, x, mask=None):
        q, k, v = self.heads(x)
        weights = self.weights(q @ k.mT / self.scaled(q), mask)
        return join(weights @ v), weights


TOLD_OTHERWISE = {"with_dropout": "dropout-in-eval"}  # a module has a mode, and a function has none


def with_weights(weigh):
    """A module that is right but for its weights, which weigh(q, k, mask) makes."""

    class Answer(QueryKeyValue):
        def forward(self, x, mask=None):
            q, k, v = self.heads(x)
            weights = weigh(q, k, mask)
            return join(weights @ v), weights

    Answer.__name__ = f"Bert_{weigh.__name__}"
    return Answer


for weigh, diagnosis in (*answers_wrong_weights.wrong_scores.answers, *answers_wrong_weights.wrong_masks.answers):
    wrong(TOLD_OTHERWISE.get(weigh.__name__, diagnosis))(with_weights(weigh))


@wrong("scaled-by-d-model")
class BertRootOfC(Scored):
    def scaled(self, q):
        return self.query.out_features**0.5


@wrong("query-layer-twice")
class BertQueryLayerTwice(QueryKeyValue):
    def heads(self, x):
        return parts(x, self.query, self.query, self.value, self.num_heads)


@wrong("keys-as-values")
class BertKeysAsValues(QueryKeyValue):
    def heads(self, x):
        return parts(x, self.query, self.key, self.key, self.num_heads)


@wrong("layer-skipped")
class BertValuesNotProjected(QueryKeyValue):
    def heads(self, x):
        return cut(self.query(x), self.num_heads), cut(self.key(x), self.num_heads), cut(x, self.num_heads)


@wrong("only-out")
class BertOnlyOut(QueryKeyValue):
    def forward(self, x, mask=None):
        return super().forward(x, mask)[0]


@wrong("swapped-pair")
class BertSwappedPair(QueryKeyValue):
    def forward(self, x, mask=None):
        return super().forward(x, mask)[::-1]


@wrong("returns-wrong-type")
class BertTupleOfOne(QueryKeyValue):
    def forward(self, x, mask=None):
        return (super().forward(x, mask)[0],)


@wrong("returns-wrong-type")
class BertThreeThings(QueryKeyValue):
    def forward(self, x, mask=None):
        return *super().forward(x, mask), None


@wrong("returns-none")
class BertNotReturned(QueryKeyValue):
    def forward(self, x, mask=None):
        self.out = super().forward(x, mask)


@wrong("scores-returned")
class BertScoresReturned(QueryKeyValue):
    def forward(self, x, mask=None):
        q, k, _ = self.heads(x)
        return super().forward(x, mask)[0], q @ k.mT / math.sqrt(q.size(-1))


@wrong("batch-as-positions")
class BertAcrossTheBatch(QueryKeyValue):
    def forward(self, x, mask=None):
        out, weights = super().forward(x.transpose(0, 1), mask)
        return out.transpose(0, 1), weights


@wrong("items-mixed")
class BertAnotherItem(QueryKeyValue):
    def heads(self, x):
        q, k, v = super().heads(x)
        return q, k.roll(1, 0), v.roll(1, 0)


@wrong("heads-mixed")
class BertFirstHeadForAll(QueryKeyValue):
    def heads(self, x):
        return (z[:, :1].expand(-1, self.num_heads, -1, -1) for z in super().heads(x))


@wrong("out-alone-wrong")
class BertHeadsReversed(QueryKeyValue):
    def forward(self, x, mask=None):
        _, weights = super().forward(x, mask)
        return join((weights @ cut(self.value(x), self.num_heads)).flip(1)), weights


@wrong()
class BertKeepsItsMask(QueryKeyValue):
    mask = None

    def forward(self, x, mask=None):
        self.mask = mask if self.mask is None else self.mask
        return super().forward(x, self.mask)


@wrong("remembers")
class BertKeepsItsLength(QueryKeyValue):
    def forward(self, x, mask=None):
        self.length = getattr(self, "length", x.size(1))
        return super().forward(x[:, : self.length], mask)


@wrong("no-gradients")
class BertDetachedKeys(QueryKeyValue):
    def heads(self, x):
        q, k, v = super().heads(x)
        return q, k.detach(), v


@wrong("changes-input")
class BertChangesX(QueryKeyValue):
    def forward(self, x, mask=None):
        x -= x.mean(-1, keepdim=True)
        return super().forward(x, mask)


@wrong("wrong-dtype")
class BertAlwaysFloat32(QueryKeyValue):
    def forward(self, x, mask=None):
        out, weights = super().forward(x, mask)
        return out.float(), weights.float()


@wrong("mask-only-in-training")
class BertMaskedInTraining(Scored):
    def weights(self, scores, mask):
        return super().weights(scores, mask if self.training else None)


@wrong("mask-only-in-evaluation")
class BertMaskedInEvaluation(Scored):
    def weights(self, scores, mask):
        return super().weights(scores, None if self.training else mask)


@wrong("not-repeatable")
class BertWithANewOutputLayer(QueryKeyValue):
    def forward(self, x, mask=None):
        out, weights = super().forward(x, mask)
        return nn.Linear(x.size(-1), x.size(-1), dtype=x.dtype)(out), weights


@wrong("interleaved")
class BertInTurns(QueryKeyValue):
    def heads(self, x):
        H = self.num_heads
        return (torch.stack([layer(x)[..., h::H] for h in range(H)], 1) for layer in (self.query, self.key, self.value))


@wrong("num-heads-as-size")
class BertHeadsOfSizeH(QueryKeyValue):
    def heads(self, x):
        return (torch.stack(layer(x).split(self.num_heads, -1), 1) for layer in (self.query, self.key, self.value))


class Merged(QueryKeyValue):
    """The heads are merged, and the weights returned, by methods to be replaced."""

    def merge(self, z):
        return join(z)

    def shown(self, weights):
        return weights

    def forward(self, x, mask=None):
        q, k, v = self.heads(x)
        weights = hidden(q @ k.mT / math.sqrt(q.size(-1)), mask).softmax(-1)
        return self.merge(weights @ v), self.shown(weights)


@wrong("merge-interleaved")
class BertMergedInTurns(Merged):
    def merge(self, z):
        return torch.stack(z.unbind(1), dim=-1).flatten(2)


@wrong("merged-along-positions")
class BertMergedAlongPositions(Merged):
    def merge(self, z):
        return torch.cat(z.unbind(1), dim=1)


@wrong("heads-summed")
class BertHeadsSummed(Merged):
    def merge(self, z):
        return torch.einsum("bhtd->btd", z)


@wrong("normalized")
class BertNormalized(Merged):
    def merge(self, z):
        out = join(z)
        return (out - out.mean(-1, keepdim=True)) / (out.var(-1, keepdim=True, correction=0) + 1e-5).sqrt()


@wrong("weights-summed")
class BertWeightsSummed(Merged):
    def shown(self, weights):
        return weights.sum(dim=1)


@wrong("one-head-s-weights")
class BertFirstWeights(Merged):
    def shown(self, weights):
        return weights[:, 0]


@wrong("weights-in-another-order")
class BertWeightsHeadsFirst(Merged):
    def shown(self, weights):
        return torch.stack([weights[:, h] for h in range(self.num_heads)])


@wrong("weights-transposed")
class BertColumnsMix(QueryKeyValue):
    def forward(self, x, mask=None):
        _, weights = super().forward(x, mask)
        return join(weights.mT @ cut(self.value(x), self.num_heads)), weights


@wrong("mixed-by-scores")
class BertMixedByScores(QueryKeyValue):
    def forward(self, x, mask=None):
        q, k, v = self.heads(x)
        scores = q @ k.mT / math.sqrt(q.size(-1))
        return join(scores @ v), hidden(scores, mask).softmax(-1)


@wrong("mask-for-out-only")
class BertMaskForOutOnly(QueryKeyValue):
    def forward(self, x, mask=None):
        q, k, v = self.heads(x)
        visible = None if mask is None else torch.atleast_2d(mask)
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=visible)
        return join(out), (q @ k.mT / math.sqrt(q.size(-1))).softmax(-1)


@wrong("mask-for-weights-only")
class BertMaskForWeightsOnly(QueryKeyValue):
    def forward(self, x, mask=None):
        q, k, v = self.heads(x)
        weights = hidden(q @ k.mT / math.sqrt(q.size(-1)), mask).softmax(-1)
        return join(F.scaled_dot_product_attention(q, k, v)), weights


@wrong("query-layer-for-all")
class BertQueryLayerForAll(QueryKeyValue):
    def heads(self, x):
        return (cut(self.query(x), self.num_heads),) * 3


@wrong("key-layer-twice")
class BertKeyLayerTwice(QueryKeyValue):
    def heads(self, x):
        return parts(x, self.key, self.key, self.value, self.num_heads)


@wrong("keys-ask")
class BertKeysAsk(QueryKeyValue):
    def heads(self, x):
        q, k, v = super().heads(x)
        return k, q, v


@wrong("queries-as-values")
class BertQueriesAsValues(QueryKeyValue):
    def heads(self, x):
        q, k, _ = super().heads(x)
        return q, k, q


@wrong("values-as-keys")
class BertValuesAsKeys(QueryKeyValue):
    def heads(self, x):
        q, _, v = super().heads(x)
        return q, v, v


@wrong("keys-and-values-exchanged")
class BertKeysAndValuesExchanged(QueryKeyValue):
    def heads(self, x):
        q, k, v = super().heads(x)
        return q, v, k


@wrong("bias-forgotten")
class BertBiasForgotten(QueryKeyValue):
    def heads(self, x):
        return (
            cut(torch.einsum("btc,dc->btd", x, layer.weight), self.num_heads)
            for layer in (self.query, self.key, self.value)
        )


@wrong("weight-as-it-is")
class BertWeightsOfLayersAsTheyAre(QueryKeyValue):
    def heads(self, x):
        return (
            cut(torch.einsum("btc,cd->btd", x, layer.weight) + layer.bias, self.num_heads)
            for layer in (self.query, self.key, self.value)
        )
