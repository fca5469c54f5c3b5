"""What the recorders share: run other people's code on the recorded weights and inputs, and compare the outputs.

The weights and inputs are random numbers that are kept in the recorded files; only the outputs are computed again.
"""

import sys
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file

ROOT = Path(__file__).parents[2]
ROUNDING = 5e-6  # float32, on different machines


def record(path, compute, made_by=None, write=False):
    """Compute the outputs in a file again, and print the largest difference; write them only if that is asked for.

    Errors: SystemExit if an output is new, missing, or further off than rounding explains, unless it is written
    """
    before = load_file(path)
    with safe_open(path, "pt") as file:
        metadata = file.metadata() or {}
    with torch.no_grad():
        outputs = compute(before)
    expected = {name for name in before if not is_given(name)}
    if set(outputs) != expected:
        sys.exit(f"{path.name}: the outputs must be {sorted(expected)}, got {sorted(outputs)}")
    largest = max((outputs[name] - before[name]).abs().max().item() for name in outputs)
    print(f"{path.relative_to(ROOT)}: {len(outputs)} outputs, largest difference {largest:.1e}")
    if write:
        outputs = {name: tensor.contiguous().clone() for name, tensor in outputs.items()}
        save_file(before | outputs, path, metadata | ({"made_by": made_by} if made_by else {}))
    elif largest > ROUNDING:
        sys.exit(
            f"{path.name}: the outputs differ by {largest:.1e}; is this the version in the docstring? "
            "To keep the new ones, add --write."
        )


def is_given(name):
    """Whether a tensor is an input, a mask or a weight, not an output."""
    return (
        name.startswith(("state.", "input.")) or name in ("ids", "lengths", "rows") or name.endswith(".keep_mask")
    ) and not name.startswith("state.PRUNED.")


def part(tensors, prefix):
    """The tensors whose names start with `prefix`, without it."""
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
