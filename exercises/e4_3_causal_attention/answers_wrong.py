"""Wrong answers to exercise 4.3, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET503, RET504 - a return inside a loop, and naming a result before returning it, are what learners do

import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from exercises.e4_3_causal_attention.answers_base import CausalBase
from feedback.bank import WrongAnswers

wrong = WrongAnswers()


@wrong("renormalized")
class CausalRenormalized(CausalBase):
    """Dropout first, then the rows are made to sum to 1."""

    def forward(self, x):
        weights = self.dropout(self.scores(x).softmax(-1)) * ~self.hidden(x)
        weights = weights / weights.sum(-1, keepdim=True)
        return weights @ self.W_value(x), weights


@wrong("never-on")
class CausalWithoutDropout(CausalBase):
    """Dropout forgotten."""

    def forward(self, x):
        weights = self.weights(x)
        return weights @ self.W_value(x), weights


@wrong("always-on")
class CausalFDropout(CausalBase):
    """F.dropout without training."""

    def forward(self, x):
        weights = F.dropout(self.weights(x), self.p)
        return weights @ self.W_value(x), weights


@wrong("always-on")
class CausalNewDropout(CausalBase):
    """A new nn.Dropout in every forward."""

    def forward(self, x):
        weights = nn.Dropout(self.p)(self.weights(x))
        return weights @ self.W_value(x), weights


@wrong("always-on")
class CausalDropoutByHand(CausalBase):
    """By hand, without looking at training."""

    def forward(self, x):
        weights = self.weights(x)
        weights = weights * (torch.rand_like(weights) >= self.p) / (1 - self.p)
        return weights @ self.W_value(x), weights


@wrong("before-softmax")
class CausalDropoutOnScores(CausalBase):
    """Dropout on the scores."""

    def forward(self, x):
        weights = self.dropout(self.scores(x)).masked_fill(self.hidden(x), -torch.inf).softmax(-1)
        return weights @ self.W_value(x), weights


@wrong("before-softmax")
class CausalDropoutOnMaskedScores(CausalBase):
    """Dropout on the masked scores."""

    def forward(self, x):
        weights = self.dropout(self.scores(x).masked_fill(self.hidden(x), -torch.inf)).softmax(-1)
        return weights @ self.W_value(x), weights


@wrong("on-out")
class CausalDropoutOnOut(CausalBase):
    """Dropout on out."""

    def forward(self, x):
        weights = self.weights(x)
        return self.dropout(weights @ self.W_value(x)), weights


@wrong("on-values")
class CausalDropoutOnValues(CausalBase):
    """Dropout on the values."""

    def forward(self, x):
        weights = self.weights(x)
        return weights @ self.dropout(self.W_value(x)), weights


@wrong("p-kept")
class CausalOneMinusDropout(CausalBase):
    """1 - dropout."""

    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__(d_in, d_out, context_length, 1 - dropout)


@wrong("always-half")
class CausalDefaultDropout(CausalBase):
    """Dropout is not handed on."""

    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__(d_in, d_out, context_length, dropout)
        self.dropout = nn.Dropout()


@wrong("weights-before-dropout")
class CausalCleanWeights(CausalBase):
    """The weights before dropout are returned."""

    def forward(self, x):
        weights = self.weights(x)
        return self.dropout(weights) @ self.W_value(x), weights


@wrong("out-undropped")
class CausalOutFirst(CausalBase):
    """Out before dropout."""

    def forward(self, x):
        weights = self.weights(x)
        return weights @ self.W_value(x), self.dropout(weights)


@wrong("two-draws")
class CausalTwoDraws(CausalBase):
    """Two draws."""

    def forward(self, x):
        weights = self.weights(x)
        return self.dropout(weights) @ self.W_value(x), self.dropout(weights)


@wrong("same-zeros")
class CausalFixedDraw(CausalBase):
    """One draw, made in __init__."""

    def forward(self, x):
        weights = self.weights(x)
        if self.training:
            noise = torch.rand(weights.shape, generator=torch.Generator().manual_seed(1))
            weights = weights * (noise >= self.p) / (1 - self.p)
        return weights @ self.W_value(x), weights


@wrong("not-scaled")
class CausalNotScaledUp(CausalBase):
    """Not scaled."""

    def forward(self, x):
        weights = self.weights(x)
        if self.training:
            weights = weights * (torch.rand_like(weights) >= self.p)
        return weights @ self.W_value(x), weights


@wrong("no-scale")
class CausalNoScale(CausalBase):
    """No root of d_out."""

    def scores(self, x):
        return self.W_query(x) @ self.W_key(x).mT


@wrong("scaled-by-input")
class CausalScaledByInput(CausalBase):
    """The root of d_in."""

    def scores(self, x):
        return self.W_query(x) @ self.W_key(x).mT / math.sqrt(x.shape[-1])


@wrong("over-queries")
class CausalOverQueries(CausalBase):
    """Softmax over axis 1."""

    def weights(self, x):
        return torch.softmax(self.scores(x).masked_fill(self.hidden(x), -torch.inf), dim=1)


@wrong("keys-ask")
class CausalKeysAsk(CausalBase):
    """Keys and queries exchanged."""

    def scores(self, x):
        return self.W_key(x) @ self.W_query(x).mT / math.sqrt(self.W_key.out_features)


@wrong("keys-as-values")
class CausalKeysAsValues(CausalBase):
    """The values are the keys."""

    def forward(self, x):
        weights = self.dropout(self.weights(x))
        return weights @ self.W_key(x), weights


@wrong("only-out")
class CausalOnlyOut(CausalBase):
    """Only out."""

    def forward(self, x):
        return super().forward(x)[0]


@wrong("swapped-pair")
class CausalSwapped(CausalBase):
    """The pair is swapped."""

    def forward(self, x):
        return super().forward(x)[::-1]


@wrong("has-bias")
class CausalBiased(CausalBase):
    """Biased layers."""

    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__(d_in, d_out, context_length, dropout)
        self.W_query = nn.Linear(d_in, d_out)


@wrong("no-projection")
class CausalOtherNames(CausalBase):
    """Other names."""

    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__(d_in, d_out, context_length, dropout)
        self.query = self.W_query
        del self.W_query


@wrong()
class CausalTwoArguments(CausalBase):
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
class CausalDetached(CausalBase):
    """Detached."""

    def scores(self, x):
        return super().scores(x).detach()


@wrong("no-gradients")
class CausalDetachedInTraining(CausalBase):
    """No gradient in training."""

    def forward(self, x):
        weights = self.weights(x)
        if self.training:
            weights = self.dropout(weights).data
        return weights @ self.W_value(x), weights


@wrong()
class CausalWrongKeyword(CausalBase):
    """Softmax inside dropout's keywords."""

    def weights(self, x):
        return torch.softmax(self.scores(x).masked_fill(self.hidden(x), -torch.inf), axes=-1)


