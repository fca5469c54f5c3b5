"""Sizes of caches: those that the course's modules really keep, published numbers, and errors."""

from dataclasses import replace

import pytest
import torch

from helpers.grouped import GroupedQueryAttention, cache_bytes
from helpers.latent import LatentAttention
from models.cache_sizes import PUBLISHED, CacheSizes, readable
from tests.unit.refusals import require_refused

T, L, H, G, D = 5, 7, 6, 3, 4
SIZES = CacheSizes(num_layers=L, num_heads=H, groups=G, d_head=D)


@pytest.mark.parametrize("groups", [1, 2, 3, 6])
def test_grouped_query_attention_keeps_as_many_bytes(groups):
    past = GroupedQueryAttention(H * D, H, groups)(torch.zeros(1, T, H * D))[2]
    sizes = replace(SIZES, groups=groups)
    assert sizes.bytes(T, bytes_per_number=4) == L * cache_bytes(past)
    assert sizes.bytes(T) == L * cache_bytes([x.half() for x in past])


def test_latent_attention_keeps_as_many_bytes():
    made = LatentAttention(11, H, query_rank=5, rank=13, d_plain=D, d_rotary=2, d_value=D)
    sizes = CacheSizes(num_layers=L, num_heads=H, groups=H, d_head=D, latent=13 + 2)
    assert sizes.bytes(T, bytes_per_number=4) == L * cache_bytes(made(torch.zeros(1, T, 11))[2])


def test_published_models_keep_what_others_have_computed():
    assert PUBLISHED["DeepSeek-V3"].bytes() == 70_272  # Zhao et al. 2025, "Insights into DeepSeek-V3", table 1
    assert PUBLISHED["Llama 2 7B"].bytes() == 4 * PUBLISHED["Llama 3 8B"].bytes() == 2**19  # 512 KB


def test_bytes_are_written_with_their_unit():
    counts = [7, 1023, 1024, 70_272, 2**20 - 1, 2.125 * 2**20, 2**19, 3.5 * 2**30, 2**45]
    written = ["7 bytes", "1,023 bytes", "1 KB", "68.6 KB", "1 MB", "2.13 MB", "512 KB", "3.5 GB", "32 TB"]
    assert [readable(count) for count in counts] == written


def test_sizes_that_make_no_sense_are_refused():
    require_refused(
        ("ValueError: must divide num_heads, got 4 groups for num_heads = 6", lambda: replace(SIZES, groups=4)),
        ("ValueError: latent must be at least 1, got 0", lambda: replace(SIZES, latent=0)),
        ("ValueError: num_layers must be at least 1, got 0", lambda: replace(SIZES, num_layers=0)),
        ("ValueError: length must be at least 1, got 0", lambda: SIZES.bytes(length=0)),
    )
