"""Wrong answers to exercise 7.1, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET503, RET504 - a return inside a loop, and naming a result before returning it, are what learners do

import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


def cut(z, num_heads):
    return z.view(z.size(0), z.size(1), num_heads, -1).transpose(1, 2)


def join(z):
    return z.transpose(1, 2).reshape(z.size(0), z.size(2), -1)


def hidden(scores, mask):
    return scores if mask is None else scores.masked_fill(~mask, float("-inf"))


def parts(z, q_proj, k_proj, v_proj, num_heads):
    return cut(q_proj(z), num_heads), cut(k_proj(z), num_heads), cut(v_proj(z), num_heads)


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
    """Super().__init__() is missing."""

    def __init__(self, config):
        self.num_heads = config.num_attention_heads
        self.query = nn.Linear(config.hidden_size, config.hidden_size)

    forward, heads = QueryKeyValue.forward, QueryKeyValue.heads


@wrong("no-init")
class BertMisspeltInit(nn.Module):
    """Init without underscores."""

    def init(self, config):
        super().__init__()
        self.query = nn.Linear(config.hidden_size, config.hidden_size)

    forward, heads = QueryKeyValue.forward, QueryKeyValue.heads


@wrong("no-forward")
class BertMisspeltForward(nn.Module):
    """Foward."""

    __init__ = QueryKeyValue.__init__

    def foward(self, x, mask=None):
        return x, x


@wrong("not-a-module")
class BertPlainClass:
    """No nn.Module."""

    def __init__(self, config):
        self.query = self.key = self.value = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, x, mask=None):
        return x, x


@wrong()
class BertOfTwoSizes(nn.Module):
    """Sizes in place of a config."""

    def __init__(self, hidden_size, num_heads):
        super().__init__()
        self.query = nn.Linear(hidden_size, hidden_size)

    forward, heads = QueryKeyValue.forward, QueryKeyValue.heads


@wrong()
class BertMisreadConfig(QueryKeyValue):
    """Config.num_heads."""

    def __init__(self, config):
        super().__init__(config)
        self.num_heads = config.num_heads


@wrong()
class BertConfigAsDict(QueryKeyValue):
    """Config as a dict."""

    def __init__(self, config):
        super().__init__(config)
        self.num_heads = config["num_attention_heads"]


@wrong("forward-arguments")
class BertAlwaysMasked(QueryKeyValue):
    """The mask has no default."""

    def forward(self, x, mask):
        return super().forward(x, mask)


@wrong("forward-arguments")
class BertWithoutMask(QueryKeyValue):
    """Forward takes no mask."""

    def forward(self, x):
        return super().forward(x)


@wrong("forward-arguments")
class BertOfThreeInputs(QueryKeyValue):
    """Forward wants q, k and v."""

    def forward(self, q, k, v, mask=None):
        return super().forward(q, mask)


@wrong("no-projection")
class BertOtherNames(nn.Module):
    """The names of notebook 02."""

    def __init__(self, config):
        super().__init__()
        C, self.num_heads = config.hidden_size, config.num_attention_heads
        self.W_query, self.W_key, self.W_value = nn.Linear(C, C), nn.Linear(C, C), nn.Linear(C, C)

    def forward(self, x, mask=None):
        q, k, v = parts(x, self.W_query, self.W_key, self.W_value, self.num_heads)
        weights = hidden(q @ k.mT / math.sqrt(q.size(-1)), mask).softmax(-1)
        return join(weights @ v), weights


@wrong("no-projection")
class BertPacked(nn.Module):
    """One layer three times as wide."""

    def __init__(self, config):
        super().__init__()
        self.num_heads = config.num_attention_heads
        self.in_proj = nn.Linear(config.hidden_size, 3 * config.hidden_size)

    def forward(self, x, mask=None):
        q, k, v = (cut(z, self.num_heads) for z in self.in_proj(x).chunk(3, -1))
        weights = hidden(q @ k.mT / math.sqrt(q.size(-1)), mask).softmax(-1)
        return join(weights @ v), weights


@wrong("wrong-projection-size")
class BertOneHeadWide(QueryKeyValue):
    """Layers as wide as one head."""

    def __init__(self, config):
        super().__init__(config)
        self.query = nn.Linear(config.hidden_size, config.hidden_size // config.num_attention_heads)


@wrong("wrong-projection-size")
class BertFixedWidth(QueryKeyValue):
    """768, whatever config says."""

    def __init__(self, config):
        super().__init__(config)
        self.query, self.key, self.value = (nn.Linear(768, 768) for _ in range(3))


@wrong("no-bias")
class BertWithoutBias(QueryKeyValue):
    """Without biases."""

    def __init__(self, config):
        super().__init__(config)
        self.query, self.key, self.value = (nn.Linear(config.hidden_size, config.hidden_size, bias=False)
                                            for _ in range(3))


@wrong("shared-layer")
class BertSharedLayer(QueryKeyValue):
    """One layer under two names."""

    def __init__(self, config):
        super().__init__(config)
        self.key = self.query


@wrong("extra-parameters")
class BertWithDense(QueryKeyValue):
    """With the last projection."""

    def __init__(self, config):
        super().__init__(config)
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, x, mask=None):
        out, weights = super().forward(x, mask)
        return self.dense(out), weights


@wrong("extra-parameters")
class BertWithLayerNorm(QueryKeyValue):
    """With LayerNorm and residual."""

    def __init__(self, config):
        super().__init__(config)
        self.LayerNorm = nn.LayerNorm(config.hidden_size)

    def forward(self, x, mask=None):
        out, weights = super().forward(x, mask)
        return self.LayerNorm(out + x), weights


@wrong("viewed")
class BertViewed(QueryKeyValue):
    """Split by view in one go."""

    def heads(self, x):
        return (layer(x).view(len(x), self.num_heads, x.size(1), -1) for layer in (self.query, self.key, self.value))


@wrong("one-head")
class BertOneHead(QueryKeyValue):
    """Never split."""

    def forward(self, x, mask=None):
        q, k, v = self.query(x), self.key(x), self.value(x)
        weights = hidden(q @ k.mT / math.sqrt(q.size(-1)), mask).softmax(-1)
        return weights @ v, weights


@wrong("among-heads")
class BertAmongHeads(QueryKeyValue):
    """Not transposed: heads attend to heads."""

    def forward(self, x, mask=None):
        q, k, v = (layer(x).unflatten(-1, (self.num_heads, -1)) for layer in (self.query, self.key, self.value))
        weights = hidden(q @ k.mT / math.sqrt(q.size(-1)), mask).softmax(-1)
        return (weights @ v).flatten(2), weights


@wrong("layer-meets-one-head")
class BertSplitFirst(QueryKeyValue):
    """Split before the layers."""

    def heads(self, x):
        z = cut(x, self.num_heads)
        return self.query(z), self.key(z), self.value(z)


@wrong("merge-not-transposed")
class BertMergedByView(QueryKeyValue):
    """Merged by view."""

    def forward(self, x, mask=None):
        _, weights = super().forward(x, mask)
        return (weights @ cut(self.value(x), self.num_heads)).reshape(x.shape), weights


@wrong("not-contiguous")
class BertViewAfterTranspose(QueryKeyValue):
    """View after transpose."""

    def forward(self, x, mask=None):
        _, weights = super().forward(x, mask)
        return (weights @ cut(self.value(x), self.num_heads)).transpose(1, 2).view(x.shape), weights


@wrong("not-merged")
class BertNotMerged(QueryKeyValue):
    """Not merged."""

    def forward(self, x, mask=None):
        _, weights = super().forward(x, mask)
        return weights @ cut(self.value(x), self.num_heads), weights


@wrong("heads-averaged")
class BertHeadsAveraged(QueryKeyValue):
    """Heads averaged."""

    def forward(self, x, mask=None):
        _, weights = super().forward(x, mask)
        return (weights @ cut(self.value(x), self.num_heads)).mean(dim=1), weights


@wrong("weights-averaged")
class BertWeightsAveraged(QueryKeyValue):
    """Weights averaged over the heads."""

    def forward(self, x, mask=None):
        out, weights = super().forward(x, mask)
        return out, weights.mean(1)


@wrong("residual")
class BertResidual(QueryKeyValue):
    """X added."""

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


@wrong("no-scale")
class BertUnscaled(Scored):
    """Not scaled."""

    def scaled(self, q):
        return 1


@wrong("scaled-by-d-model")
class BertRootOfC(Scored):
    """The root of hidden_size."""

    def scaled(self, q):
        return self.query.out_features ** 0.5


@wrong("scaled-by-d")
class BertOverD(Scored):
    """Divided by D."""

    def scaled(self, q):
        return q.size(-1)


@wrong("fixed-scale")
class BertOverEight(Scored):
    """8, right for BERT base."""

    def scaled(self, q):
        return 8


@wrong("over-queries")
class BertOverQueries(Scored):
    """Softmax over the queries."""

    def weights(self, scores, mask):
        return hidden(scores, mask).softmax(-2)


@wrong("over-heads")
class BertOverHeads(Scored):
    """Softmax over axis 1."""

    def weights(self, scores, mask):
        return hidden(scores, mask).softmax(1)


@wrong("no-softmax")
class BertNoSoftmax(Scored):
    """No softmax."""

    def weights(self, scores, mask):
        return hidden(scores, mask)


@wrong("mask-ignored")
class BertMaskIgnored(Scored):
    """The mask is not used."""

    def weights(self, scores, mask):
        return scores.softmax(-1)


@wrong("true-hides")
class BertMaskInverted(Scored):
    """The mask turned around."""

    def weights(self, scores, mask):
        return hidden(scores, None if mask is None else ~mask).softmax(-1)


@wrong("mask-added")
class BertMaskAdded(Scored):
    """The mask added, as in transformers."""

    def weights(self, scores, mask):
        return (scores if mask is None else scores + mask).softmax(-1)


@wrong()
class BertMaskSubtracted(Scored):
    """1.0 - mask."""

    def weights(self, scores, mask):
        return (scores if mask is None else scores + (1.0 - mask) * -10000.0).softmax(-1)


@wrong("zero-filled")
class BertMaskMultiplied(Scored):
    """The scores times the mask."""

    def weights(self, scores, mask):
        return (scores if mask is None else scores * mask).softmax(-1)


@wrong("weak-fill")
class BertMinusTen(Scored):
    """Filled with -10."""

    def weights(self, scores, mask):
        return (scores if mask is None else scores.masked_fill(~mask, -10)).softmax(-1)


@wrong("masked-after-softmax")
class BertMaskedAfterwards(Scored):
    """Masked after the softmax."""

    def weights(self, scores, mask):
        return scores.softmax(-1) if mask is None else scores.softmax(-1) * mask


@wrong("mask-none")
class BertMaskNone(Scored):
    """The mask is always used."""

    def weights(self, scores, mask):
        return scores.masked_fill(~mask, float("-inf")).softmax(-1)


@wrong()
class BertIfMask(Scored):
    """If mask:."""

    def weights(self, scores, mask):
        return (scores.masked_fill(~mask, -1e9) if mask else scores).softmax(-1)


@wrong()
class BertMaskOfTwoAxes(Scored):
    """A mask (B, T) is expected."""

    def weights(self, scores, mask):
        return hidden(scores, None if mask is None else mask[:, None, None, :]).softmax(-1)


@wrong()
class BertMaskUnsqueezed(Scored):
    """An axis for the heads put into every mask."""

    def weights(self, scores, mask):
        return hidden(scores, None if mask is None else mask.unsqueeze(1)).softmax(-1)


@wrong("own-causal-mask")
class BertCausal(Scored):
    """A causal mask of its own."""

    def weights(self, scores, mask):
        past = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
        return hidden(hidden(scores, mask), past).softmax(-1)


@wrong("dropout-in-eval")
class BertFunctionalDropout(Scored):
    """Dropout by a function."""

    def weights(self, scores, mask):
        return F.dropout(hidden(scores, mask).softmax(-1), 0.1)


@wrong("not-repeatable")
class BertDropoutOfThreeTenths(Scored):
    """Dropout of another share."""

    def weights(self, scores, mask):
        return F.dropout(hidden(scores, mask).softmax(-1), 0.3)


@wrong("query-layer-twice")
class BertQueryLayerTwice(QueryKeyValue):
    """The query layer for the keys."""

    def heads(self, x):
        return parts(x, self.query, self.query, self.value, self.num_heads)


@wrong("keys-as-values")
class BertKeysAsValues(QueryKeyValue):
    """The key layer for the values."""

    def heads(self, x):
        return parts(x, self.query, self.key, self.key, self.num_heads)


@wrong("layer-skipped")
class BertValuesNotProjected(QueryKeyValue):
    """X in place of the values."""

    def heads(self, x):
        return cut(self.query(x), self.num_heads), cut(self.key(x), self.num_heads), cut(x, self.num_heads)


@wrong("only-out")
class BertOnlyOut(QueryKeyValue):
    """Out alone."""

    def forward(self, x, mask=None):
        return super().forward(x, mask)[0]


@wrong("swapped-pair")
class BertSwappedPair(QueryKeyValue):
    """Weights first."""

    def forward(self, x, mask=None):
        return super().forward(x, mask)[::-1]


@wrong("returns-wrong-type")
class BertTupleOfOne(QueryKeyValue):
    """Out in a tuple of its own, as in transformers."""

    def forward(self, x, mask=None):
        return (super().forward(x, mask)[0],)


@wrong("returns-wrong-type")
class BertThreeThings(QueryKeyValue):
    """Keys and values returned too."""

    def forward(self, x, mask=None):
        return *super().forward(x, mask), None


@wrong("returns-none")
class BertNotReturned(QueryKeyValue):
    """Nothing is returned."""

    def forward(self, x, mask=None):
        self.out = super().forward(x, mask)


@wrong("scores-returned")
class BertScoresReturned(QueryKeyValue):
    """Scores returned."""

    def forward(self, x, mask=None):
        q, k, _ = self.heads(x)
        return super().forward(x, mask)[0], q @ k.mT / math.sqrt(q.size(-1))


@wrong("batch-as-positions")
class BertAcrossTheBatch(QueryKeyValue):
    """Read across the batch."""

    def forward(self, x, mask=None):
        out, weights = super().forward(x.transpose(0, 1), mask)
        return out.transpose(0, 1), weights


@wrong("items-mixed")
class BertAnotherItem(QueryKeyValue):
    """Keys and values of another item."""

    def heads(self, x):
        q, k, v = super().heads(x)
        return q, k.roll(1, 0), v.roll(1, 0)


@wrong("heads-mixed")
class BertFirstHeadForAll(QueryKeyValue):
    """The first head's slice for all."""

    def heads(self, x):
        return (z[:, :1].expand(-1, self.num_heads, -1, -1) for z in super().heads(x))


