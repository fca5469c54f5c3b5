"""Wrong answers to exercise 4.3, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET503, RET504 - a return inside a loop, and naming a result before returning it, are what learners do

import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


class CausalFrame(nn.Module):
    """What most of the wrong classes below get right."""

    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

    def scores(self, x):
        return self.W_query(x) @ self.W_key(x).transpose(1, 2) / math.sqrt(self.W_key.out_features)

    def hidden(self, x):
        return self.mask[:x.shape[1], :x.shape[1]]

    def weights(self, x):
        return torch.softmax(self.scores(x).masked_fill(self.hidden(x), -torch.inf), dim=-1)

    def forward(self, x):
        weights = self.dropout(self.weights(x))
        return weights @ self.W_value(x), weights


@wrong("mask-is-plain-tensor")
class CausalMaskAttribute(CausalFrame):
    """The mask is an attribute."""

    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__(d_in, d_out, context_length, dropout)
        del self.mask
        self.mask = torch.triu(torch.ones(context_length, context_length), diagonal=1).bool()


@wrong("mask-is-plain-tensor")
class CausalMaskInADictionary(CausalFrame):
    """The mask is kept in a dictionary."""

    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__(d_in, d_out, context_length, dropout)
        del self.mask
        self.kept = {"mask": torch.triu(torch.ones(context_length, context_length), diagonal=1).bool()}

    def hidden(self, x):
        return self.kept["mask"][:x.shape[1], :x.shape[1]]


@wrong("mask-as-parameter")
class CausalMaskParameter(CausalFrame):
    """The mask is a parameter."""

    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__(d_in, d_out, context_length, dropout)
        del self.mask
        self.mask = nn.Parameter(torch.triu(torch.ones(context_length, context_length), diagonal=1))

    def hidden(self, x):
        return super().hidden(x) > 0


@wrong("mask-as-parameter")
class CausalMaskFrozenParameter(CausalFrame):
    """The mask is a frozen parameter."""

    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__(d_in, d_out, context_length, dropout)
        del self.mask
        triangle = torch.ones(context_length, context_length, dtype=torch.bool).triu(1)
        self.mask = nn.Parameter(triangle, requires_grad=False)


@wrong("mask-not-kept")
class CausalMaskInForward(CausalFrame):
    """The mask is made in forward."""

    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__(d_in, d_out, context_length, dropout)
        del self.mask

    def hidden(self, x):
        return torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)


@wrong("mask-is-plain-tensor")
class CausalMaskKeptInForward(CausalMaskInForward):
    """The mask is made in forward and kept."""

    def hidden(self, x):
        self.triangle = super().hidden(x)
        return self.triangle


@wrong("mask-not-cut")
class CausalMaskNotCut(CausalFrame):
    """The mask is not cut."""

    def hidden(self, x):
        return self.mask


@wrong("mask-not-cut")
class CausalMaskHalfCut(CausalFrame):
    """The mask is cut along one axis."""

    def hidden(self, x):
        return self.mask[:x.shape[1]]


@wrong("mask-cut-elsewhere")
class CausalMaskCutFromTheEnd(CausalFrame):
    """Rows from the end, columns from the front."""

    def hidden(self, x):
        return self.mask[-x.shape[1]:, :x.shape[1]]


@wrong("remembers")
class CausalMaskShrinks(CausalFrame):
    """The mask is cut on self: too small for the next call."""

    def hidden(self, x):
        self.mask = self.mask[:x.shape[1], :x.shape[1]]
        return self.mask if len(self.mask) == x.shape[1] else torch.zeros(x.shape[1], x.shape[1]).bool()


@wrong("weak-fill")
class CausalMaskWeak(CausalFrame):
    """Filled with -10."""

    def weights(self, x):
        return self.scores(x).masked_fill(self.hidden(x), -10).softmax(-1)


@wrong("true-hides")
class CausalMaskUpsideDown(CausalFrame):
    """Upside down."""

    def hidden(self, x):
        return ~super().hidden(x)


@wrong("diagonal-hidden")
class CausalMaskDiagonal(CausalFrame):
    """The diagonal is hidden."""

    def hidden(self, x):
        return torch.ones(x.shape[1], x.shape[1]).triu().bool()


@wrong("one-step-ahead")
class CausalMaskOneAhead(CausalFrame):
    """Triu(2): one step ahead."""

    def hidden(self, x):
        return super().hidden(x).triu(2)


@wrong("mask-ignored")
class CausalMaskUnused(CausalFrame):
    """The mask is never used."""

    def weights(self, x):
        return self.scores(x).softmax(-1)


@wrong("mask-ignored")
class CausalMaskFilledForNothing(CausalFrame):
    """Masked_fill without keeping the result."""

    def weights(self, x):
        scores = self.scores(x)
        scores.masked_fill(self.hidden(x), -torch.inf)
        return scores.softmax(-1)


@wrong("zero-filled")
class CausalMaskTimesScores(CausalFrame):
    """Scores times mask."""

    def weights(self, x):
        return (self.scores(x) * ~self.hidden(x)).softmax(-1)


@wrong("masked-after-softmax")
class CausalMaskTimesWeights(CausalFrame):
    """Weights times mask."""

    def weights(self, x):
        return self.scores(x).softmax(-1) * ~self.hidden(x)


@wrong("renormalized")
class CausalRenormalised(CausalFrame):
    """Dropout first, then the rows are made to sum to 1."""

    def forward(self, x):
        weights = self.dropout(self.scores(x).softmax(-1)) * ~self.hidden(x)
        weights = weights / weights.sum(-1, keepdim=True)
        return weights @ self.W_value(x), weights


@wrong("never-on")
class CausalWithoutDropout(CausalFrame):
    """Dropout forgotten."""

    def forward(self, x):
        weights = self.weights(x)
        return weights @ self.W_value(x), weights


@wrong("always-on")
class CausalFDropout(CausalFrame):
    """F.dropout without training."""

    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__(d_in, d_out, context_length, dropout)
        self.p = dropout

    def forward(self, x):
        weights = F.dropout(self.weights(x), self.p)
        return weights @ self.W_value(x), weights


@wrong("always-on")
class CausalNewDropout(CausalFDropout):
    """A new nn.Dropout in every forward."""

    def forward(self, x):
        weights = nn.Dropout(self.p)(self.weights(x))
        return weights @ self.W_value(x), weights


@wrong("always-on")
class CausalDropoutByHand(CausalFDropout):
    """By hand, without looking at training."""

    def forward(self, x):
        weights = self.weights(x)
        weights = weights * (torch.rand_like(weights) >= self.p) / (1 - self.p)
        return weights @ self.W_value(x), weights


@wrong("before-softmax")
class CausalDropoutOnScores(CausalFrame):
    """Dropout on the scores."""

    def forward(self, x):
        weights = self.dropout(self.scores(x)).masked_fill(self.hidden(x), -torch.inf).softmax(-1)
        return weights @ self.W_value(x), weights


@wrong("before-softmax")
class CausalDropoutOnMaskedScores(CausalFrame):
    """Dropout on the masked scores."""

    def forward(self, x):
        weights = self.dropout(self.scores(x).masked_fill(self.hidden(x), -torch.inf)).softmax(-1)
        return weights @ self.W_value(x), weights


@wrong("on-out")
class CausalDropoutOnOut(CausalFrame):
    """Dropout on out."""

    def forward(self, x):
        weights = self.weights(x)
        return self.dropout(weights @ self.W_value(x)), weights


@wrong("on-values")
class CausalDropoutOnValues(CausalFrame):
    """Dropout on the values."""

    def forward(self, x):
        weights = self.weights(x)
        return weights @ self.dropout(self.W_value(x)), weights


@wrong("p-kept")
class CausalOneMinusDropout(CausalFrame):
    """1 - dropout."""

    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__(d_in, d_out, context_length, 1 - dropout)


@wrong("always-half")
class CausalDefaultDropout(CausalFrame):
    """Dropout is not handed on."""

    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__(d_in, d_out, context_length, dropout)
        self.dropout = nn.Dropout()


@wrong("weights-before-dropout")
class CausalCleanWeights(CausalFrame):
    """The weights before dropout are returned."""

    def forward(self, x):
        weights = self.weights(x)
        return self.dropout(weights) @ self.W_value(x), weights


@wrong("out-undropped")
class CausalOutFirst(CausalFrame):
    """Out before dropout."""

    def forward(self, x):
        weights = self.weights(x)
        return weights @ self.W_value(x), self.dropout(weights)


@wrong("two-draws")
class CausalTwoDraws(CausalFrame):
    """Two draws."""

    def forward(self, x):
        weights = self.weights(x)
        return self.dropout(weights) @ self.W_value(x), self.dropout(weights)


@wrong("same-zeros")
class CausalFixedDraw(CausalFDropout):
    """One draw, made in __init__."""

    def forward(self, x):
        weights = self.weights(x)
        if self.training:
            noise = torch.rand(weights.shape, generator=torch.Generator().manual_seed(1))
            weights = weights * (noise >= self.p) / (1 - self.p)
        return weights @ self.W_value(x), weights


@wrong("not-scaled")
class CausalNotScaledUp(CausalFDropout):
    """Not scaled."""

    def forward(self, x):
        weights = self.weights(x)
        if self.training:
            weights = weights * (torch.rand_like(weights) >= self.p)
        return weights @ self.W_value(x), weights


@wrong("no-scale")
class CausalNoScale(CausalFrame):
    """No root of d_out."""

    def scores(self, x):
        return self.W_query(x) @ self.W_key(x).mT


@wrong("scaled-by-input")
class CausalScaledByInput(CausalFrame):
    """The root of d_in."""

    def scores(self, x):
        return self.W_query(x) @ self.W_key(x).mT / math.sqrt(x.shape[-1])


@wrong("over-queries")
class CausalOverQueries(CausalFrame):
    """Softmax over axis 1."""

    def weights(self, x):
        return torch.softmax(self.scores(x).masked_fill(self.hidden(x), -torch.inf), dim=1)


@wrong("keys-ask")
class CausalKeysAsk(CausalFrame):
    """Keys and queries exchanged."""

    def scores(self, x):
        return self.W_key(x) @ self.W_query(x).mT / math.sqrt(self.W_key.out_features)


@wrong("keys-as-values")
class CausalKeysAsValues(CausalFrame):
    """The values are the keys."""

    def forward(self, x):
        weights = self.dropout(self.weights(x))
        return weights @ self.W_key(x), weights


@wrong("only-out")
class CausalOnlyOut(CausalFrame):
    """Only out."""

    def forward(self, x):
        return super().forward(x)[0]


@wrong("swapped-pair")
class CausalSwapped(CausalFrame):
    """The pair is swapped."""

    def forward(self, x):
        return super().forward(x)[::-1]


@wrong("has-bias")
class CausalBiased(CausalFrame):
    """Biased layers."""

    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__(d_in, d_out, context_length, dropout)
        self.W_query = nn.Linear(d_in, d_out)


@wrong("no-projection")
class CausalOtherNames(CausalFrame):
    """Other names."""

    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__(d_in, d_out, context_length, dropout)
        self.query = self.W_query
        del self.W_query


@wrong()
class CausalTwoArguments(CausalFrame):
    """Dropout and context_length forgotten in __init__."""

    def __init__(self, d_in, d_out):
        super().__init__(d_in, d_out, 16, 0.1)


@wrong("no-forward")
class CausalMisspelled(nn.Module):
    """Foward."""

    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)

    def foward(self, x):
        return x, x


@wrong("no-gradients")
class CausalDetached(CausalFrame):
    """Detached."""

    def scores(self, x):
        return super().scores(x).detach()


@wrong("no-gradients")
class CausalDetachedInTraining(CausalFrame):
    """No gradient in training."""

    def forward(self, x):
        weights = self.weights(x)
        if self.training:
            weights = self.dropout(weights).data
        return weights @ self.W_value(x), weights


@wrong()
class CausalWrongKeyword(CausalFrame):
    """Softmax inside dropout's keywords."""

    def weights(self, x):
        return torch.softmax(self.scores(x).masked_fill(self.hidden(x), -torch.inf), axes=-1)


