"""From ids to vectors and their positions, beyond what the checks of exercises 1.2 to 1.4 ask for."""

import math

import torch
import torch.nn.functional as F

from helpers.embeddings import LearnedPositions, TokenEmbedding, add_positions, embed, sinusoidal_positions
from tests.unit.refusals import require_refused
from tests.unit.tensors import random

V, B, T, C = 17, 2, 5, 14


def test_ids_of_every_integer_dtype_and_shape_take_their_rows():
    ids, rows = torch.arange(V) % 2, random(V, C)  # as many as there are rows: uint8 could be taken for a mask
    for dtype in (torch.uint8, torch.int8, torch.int16, torch.int32):
        assert torch.equal(embed(ids.to(dtype), rows), rows[ids])
    for shape in [(), (0,), (B, 3, T)]:
        ids = torch.randint(V, shape)
        assert torch.equal(embed(ids, rows), F.embedding(ids, rows))


def test_token_embedding_scales_its_rows_by_the_root_of_the_width():
    module, ids = TokenEmbedding(V, C), torch.randint(V, (B, T))
    torch.testing.assert_close(module(ids), F.embedding(ids, module.table) * math.sqrt(C))
    assert [name for name, _ in module.named_parameters()] == ["table"] == list(module.state_dict())
    rows = TokenEmbedding(1009, 64)(torch.arange(1009)).detach()
    assert abs(rows.std().item() - 1) < 0.02 and abs(rows.mean().item()) < 0.02  # 64576 draws: 0.004 is one deviation


def test_learned_positions_are_added_and_start_small():
    module, x = LearnedPositions(512, 64), torch.randn(B, T, 64)
    torch.testing.assert_close(module(x), x + module.positions[:T])
    assert list(module.state_dict()) == ["positions"] and abs(module.positions.detach().std().item() - 0.02) < 0.001


def test_errors_are_one_sentence():
    x, positions, rows = torch.zeros(B, 12, C), torch.zeros(11, C), torch.zeros(V, C)
    many = "ValueError: x has 12 positions, but there are only 11 to add; shorten x"
    require_refused(
        ("ValueError: ids must lie between 0 and 16, since the table has 17", lambda: embed(torch.tensor(17), rows)),
        ("TypeError: ids must be a tensor of whole numbers", lambda: TokenEmbedding(V, C)(torch.ones(2))),
        ("ValueError: d_model must be even, since each wave has a sine", lambda: sinusoidal_positions(5, 7)),
        ("TypeError: length must be a whole number, got 5.0", lambda: sinusoidal_positions(5.0, 8)),
        (many, lambda: add_positions(x, positions)),
        (many, lambda: LearnedPositions(11, C)(x)),
        ("ValueError: C is 13 in x and 14 in positions", lambda: add_positions(x[..., 1:], positions)),
        ("TypeError: vocabulary_size must be a whole number, got {'a': 0}", lambda: TokenEmbedding({"a": 0}, C)),
        ("ValueError: context_length must be at least 1, got 0", lambda: LearnedPositions(0, C)),
    )
