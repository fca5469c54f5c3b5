"""Wrong answers to exercise 2.5, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET503, RET504 - a return inside a loop, and naming a result before returning it, are what learners do

import math

import torch
import torch.nn as nn

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


class Projections(nn.Module):
    """What most of the wrong classes below get right."""

    def __init__(self, d_in, d_out, bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=bias)
        self.W_key = nn.Linear(d_in, d_out, bias=bias)
        self.W_value = nn.Linear(d_in, d_out, bias=bias)


class ThreeProjections(Projections):
    """A right answer, of which the classes below replace `project`, `weigh` or `forward`."""

    def project(self, x):
        return self.W_query(x), self.W_key(x), self.W_value(x)

    def weigh(self, q, k):
        return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1]), dim=-1)

    def forward(self, x):
        q, k, v = self.project(x)
        weights = self.weigh(q, k)
        return weights @ v, weights


@wrong()
class SelfAttentionWithoutSuper(nn.Module):
    """super().__init__() is missing."""

    def __init__(self, d_in, d_out):
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)

    forward = ThreeProjections.forward


@wrong("no-init")
class SelfAttentionMisspeltInit(nn.Module):
    """_init_ with single underscores."""

    def _init_(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)

    forward = ThreeProjections.forward


@wrong("no-forward")
class SelfAttentionMisspeltForward(Projections):
    """foward instead of forward."""

    def foward(self, x):
        return ThreeProjections.forward(self, x)


@wrong("not-a-module")
class SelfAttentionPlainClass:
    """No nn.Module."""

    def __init__(self, d_in, d_out):
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        return ThreeProjections.forward(self, x)

    __call__ = forward


@wrong("no-projection")
class SelfAttentionLocalLayers(nn.Module):
    """self. forgotten in __init__."""

    def __init__(self, d_in, d_out):
        super().__init__()
        W_query = nn.Linear(d_in, d_out, bias=False)  # noqa: F841
        W_key = nn.Linear(d_in, d_out, bias=False)  # noqa: F841
        W_value = nn.Linear(d_in, d_out, bias=False)  # noqa: F841

    forward = ThreeProjections.forward


@wrong()
class SelfAttentionForgottenSelf(ThreeProjections):
    """self. forgotten in forward."""

    def project(self, x):
        return W_query(x), W_key(x), W_value(x)  # noqa: F821


@wrong("forward-arguments")
class SelfAttentionForwardWithoutSelf(ThreeProjections):
    """self is no argument of forward."""

    def forward(x):  # noqa: N805
        return x, x


@wrong("no-projection")
class SelfAttentionOtherNames(nn.Module):
    """Other names."""

    def __init__(self, d_in, d_out):
        super().__init__()
        self.q_proj = nn.Linear(d_in, d_out, bias=False)
        self.k_proj = nn.Linear(d_in, d_out, bias=False)
        self.v_proj = nn.Linear(d_in, d_out, bias=False)

    forward = ThreeProjections.forward


@wrong("has-bias")
class SelfAttentionWithBias(ThreeProjections):
    """With biases."""

    def __init__(self, d_in, d_out):
        super().__init__(d_in, d_out, bias=True)


@wrong("wrong-projection-size")
class SelfAttentionSwappedSizes(ThreeProjections):
    """d_in and d_out swapped in the layers."""

    def __init__(self, d_in, d_out):
        super().__init__(d_out, d_in)


@wrong("no-projection")
class SelfAttentionWithParameters(nn.Module):
    """Parameters instead of layers."""

    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    forward = ThreeProjections.forward


@wrong()
class SelfAttentionWeightNotTransposed(ThreeProjections):
    """x times the weight matrix, not transposed."""

    def project(self, x):
        return x @ self.W_query.weight, x @ self.W_key.weight, x @ self.W_value.weight


@wrong("no-projection")
class SelfAttentionNewLayersEachTime(nn.Module):
    """New layers in every forward."""

    def __init__(self, d_in, d_out):
        super().__init__()
        self.d_in, self.d_out = d_in, d_out

    def forward(self, x):
        q, k, v = (nn.Linear(self.d_in, self.d_out, bias=False)(x) for _ in range(3))
        weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1]), dim=-1)
        return weights @ v, weights


@wrong("no-projection")
class SelfAttentionLayersInAList(nn.Module):
    """The layers in a Python list."""

    def __init__(self, d_in, d_out):
        super().__init__()
        self.layers = [nn.Linear(d_in, d_out, bias=False) for _ in range(3)]

    def forward(self, x):
        q, k, v = (layer(x) for layer in self.layers)
        weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1]), dim=-1)
        return weights @ v, weights


@wrong("shared-layer")
class SelfAttentionOneSharedLayer(nn.Module):
    """One layer under three names."""

    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = self.W_key = self.W_value = nn.Linear(d_in, d_out, bias=False)

    forward = ThreeProjections.forward


@wrong("not-repeatable")
class SelfAttentionWithOutputLayer(ThreeProjections):
    """A fourth layer after the values."""

    def __init__(self, d_in, d_out):
        super().__init__(d_in, d_out)
        self.out_proj = nn.Linear(d_out, d_out, bias=False)

    def forward(self, x):
        out, weights = super().forward(x)
        return self.out_proj(out), weights


@wrong("no-scale")
class SelfAttentionUnscaled(ThreeProjections):
    """Not scaled."""

    def weigh(self, q, k):
        return torch.softmax(q @ k.transpose(-2, -1), dim=-1)


@wrong("scaled-by-input")
class SelfAttentionRootOfInput(ThreeProjections):
    """The root of d_in."""

    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(x.shape[-1]), dim=-1)
        return weights @ v, weights


@wrong("scaled-by-positions")
class SelfAttentionRootOfTokens(ThreeProjections):
    """The root of the number of tokens."""

    def weigh(self, q, k):
        return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(k.shape[1]), dim=-1)


@wrong("scaled-by-d")
class SelfAttentionOverWidth(ThreeProjections):
    """Divided by d_out, not by its root."""

    def weigh(self, q, k):
        return torch.softmax(q @ k.transpose(-2, -1) / q.shape[-1], dim=-1)


@wrong("over-queries")
class SelfAttentionOverQueries(ThreeProjections):
    """Softmax over axis 1, the queries."""

    def weigh(self, q, k):
        return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1]), dim=1)


@wrong("over-batch")
class SelfAttentionOverBatch(ThreeProjections):
    """Softmax over the batch."""

    def weigh(self, q, k):
        return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1]), dim=0)


@wrong("all-axes-reversed")
class SelfAttentionCapitalT(ThreeProjections):
    """keys.T on a batch."""

    def weigh(self, q, k):
        return torch.softmax(q @ k.T / math.sqrt(k.shape[-1]), dim=-1)


@wrong()
class SelfAttentionOfOneSentence(ThreeProjections):
    """Written for one sentence, no batch."""

    def forward(self, x):
        length, _ = x.shape
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        weights = torch.softmax(q @ k.view(-1, length) / math.sqrt(k.shape[-1]), dim=-1)
        return weights @ v, weights


@wrong("only-out")
class SelfAttentionOutputAlone(ThreeProjections):
    """The output alone."""

    def forward(self, x):
        return super().forward(x)[0]


@wrong("swapped-pair")
class SelfAttentionSwappedPair(ThreeProjections):
    """The pair is swapped."""

    def forward(self, x):
        out, weights = super().forward(x)
        return weights, out


@wrong("returns-wrong-type")
class SelfAttentionAsAList(ThreeProjections):
    """A list."""

    def forward(self, x):
        return list(super().forward(x))


@wrong("returns-none")
class SelfAttentionNotReturned(ThreeProjections):
    """Nothing is returned."""

    def forward(self, x):
        self.out, self.weights = super().forward(x)


@wrong("scores-returned")
class SelfAttentionScoresReturned(ThreeProjections):
    """Scores returned instead of weights."""

    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1])
        return torch.softmax(scores, dim=-1) @ v, scores


@wrong("keys-as-values")
class SelfAttentionValuesByKeyLayer(ThreeProjections):
    """The values are the keys."""

    def project(self, x):
        return self.W_query(x), self.W_key(x), self.W_key(x)


@wrong("input-as-values")
class SelfAttentionValuesNotProjected(ThreeProjections):
    """The values are x itself."""

    def project(self, x):
        return self.W_query(x), self.W_key(x), x


@wrong("keys-ask")
class SelfAttentionQueriesAndKeysSwapped(ThreeProjections):
    """The queries are made by the key layer and the other way around."""

    def project(self, x):
        return self.W_key(x), self.W_query(x), self.W_value(x)


@wrong("keys-ask")
class SelfAttentionKeysAgainstQueries(ThreeProjections):
    """Keys against queries."""

    def weigh(self, q, k):
        return torch.softmax(k @ q.transpose(-2, -1) / math.sqrt(k.shape[-1]), dim=-1)


@wrong("values-as-keys")
class SelfAttentionScoresWithValues(ThreeProjections):
    """The queries are scored against the values."""

    def project(self, x):
        return self.W_query(x), self.W_value(x), self.W_value(x)


@wrong("weights-transposed")
class SelfAttentionWeightsTransposed(ThreeProjections):
    """The weights are transposed before the values."""

    def forward(self, x):
        _, weights = super().forward(x)
        return weights.transpose(-2, -1) @ self.W_value(x), weights


@wrong()
class SelfAttentionCausal(ThreeProjections):
    """The future is hidden, unasked."""

    def weigh(self, q, k):
        scores = q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1])
        future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        return torch.softmax(scores.masked_fill(future, -math.inf), dim=-1)


@wrong("not-repeatable")
class SelfAttentionWithDropout(ThreeProjections):
    """With dropout."""

    def __init__(self, d_in, d_out):
        super().__init__(d_in, d_out)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x):
        _, weights = super().forward(x)
        weights = self.dropout(weights)
        return weights @ self.W_value(x), weights


@wrong()
class SelfAttentionOneSize(ThreeProjections):
    """__init__ takes one argument only."""

    def __init__(self, d_model):
        super().__init__(d_model, d_model)


@wrong("forward-arguments")
class SelfAttentionOfThreeInputs(ThreeProjections):
    """forward wants q, k and v."""

    def forward(self, q, k, v):
        q, k, v = self.W_query(q), self.W_key(k), self.W_value(v)
        weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1]), dim=-1)
        return weights @ v, weights


@wrong("changes-input")
class SelfAttentionInPlace(ThreeProjections):
    """x is changed in place."""

    def forward(self, x):
        x -= x.mean(dim=-1, keepdim=True)
        return super().forward(x)


@wrong()
class SelfAttentionWithResidual(ThreeProjections):
    """x is added to the output."""

    def forward(self, x):
        out, weights = super().forward(x)
        return out + x, weights


@wrong("wrong-projection-size")
class SelfAttentionSizesOfTheMessage(ThreeProjections):
    """Sizes read off the checker's messages."""

    def __init__(self, d_in, d_out):
        super().__init__(11, 13)


