"""Wrong answers to exercise 4.3 whose mistake is the mask: what is hidden, how, and where the mask is kept."""

import torch
import torch.nn as nn

from exercises.e4_3_causal_attention.answers_base import CausalBase
from feedback.bank import WrongAnswers

wrong = WrongAnswers()


@wrong("mask-is-plain-tensor")
class CausalMaskAttribute(CausalBase):
    """The mask is an attribute."""

    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__(d_in, d_out, context_length, dropout)
        del self.mask
        self.mask = torch.triu(torch.ones(context_length, context_length), diagonal=1).bool()


@wrong("mask-is-plain-tensor")
class CausalMaskInADictionary(CausalBase):
    """The mask is kept in a dictionary."""

    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__(d_in, d_out, context_length, dropout)
        del self.mask
        self.kept = {"mask": torch.triu(torch.ones(context_length, context_length), diagonal=1).bool()}

    def hidden(self, x):
        return self.kept["mask"][: x.shape[1], : x.shape[1]]


@wrong("mask-as-parameter")
class CausalMaskParameter(CausalBase):
    """The mask is a parameter."""

    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__(d_in, d_out, context_length, dropout)
        del self.mask
        self.mask = nn.Parameter(torch.triu(torch.ones(context_length, context_length), diagonal=1))

    def hidden(self, x):
        return super().hidden(x) > 0


@wrong("mask-as-parameter")
class CausalMaskFrozenParameter(CausalBase):
    """The mask is a frozen parameter."""

    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__(d_in, d_out, context_length, dropout)
        del self.mask
        triangle = torch.ones(context_length, context_length, dtype=torch.bool).triu(1)
        self.mask = nn.Parameter(triangle, requires_grad=False)


@wrong("mask-not-kept")
class CausalMaskInForward(CausalBase):
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
class CausalMaskNotCut(CausalBase):
    """The mask is not cut."""

    def hidden(self, x):
        return self.mask


@wrong("mask-not-cut")
class CausalMaskHalfCut(CausalBase):
    """The mask is cut along one axis."""

    def hidden(self, x):
        return self.mask[: x.shape[1]]


@wrong("mask-cut-elsewhere")
class CausalMaskCutFromTheEnd(CausalBase):
    """Rows from the end, columns from the front."""

    def hidden(self, x):
        return self.mask[-x.shape[1] :, : x.shape[1]]


@wrong("remembers")
class CausalMaskShrinks(CausalBase):
    """The mask is cut on self: too small for the next call."""

    def hidden(self, x):
        self.mask = self.mask[: x.shape[1], : x.shape[1]]
        return self.mask if len(self.mask) == x.shape[1] else torch.zeros(x.shape[1], x.shape[1]).bool()


@wrong("weak-fill")
class CausalMaskWeak(CausalBase):
    """Filled with -10."""

    def weights(self, x):
        return self.scores(x).masked_fill(self.hidden(x), -10).softmax(-1)


@wrong("true-hides")
class CausalMaskUpsideDown(CausalBase):
    """Upside down."""

    def hidden(self, x):
        return ~super().hidden(x)


@wrong("diagonal-hidden")
class CausalMaskDiagonal(CausalBase):
    """The diagonal is hidden."""

    def hidden(self, x):
        return torch.ones(x.shape[1], x.shape[1]).triu().bool()


@wrong("one-step-ahead")
class CausalMaskOneAhead(CausalBase):
    """Triu(2): one step ahead."""

    def hidden(self, x):
        return super().hidden(x).triu(2)


@wrong("mask-ignored")
class CausalMaskUnused(CausalBase):
    """The mask is never used."""

    def weights(self, x):
        return self.scores(x).softmax(-1)


@wrong("mask-ignored")
class CausalMaskFilledForNothing(CausalBase):
    """Masked_fill without keeping the result."""

    def weights(self, x):
        scores = self.scores(x)
        scores.masked_fill(self.hidden(x), -torch.inf)
        return scores.softmax(-1)


@wrong("zero-filled")
class CausalMaskTimesScores(CausalBase):
    """Scores times mask."""

    def weights(self, x):
        return (self.scores(x) * ~self.hidden(x)).softmax(-1)


@wrong("masked-after-softmax")
class CausalMaskTimesWeights(CausalBase):
    """Weights times mask."""

    def weights(self, x):
        return self.scores(x).softmax(-1) * ~self.hidden(x)


