"""Which arguments of transformers' BertAttention have an effect, in the version that is installed.

    python -m benchmarks.ignored                print the table
    python -m benchmarks.ignored FILE.json      write it for notebook 06, which shows data/transformers_5.json

Each argument is given to a BertAttention with random weights; an output that does not move shows that it is ignored.
"""

import json
import sys
from pathlib import Path

import torch

B, T, S, H, D = 2, 5, 7, 3, 8


def attention(**settings):
    """A BertAttention with the same random weights every time."""
    from transformers import BertConfig
    from transformers.models.bert.modeling_bert import BertAttention

    config = BertConfig(hidden_size=H * D, num_attention_heads=H, max_position_embeddings=16, **settings)
    config._attn_implementation = "eager"
    module = BertAttention(config).eval()
    generator = torch.Generator().manual_seed(0)
    for parameter in module.parameters():
        parameter.data = 0.3 * torch.randn(parameter.shape, generator=generator)
    return module


def effects():
    """What each argument does: "has an effect", "no effect, no error", or the error."""
    generator = torch.Generator().manual_seed(1)
    x, context = (torch.randn(B, n, H * D, generator=generator) for n in (T, S))
    past = tuple(torch.randn(B, H, 4, D, generator=generator) for _ in range(2))
    real = torch.arange(T) < 3  # the last two positions are padding
    added = torch.zeros(B, 1, 1, T).masked_fill(~real, torch.finfo(torch.float32).min)
    arguments = {
        "attention_mask of 0 and the lowest float": {"attention_mask": added},
        "head_mask": {"head_mask": torch.tensor([1.0, 0.0, 1.0])[None, :, None, None]},
        "past_key_value": {"past_key_value": past},
        "encoder_hidden_states": {"encoder_hidden_states": context},
        "hed_mask, a misspelt name": {"hed_mask": 1},
    }
    module = attention()
    found = {name: effect(module, x, given) for name, given in arguments.items()}
    found['position_embedding_type="relative_key"'] = same(
        any("distance" in name for name, _ in attention(position_embedding_type="relative_key").named_parameters())
    )
    found["attention_mask of True and False"] = bool_mask(module, x, real, added)
    found["prune_heads"] = "is there" if hasattr(module, "prune_heads") else "is gone"
    return found


@torch.no_grad()
def effect(module, x, given):
    try:
        return same(not torch.equal(module(x, **given)[0], module(x)[0]))
    except Exception as error:  # whatever it is, it is the answer
        return f"{type(error).__name__}"


def same(moved):
    return "has an effect" if moved else "no effect, no error"


@torch.no_grad()
def bool_mask(module, x, real, added):
    """A bool mask, True = may attend: does it hide what the added one hides?"""
    got = module(x, attention_mask=real.expand(B, 1, 1, T))[0]
    if torch.allclose(got, module(x, attention_mask=added)[0], atol=1e-5):
        return "hides what is False"
    as_numbers = module(x, attention_mask=real.expand(B, 1, 1, T).float())[0]
    return "is added to the scores as 0 and 1" if torch.allclose(got, as_numbers, atol=1e-5) else "does something else"


def table():
    """The installed version, and what each argument does. Errors: ImportError if transformers is not installed"""
    import transformers

    return {"version": transformers.__version__, "effects": effects()}


def main(words):
    text = json.dumps(table(), indent=2) + "\n"
    if words:
        Path(words[0]).write_text(text, encoding="utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main(sys.argv[1:])
