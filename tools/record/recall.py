"""Record data/recall.json again: how well stacks of three kinds of layers recall from a list of pairs, for three seeds.

    python -m tools.record.recall                   all stacks, about twenty minutes on two cores
    python -m tools.record.recall "delta, full"     prints the runs of one

A text is a list of key-value pairs, each a token, followed by eight of the keys, for each of which the model predicts
the value. The layers differ only in how they read earlier tokens. Queries, keys and values come from a token and the
one before it, like the short convolutions of published models with a state, so no positions are needed.
"""

import json
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn

from helpers.linear import delta_parallel
from helpers.windows import window_mask

FILE = Path(__file__).resolve().parents[2] / "data" / "recall.json"
KEYS, VALUES, ASKED, PAIRS = 64, 32, 8, (4, 8, 16, 32)
C, H, D, WINDOW = 64, 2, 8, 8
SEEDS, STEPS, SIZE, RATE = (0, 1, 2), 800, 32, 3e-3
STACKS = (
    "full",
    "full, full",
    "window, window",
    "delta, delta",
    "delta, window",
    "window, full",
    "delta, full",
    "delta, delta, delta, full",
)


class Layer(nn.Module):
    """Causal attention to all earlier tokens or in a window, or the gated delta rule; then a feed-forward network.

    Shapes: x (B, T, C) -> (B, T, C)
    """

    def __init__(self, kind):
        super().__init__()
        self.kind = kind
        self.norm1, self.norm2 = nn.RMSNorm(C), nn.RMSNorm(C)
        self.qkv, self.merge = nn.Linear(2 * C, 3 * H * D, bias=False), nn.Linear(H * D, C, bias=False)
        self.gates = nn.Linear(C, 2 * H)  # beta and alpha of each head
        self.wide, self.narrow = nn.Linear(C, 2 * C), nn.Linear(2 * C, C)
        for layer in (self.merge, self.narrow):
            nn.init.normal_(layer.weight, std=0.02)
        nn.init.constant_(self.gates.bias[H:], 4.0)  # at first, little fades

    def forward(self, x):
        y = self.norm1(x)
        before = F.pad(y, (0, 0, 1, 0))[:, :-1]
        qkv = self.qkv(torch.cat([y, before], dim=-1))  # (B, T, 3 * H * D)
        read = self.read(y, *qkv.unflatten(-1, (3, H, D)).permute(2, 0, 3, 1, 4))  # (B, H, T, D)
        x = x + self.merge(read.transpose(1, 2).flatten(2))
        return x + self.narrow(F.relu(self.wide(self.norm2(x))))

    def read(self, y, q, k, v):
        if self.kind == "delta":
            beta, alpha = self.gates(y).sigmoid().unflatten(-1, (2, H)).permute(2, 0, 3, 1)  # (B, H, T) each
            return delta_parallel(F.normalize(q, dim=-1), F.normalize(k, dim=-1), v, beta, alpha)
        T = y.size(1)
        mask = window_mask(T, T, T if self.kind == "full" else WINDOW)
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)


class Model(nn.Module):
    """Shapes: ids (B, T) -> scores of the values (B, T, VALUES)."""

    def __init__(self, kinds):
        super().__init__()
        self.embedding = nn.Embedding(KEYS + VALUES, C)
        self.layers = nn.Sequential(*map(Layer, kinds))
        self.norm, self.value = nn.RMSNorm(C), nn.Linear(C, VALUES)

    def forward(self, ids):
        return self.value(self.norm(self.layers(self.embedding(ids))))


def texts(pairs, size, draw):
    """Return ids (B, 2 * pairs + asked), the right values (B, asked), and the pairs that are asked for (B, asked)."""
    keys = torch.rand(size, KEYS, generator=draw).argsort(dim=-1)[:, :pairs]
    values = torch.randint(VALUES, (size, pairs), generator=draw)
    asked = torch.rand(size, pairs, generator=draw).argsort(dim=-1)[:, :ASKED]
    told = torch.stack([keys, KEYS + values], dim=-1).flatten(1)
    return torch.cat([told, keys.gather(1, asked)], dim=1), values.gather(1, asked), asked


def trained(kinds, seed):
    torch.manual_seed(seed)
    model, draw = Model(kinds), torch.Generator().manual_seed(seed)
    optimizer = torch.optim.AdamW(model.parameters(), RATE)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=STEPS, pct_start=0.1)
    for step in range(STEPS):
        most = PAIRS[-1] if step > STEPS / 4 else PAIRS[-1] // 2  # short lists first
        ids, right, _ = texts(int(torch.randint(ASKED, most + 1, (), generator=draw)), SIZE, draw)
        loss = F.cross_entropy(model(ids)[:, -ASKED:].flatten(0, 1), right.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return model


@torch.no_grad()
def recalled(model):
    """Return the share of right values for each number of pairs and, for the most pairs, also for near and far ones.

    Near is within the window's reach; far is more than half of the text away.
    """
    draw, found = torch.Generator().manual_seed(1001), {}
    for pairs in PAIRS:
        ids, right, asked = texts(pairs, 512, draw)
        hit = (model(ids)[:, -asked.size(1) :].argmax(dim=-1) == right).double()
        found[str(pairs)] = hit.mean().item()
    back = 2 * pairs + torch.arange(asked.size(1)) - (2 * asked + 1)  # tokens from the value to the repeated key
    found["near"], found["far"] = hit[back < WINDOW].mean().item(), hit[back > ids.size(1) / 2].mean().item()
    return {name: round(share, 3) for name, share in found.items()}


def kept(kinds):
    """Return how many numbers the layers keep of the longest text."""
    sizes = {"full": 2 * D * (2 * PAIRS[-1] + ASKED), "window": 2 * D * WINDOW, "delta": D * D}
    return H * sum(sizes[kind] for kind in kinds)


def run(stack, seed):
    torch.set_num_threads(1)
    kinds = stack.split(", ")
    found = {"layers": stack, "seed": seed, "kept": kept(kinds), "recalled": recalled(trained(kinds, seed))}
    print(found, flush=True)
    return found


def main(stacks):
    with ProcessPoolExecutor(2) as pool:
        runs = list(pool.map(run, *zip(*[(stack, seed) for stack in stacks or STACKS for seed in SEEDS], strict=True)))
    if not stacks:
        FILE.write_text("[\n" + ",\n".join(json.dumps(each) for each in runs) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
