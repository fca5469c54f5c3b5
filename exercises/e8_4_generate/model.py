"""A small language model to generate with, which keeps a list of what it was fed."""

import torch
from torch import nn

from exercises.common.inputs import normal
from feedback.format import describe

LONGEST, WIDTH = 40, 8


class Past:
    """What a model keeps of the positions it has read: nothing in it is for anybody else."""

    def __init__(self, keys, values):
        self._keys, self._values = keys, values

    def __repr__(self):
        return f"a past of {self._keys.size(1)} positions"


class Weights:
    """The numbers of a model: one layer of causal attention, whose logits depend on every token and its position."""

    def __init__(self, seed, vocabulary):
        self.seed, self.vocabulary = seed, vocabulary
        shapes = ((vocabulary, WIDTH), (LONGEST, WIDTH), *[(WIDTH, WIDTH)] * 3, (WIDTH, vocabulary))
        self.numbers = [1.5 * normal(*shape, seed=seed + i, dtype=torch.float64) for i, shape in enumerate(shapes)]

    def __deepcopy__(self, memo):
        return self  # a learner's code never gets it

    def __repr__(self):
        return f"a model of {self.vocabulary} tokens"

    def read(self, ids, past):
        """Logits (B, T, V) and the new past."""
        tokens, positions, query, key, value, out = self.numbers
        old = 0 if past is None else past._keys.size(1)
        if old + ids.size(1) > LONGEST:
            raise ValueError(f"this model has {LONGEST} positions, and was to read {old + ids.size(1)}")
        x = tokens[ids.long()] + positions[old : old + ids.size(1)]  # (B, T, C)
        keys, values = x @ key, x @ value
        if past is not None:
            keys, values = torch.cat([past._keys, keys], 1), torch.cat([past._values, values], 1)
        visible = torch.ones(ids.size(1), keys.size(1), dtype=torch.bool).tril(old)
        scores = (x @ query @ keys.transpose(1, 2)) / WIDTH
        weights = scores.masked_fill(~visible, float("-inf")).softmax(-1)
        return (0.05 * x + 0.2 * weights @ values) @ out, Past(keys, values)


class Model(nn.Module):
    """What a learner's code is given: model(ids, past=None) -> (logits, past)."""

    def __init__(self, weights):
        super().__init__()
        self._numbers = weights
        self._fed = []

    def forward(self, ids, past=None):
        if not isinstance(ids, torch.Tensor) or ids.dim() != 2 or ids.is_floating_point():
            got = f"{describe(ids)} and dtype {ids.dtype}" if isinstance(ids, torch.Tensor) else describe(ids)
            raise ValueError(f"the model reads ids (B, T) of whole numbers, got {got}")
        if past is not None and not isinstance(past, Past):
            raise TypeError(f"past must be None or the past that the model returned, got {describe(past)}")
        if past is not None and past._keys.size(0) != ids.size(0):
            raise ValueError(f"ids has {ids.size(0)} rows, and the past has {past._keys.size(0)}")
        self._fed.append((ids.tolist(), 0 if past is None else past._keys.size(1)))
        return self._numbers.read(ids, past)
