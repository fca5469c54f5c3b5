"""Masks as functions of indices: their tables, and FlexAttention, which takes such functions."""

import itertools

import pytest
import torch

from helpers.attention import dot_product_attention
from helpers.mask_mods import both, causal, mask_table, same_document, tile_kinds, window
from helpers.masks import causal_mask
from helpers.windows import window_mask
from tests.unit.refusals import require_refused
from tests.unit.tensors import agree, random

B, H, T, S, D = 2, 3, 11, 13, 7
DOCUMENTS = torch.tensor([4, 4, 4, 0, 0, 7, 7, 7, 7, 7, 4, 4, 9])  # one of them continues later


def per_head(b, h, q_idx, kv_idx):
    return ((q_idx + kv_idx + h + 2 * b) % 3 > 0) | (q_idx == kv_idx)


MASK_MODS = {
    "causal": causal,
    "window": window(4),
    "documents": same_document(DOCUMENTS),
    "causal window": both(causal, window(4)),
    "causal documents": both(causal, same_document(DOCUMENTS)),
    "all three": both(causal, window(5), same_document(DOCUMENTS)),
    "by head and item": both(causal, per_head),
}


def test_the_tables_are_those_that_are_built_by_hand():
    for mask_mod, expected in (
        (causal, causal_mask(S)),
        (both(causal, window(4)), window_mask(S, S, 4)),
        (same_document(DOCUMENTS), DOCUMENTS[:, None] == DOCUMENTS),
    ):
        assert torch.equal(mask_table(mask_mod, S, S)[0, 0], expected)


@pytest.mark.parametrize("name", list(MASK_MODS)[:-1])
def test_kinds_of_tiles(name):
    table = mask_table(MASK_MODS[name], T, S)[0, 0]
    for tile in (1, 4, 5, 13, 20):
        kinds = tile_kinds(MASK_MODS[name], T, S, tile)
        assert kinds.shape == (-(-T // tile), -(-S // tile))
        for row, column in itertools.product(*map(range, kinds.shape)):
            part = table[row * tile : (row + 1) * tile, column * tile : (column + 1) * tile]
            assert kinds[row, column] == (2 if part.all() else 1 if part.any() else 0)


@pytest.fixture
def flex(monkeypatch):
    """FlexAttention without the compiler, which would trace these functions."""
    module = pytest.importorskip("torch.nn.attention.flex_attention", reason="PyTorch has FlexAttention since 2.5")
    monkeypatch.setattr(module, "_FLEX_ATTENTION_DISABLE_COMPILE_DEBUG", True, raising=False)
    return module


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")
@pytest.mark.parametrize("name", ["causal documents", "by head and item"])
def test_flex_attention_reads_these_functions(flex, name):
    q, (k, v) = random(B, H, T, D), random(2, B, H, S, D, seed=1)
    table = mask_table(MASK_MODS[name], T, S, B, H)
    blocks = flex.create_block_mask(MASK_MODS[name], B, H, T, S, device="cpu", BLOCK_SIZE=4)
    assert torch.equal(flex.create_mask(MASK_MODS[name], B, H, T, S, device="cpu"), table)
    agree(flex.flex_attention(q, k, v, block_mask=blocks), dot_product_attention(q, k, v, table)[0])


def test_errors_are_one_sentence():
    require_refused(
        ("ValueError: size must be at least 1, got 0", lambda: window(0)),
        ("ValueError: documents must be (S,), got (1, 13)", lambda: same_document(DOCUMENTS[None])),
        ("TypeError: documents must be a tensor, got list", lambda: same_document([0, 0, 1])),
        ("ValueError: at least one mask function to combine, got none", lambda: both()),
        ("TypeError: must take (b, h, q_idx, kv_idx) and", lambda: both(causal, causal_mask(3))),
        ("TypeError: got torch.bool; a table of bools", lambda: mask_table(causal_mask(3), 3, 3)),
        ("ValueError: T must be at least 1, got 0", lambda: mask_table(causal, T=0, S=3)),
        ("ValueError: tile must be at least 1, got 0", lambda: tile_kinds(causal, 3, 3, 0)),
        ("TypeError: must give a tensor of bools, True = may", lambda: mask_table(lambda *_: True, 3, 3)),
        ("TypeError: got torch.int64", lambda: mask_table(lambda b, h, q, kv: q - kv, 3, 3)),
        ("ValueError: (1, 1, 3, 4), got (5, 4)", lambda: mask_table(lambda *_: torch.ones(5, 4) > 0, 3, 4)),
    )
