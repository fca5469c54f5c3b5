"""What the arguments of transformers' BertAttention do, in the version that is installed.

    python -m models.bert_arguments > data/transformers_5.json      which notebook 14 shows, next to transformers_4.json

Each argument is given to a BertAttention with random weights; if the output does not change, the argument is ignored.
"""

import json

import torch

B, T, S, H, D, M = 2, 3, 7, 3, 8, 16  # T = H, so that a head mask with one axis fits the keys as well
LOWEST = torch.finfo(torch.float32).min


def attention(**settings):
    """A BertAttention with the same random weights every time."""
    from transformers import BertConfig
    from transformers.models.bert.modeling_bert import BertAttention

    config = BertConfig(hidden_size=H * D, num_attention_heads=H, max_position_embeddings=M, **settings)
    config._attn_implementation = "eager"
    module = BertAttention(config).eval()
    generator = torch.Generator().manual_seed(0)
    for parameter in module.parameters():
        parameter.data = 0.3 * torch.randn(parameter.shape, generator=generator)
    return module


@torch.no_grad()
def effects():
    """What each argument does, in a few words."""
    generator = torch.Generator().manual_seed(1)
    x, context = (torch.randn(B, n, H * D, generator=generator) for n in (T, S))
    past = tuple(torch.randn(B, H, 4, D, generator=generator) for _ in range(2))
    real = torch.arange(T) < 2  # the last position is padding
    added, of_context = hiding(real), hiding(torch.arange(S) < 5)
    heads = torch.tensor([1.0, 0.0, 1.0])
    module = attention()

    def effect(**given):
        return moves(lambda: module(x, **given)[0], lambda: module(x)[0])

    return {
        "attention_mask of 0 and the lowest float": effect(attention_mask=added),
        "attention_mask of True and False": bool_mask(module, x, real, added),
        "head_mask (1, H, 1, 1)": effect(head_mask=heads[None, :, None, None]),
        "head_mask (H,), T = H": flat_head_mask(module, x, heads),
        "encoder_hidden_states": effect(encoder_hidden_states=context),
        "encoder_attention_mask": moves(
            lambda: module(x, encoder_hidden_states=context, encoder_attention_mask=of_context)[0],
            lambda: module(x, encoder_hidden_states=context)[0],
        ),
        "attention_mask, with encoder_hidden_states": moves(
            lambda: module(x, encoder_hidden_states=context[:, :T], attention_mask=added)[0],
            lambda: module(x, encoder_hidden_states=context[:, :T])[0],
        ),
        "past_key_value": effect(past_key_value=past),
        "hed_mask, a misspelled name": effect(hed_mask=1),
        'position_embedding_type="relative_key"': relative(x, past),
        '"relative_key", 3 new tokens after 4 in the cache': errors(relative_attention(), x, past_key_value=past),
        '"relative_key", with encoder_hidden_states of another length': errors(
            relative_attention(), x, encoder_hidden_states=context
        ),
        "prune_heads": "is there" if hasattr(module, "prune_heads") else "is gone",
        "returned by an encoder": items(x),
        "returned by an encoder, with output_attentions": items(x, output_attentions=True),
        "returned by a decoder": items(x, is_decoder=True),
        "returned by a decoder, with output_attentions": items(x, is_decoder=True, output_attentions=True),
    }


def hiding(real):
    """An additive mask, (1, 1, 1, keys): 0 for a real token, the lowest float for padding."""
    return torch.zeros(1, 1, 1, len(real)).masked_fill(~real, LOWEST)


def moves(with_it, without):
    try:
        return "has an effect" if not torch.equal(with_it(), without()) else "no effect, no error"
    except Exception as error:  # any exception is an answer
        return type(error).__name__


def bool_mask(module, x, real, added):
    """What a bool mask, True = may attend, does, compared with the additive one."""
    got = module(x, attention_mask=real.expand(B, 1, 1, T))[0]
    if torch.allclose(got, module(x, attention_mask=added)[0], atol=1e-5):
        return "hides what is False"
    as_numbers = module(x, attention_mask=real.expand(B, 1, 1, T).float())[0]
    return "is added to the scores as 0 and 1" if torch.allclose(got, as_numbers, atol=1e-5) else "does something else"


def flat_head_mask(module, x, heads):
    """Whether a head mask without the other axes, (H,), scales the heads or the keys."""
    got, plain = module(x, head_mask=heads)[0], module(x)[0]
    if torch.equal(got, plain):
        return "no effect, no error"
    if torch.equal(got, module(x, head_mask=heads[None, :, None, None])[0]):
        return "scales the heads"
    by_key = module(x, head_mask=heads[None, None, None, :])[0]
    return "scales the keys" if torch.equal(got, by_key) else "does something else"


def relative_attention():
    return attention(position_embedding_type="relative_key")


def relative(x, past):
    """Whether a table of distances exists, and one new token after a cache uses more than its row of distance 0."""
    module = relative_attention()
    tables = [parameter for name, parameter in module.named_parameters() if "distance" in name]
    if not tables:
        return "no effect, no error"
    before = module(x[:, :1], past_key_value=past)[0]
    tables[0][torch.arange(2 * M - 1) != M - 1] += 1.0  # row M - 1 is that of distance 0
    wrong = torch.equal(module(x[:, :1], past_key_value=past)[0], before)
    return "has an effect; with a cache, every key is at distance 0" if wrong else "has an effect"


def errors(module, x, **given):
    """Whether a call runs, or the exception that stops it."""
    try:
        module(x, **given)
    except Exception as error:
        return type(error).__name__
    return "no error"


def items(x, is_decoder=False, **given):
    """The kinds of the items that are returned, recognized by their types and shapes."""
    return ", ".join(map(kind, attention(is_decoder=is_decoder)(x, **given)))


def kind(item):
    if isinstance(item, torch.Tensor):
        return {3: "out", 4: "weights"}[item.dim()]  # (B, T, C) and (B, H, T, S)
    return "None" if item is None else "cache"


def table():
    """The installed version, and what each argument does. Errors: ImportError if transformers is not installed"""
    import transformers

    return {"version": transformers.__version__, "effects": effects()}


if __name__ == "__main__":
    print(json.dumps(table(), indent=2))