@wrong("changes-input")
class CausalInPlace(CausalFrame):
    """X is changed in place."""

    def forward(self, x):
        with torch.no_grad():
            x -= x.mean()
        return super().forward(x)


@wrong("mask-only-in-training")
class CausalInTrainingOnly(CausalFrame):
    """The mask in training only."""

    def hidden(self, x):
        return super().hidden(x) & self.training


@wrong("mask-only-in-evaluation")
class CausalInEvaluationOnly(CausalFrame):
    """The mask in evaluation only."""

    def hidden(self, x):
        return super().hidden(x) & (not self.training)


@wrong("mask-stays-on-the-cpu")
class CausalByANewMask(CausalFrame):
    """A buffer that is not used: the mask is made again on the CPU."""

    def hidden(self, x):
        return torch.ones(x.size(1), x.size(1), dtype=torch.bool).triu(1)


@wrong("mask-stays-on-the-cpu")
class CausalByANewFloatMask(CausalFrame):
    """A buffer that is not used: a new mask of 0 and -inf is added."""

    def weights(self, x):
        mask = torch.full((x.size(1), x.size(1)), -torch.inf).triu(1)
        return (self.scores(x) + mask.to(x.dtype)).softmax(-1)


@wrong("mask-stays-on-the-cpu")
class CausalByANewWhere(CausalFrame):
    """A buffer that is not used: a new mask in torch.where."""

    def weights(self, x):
        visible = torch.tril(torch.ones(x.size(1), x.size(1))) == 1
        return torch.where(visible, self.scores(x), -torch.inf).softmax(-1)


