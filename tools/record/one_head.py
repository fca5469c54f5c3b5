"""Record data/bert/minilm_head.safetensors: what the MiniLM head at the start of notebook 00 computes for one sentence.

    python -m tools.record.one_head

This needs MiniLM (`python course.py fetch`). tests/unit/test_bert_recorded.py recomputes the result.
"""

from safetensors.torch import save_file

from models import pretrained
from tools import ROOT

FILE = ROOT / "data" / "bert" / "minilm_head.safetensors"
SENTENCE, LAYER, HEAD = "My sister was late because she lost her keys.", 3, 1


def computed():
    """Return the tokens of the sentence, and {name: tensor} as in the file."""
    pieces, *tensors = pretrained.one_head(pretrained.load(), SENTENCE, LAYER, HEAD)
    return pieces, {name: x.contiguous() for name, x in zip(("q", "k", "v", "weights"), tensors, strict=True)}


if __name__ == "__main__":
    words, found = computed()
    save_file(found, FILE)
    print(" ".join(words))
