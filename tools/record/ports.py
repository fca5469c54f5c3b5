"""Record data/ports again: what other implementations of multi-head attention compute.

    pip install --no-deps labml-nn==0.4.137 labml==0.4.168 labml-helpers==0.4.89
    pip install gitpython pyyaml numpy safetensors torch
    python -m tools.record.ports torch labml
    python -m tools.record.ports annotated=the_annotated_transformer.py
    python -m tools.record.ports bentrevett=notebook.ipynb
    ... --write                                       write the new outputs; without it they are compared

The Annotated Transformer (github.com/harvardnlp/annotated-transformer) and Ben Trevett's tutorials
(github.com/bentrevett/pytorch-seq2seq, "6 - Attention is All You Need.ipynb" of 2019, whose class is still called
SelfAttention) are no packages: download the file. Only the definitions that are needed are taken out of it and run.
"""

import ast
import copy
import json
import math
import sys
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn

from tools.record.compare import ROOT, part, record

C, H = 24, 3


def definitions(path, names):
    """Some classes and functions of a Python file or notebook, without running the rest of it."""
    text = Path(path).read_text(encoding="utf-8")
    if str(path).endswith(".ipynb"):
        cells = ["".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
        text = "\n".join(cell for cell in cells if not cell.lstrip().startswith(("!", "%")))
    found = [node for node in ast.parse(text).body if getattr(node, "name", None) in names]
    namespace = {"torch": torch, "nn": nn, "F": F, "math": math, "copy": copy}
    exec(compile(ast.Module(found, []), str(path), "exec"), namespace)
    return [namespace[name] for name in names]


def torch_attention(path):
    module = nn.MultiheadAttention(C, H, batch_first=True)

    def attend(x, context, keep):
        blocked = None if keep is None else ~keep.repeat_interleave(H, 0)  # True = blocked; (B * H, T, S)
        return module(x, context, context, attn_mask=blocked, average_attn_weights=False)

    return module, attend


def labml_attention(path):
    from labml_nn.transformers.mha import MultiHeadAttention

    module = MultiHeadAttention(H, C, dropout_prob=0.0)

    def attend(x, context, keep):
        x, context = x.transpose(0, 1), context.transpose(0, 1)  # (T, B, C)
        out = module(query=x, key=context, value=context, mask=None if keep is None else keep.permute(1, 2, 0))
        return out.transpose(0, 1), module.attn.permute(2, 3, 0, 1)  # (T, S, B, H) -> (B, H, T, S)

    return module, attend


def annotated_attention(path):
    _, _, cls = definitions(path, ["clones", "attention", "MultiHeadedAttention"])
    module = cls(H, C, dropout=0.0)

    def attend(x, context, keep):
        return module(x, context, context, keep), module.attn

    return module, attend


def bentrevett_attention(path):
    (cls,) = definitions(path, ["SelfAttention"])
    module = cls(C, H, 0.0, "cpu")

    def attend(x, context, keep):
        return module(x, context, context, None if keep is None else keep.unsqueeze(1)), None

    return module, attend


MAKERS = {
    "torch": torch_attention,
    "labml": labml_attention,
    "annotated": annotated_attention,
    "bentrevett": bentrevett_attention,
}


def outputs(tensors, module, attend):
    """The output of each case and, where they are given, its weights."""
    module.eval().load_state_dict(part(tensors, "state."))
    x, found = tensors["input.x"], {}
    for case in ("none", "causal", "padding", "causal_padding", "cross_padding"):
        keep = tensors[f"{case}.keep_mask"].bool() if case != "none" else None
        out, weights = attend(x, tensors["input.context"] if case == "cross_padding" else x, keep)
        found[f"{case}.out"] = out
        if weights is not None:
            found[f"{case}.weights"] = weights
    return found


def main(words):
    for word in words:
        name, _, path = word.partition("=")
        if name not in MAKERS:
            sys.exit(f"There is no implementation {name!r}, only {', '.join(MAKERS)}.")
        module, attend = MAKERS[name](path)
        record(
            ROOT / "data" / "ports" / f"{name}.safetensors",
            lambda t: outputs(t, module, attend),  # noqa: B023
            write="--write" in sys.argv,
        )


if __name__ == "__main__":
    main([word for word in sys.argv[1:] if word != "--write"])