@wrong("weak-fill")
class CausalMaskAtMinus20(CausalFrame):
    """Filled with -20."""

    def weights(self, x):
        return self.scores(x).masked_fill(self.hidden(x), -20.0).softmax(-1)


@wrong()
class CausalMaskAttributeThenBuffer(CausalFrame):
    """The mask is an attribute before it is registered."""

    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__(d_in, d_out, context_length, dropout)
        self.triangle = torch.triu(torch.ones(context_length, context_length), diagonal=1).bool()
        self.register_buffer("triangle", self.triangle)


@wrong("training-turned-around")
class CausalDropoutInEvaluation(CausalFDropout):
    """F.dropout with `not self.training`."""

    def forward(self, x):
        weights = F.dropout(self.weights(x), self.p, not self.training)
        return weights @ self.W_value(x), weights


@wrong("on-scores-and-weights")
class CausalDropoutOnScoresAndWeights(CausalFrame):
    """Dropout on the scores and on the weights."""

    def forward(self, x):
        scores = self.dropout(self.scores(x)).masked_fill(self.hidden(x), -torch.inf)
        weights = self.dropout(scores.softmax(-1))
        return weights @ self.W_value(x), weights


@wrong("on-scores-and-weights")
class CausalDropoutOnMaskedScoresAndWeights(CausalFrame):
    """Dropout on the masked scores and on the weights."""

    def forward(self, x):
        scores = self.dropout(self.scores(x).masked_fill(self.hidden(x), -1e9))
        weights = self.dropout(torch.softmax(scores, dim=-1))
        return weights @ self.W_value(x), weights