@wrong("root-without-brackets")
class SelfAttentionOverHalfOfD(ThreeProjections):
    """d_out ** 1 / 2: half of d_out."""

    def weigh(self, q, k):
        return (q @ k.transpose(-2, -1) / (q.size(-1) ** 1 / 2)).softmax(-1)


@wrong("fixed-scale")
class SelfAttentionOverEight(ThreeProjections):
    """A fixed 8."""

    def weigh(self, q, k):
        return (q @ k.transpose(-2, -1) / 8).softmax(-1)


@wrong("divided-by-d-and-by-2")
class SelfAttentionOverWidthAndTwo(ThreeProjections):
    """/ d_out ** 1 / 2 without brackets."""

    def weigh(self, q, k):
        return torch.softmax(q @ k.mT / k.shape[-1] ** 1 / 2, dim=-1)


@wrong("root-of-two")
class SelfAttentionOverRootOfTwo(ThreeProjections):
    """The root of the 2 features of the example of six words."""

    def weigh(self, q, k):
        return torch.softmax(q @ k.mT / 2**0.5, dim=-1)


@wrong("multiplied")
class SelfAttentionTimesRoot(ThreeProjections):
    """Multiplied by the root."""

    def weigh(self, q, k):
        return torch.softmax(q @ k.mT * self.W_key.out_features**0.5, dim=-1)


