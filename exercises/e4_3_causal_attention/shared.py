"""What the statement and the misconceptions of 4.3 share."""

import torch

from exercises.common import explainers
from exercises.common.random_zeros import Told
from exercises.common.single_head import by_root
from helpers import masks
from helpers.masks import causal_mask


def _projected(args):
    x, *weights = args[:4]
    return (x @ weight.to(x.dtype).mT for weight in weights)


def _causal_weights(args):
    q, k, _ = _projected(args)
    return masks.masked_softmax(q @ k.mT * by_root(q, k), causal_mask(q.size(1)))


def _look_causal(case):
    return _causal_weights(case.args), *case.args[-2:]


def _dropped_causal(case):
    right, p, _ = _look_causal(case)
    return right, case.last, p


def _future(case):
    """The hidden key that gets the largest weight."""
    hidden = ~causal_mask(case.last.size(-1))
    leak = case.last.double().nan_to_num(0.0) * hidden
    if not leak.any():
        return explainers.not_a_number(case) if case.last.isnan().any() else explainers.entry(case)
    at = explainers.worst(leak, torch.zeros_like(leak))
    return f"position {at[-2]} reads position {at[-1]}, which comes later, with the weight {explainers.number(leak[at])}"


_OF_CAUSAL = Told(_dropped_causal, "visible weights", "nn.Dropout", "dropout")
