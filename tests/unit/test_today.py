"""The decoder of today: its parts in their order, its cache, and a past that is too far away to matter."""

from random import Random as random_numbers

import pytest
import torch
import torch.nn.functional as F

from helpers.decoder import generate
from helpers.grouped import cache_bytes
from helpers.norms import rms_norm
from helpers.today import GatedFeedForward, TodayBlock, TodayConfig, TodayDecoder
from models import stories, story_model
from models.training import train
from tests.unit.bert_models import agree, filled, random, require_one_sentence, some_mask

B, T, V, C, H, G, L = 3, 7, 13, 24, 6, 2, 2


def model(dtype=torch.float64):
    config = TodayConfig(V, d_model=C, num_heads=H, groups=G, num_layers=L, d_ff=31, base=500.0)
    return filled(TodayDecoder(config)).to(dtype)


def some_ids(rows=B, length=T, seed=0):
    return torch.randint(V, (rows, length), generator=torch.Generator().manual_seed(seed))


def test_a_gate_says_how_much_passes():
    made, x = filled(GatedFeedForward(C, 31)), random(B, T, C)
    gate, up, down = (getattr(made, name).weight for name in ("gate", "up", "down"))
    agree(made(x), (F.silu(x @ gate.mT) * (x @ up.mT)) @ down.mT)


def test_a_block_is_what_pre_norm_says():
    block, x, mask = filled(TodayBlock(C, H, G, 31, base=500.0)), random(B, T, C), some_mask(B, 1, T, T)
    attended, weights, past = block.attention(rms_norm(x, block.norm1.weight), mask)
    fed = block.feed_forward(rms_norm(x + attended, block.norm2.weight))
    found, found_weights, found_past = block(x, mask)
    agree(found, x + attended + fed)
    agree(found_weights, weights)
    agree(found_past, past)
    assert block.attention.base == 500.0


def test_the_model_is_its_blocks_between_one_table():
    made, ids = model(), some_ids()
    x = made.tokens.weight[ids]
    for block in made.blocks:
        x = block(x)[0]
    agree(made(ids)[0], rms_norm(x, made.norm.weight) @ made.tokens.weight.T)


def test_looking_gives_the_same_logits_and_the_weights_of_each_layer():
    made, ids = model(), some_ids()
    _, past = made(ids[:, :4])
    logits, weights = made.look(ids[:, 4:], past)
    agree(logits, made(ids)[0][:, 4:])
    assert [tuple(layer.shape) for layer in weights] == [(B, H, 3, T)] * L
    agree(weights[1], made.look(ids)[1][1][:, :, 4:])


def test_cached_equals_uncached_for_every_split_of_prefill_and_steps():
    made, ids = model(), some_ids()
    expected = made(ids)[0]
    for first in range(1, T):
        for second in range(1, T - first + 1):
            found, past = [], None
            for part in [ids[:, :first], ids[:, first : first + second], *ids[:, first + second :].split(1, dim=1)]:
                if part.size(1):
                    logits, past = made(part, past)
                    found.append(logits)
            agree(torch.cat(found, dim=1), expected)
            assert cache_bytes(past) == L * 2 * B * G * T * (C // H) * 8


def test_a_past_is_not_changed_and_can_be_continued_twice():
    made, ids = model(), some_ids()
    past = made(ids[:, :4])[1]
    kept = [x.clone() for pair in past for x in pair]
    made((ids[:, 4:] + 1) % V, past)
    agree(made(ids[:, 4:], past)[0], made(ids)[0][:, 4:])
    assert all(map(torch.equal, kept, (x for pair in past for x in pair)))


def test_nothing_leaks_from_the_future_and_all_of_the_past_is_read():
    made, ids = model(), some_ids(1)
    inputs = made.tokens(ids).detach().requires_grad_()
    made.tokens.register_forward_hook(lambda *_: inputs)
    for t in range(T):
        (gradient,) = torch.autograd.grad(made(ids)[0][:, t].square().sum(), inputs)
        assert (gradient[:, t + 1 :] == 0).all() and (gradient[:, : t + 1].abs().amax(-1) > 0).all()


def test_text_may_begin_with_any_number_of_tokens_that_nobody_reads():
    """Only distances count: after 1,000 hidden positions, a block gives what it gives at the beginning."""
    block, x = filled(TodayBlock(C, H, G, 31)), random(B, T, C)
    past = tuple(random(B, G, 1000, C // H, seed=seed) for seed in (1, 2))
    seen = torch.arange(1000 + T) >= 1000
    agree(block(x, seen, past)[0], block(x)[0])


def test_generate_writes_with_the_cache_what_it_would_write_without():
    made, ids = model(), some_ids(B, 3)
    written = generate(made, ids, 5)
    for t in range(3, 8):
        assert torch.equal(made(written[:, :t])[0][:, -1].argmax(-1), written[:, t])


def test_it_learns_to_repeat_a_short_string():
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        made = TodayDecoder(TodayConfig(V)).double()
    ids = some_ids(1, 5).repeat(4, 4)
    first, *_, last = [loss for _, loss in train(made, iter([(ids, None)] * 40), 40, warmup=5)]
    assert first > 2 and last < 0.1


def test_the_story_model_s_measures_take_it_too():
    made, told = TodayDecoder(TodayConfig(len(stories.WORDS))), stories.batch(random_numbers(0), 5)
    assert story_model.read(made, told).losses.keys() == story_model.read(story_model.new_model(0), told).losses.keys()


IDS = torch.zeros(2, 3, dtype=torch.long)


@pytest.mark.parametrize(
    "error, words, call",
    [
        (ValueError, "groups must divide num_heads, got 3 groups for num_heads = 4", lambda: TodayConfig(V, groups=3)),
        (ValueError, "num_heads must divide d_model", lambda: TodayConfig(V, num_heads=5, groups=5)),
        (ValueError, "d_ff must be at least 1, got 0", lambda: TodayConfig(V, d_ff=0)),
        (ValueError, r"ids must be \(B, T\), got \(3,\)", lambda: model()(IDS[0])),
        (ValueError, r"ids must be \(B, T\) with at least one position, got \(2, 0\)", lambda: model()(IDS[:, :0])),
        (ValueError, "ids must lie between 0 and 12", lambda: model()(IDS + V)),
        (
            TypeError,
            "past must be what the model returned with its logits, a tuple of 2, got tuple of 1",
            lambda: model()(IDS, model()(IDS)[1][:1]),
        ),
        (TypeError, "a tuple of 2, got Tensor", lambda: model()(IDS, IDS)),
        (
            ValueError,
            r"past must hold keys \(2, 2, S, 4\).*: B is 1 in keys",
            lambda: model()(IDS, model()(IDS[:1])[1]),
        ),
    ],
)
def test_errors_are_one_sentence(error, words, call):
    with pytest.raises(error, match=words) as caught:
        call()
    require_one_sentence(caught)
