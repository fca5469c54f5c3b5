"""Time and memory of attention against length: with a table of scores, in tiles, and in PyTorch's fused kernel.

    python -m benchmarks.length              all lengths
    python -m benchmarks.length --quick      two short ones, to see that it runs
    python -m benchmarks.length --save       all lengths, kept in data/length.json and drawn in data/length_*.svg

Causal attention of one text, 2 heads of width 64, float32. The three take turns within one run; shown are medians as
ratios to the fused kernel at the same length, since only ratios mean something on a shared machine. MB is the peak
memory of one forward + backward, beyond q, k and v; on a CPU each is measured in a fresh process.
"""

import argparse
import json
from pathlib import Path

import torch
import torch.nn.functional as F

import figures
from benchmarks.measure import forward, in_a_fresh_process, medians, peak_in_this_process, peak_on_gpu
from helpers.attention import dot_product_attention
from helpers.masks import causal_mask
from helpers.tiled import tiled_attention
from runtime.notebook import pick_device

NUM_HEADS, D_HEAD, TILE = 2, 64, 256
LENGTHS = (512, 1024, 2048, 4096, 8192)
QUICK = (64, 256)
DATA = Path(__file__).resolve().parents[1] / "data"


# ---- the implementations: each takes q, k and v as one tensor (3, B, H, T, D) and gives out (B, H, T, D)


def explicit(qkv):
    return dot_product_attention(*qkv, causal_mask(qkv.size(-2), qkv.device))[0]


def tiled(qkv):
    return tiled_attention(*qkv, TILE, causal=True)[0]


def fused(qkv):
    return F.scaled_dot_product_attention(*qkv, is_causal=True)


IMPLEMENTATIONS = {"explicit": explicit, "tiled": tiled, "fused": fused}


# ---- measurements


def drawn(T, device):
    """q, k and v, (3, 1, H, T, D)."""
    torch.manual_seed(0)
    return torch.randn(3, 1, NUM_HEADS, T, D_HEAD, device=device).requires_grad_()


def forward_backward(attend, qkv):
    qkv.grad = None
    out = attend(qkv)
    out.backward(torch.ones_like(out))


def peak_megabytes(name, T, device):
    """The largest memory that one forward + backward needs beyond q, k and v."""
    if device.type != "cuda":
        return in_a_fresh_process(memory_in_this_process, name, T)
    qkv = drawn(T, device)
    return peak_on_gpu(forward_backward, IMPLEMENTATIONS[name], qkv, lambda: setattr(qkv, "grad", None))


def memory_in_this_process(name, T):
    """The same on a CPU, for a fresh process."""
    cpu = torch.device("cpu")
    return peak_in_this_process(forward_backward, IMPLEMENTATIONS[name], drawn(T, cpu), drawn(16, cpu))


def measure(T, device, budget):
    """{name: {"forward": ratio, "and back": ratio, "MB": peak}} at one length."""
    qkv = drawn(T, device)
    there, and_back = (medians(step, IMPLEMENTATIONS, qkv, budget) for step in (forward, forward_backward))
    return {
        name: {
            "forward": round(there[name] / there["fused"], 2),
            "and back": round(and_back[name] / and_back["fused"], 2),
            "MB": round(peak_megabytes(name, T, device), 1),
        }
        for name in IMPLEMENTATIONS
    }


# ---- the table and the figures


def pictures(found):
    """The figures of what was measured at several lengths, {length: measure(...)}, by name."""

    def curves(what):
        return {name: [row[name][what] for row in found.values()] for name in IMPLEMENTATIONS}

    lengths, times = [int(T) for T in found], curves("and back")
    top = 1.1 * max(max(curve) for curve in times.values())
    return {
        "memory": figures.lines(curves("MB"), lengths, "length T", "MB, forward + backward", "Memory", log=True),
        "time": figures.bars(times, list(found), "forward + backward, fused = 1", "Time", top, "length T"),
    }


def save(found, about):
    (DATA / "length.json").write_text(json.dumps({"about": about, "lengths": found}, indent=1) + "\n", encoding="utf-8")
    for name, picture in pictures(found).items():
        (DATA / f"length_{name}.svg").write_text(picture.svg, encoding="utf-8")


def main(words=None):
    """Print one table, with a row for each implementation at each length."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="two short lengths")
    parser.add_argument("--save", action="store_true", help="keep the numbers, and draw them")
    parser.add_argument("--seconds", type=float, default=12.0, help="for each length and direction (%(default)s)")
    options = parser.parse_args(words)
    device = pick_device()
    about = f"torch {torch.__version__.split('+')[0]}, {device.type}, {torch.get_num_threads()} threads"
    print(f"{about}; ratios of medians to the fused kernel; MB = peak of forward + backward\n")
    print(f"{'T':>6} {'':10}{'forward':>9}{'and back':>10}{'MB':>8}")
    found = {}
    for T in QUICK if options.quick else LENGTHS:
        found[str(T)] = measure(T, device, 0.5 if options.quick else options.seconds)
        for name, row in found[str(T)].items():
            print(f"{T:6} {name:10}{row['forward']:9.2f}{row['and back']:10.2f}{row['MB']:8.1f}", flush=True)
    if options.save:
        save(found, about)


if __name__ == "__main__":
    main()
