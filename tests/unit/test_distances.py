"""The story model without a table: its attention, its cache, and the trained parameters that come with the course."""

from random import Random

import pytest
import torch

from helpers.heads import merge_heads, split_heads
from helpers.masks import causal_mask
from helpers.relative_positions import (
    ATTENTION,
    AlibiAttention,
    RotaryAttention,
    alibi_bias,
    biased_attention,
    pairs_to_halves,
    rotary_step,
    rotate_halves,
)
from models import distances, stories, story_model
from tests.unit.bert_models import agree, filled, random, some_mask

B, T, C, H = 2, 7, 24, 3
each_kind = pytest.mark.parametrize("positions", ATTENTION)


def some_stories(length, size=32, seed=5):
    return stories.batch(Random(seed), size, length)


def test_rotary_attention_is_a_rotary_step_between_projections():
    made, x = filled(RotaryAttention(C, H)), random(B, T, C)
    out, _ = rotary_step(*(split_heads(projection(x), H) for projection in (made.q_proj, made.k_proj, made.v_proj)))
    agree(made(x, causal=True)[0], made.out_proj(merge_heads(out)))


def test_alibi_attention_adds_its_bias_and_silences_heads():
    made, x, mask, kept = (
        filled(AlibiAttention(C, H)),
        random(B, T, C),
        some_mask(B, 1, T, T),
        torch.tensor([1.0, 0, 1]),
    )
    q, k, v = made.project(x, x)
    out, weights = biased_attention(q, k, v, alibi_bias(H, T, T), mask)
    found, found_weights = made(x, mask=mask, need_weights=True)
    agree(found, made.out_proj(merge_heads(out)))
    agree(found_weights, weights)
    agree(made(x, mask=mask, causal=True)[0], made(x, mask=mask & causal_mask(T))[0])
    agree(made.attend(q, k, v, mask, head_mask=kept)[0], made.out_proj(merge_heads(out * kept[:, None, None])))


@each_kind
def test_it_begins_like_the_model_with_a_table(positions):
    mine, theirs = distances.new_model(positions, 3).state_dict(), story_model.new_model(3).state_dict()
    del theirs["positions.weight"]
    assert mine.keys() == theirs.keys()
    assert all(torch.equal(mine[name], theirs[name]) for name in mine)


@each_kind
def test_padding_in_front_does_not_matter(positions):
    model, ids = distances.new_model(positions, 0).double(), some_stories(9, size=2).ids
    padded = torch.cat([torch.zeros_like(ids[:, :4]), ids], dim=1)
    real = torch.arange(13).expand(2, -1) >= 4
    agree(model(padded, real=real)[0][:, 4:], model(ids)[0])


def test_other_positions_are_refused():
    with pytest.raises(ValueError, match='must be "rotary" or "alibi", got \'table\''):
        distances.new_model("table", 0)


@pytest.mark.slow
@each_kind
def test_it_reads_back_every_kind_of_word_in_fresh_stories(positions):
    found = story_model.read(distances.load(positions), some_stories(64, 256, seed=2001))
    assert min(found.right[kind] for kind in stories.READ_BACK) >= 0.95


@pytest.mark.slow
def test_only_alibi_reads_longer_stories_as_it_is_and_rotary_with_a_larger_base():
    told, rotary, alibi = some_stories(256, 16), distances.load("rotary"), distances.load("alibi")
    assert story_model.share_read_back(alibi, told) > 0.99
    assert story_model.share_read_back(rotary, told) < 0.5
    for block in rotary.blocks:
        block.attention.base = 500_000.0
    assert story_model.share_read_back(rotary, told) > 0.95


def test_reordered_weights_turn_in_halves():
    model, ids = distances.load("rotary").double(), some_stories(40).ids
    with torch.no_grad():
        wanted = model(ids)[0]
        for block in model.blocks:
            block.attention.turn = rotate_halves
            for layer in (block.attention.q_proj, block.attention.k_proj):
                layer.weight.copy_(pairs_to_halves(layer.weight, 4))
                layer.bias.copy_(pairs_to_halves(layer.bias, 4))
        agree(model(ids)[0], wanted)