@wrong("out-alone-wrong")
class BertHeadsReversed(QueryKeyValue):
    """Heads in reverse order in out."""

    def forward(self, x, mask=None):
        _, weights = super().forward(x, mask)
        return join((weights @ cut(self.value(x), self.num_heads)).flip(1)), weights


@wrong()
class BertKeepsItsMask(QueryKeyValue):
    """The mask of the first call is kept."""

    mask = None

    def forward(self, x, mask=None):
        self.mask = mask if self.mask is None else self.mask
        return super().forward(x, self.mask)


@wrong("remembers")
class BertKeepsItsLength(QueryKeyValue):
    """Only the first positions of later texts."""

    def forward(self, x, mask=None):
        self.length = getattr(self, "length", x.size(1))
        return super().forward(x[:, :self.length], mask)


@wrong("no-gradients")
class BertDetachedKeys(QueryKeyValue):
    """Keys without gradients."""

    def heads(self, x):
        q, k, v = super().heads(x)
        return q, k.detach(), v


@wrong("changes-input")
class BertChangesX(QueryKeyValue):
    """X is changed in place."""

    def forward(self, x, mask=None):
        x -= x.mean(-1, keepdim=True)
        return super().forward(x, mask)


@wrong("wrong-dtype")
class BertAlwaysFloat32(QueryKeyValue):
    """Always float32."""

    def forward(self, x, mask=None):
        out, weights = super().forward(x, mask)
        return out.float(), weights.float()