@wrong("on-scores-and-weights")
class CausalDropoutOnInputAndWeights(CausalFrame):
    """Dropout on x and on the weights."""

    def forward(self, x):
        return super().forward(self.dropout(x))


@wrong("on-weights-and-out")
class CausalDropoutOnWeightsAndOut(CausalFrame):
    """Dropout on the weights and on out."""

    def forward(self, x):
        out, weights = super().forward(x)
        return self.dropout(out), weights


@wrong("dropped-twice")
class CausalDropoutTwice(CausalFDropout):
    """F.dropout and self.dropout."""

    def forward(self, x):
        weights = self.dropout(F.dropout(self.weights(x), self.p, training=self.training))
        return weights @ self.W_value(x), weights


@wrong("dropped-twice")
class CausalDropoutTwiceWithoutP(CausalFrame):
    """F.dropout without p, and self.dropout."""

    def forward(self, x):
        weights = self.dropout(F.dropout(self.weights(x), training=self.training))
        return weights @ self.W_value(x), weights


@wrong("always-half")
class CausalFDropoutWithoutP(CausalFrame):
    """F.dropout without p."""

    def forward(self, x):
        weights = F.dropout(self.weights(x), training=self.training)
        return weights @ self.W_value(x), weights


@wrong("p-not-used")
class CausalFixedDropout(CausalFrame):
    """nn.Dropout(0.1)."""

    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__(d_in, d_out, context_length, 0.1)


@wrong("share-turned-around")
class CausalDropoutKeepsTheWrongOnes(CausalFDropout):
    """By hand, with the wrong ones kept."""

    def forward(self, x):
        weights = self.weights(x)
        if self.training:
            weights = weights * (torch.rand(weights.shape) < self.p) / (1 - self.p)
        return weights @ self.W_value(x), weights


