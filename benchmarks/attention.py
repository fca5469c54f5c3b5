"""Time and memory of MultiHeadAttention, compared with other implementations and with the least that must be done.

    python -m benchmarks.attention              all sizes, forward and forward + backward, and peak memory
    python -m benchmarks.attention --quick      two small sizes, to see that it runs

Causal self-attention, d_model 512, 8 heads, float32. All implementations take turns within one run, in an order that
rotates; shown are medians as ratios to the floor: three Linear, F.scaled_dot_product_attention, Linear, and nothing
else. Only ratios mean something on a shared machine. Forward is timed as in use (eval, no gradients), forward +
backward as in training. Peak memory is that of one forward + backward: on a GPU what PyTorch allocated, on a CPU what
a fresh process needed beyond what it held before.
"""

import argparse
import math

import torch
import torch.nn.functional as F
from torch import nn

from benchmarks.measure import forward, in_a_fresh_process, medians, peak_in_this_process, peak_on_gpu
from helpers.heads import MultiHeadAttention, merge_heads, split_heads
from helpers.masks import causal_mask
from runtime.notebook import pick_device
from tools import Parser

D_MODEL, NUM_HEADS = 512, 8
SIZES = ((8, 128), (4, 512), (1, 2048), (1, 4096))
QUICK = ((2, 64), (1, 256))


# ---- the implementations: each takes x (B, T, C) and gives out (B, T, C)


class Floor(nn.Module):
    """The least that any implementation must compute."""

    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.out = (nn.Linear(D_MODEL, D_MODEL) for _ in range(4))

    def forward(self, x):
        q, k, v = (proj(x).unflatten(-1, (NUM_HEADS, -1)).transpose(1, 2) for proj in (self.q, self.k, self.v))
        return self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))


class Explicit(Floor):
    """Scores, fill, softmax, product: the usual way to write it."""

    def forward(self, x):
        q, k, v = (split_heads(proj(x), NUM_HEADS) for proj in (self.q, self.k, self.v))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))  # (B, H, T, T)
        mask = causal_mask(x.size(1), x.device)
        return self.out(merge_heads(scores.masked_fill(~mask, float("-inf")).softmax(dim=-1) @ v))


class Ours(MultiHeadAttention):
    def __init__(self):
        super().__init__(D_MODEL, NUM_HEADS)

    def forward(self, x):
        return super().forward(x, causal=True)[0]


class OursWithWeights(Ours):
    def forward(self, x):
        return MultiHeadAttention.forward(self, x, causal=True, need_weights=True)[0]


class TorchMHA(nn.Module):
    """torch.nn.MultiheadAttention, told that it is causal in the way its documentation asks for."""

    def __init__(self):
        super().__init__()
        self.attend = nn.MultiheadAttention(D_MODEL, NUM_HEADS, batch_first=True)

    def forward(self, x):
        blocked = ~causal_mask(x.size(1), x.device)
        return self.attend(x, x, x, attn_mask=blocked, is_causal=True, need_weights=False)[0]


class Bert(nn.Module):
    """transformers' BertSelfAttention as in a decoder, and the output Linear that belongs to it."""

    kind = "sdpa"

    def __init__(self):
        super().__init__()
        from transformers import BertConfig
        from transformers.models.bert.modeling_bert import BertSelfAttention

        config = BertConfig(
            hidden_size=D_MODEL, num_attention_heads=NUM_HEADS, is_decoder=True, attention_probs_dropout_prob=0.0
        )
        config._attn_implementation = self.kind
        self.attend, self.out = BertSelfAttention(config, is_causal=True), nn.Linear(D_MODEL, D_MODEL)

    def mask(self, x):
        return None

    def forward(self, x):
        return self.out(self.attend(x, attention_mask=self.mask(x))[0])


class BertEager(Bert):
    kind = "eager"

    def mask(self, x):
        hidden = torch.finfo(x.dtype).min
        return torch.full((x.size(1), x.size(1)), hidden, device=x.device).triu(1)[None, None]  # (1, 1, T, T)


IMPLEMENTATIONS = {
    "floor": Floor,
    "helpers.MultiHeadAttention": Ours,
    "nn.MultiheadAttention": TorchMHA,
    "BERT, sdpa": Bert,
    "BERT, eager": BertEager,
    "explicit softmax": Explicit,
    "helpers, with weights": OursWithWeights,
}


def build(name, device):
    """One implementation with the same random weights every time, or None where its package is missing."""
    torch.manual_seed(0)
    try:
        return IMPLEMENTATIONS[name]().to(device)
    except ImportError:
        return None


# ---- measurements


def forward_backward(module, x):
    module.zero_grad(set_to_none=True)
    module(x).backward(torch.ones_like(x))


def peak_megabytes(name, B, T, device):
    """The largest memory that one forward + backward needs beyond the weights and x."""
    if device.type != "cuda":
        return in_a_fresh_process(memory_in_this_process, name, B, T)
    module, x = build(name, device), torch.randn(B, T, D_MODEL, device=device)
    return peak_on_gpu(forward_backward, module, x, module.zero_grad)


def memory_in_this_process(name, B, T):
    """The same on a CPU, for a fresh process."""
    x = torch.randn(B, T, D_MODEL)
    return peak_in_this_process(forward_backward, build(name, torch.device("cpu")), x, x[:, :16])


# ---- the table


def main(words=None):
    """Print one table: a row for each implementation, for each size forward, forward + backward, and memory."""
    parser = Parser("benchmark", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="two small sizes")
    parser.add_argument("--seconds", type=float, default=12.0, help="for each size and direction (%(default)s)")
    options = parser.parse_args(words)
    device = pick_device()
    print(
        f"torch {torch.__version__}, {device.type}, {torch.get_num_threads()} threads; "
        "ratios of medians to the floor; MB = peak of forward + backward"
    )
    for B, T in QUICK if options.quick else SIZES:
        compare(B, T, device, 0.5 if options.quick else options.seconds)


def compare(B, T, device, budget):
    modules = {name: build(name, device) for name in IMPLEMENTATIONS}
    missing = [name for name, module in modules.items() if module is None]
    modules = {name: module for name, module in modules.items() if module is not None}
    x = torch.randn(B, T, D_MODEL, device=device)
    for module in modules.values():
        module.eval()
    there = medians(forward, modules, x, budget)
    for module in modules.values():
        module.train()
    and_back = medians(forward_backward, modules, x, budget)
    print(
        f"\nB = {B}, T = {T}: the floor takes {1000 * there['floor']:.1f} ms forward, "
        f"{1000 * and_back['floor']:.1f} ms forward + backward"
    )
    print(f"{'':28}{'forward':>9}{'and back':>10}{'MB':>8}")
    for name in modules:
        print(
            f"{name:28}{there[name] / there['floor']:9.2f}{and_back[name] / and_back['floor']:10.2f}"
            f"{peak_megabytes(name, B, T, device):8.0f}"
        )
    if missing:
        print(f"not installed: {', '.join(missing)}; pip install -r benchmarks/requirements.txt")


if __name__ == "__main__":
    main()
