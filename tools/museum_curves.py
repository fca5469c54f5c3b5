"""Train every exhibit of the museum in a small model, and keep the losses in exercises/museum/curves.py.

    python -m tools.museum_curves        trains them all in about two minutes

The texts are notebook 08's stories, and the exhibit's field `learns` says what the model predicts. A loss is the mean
over 25 steps, rounded to one decimal so that it is the same on other machines.
"""

import random
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn

from exercises.museum import curves
from exercises.museum.exhibit import heads_for
from exercises.museum.exhibits import EXHIBITS
from models import stories

FILE = Path(curves.__file__)
WIDTH, LENGTH, BATCH, STEPS, EVERY = 32, 24, 32, 400, 25
BLANK = 0.2  # the share of words that are masked out


class Model(nn.Module):
    """Word and position embeddings, the exhibit with a residual connection, a norm, and logits for the words."""

    def __init__(self, exhibit):
        super().__init__()
        self.exhibit, self.layer = exhibit, exhibit.make(WIDTH, heads_for(WIDTH))
        self.words = nn.Embedding(len(stories.WORDS), WIDTH)
        self.positions = nn.Parameter(0.1 * torch.randn(LENGTH, WIDTH))
        self.norm, self.readout = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, len(stories.WORDS))

    def forward(self, ids, real):
        x = self.words(ids) + self.positions[: ids.size(1)]
        out = self.layer(x, real) if self.exhibit.takes == "real" else self.layer(x)
        return self.readout(self.norm(x + (out[0] if isinstance(out, tuple) else out)))


def losses_of(exhibit):
    """Train the exhibit's model and return the mean loss of every 25 steps."""
    torch.manual_seed(exhibit.number)
    draw = random.Random(exhibit.number)
    model, found = Model(exhibit).double(), []
    for module in model.layer.modules():
        if hasattr(module, "p"):
            module.p = 0.0  # no dropout in any exhibit, so that the curves can be compared
    for head in getattr(model.layer, "heads", ()):
        head.double()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for _ in range(STEPS):
        loss = _loss(model, exhibit, stories.batch(draw, BATCH, LENGTH).ids)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return tuple(round(sum(part) / EVERY, 1) for part in zip(*[iter(found)] * EVERY, strict=True))


def _loss(model, exhibit, ids):
    real = torch.ones(ids.shape, dtype=torch.bool)
    if exhibit.takes == "real":  # texts of different lengths
        real = torch.arange(LENGTH) < torch.randint(LENGTH // 2, LENGTH + 1, (BATCH, 1))
        ids = ids.where(real, stories.PAD_ID)
    if exhibit.learns == "next word":
        logits, targets = model(ids[:, :-1], real[:, :-1]), ids[:, 1:]
        return F.cross_entropy(logits[real[:, 1:]], targets[real[:, 1:]])
    blank = (torch.rand(ids.shape) < BLANK) & real
    return F.cross_entropy(model(ids.masked_fill(blank, stories.START_ID), real)[blank], ids[blank])


def main():
    torch.set_num_threads(1)
    steps = tuple(range(EVERY, STEPS + 1, EVERY))
    lines = [
        '"""The losses of the exhibits in training: python -m tools.museum_curves computes them."""',
        "",
        f"STEPS = {steps}",
        "LOSSES = {",
        *(f"    {number}: {losses_of(exhibit)}," for number, exhibit in EXHIBITS.items()),
        "}",
    ]
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