@wrong("scaled-after-softmax")
class SelfAttentionScaledAfterwards(ThreeProjections):
    """The division comes after the softmax."""

    def weigh(self, q, k):
        return torch.softmax(q @ k.mT, dim=-1) / math.sqrt(self.W_query.out_features)


@wrong("query-layer-twice")
class SelfAttentionQueryLayerTwice(ThreeProjections):
    """A line copied, and its layer not changed."""

    def project(self, x):
        queries = self.W_query(x)
        keys = self.W_query(x)
        return queries, keys, self.W_value(x)


@wrong("key-layer-twice")
class SelfAttentionKeyLayerTwice(ThreeProjections):
    """The same with the other layer."""

    def project(self, x):
        keys = self.W_key(x)
        return keys, keys, self.W_value(x)


@wrong("queries-as-values")
class SelfAttentionValuesByQueryLayer(ThreeProjections):
    """The values are the queries."""

    def project(self, x):
        queries = self.W_query(x)
        return queries, self.W_key(x), queries


@wrong("no-softmax")
class SelfAttentionWithoutSoftmax(ThreeProjections):
    """The scores take the place of the weights."""

    def weigh(self, q, k):
        return torch.bmm(q, k.mT) / math.sqrt(self.W_key.out_features)


@wrong("mixed-by-scores")
class SelfAttentionMixedByScores(ThreeProjections):
    """The softmax is only for show."""

    def forward(self, x):
        scores = self.W_query(x) @ self.W_key(x).mT / math.sqrt(self.W_key.out_features)
        return scores @ self.W_value(x), torch.softmax(scores, dim=-1)


