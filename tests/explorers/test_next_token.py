"""The next-token explorer in Python: what it accepts, what it refuses and the picture that it saves."""

import copy

import pytest
import torch

import explorers
from explorers.base import INVITATION
from explorers.next_token import parts
from helpers.decoder import Decoder, DecoderConfig

WORDS = ["<start>", ".", "Mia", "Tom", "reads", "maps", "Mio's", "&<co>"]
IDS = [0, 2, 4, 5, 1, 3, 4]


def small(**sizes):
    """A decoder with random parameters, none of which is 0 or 1."""
    options = {"context_length": 12, "d_model": 8, "num_heads": 2, "num_layers": 2, "d_ff": 16, **sizes}
    model = Decoder(DecoderConfig(len(WORDS), **options)).eval()
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for part in model.parameters():
            part.copy_(0.5 * torch.randn(part.shape, generator=generator))
    return model


def rounded(model):
    """The model as the browser has it."""
    return copy.deepcopy(model).half().float()


@pytest.mark.parametrize("d_ff", [16, 0], ids=["with a feed-forward network", "attention only"])
def test_all_parameters_are_sent_once_as_float16(d_ff):
    model = small(d_ff=d_ff)
    view = explorers.next_token(model, tuple(WORDS), torch.tensor(IDS))
    assert (view.ids, view.words) == (IDS, WORDS)
    sent = torch.frombuffer(bytearray(view.parameters), dtype=torch.float16)
    assert torch.equal(sent, torch.cat([part.detach().flatten().half() for part in parts(model)]))
    assert len({id(part) for part in parts(model)}) == len(list(parts(model))) == len(list(model.parameters()))


def test_the_model_is_left_as_it_was_and_dropout_changes_nothing():
    model = small(dropout=0.5).train()
    before = copy.deepcopy(model.state_dict())
    view = explorers.next_token(model, WORDS, IDS)
    assert view.still() == explorers.next_token(small(), WORDS, IDS).still()
    assert model.training and all(torch.equal(before[name], now) for name, now in model.state_dict().items())


def prediction():
    """The probabilities of the next word (V,) and what each head reads at the last one (L * H, T)."""
    with torch.no_grad():
        logits, weights = rounded(small()).look(torch.tensor([IDS]))
    return logits[0, -1].softmax(-1), torch.cat([layer[0, :, -1] for layer in weights])


def test_the_first_head_is_the_one_that_reads_the_guess():
    probabilities, weights = prediction()
    same = torch.tensor(IDS) == probabilities.argmax()
    assert same.any()
    assert explorers.next_token(small(), WORDS, IDS).head == int(weights[:, same].sum(-1).argmax())


def test_the_picture_says_what_the_model_expects_and_what_the_head_reads():
    view = explorers.next_token(small(), WORDS, IDS)
    probabilities, weights = prediction()
    most, guess = probabilities.max(-1)
    weight, j = weights[view.head].max(-1)
    name = f"Layer {view.head // 2}, head {view.head % 2}"
    words = view.still()["text/plain"]
    assert f"{name} reads “{WORDS[IDS[j]]}” (position {j}) most: {weight:.2f}." in words
    assert f"The model expects “{WORDS[guess]}” with {most:.2f}. {INVITATION}" in words
    svg = view.still()["image/svg+xml"]
    assert f">{most:.2f}</text>" in svg and "&amp;&lt;co&gt;" in svg and "&<co>" not in svg


def spoilt(value):
    model = small()
    with torch.no_grad():
        model.norm.bias[3] = value
    return model


def given():
    """The arguments of test_every_explorer.py."""
    return small(), WORDS, IDS


REFUSED = [
    (TypeError, "model must be a Decoder, got Linear; pass a helpers.decoder", (torch.nn.Linear(1, 1), WORDS, IDS)),
    (ValueError, "at most 500,000 parameters, got 1,114,944; .* smaller one", (small(d_ff=2**15), WORDS, IDS)),
    (ValueError, "at most 32 heads, got 5 layers of 8; ", (small(num_layers=5, num_heads=8), WORDS, IDS)),
    (
        ValueError,
        "must fit float16, got 1 that are NaN, infinite .*65,504; look for",
        (spoilt(float("nan")), WORDS, IDS),
    ),
    (ValueError, "words must be 8, one for each id of the model, got 7; ", (small(), WORDS[:-1], IDS)),
    (ValueError, "words must all be different, got 'Mia' twice; ", (small(), [*WORDS[:-1], "Mia"], IDS)),
    (TypeError, "ids must be a list of whole numbers, got str; turn words into ids", (small(), WORDS, "Mia")),
    (TypeError, "ids must be whole numbers, got torch.float32; ", (small(), WORDS, [0.0, 1.0])),
    (ValueError, r"ids must have shape \(T,\), got \(1, 7\); .* ids\[0\]", (small(), WORDS, [IDS])),
    (ValueError, "ids must be 1 to 12, the positions of the model, got 13; ", (small(), WORDS, [0] * 13)),
    (ValueError, "ids must lie between 0 and 7, got 8 at position 2; ", (small(), WORDS, [0, 1, 8])),
]