@wrong()
class BertKeysNotTransposed(QueryKeyValue):
    """K is not transposed."""

    def forward(self, x, mask=None):
        q, k, v = self.heads(x)
        weights = hidden(q @ k / math.sqrt(q.size(-1)), mask).softmax(-1)
        return join(weights @ v), weights


@wrong("hidden-keys-read")
class BertUnscaledUnmasked(Scored):
    """Two mistakes: neither scaled nor masked."""

    def scaled(self, q):
        return 1

    def weights(self, scores, mask):
        return scores.softmax(-1)


@wrong("mask-only-in-training")
class BertMaskedInTraining(Scored):
    """The mask in training only."""

    def weights(self, scores, mask):
        return super().weights(scores, mask if self.training else None)


@wrong("mask-only-in-evaluation")
class BertMaskedInEvaluation(Scored):
    """The mask in evaluation only."""

    def weights(self, scores, mask):
        return super().weights(scores, None if self.training else mask)


@wrong("not-repeatable")
class BertWithANewOutputLayer(QueryKeyValue):
    """A new output layer in every forward."""

    def forward(self, x, mask=None):
        out, weights = super().forward(x, mask)
        return nn.Linear(x.size(-1), x.size(-1), dtype=x.dtype)(out), weights


@wrong("fixed-scale")
class BertScaledByTheRootOf32(Scored):
    """A fixed root of 32."""

    def scaled(self, q):
        return math.sqrt(32)
