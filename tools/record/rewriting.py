"""Record data/rewriting.safetensors again: the encoder and the decoder that rewrite numbers in notebook 08.

    python -m tools.record.rewriting

The notebook's own cells define and train them.
"""

import hashlib
import random
import sys

import torch
from safetensors.torch import save
from torch import nn

from feedback.notebooks import read
from helpers import decoder, heads
from models import rewriting
from tools import ROOT

CELLS = ("rewrite-blocks", "rewrite-model", "rewrite-train")
SEED, STEPS, RATE = 8, 500, 6e-3


def initialize(module):
    """Initialize a module as in section 2 of the notebook."""
    if isinstance(module, nn.Linear | nn.Embedding):
        nn.init.normal_(module.weight, std=module.weight.size(-1) ** -0.5)
    if isinstance(module, nn.Linear):
        nn.init.zeros_(module.bias)


def main():
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    sources = {cell["id"]: cell["source"] for cell in read(ROOT / "notebooks" / "08_a_language_model.ipynb")}
    names = {"torch": torch, "nn": nn, "decoder": decoder, "heads": heads, "rewriting": rewriting}
    for id in CELLS:
        exec(sources[id], names)  # noqa: S102
    net, draw = names["Rewriter"]().double().apply(initialize), random.Random(0)
    names["practice"](net, lambda: rewriting.draw_numbers(draw, 64), STEPS, RATE)
    content = save({name: tensor.half().contiguous() for name, tensor in net.state_dict().items()})
    rewriting.FILE.write_bytes(content)
    print(f"{len(content):,} bytes, sha256 {hashlib.sha256(content).hexdigest()}: put it into models/rewriting.py")


if __name__ == "__main__":
    sys.exit(main())
