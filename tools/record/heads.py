"""Record data/induction.json again: how heads form on repeated strings, for several seeds.

    python -m tools.record.heads    two layers with seeds 0 to 4, one layer with seed 0

Each line of the file is a point of a training: step, loss, share right, and the scores of the heads of each layer.
"""

import json
import sys
import time

import torch

from models.induction import attention_only, examine, grow
from tools.record.compare import ROOT

FILE = ROOT / "data" / "induction.json"
RUNS = [(2, 0), (1, 0), (2, 1), (2, 2), (2, 3), (2, 4)]


def rounded(numbers):
    return [[round(number, 3) for number in row] for row in numbers.tolist()]


def point(found):
    return {
        "step": found.step,
        "loss": round(found.loss, 3),
        "right": round(found.right, 3),
        "previous": rounded(found.previous),
        "induction": rounded(found.induction),
    }


def without_each_head(model):
    """The share right with one head after another silenced."""
    L, H = model.config.num_layers, model.config.num_heads
    found = torch.zeros(L, H)
    for layer in range(L):
        for head in range(H):
            mask = torch.ones(L, H)
            mask[layer, head] = 0
            found[layer, head] = examine(model, head_mask=mask).right
    return rounded(found)


def main():
    torch.set_num_threads(1)
    runs = []
    for num_layers, seed in RUNS:
        model, begin = attention_only(num_layers, seed), time.process_time()
        points = [point(found) for found in grow(model, seed, steps=500)]
        runs.append({"layers": num_layers, "seed": seed, "points": points, "silenced": without_each_head(model)})
        formed = [p["step"] for p in points if p["right"] > 0.9]
        print(
            f"{num_layers} layers, seed {seed}: right {points[-1]['right']:.3f}, above 0.9 from step "
            f"{formed[0] if formed else None}, {time.process_time() - begin:.0f} s",
            flush=True,
        )
        text = ",\n".join(json.dumps(run) for run in runs)
        FILE.write_text(f"[\n{text}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
