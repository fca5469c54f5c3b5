"""Record data/stories/alone.json again: the story model trained without its random strings, for three seeds.

    python -m tools.record.stories_alone

The model, learning rate, batch size and number of steps are those of `tools.train_stories`, but every row of every
batch is a new story. The losses and shares are for the 128 stories that notebook 08 looks at.
"""

import json
import random
import sys

import torch

from helpers.decoder import token_losses
from models import stories
from models.story_model import FILE, new_model
from models.training import train

RECORD, TRAINED = FILE.with_name("alone.json"), FILE.with_name("curve.json")
SIZE = 32  # rows; in `story_model.fresh_stories`, 8 of them are strings
FOODS = torch.tensor([word in stories.FOODS for word in stories.WORDS])


def batches(seed):
    draw = random.Random(seed)
    while True:
        yield stories.batch(draw, SIZE).ids, None


@torch.no_grad()
def measured(model, told):
    """Return the losses on colors and foods that are read back, and the probability of the story's foods."""
    logits, _ = model(told.ids)
    losses = stories.mean_by_kind(token_losses(logits, told.ids), told.kinds)
    asked = told.kinds[:, 1:] == stories.KINDS.index("food")
    occur = torch.stack([torch.isin(torch.arange(len(stories.WORDS)), ids) & FOODS for ids in told.ids])  # (B, V)
    p = logits[:, :-1].softmax(dim=-1)  # (B, T - 1, V)
    three = (p * occur[:, None]).sum(dim=-1)[asked]
    right = p.gather(-1, told.ids[:, 1:, None])[..., 0][asked]
    found = {"color": losses["color"], "food": losses["food"], "three": three.mean().item(), "one": right.mean().item()}
    return {name: round(number, 3) for name, number in found.items()}


def main():
    torch.set_num_threads(1)
    trained = json.loads(TRAINED.read_text(encoding="utf-8"))
    steps, told = trained["strings"] + trained["curve"][-1]["step"], stories.batch(random.Random(1001), 128)
    runs = []
    for seed in (0, 1, 2):
        model = new_model(seed)
        for _ in train(model, batches(seed), steps):
            pass
        runs.append({"seed": seed, "steps": steps, **measured(model, told)})
        print(runs[-1], flush=True)
    RECORD.write_text("[\n" + ",\n".join(json.dumps(run) for run in runs) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