@wrong("softmax-twice")
class SelfAttentionSoftmaxTwice(ThreeProjections):
    """Two softmaxes."""

    def weigh(self, q, k):
        return nn.Softmax(dim=-1)(super().weigh(q, k))


@wrong("reshaped-not-transposed")
class SelfAttentionReshapedKeys(ThreeProjections):
    """The keys are viewed as (B, d_out, T)."""

    def weigh(self, q, k):
        return torch.softmax(q @ k.view(k.size(0), k.size(2), k.size(1)) / math.sqrt(q.size(-1)), dim=-1)


@wrong("only-weights")
class SelfAttentionWeightsAlone(ThreeProjections):
    """The weights alone."""

    def forward(self, x):
        return torch.softmax(self.W_query(x) @ self.W_key(x).mT / math.sqrt(self.W_key.out_features), dim=-1)


@wrong("batch-as-positions")
class SelfAttentionOfOneLongSequence(ThreeProjections):
    """The items of the batch are joined to one long sequence."""

    def forward(self, x):
        items, length, width = x.shape
        out, weights = super().forward(x.reshape(items * length, width))
        return out.reshape(items, length, -1), weights


@wrong("batch-as-positions")
class SelfAttentionTimeFirst(ThreeProjections):
    """Written for (T, B, d_in)."""

    def forward(self, x):
        out, weights = super().forward(x.permute(1, 0, 2))
        return out.permute(1, 0, 2), weights


@wrong("no-gradients")
class SelfAttentionOfDetachedValues(ThreeProjections):
    """The values are cut off."""

    def project(self, x):
        return self.W_query(x), self.W_key(x), self.W_value(x).detach()


# ---------------------------------------------------------------- layers used for other things, or cut off from x


@wrong("keys-and-values-exchanged")
class SelfAttentionKeysAndValuesExchanged(ThreeProjections):
    """Keys and values are unpacked in the wrong order."""

    def project(self, x):
        return self.W_query(x), self.W_value(x), self.W_key(x)


@wrong("no-gradients")
class SelfAttentionOfDetachedInput(ThreeProjections):
    """The scores are cut off from x, but not from the layers."""

    def project(self, x):
        return self.W_query(x.detach()), self.W_key(x.detach()), self.W_value(x)


# ---------------------------------------------------------------- what is kept from a call, or differs in evaluation


@wrong("another-mode")
class AttentionScaledInTrainingAlone(Projections):
    def forward(self, x):
        scores = self.W_query(x) @ self.W_key(x).mT
        if self.training:
            scores = scores / math.sqrt(self.W_query.out_features)
        weights = scores.softmax(-1)
        return weights @ self.W_value(x), weights


@wrong("remembers")
class AttentionWithAProductMadeOnce(Projections):
    """Queries and keys by one matrix, which is calculated in the first call."""

    product = None

    def forward(self, x):
        if self.product is None:
            self.product = self.W_query.weight.T @ self.W_key.weight / math.sqrt(self.W_query.out_features)
        weights = (x @ self.product @ x.mT).softmax(-1)
        return weights @ self.W_value(x), weights


@wrong("remembers")
class AttentionThatCounts(Projections):
    """Sharper with every call."""

    calls = 0

    def forward(self, x):
        self.calls += 1
        weights = (self.calls * self.W_query(x) @ self.W_key(x).mT / math.sqrt(self.W_query.out_features)).softmax(-1)
        return weights @ self.W_value(x), weights


@wrong("another-mode")
class AttentionWithWeightsInTrainingAlone(Projections):
    def forward(self, x):
        weights = (self.W_query(x) @ self.W_key(x).mT / math.sqrt(self.W_query.out_features)).softmax(-1)
        return weights @ self.W_value(x), weights if self.training else None
