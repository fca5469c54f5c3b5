"""Compute the values in data/causal_article.json again: the article's steps, in plain PyTorch.

    python -m tools.record.article             compare with the recorded values

The tables called "printed" were typed in from an article on coding causal attention, which notebook 14 looks at too;
this script computes the values behind them with the article's seed. It needs PyTorch 2.11 or later on the CPU: some
older builds draw dropout differently.
"""

import json
import sys

import torch
from torch import nn

from runtime.notebook import example_sentence
from tools.record.compare import ROOT

PATH = ROOT / "data" / "causal_article.json"


def projections():
    return [nn.Linear(3, 2, bias=False) for _ in range(3)]


def values():
    """The tables, and what else the tests need, in the order in which the article draws random numbers."""
    torch.manual_seed(123)
    x = example_sentence()[1]
    layers = projections()
    q, k, v = (layer(x) for layer in layers)
    scores, mask = q @ k.T, torch.ones(6, 6).tril()
    weights = (scores / 2**0.5).softmax(-1)
    filled = scores.masked_fill(mask == 0, -torch.inf)
    masked = (filled / 2**0.5).softmax(-1)
    dropped = nn.Dropout(0.5)(masked)
    tables = {
        "attn_weights": weights,
        "mask_matrix": mask,
        "masked_attn_weights": weights * mask,
        "masked_attn_weights_norm": weights * mask / (weights * mask).sum(-1, keepdim=True),
        "masked_attn_scores": filled,
        "attn_weights_softmax": masked,
        "dropped_attn_weights": dropped,
    }
    again = projections()
    batch = torch.stack([x, x])
    q, k, v = (layer(batch) for layer in again)
    masked = (q @ k.transpose(1, 2)).masked_fill(mask == 0, -torch.inf).div(2**0.5).softmax(-1)
    dropped = nn.Dropout(0.1)(masked)
    tables["context_vecs"] = dropped @ v
    names = ["W_query", "W_key", "W_value"]
    extra = {
        **dict(zip(names, [layer.weight for layer in layers], strict=True)),
        **dict(zip([f"ca_{name}" for name in names], [layer.weight for layer in again], strict=True)),
        "ca_eval_context": masked @ v,
        "ca_dropped_weights": dropped,
    }
    return tables, extra


def difference(tensor, rows):
    rows = rows if isinstance(rows[0][0], list) else [rows]
    recorded = torch.tensor([[[float(x) for x in row] for row in item] for item in rows])  # -inf is a word in the file
    return (tensor - recorded).nan_to_num(0.0).abs().max().item()  # -inf minus -inf is NaN


def main():
    recorded = json.loads(PATH.read_text(encoding="utf-8"))
    tables, extra = values()
    found = {name: difference(tensor, recorded[name]["torch_2_13_cpu"]) for name, tensor in tables.items()}
    found |= {name: difference(tensor, recorded["extra"][name]) for name, tensor in extra.items()}
    for name, largest in found.items():
        print(f"{name}: largest difference {largest:.1e}")
    if max(found.values()) > 1e-6:
        sys.exit("The values differ from the recorded ones.")


if __name__ == "__main__":
    with torch.no_grad():
        main()