@wrong("changes-input")
class CausalInPlace(CausalBase):
    """X is changed in place."""

    def forward(self, x):
        with torch.no_grad():
            x -= x.mean()
        return super().forward(x)


@wrong("training-turned-around")
class CausalDropoutInEvaluation(CausalBase):
    """F.dropout with `not self.training`."""

    def forward(self, x):
        weights = F.dropout(self.weights(x), self.p, not self.training)
        return weights @ self.W_value(x), weights


@wrong("on-scores-and-weights")
class CausalDropoutOnScoresAndWeights(CausalBase):
    """Dropout on the scores and on the weights."""

    def forward(self, x):
        scores = self.dropout(self.scores(x)).masked_fill(self.hidden(x), -torch.inf)
        weights = self.dropout(scores.softmax(-1))
        return weights @ self.W_value(x), weights


@wrong("on-scores-and-weights")
class CausalDropoutOnMaskedScoresAndWeights(CausalBase):
    """Dropout on the masked scores and on the weights."""

    def forward(self, x):
        scores = self.dropout(self.scores(x).masked_fill(self.hidden(x), -1e9))
        weights = self.dropout(torch.softmax(scores, dim=-1))
        return weights @ self.W_value(x), weights


@wrong("on-scores-and-weights")
class CausalDropoutOnInputAndWeights(CausalBase):
    """Dropout on x and on the weights."""

    def forward(self, x):
        return super().forward(self.dropout(x))


@wrong("on-weights-and-out")
class CausalDropoutOnWeightsAndOut(CausalBase):
    """Dropout on the weights and on out."""

    def forward(self, x):
        out, weights = super().forward(x)
        return self.dropout(out), weights


@wrong("dropped-twice")
class CausalDropoutTwice(CausalBase):
    """F.dropout and self.dropout."""

    def forward(self, x):
        weights = self.dropout(F.dropout(self.weights(x), self.p, training=self.training))
        return weights @ self.W_value(x), weights


@wrong("dropped-twice")
class CausalDropoutTwiceWithoutP(CausalBase):
    """F.dropout without p, and self.dropout."""

    def forward(self, x):
        weights = self.dropout(F.dropout(self.weights(x), training=self.training))
        return weights @ self.W_value(x), weights


@wrong("always-half")
class CausalFDropoutWithoutP(CausalBase):
    """F.dropout without p."""

    def forward(self, x):
        weights = F.dropout(self.weights(x), training=self.training)
        return weights @ self.W_value(x), weights


@wrong("p-not-used")
class CausalFixedDropout(CausalBase):
    """nn.Dropout(0.1)."""

    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__(d_in, d_out, context_length, 0.1)