@wrong("mask-only-in-training")
class CausalInTrainingOnly(CausalBase):
    """The mask in training only."""

    def hidden(self, x):
        return super().hidden(x) & self.training


@wrong("mask-only-in-evaluation")
class CausalInEvaluationOnly(CausalBase):
    """The mask in evaluation only."""

    def hidden(self, x):
        return super().hidden(x) & (not self.training)


@wrong("mask-stays-on-the-cpu")
class CausalByANewMask(CausalBase):
    """A buffer that is not used: the mask is made again on the CPU."""

    def hidden(self, x):
        return torch.ones(x.size(1), x.size(1), dtype=torch.bool).triu(1)


@wrong("mask-stays-on-the-cpu")
class CausalByANewFloatMask(CausalBase):
    """A buffer that is not used: a new mask of 0 and -inf is added."""

    def weights(self, x):
        mask = torch.full((x.size(1), x.size(1)), -torch.inf).triu(1)
        return (self.scores(x) + mask.to(x.dtype)).softmax(-1)


@wrong("mask-stays-on-the-cpu")
class CausalByANewWhere(CausalBase):
    """A buffer that is not used: a new mask in torch.where."""

    def weights(self, x):
        visible = torch.tril(torch.ones(x.size(1), x.size(1))) == 1
        return torch.where(visible, self.scores(x), -torch.inf).softmax(-1)


@wrong("weak-fill")
class CausalMaskAtMinus20(CausalBase):
    """Filled with -20."""

    def weights(self, x):
        return self.scores(x).masked_fill(self.hidden(x), -20.0).softmax(-1)


@wrong()
class CausalMaskAttributeThenBuffer(CausalBase):
    """The mask is an attribute before it is registered."""

    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__(d_in, d_out, context_length, dropout)
        self.triangle = torch.triu(torch.ones(context_length, context_length), diagonal=1).bool()
        self.register_buffer("triangle", self.triangle)


@wrong("mask-added")
class CausalVisibleMaskAdded(CausalBase):
    """A triangle of ones is added to the scores."""

    def weights(self, x):
        return (self.scores(x) + torch.tril(torch.ones_like(self.scores(x)))).softmax(-1)


@wrong("mask-inverted-added")
class CausalMaskAdded(CausalBase):
    """The mask of the future is added to the scores."""

    def weights(self, x):
        return (self.scores(x) + self.hidden(x)).softmax(-1)


@wrong("zero-times-infinity")
class CausalMaskTimesInfinity(CausalBase):
    """The mask times -inf."""

    def weights(self, x):
        return (self.scores(x) + self.hidden(x).to(x.dtype) * float("-inf")).softmax(-1)


@wrong("positive-fill")
class CausalMaskOfAHugeNumber(CausalBase):
    """Filled with 1e9."""

    def weights(self, x):
        return self.scores(x).masked_fill(self.hidden(x), 1e9).softmax(-1)


@wrong("infinite-fill")
class CausalMaskOfPlusInfinity(CausalBase):
    """Filled with +inf."""

    def weights(self, x):
        return torch.where(self.hidden(x), float("inf"), self.scores(x)).softmax(-1)


@wrong("weights-filled")
class CausalWeightsFilled(CausalBase):
    """The weights are filled with -inf."""

    def weights(self, x):
        return self.scores(x).softmax(-1).masked_fill(self.hidden(x), -torch.inf)


@wrong("mask-stays-on-the-cpu")
class CausalByABufferAndANewTensor(CausalBase):
    """The buffer is used, and a tensor of zeros on the CPU next to it."""

    def weights(self, x):
        zeros = torch.zeros(x.size(1), x.size(1))
        return (self.scores(x) + zeros.masked_fill(self.hidden(x), -torch.inf)).softmax(-1)


@wrong("mask-stays-on-the-cpu")
class CausalByABufferAndNewPositions(CausalBase):
    """The buffer is used, and then positions on the CPU hide the same once more."""

    def hidden(self, x):
        positions = torch.arange(x.size(1))
        return super().hidden(x) | (positions[:, None] < positions)


@wrong("weak-fill")
class CausalMaskAtMinus100(CausalBase):
    """Filled with -100."""

    def weights(self, x):
        return torch.where(self.hidden(x), -100.0, self.scores(x)).softmax(-1)
