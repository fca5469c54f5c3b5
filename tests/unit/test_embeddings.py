"""From ids to vectors, and positions against the formula in another language: math.sin in a loop."""

import math

import pytest
import torch
import torch.nn.functional as F

from helpers.embeddings import (
    LearnedPositions,
    TokenEmbedding,
    add_positions,
    embed,
    sinusoidal_positions,
)
from tests.unit.refusals import require_refused

V, B, T, C = 17, 2, 5, 14


def table(dtype=torch.float32):
    return torch.randn(V, C, dtype=torch.float64).to(dtype).requires_grad_()


# ---------------------------------------------------------------- embed


@pytest.mark.parametrize("shape", [(), (T,), (B, T), (B, 3, T), (0,)], ids=str)
def test_embed_takes_a_row_for_each_id(shape):
    ids, rows = torch.randint(V, shape), table()
    out = embed(ids, rows)
    assert out.shape == (*shape, C)
    assert torch.equal(out, F.embedding(ids, rows))


def test_ids_of_every_integer_dtype_take_the_same_rows():
    ids, rows = torch.arange(V) % 2, table()  # as many as there are rows: uint8 could be taken for a mask
    for dtype in (torch.uint8, torch.int8, torch.int16, torch.int32):
        assert torch.equal(embed(ids.to(dtype), rows), F.embedding(ids, rows))


# ---------------------------------------------------------------- sinusoidal positions


@pytest.mark.parametrize("length, d_model", [(5000, 512), (211, 14), (7, 2), (1, 6)])
def test_positions_match_the_formula(length, d_model):
    positions = sinusoidal_positions(length, d_model)
    assert positions.shape == (length, d_model) and positions.dtype == torch.float32
    some = sorted({*range(0, length, 97), *range(min(length, 12)), length - 1})
    expected = [
        [
            (math.cos if column % 2 else math.sin)(position / 10000 ** (column // 2 * 2 / d_model))
            for column in range(d_model)
        ]
        for position in some
    ]
    torch.testing.assert_close(positions[some].double(), torch.tensor(expected, dtype=torch.float64), rtol=0, atol=1e-6)


# ---------------------------------------------------------------- add_positions


@pytest.mark.parametrize("lead", [(), (B,), (B, 3)], ids=str)
def test_each_vector_gets_the_row_of_its_position(lead):
    for length in (1, T, 11):
        x, positions = torch.randn(*lead, length, C), torch.randn(11, C)
        for t in range(length):
            torch.testing.assert_close(add_positions(x, positions)[..., t, :], x[..., t, :] + positions[t])


# ---------------------------------------------------------------- the modules


def test_token_embedding_scales_its_rows_by_the_root_of_the_width():
    module, ids = TokenEmbedding(V, C), torch.randint(V, (B, T))
    torch.testing.assert_close(module(ids), F.embedding(ids, module.table) * math.sqrt(C))
    assert module(ids[0, 0]).shape == (C,)
    assert [name for name, _ in module.named_parameters()] == ["table"] == list(module.state_dict())


def test_token_embedding_starts_with_entries_of_about_1():
    rows = TokenEmbedding(1009, 64)(torch.arange(1009)).detach()
    assert abs(rows.std().item() - 1) < 0.02 and abs(rows.mean().item()) < 0.02  # 64576 draws: 0.004 is one deviation


def test_learned_positions_are_added_and_start_small():
    module, x = LearnedPositions(512, 64), torch.randn(B, T, 64)
    torch.testing.assert_close(module(x), x + module.positions[:T])
    assert list(module.state_dict()) == ["positions"] and abs(module.positions.detach().std().item() - 0.02) < 0.001


def test_x_of_another_dtype_is_added_in_the_wider_one():
    """As + does in PyTorch; the attention that follows refuses a dtype that is not its own."""
    for dtype, result in ((torch.float64, torch.float64), (torch.bfloat16, torch.float32)):
        assert add_positions(torch.randn(B, T, C).to(dtype), sinusoidal_positions(11, C)).dtype == result


# ---------------------------------------------------------------- errors


def test_errors_are_one_sentence():
    x, positions, ids = torch.zeros(B, 12, C), torch.zeros(11, C), torch.tensor([1, 17])
    require_refused(
        ("ValueError: ids must lie between 0 and 16, since the table has 17 rows", lambda: embed(ids, table())),
        ("TypeError: ids must be a tensor of whole numbers", lambda: TokenEmbedding(V, C)(ids.float())),
        ("ValueError: d_model must be even, since each wave has a sine", lambda: sinusoidal_positions(5, 7)),
        ("ValueError: got 1; take 2", lambda: sinusoidal_positions(5, 1)),
        ("ValueError: d_model must be at least 1, got 0", lambda: sinusoidal_positions(5, 0)),
        ("TypeError: length must be a whole number, got 5.0", lambda: sinusoidal_positions(5.0, 8)),
        *(
            ("ValueError: x has 12 positions, but there are only 11 to add; shorten x", lambda add=add: add(x))
            for add in (lambda x: add_positions(x, positions), LearnedPositions(11, C))
        ),
        ("ValueError: C is 13 in x and 14 in positions", lambda: add_positions(x[..., 1:], positions)),
        ("ValueError: got x (14,), positions (11, 14)", lambda: add_positions(x[0, 0], positions)),
        ("TypeError: got torch.int64; token ids go through", lambda: add_positions(x.long(), positions)),
        ("ValueError: vocabulary_size must be at least 1, got 0", lambda: TokenEmbedding(0, C)),
        ("TypeError: vocabulary_size must be a whole number, got {'a': 0}", lambda: TokenEmbedding({"a": 0}, C)),
        ("ValueError: context_length must be at least 1, got 0", lambda: LearnedPositions(0, C)),
        ("TypeError: d_model must be a whole number, got 8.0", lambda: LearnedPositions(11, 8.0)),
    )