@wrong("share-turned-around")
class CausalDropoutKeepsTheWrongOnes(CausalBase):
    """By hand, with the wrong ones kept."""

    def forward(self, x):
        weights = self.weights(x)
        if self.training:
            weights = weights * (torch.rand(weights.shape) < self.p) / (1 - self.p)
        return weights @ self.W_value(x), weights


@wrong("one-draw-for-all")
class CausalOneDraw(CausalBase):
    """By hand, with one draw."""

    def forward(self, x):
        weights = self.weights(x)
        if self.training:
            weights = weights * (torch.rand(1) >= self.p) / (1 - self.p)
        return weights @ self.W_value(x), weights


@wrong("whole-positions")
class CausalDropoutOfRows(CausalBase):
    """nn.Dropout1d drops whole rows."""

    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__(d_in, d_out, context_length, dropout)
        self.dropout = nn.Dropout1d(dropout)


@wrong("scaled-by-d")
class CausalScaledByD(CausalBase):
    """d_out, not its root."""

    def scores(self, x):
        return self.W_query(x) @ self.W_key(x).mT / self.W_key.out_features


@wrong("multiplied")
class CausalTimesTheRoot(CausalBase):
    """Times the root of d_out."""

    def scores(self, x):
        return self.W_query(x) @ self.W_key(x).mT * self.W_key.out_features**0.5


@wrong("scaled-by-another")
class CausalScaledByPositions(CausalBase):
    """The root of T."""

    def scores(self, x):
        scores = self.W_query(x) @ self.W_key(x).mT
        return scores / math.sqrt(scores.size(-1))


@wrong("over-batch")
class CausalOverBatch(CausalBase):
    """Softmax over axis 0."""

    def weights(self, x):
        return torch.softmax(self.scores(x).masked_fill(self.hidden(x), -1e9), 0)


@wrong("no-softmax")
class CausalWithoutSoftmax(CausalBase):
    """No softmax."""

    def weights(self, x):
        return self.scores(x).masked_fill(self.hidden(x), 0)


@wrong("all-axes-reversed")
class CausalOfKeysT(CausalBase):
    """keys.T, of three axes."""

    def scores(self, x):
        keys = self.W_key(x)
        return self.W_query(x) @ keys.T / math.sqrt(keys.size(-1))


@wrong("axes-swapped-from-the-front")
class CausalOfAxes0And1(CausalBase):
    """transpose(0, 1)."""

    def scores(self, x):
        keys = self.W_key(x)
        return self.W_query(x) @ keys.transpose(0, 1) / math.sqrt(keys.size(-1))


@wrong("query-layer-twice")
class CausalKeysByTheQueryLayer(CausalBase):
    """W_query twice."""

    def scores(self, x):
        queries, keys = self.W_query(x), self.W_query(x)
        return queries @ keys.mT / math.sqrt(keys.size(-1))


@wrong("key-layer-twice")
class CausalQueriesByTheKeyLayer(CausalBase):
    """W_key twice."""

    def scores(self, x):
        queries, keys = self.W_key(x), self.W_key(x)
        return queries @ keys.mT / math.sqrt(keys.size(-1))


@wrong("queries-as-values")
class CausalQueriesAsValues(CausalBase):
    """The values are the queries."""

    def forward(self, x):
        weights = self.dropout(self.weights(x))
        return weights @ self.W_query(x), weights


@wrong("input-as-values")
class CausalInputAsValues(CausalBase):
    """The values are x."""

    def forward(self, x):
        weights = self.dropout(self.weights(x))
        return weights @ x, weights


@wrong("weights-transposed")
class CausalByColumns(CausalBase):
    """The weights transposed."""

    def forward(self, x):
        weights = self.dropout(self.weights(x))
        return torch.einsum("bij,bid->bjd", weights, self.W_value(x)), weights


@wrong("softmax-twice")
class CausalSoftmaxTwice(CausalBase):
    """A softmax of the weights."""

    def weights(self, x):
        return F.softmax(super().weights(x), dim=-1)


@wrong("root-of-two")
class CausalOverTheRootOfTwo(CausalBase):
    """The root of 2, as in a small example."""

    def scores(self, x):
        return self.W_query(x) @ self.W_key(x).mT / 2**0.5


@wrong("fixed-scale")
class CausalOver8(CausalBase):
    """8, as for 64 features."""

    def scores(self, x):
        return self.W_query(x) @ self.W_key(x).mT / 8


@wrong("root-without-brackets")
class CausalOverHalfOfD(CausalBase):
    """D ** 1 / 2."""

    def scores(self, x):
        keys = self.W_key(x)
        return self.W_query(x) @ keys.mT / (keys.shape[-1] ** 1 / 2)


@wrong("divided-by-d-and-by-2")
class CausalOverDAnd2(CausalBase):
    """scores / D ** 1 / 2."""

    def scores(self, x):
        keys = self.W_key(x)
        return self.W_query(x) @ keys.mT / keys.shape[-1] ** 1 / 2