@wrong("one-draw-for-all")
class CausalOneDraw(CausalFDropout):
    """By hand, with one draw."""

    def forward(self, x):
        weights = self.weights(x)
        if self.training:
            weights = weights * (torch.rand(1) >= self.p) / (1 - self.p)
        return weights @ self.W_value(x), weights


@wrong("whole-positions")
class CausalDropoutOfRows(CausalFrame):
    """nn.Dropout1d drops whole rows."""

    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__(d_in, d_out, context_length, dropout)
        self.dropout = nn.Dropout1d(dropout)


@wrong("mask-added")
class CausalVisibleMaskAdded(CausalFrame):
    """A triangle of ones is added to the scores."""

    def weights(self, x):
        return (self.scores(x) + torch.tril(torch.ones_like(self.scores(x)))).softmax(-1)


@wrong("mask-inverted-added")
class CausalMaskAdded(CausalFrame):
    """The mask of the future is added to the scores."""

    def weights(self, x):
        return (self.scores(x) + self.hidden(x)).softmax(-1)


@wrong("zero-times-infinity")
class CausalMaskTimesInfinity(CausalFrame):
    """The mask times -inf."""

    def weights(self, x):
        return (self.scores(x) + self.hidden(x).to(x.dtype) * float("-inf")).softmax(-1)


@wrong("scaled-by-d")
class CausalScaledByD(CausalFrame):
    """d_out, not its root."""

    def scores(self, x):
        return self.W_query(x) @ self.W_key(x).mT / self.W_key.out_features


@wrong("multiplied")
class CausalTimesTheRoot(CausalFrame):
    """Times the root of d_out."""

    def scores(self, x):
        return self.W_query(x) @ self.W_key(x).mT * self.W_key.out_features ** 0.5


@wrong("scaled-by-another")
class CausalScaledByPositions(CausalFrame):
    """The root of T."""

    def scores(self, x):
        scores = self.W_query(x) @ self.W_key(x).mT
        return scores / math.sqrt(scores.size(-1))


@wrong("over-batch")
class CausalOverBatch(CausalFrame):
    """Softmax over axis 0."""

    def weights(self, x):
        return torch.softmax(self.scores(x).masked_fill(self.hidden(x), -1e9), 0)


@wrong("no-softmax")
class CausalWithoutSoftmax(CausalFrame):
    """No softmax."""

    def weights(self, x):
        return self.scores(x).masked_fill(self.hidden(x), 0)


@wrong("all-axes-reversed")
class CausalOfKeysT(CausalFrame):
    """keys.T, of three axes."""

    def scores(self, x):
        keys = self.W_key(x)
        return self.W_query(x) @ keys.T / math.sqrt(keys.size(-1))


@wrong("axes-swapped-from-the-front")
class CausalOfAxes0And1(CausalFrame):
    """transpose(0, 1)."""

    def scores(self, x):
        keys = self.W_key(x)
        return self.W_query(x) @ keys.transpose(0, 1) / math.sqrt(keys.size(-1))


@wrong("query-layer-twice")
class CausalKeysByTheQueryLayer(CausalFrame):
    """W_query twice."""

    def scores(self, x):
        queries, keys = self.W_query(x), self.W_query(x)
        return queries @ keys.mT / math.sqrt(keys.size(-1))


@wrong("key-layer-twice")
class CausalQueriesByTheKeyLayer(CausalFrame):
    """W_key twice."""

    def scores(self, x):
        queries, keys = self.W_key(x), self.W_key(x)
        return queries @ keys.mT / math.sqrt(keys.size(-1))


@wrong("queries-as-values")
class CausalQueriesAsValues(CausalFrame):
    """The values are the queries."""

    def forward(self, x):
        weights = self.dropout(self.weights(x))
        return weights @ self.W_query(x), weights


@wrong("input-as-values")
class CausalInputAsValues(CausalFrame):
    """The values are x."""

    def forward(self, x):
        weights = self.dropout(self.weights(x))
        return weights @ x, weights


@wrong("weights-transposed")
class CausalByColumns(CausalFrame):
    """The weights transposed."""

    def forward(self, x):
        weights = self.dropout(self.weights(x))
        return torch.einsum("bij,bid->bjd", weights, self.W_value(x)), weights
