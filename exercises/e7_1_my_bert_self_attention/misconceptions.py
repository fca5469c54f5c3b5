"""What people get wrong in exercise 7.1, MyBertSelfAttention."""

from torch import nn
from torch.nn import functional as F

from exercises.common import explainers
from exercises.common.multi_head import (
    HEADS,
    MASKS,
    SCORES,
    known,
    layers_by_hand,
    layers_mixed_up,
    stepwise,
    weights_of,
)
from exercises.e7_1_my_bert_self_attention.shared import _LAYERS, _unchanged
from feedback import Misconception
from helpers.heads import merge_heads, split_heads


def _frame(forward):
    """A module with the three layers and the given forward(self, x, mask): the frame of every wrong 7.1."""

    class Wrong(nn.Module):
        def __init__(self, config):
            super().__init__()
            self.num_heads = config.num_attention_heads
            for name in _LAYERS:
                setattr(self, name, nn.utils.skip_init(nn.Linear, config.hidden_size, config.hidden_size))

        def forward(self, x, mask=None):
            return forward(self, x, mask)

    return Wrong


def _bert(**steps):
    """The steps as an answer to 7.1."""
    attend = stepwise(**steps)
    return _frame(lambda self, x, mask: attend(x, x, (self.query, self.key, self.value, _unchanged), self.num_heads,
                                               mask))


def _finish(change):
    """Another out, made from the merged heads and x."""
    return {"finish": lambda merged, weights, last, x: (change(merged, x), weights)}


def _split_before_the_layers(split):
    def forward(self, x, mask):
        z = split(x, self.num_heads)
        q, k, v = self.query(z), self.key(z), self.value(z)
        weights = weights_of(q, k, mask)
        return merge_heads(weights @ v), weights

    return _frame(forward)


def _turned(z, num_heads):
    """Heads of x whose batch and positions have changed places: (T, H, B, D)."""
    return split_heads(z.transpose(0, 1), num_heads)


def _dropped(p):
    """Dropout that does not ask for the mode: on the weights, on those that mix the values, on out."""
    return ({"weigh": lambda q, k, mask: F.dropout(weights_of(q, k, mask), p)},
            {"mix": lambda w, v, q, k: F.dropout(w, p) @ v}, _finish(lambda merged, x: F.dropout(merged, p)))


_OUT = (
    ("not-merged", "The weights are right, but the heads of out still stand apart: it has four axes.",
     "Put the heads of each position side by side, (B, T, C): your merge_heads from exercise 5.2 does it.",
     ({"merge": _unchanged}, {"merge": lambda z: z.transpose(1, 2)}), None),
    ("heads-averaged", "The weights are right, but the heads of out were averaged, or added up.",
     "Put them side by side: D features of each head make C = H * D. Your merge_heads from exercise 5.2 does it.",
     ({"merge": lambda z: z.mean(1)}, {"merge": lambda z: z.sum(1)}), None),
    ("merged-along-positions", "The weights are right, but the heads of out stand one below the other along the "
     "positions.",
     "Heads of one position belong in one row, side by side: your merge_heads from exercise 5.2 does it.",
     ({"merge": lambda z: z.flatten(1, 2)}, {"merge": lambda z: z.transpose(1, 2).flatten(1, 2)}), None),
    ("not-contiguous", "The transpose is right. After it the numbers no longer lie in memory in the order in which "
     "they are to be read, and view, which never moves a number, refuses.",
     "Keep the transpose, and write reshape(...), flatten(-2) or contiguous().view(...): these make a copy in the new "
     "order.",
     ({"merge": lambda z: z.transpose(1, 2).view(z.size(0), z.size(2), -1)},), None),
    ("residual", "x was added to out, or out was normalised. Both belong to the next module, BertSelfOutput.",
     "Here out is the merged heads, and nothing else.",
     (_finish(lambda merged, x: merged + x), _finish(lambda merged, x: F.layer_norm(merged, merged.shape[-1:])),
      _finish(lambda merged, x: F.layer_norm(merged + x, merged.shape[-1:]))), explainers.out_alone),
    ("batch-as-positions", "Batch and positions have changed places before the scores: positions read across the items "
     "of the batch, which have nothing to do with each other.",
     "Keep the batch in front: from (B, T, H, D) only T and H change places.",
     ({"split": _turned}, {"split": _turned, "merge": lambda z: merge_heads(z).transpose(0, 1)}), None),
    ("dropout-in-eval", "Dropout is at work in evaluation too, and it draws anew in every call.",
     "F.dropout drops in every mode, unless it gets training=self.training; nn.Dropout, made in __init__, follows "
     "model.eval(). Here you can do without: dropout is not asked for.",
     tuple(steps for p in (0.1, 0.2, 0.5) for steps in _dropped(p)), explainers.row_sum),
)


MISCONCEPTIONS = (
    *known(_bert, HEADS), *known(_bert, _OUT), *known(_bert, SCORES),
    *known(_bert, layers_mixed_up("self.query", "self.key", "self.value")),
    *known(_bert, layers_by_hand("self.query", with_out_proj=False)), *known(_bert, MASKS),
    Misconception(
        "layer-meets-one-head", "x was split into heads before the layers: a layer was given D features, as wide "
        "as one head, and takes all C features of a position.",
        "First project, then split: q = split_heads(self.query(x), H).",
        (_split_before_the_layers(split_heads),
         _split_before_the_layers(lambda x, h: split_heads(x, h).contiguous()))))
