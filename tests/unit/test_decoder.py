"""The decoder: causal, the same with and without its cache, and writing that draws from the right probabilities."""

import math

import pytest
import torch
import torch.nn.functional as F

from helpers.decoder import (
    Decoder,
    DecoderBlock,
    DecoderConfig,
    generate,
    keep_top_k,
    keep_top_p,
    next_token_loss,
    sample,
    token_losses,
)
from tests.unit.refusals import require_refused

B, T, V, C, H, L = 3, 7, 13, 20, 5, 2
TOLERANCE = {torch.float64: 1e-12, torch.float32: 1e-5, torch.bfloat16: 0.1}


def model(dtype=torch.float32, **sizes):
    torch.manual_seed(1)
    config = DecoderConfig(**{"vocab_size": V, "context_length": 11, "d_model": C, "num_heads": H, "d_ff": 31, **sizes})
    made = Decoder(config)
    for parameter in made.parameters():
        if parameter.dim() == 1:  # LayerNorms and biases, so that none of them is the same as having none
            parameter.data += 0.3 * torch.randn_like(parameter)
    return made.to(dtype).eval()


def some_ids(rows=B, length=T, seed=0):
    return torch.randint(V, (rows, length), generator=torch.Generator().manual_seed(seed))


def agree(a, b, dtype=torch.float32):
    torch.testing.assert_close(a, b, rtol=0, atol=TOLERANCE[dtype])


# ---------------------------------------------------------------- block and model


def test_block_is_what_pre_norm_says():
    torch.manual_seed(0)
    block, x = DecoderBlock(C, H, 31), torch.randn(B, T, C)
    attended = block.attention(block.norm1(x), causal=True)[0]
    fed = block.feed_forward(block.norm2(x + attended))
    agree(block(x), x + attended + fed)
    agree(fed, block.feed_forward[2](F.gelu(block.feed_forward[0](block.norm2(x + attended)))))


def test_without_a_feed_forward_network_there_is_only_attention():
    torch.manual_seed(0)
    block, x = DecoderBlock(C, H, 0), torch.randn(B, T, C)
    agree(block(x), x + block.attention(block.norm1(x), causal=True)[0])
    agree(block.step(x)[0], block(x))
    assert not [name for name, _ in model(d_ff=0).named_parameters() if "feed" in name or "norm2" in name]


def test_a_block_takes_a_mask_and_its_step_without_a_past_is_the_block():
    torch.manual_seed(0)
    block, x = DecoderBlock(C, H, 31), torch.randn(B, T, C)
    mask = torch.rand(B, 1, T, T) < 0.7
    agree(block.step(x, mask=mask)[0], block(x, mask))
    assert (block(x, mask) - block(x)).abs().max() > 1e-3


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_in_steps_it_gives_the_same_as_at_once(dtype):
    made, ids = model(dtype), some_ids()
    found, past = [], None
    for part in ids.split([3, 1, 2, 1], dim=1):
        logits, past = made(part.to(torch.uint8), past)
        found.append(logits)
    agree(torch.cat(found, dim=1), made(ids)[0], dtype)
    assert past.layers[1][0].shape == (B, H, T, C // H) and past.real is None


def padded(rows, pad=0, left=True):
    """Sequences of different lengths in one batch, and which of the tokens are real."""
    longest = max(map(len, rows))
    ids, real = torch.full((len(rows), longest), pad), torch.zeros(len(rows), longest, dtype=torch.bool)
    for i, row in enumerate(rows):
        part = slice(longest - len(row), None) if left else slice(len(row))
        ids[i, part], real[i, part] = row, True
    return ids, real


@pytest.mark.parametrize("left", [True, False], ids=["left", "right"])
def test_padding_changes_nothing_for_real_tokens(left):
    made, rows = model(), [some_ids(1, n, seed=n)[0] for n in (3, 7, 1)]
    for pad in (0, 5):
        ids, real = padded(rows, pad, left)
        logits = made(ids, real=real)[0]
        assert logits.isfinite().all()
        for row, found, kept in zip(rows, logits, real, strict=True):
            agree(found[kept], made(row[None])[0][0])


def test_a_batch_padded_on_the_left_can_be_continued():
    made, rows = model(), [some_ids(1, n, seed=n)[0] for n in (2, 5, 3)]
    ids, real = padded(rows)
    more = some_ids(len(rows), 4, seed=9)
    whole = [made(torch.cat([row, extra])[None])[0][0] for row, extra in zip(rows, more, strict=True)]
    for split in range(5):
        _, past = made(ids, real=real)
        parts = [part for part in (more[:, :split], *more[:, split:].split(1, dim=1)) if part.size(1)]
        found = []
        for part in parts:
            logits, past = made(part, past)
            found.append(logits)
        for row, one in zip(torch.cat(found, dim=1), whole, strict=True):
            agree(row, one[-4:])


def test_padding_may_begin_after_a_past_without_any():
    made, ids = model(), some_ids(2, 6)
    _, past = made(ids[:, :3])
    real = torch.tensor([[True, True, True], [True, True, False]])
    agree(made(ids[:, 3:], past, real=real)[0][:, :2], made(ids)[0][:, 3:5])


def test_look_gives_the_logits_and_weights_of_each_layer():
    made, ids = model(), some_ids()
    logits, weights = made.look(ids)
    agree(logits, made(ids)[0])
    assert [tuple(w.shape) for w in weights] == [(B, H, T, T)] * L
    for w in weights:
        agree(w.sum(-1), torch.ones(B, H, T))
        assert (w.triu(1) == 0).all()
    _, past = made(ids[:, :4])
    agree(made.look(ids[:, 4:], past)[1][1], weights[1][:, :, 4:])
    real = ids.new_ones(B, T, dtype=torch.bool)
    real[1, :3] = False
    logits, weights = made.look(ids, real=real)
    agree(logits, made(ids, real=real)[0])
    assert (weights[1][1, :, 3:, :3] == 0).all()


def test_a_silenced_head_adds_nothing():
    made, ids = model(), some_ids()
    mask = torch.ones(L, H)
    agree(made(ids, head_mask=mask)[0], made(ids)[0])
    mask[1, 2] = 0
    silenced = made(ids, head_mask=mask)[0]
    agree(made.look(ids, head_mask=mask)[0], silenced)
    agree(made(ids, head_mask=mask.double())[0], silenced)
    D = C // H
    made.blocks[1].attention.out_proj.weight.data[:, 2 * D : 3 * D] = 0  # its columns of the last projection
    agree(made(ids)[0], silenced)
    assert (model()(ids)[0] - silenced).abs().max() > 1e-3


def test_embeddings_are_tied():
    block = 4 * (C * C + C) + 2 * 31 * C + 31 + C + 4 * C
    assert sum(p.numel() for p in model().parameters()) == V * C + 11 * C + L * block + 2 * C


def test_an_untrained_model_starts_with_small_numbers_and_without_biases():
    torch.manual_seed(0)
    made = Decoder(DecoderConfig(97, context_length=89, d_model=64))
    sizes = {name: p.std().item() for name, p in made.named_parameters() if p.dim() == 2}
    assert sizes.pop("positions.weight") == pytest.approx(0.02, rel=0.05)
    wide = {name for name in sizes if name.endswith("feed_forward.2.weight")}  # it reads d_ff numbers, not d_model
    assert all(size == pytest.approx(1 / 16 if name in wide else 1 / 8, rel=0.05) for name, size in sizes.items())
    assert not any(p.any() for name, p in made.named_parameters() if name.endswith("bias"))


def test_dropout_acts_in_training_only():
    made, ids = model(dropout=0.5), some_ids()
    assert torch.equal(made(ids)[0], made(ids)[0])
    made.train()
    assert not torch.equal(made(ids)[0], made(ids)[0])
    x = torch.randn(B, T, C)
    for block in made.blocks:
        assert not torch.equal(block(x), block(x))
        assert not torch.equal(block.attention(x)[0], block.attention(x)[0])


# ---------------------------------------------------------------- loss


def test_loss_is_that_of_the_next_token():
    logits, ids = torch.randn(B, T, V), some_ids()
    by_hand = [-logits[b, t].log_softmax(-1)[ids[b, t + 1]] for b in range(B) for t in range(T - 1)]
    agree(next_token_loss(logits, ids), torch.stack(by_hand).mean())
    agree(token_losses(logits, ids), torch.stack(by_hand).view(B, T - 1))
    agree(next_token_loss(torch.zeros(B, T, V), ids.int()), torch.tensor(math.log(V)))


def test_padding_is_not_counted():
    logits, ids = torch.randn(2, 5, V), torch.tensor([[3, 4, 5, 0, 0], [0, 0, 6, 7, 8]])
    losses = token_losses(logits, ids)
    agree(next_token_loss(logits, ids, pad_id=0), torch.cat([losses[0, :2], losses[1, 1:]]).mean())
    assert next_token_loss(logits * 1e30, ids).isfinite()


# ---------------------------------------------------------------- writing


def frequencies(logits, draws=4000, **settings):
    generator = torch.Generator().manual_seed(3)
    ids = sample(logits.expand(draws, -1), generator=generator, **settings)
    return torch.bincount(ids, minlength=logits.size(-1)) / draws


def test_draws_have_the_right_frequencies():
    logits = torch.tensor([[0.1, 0.4, 0.2, 0.3]]).log() + 5
    for settings, expected in [
        ({}, [0.1, 0.4, 0.2, 0.3]),
        ({"temperature": 0.5}, [1 / 30, 16 / 30, 4 / 30, 9 / 30]),
        ({"top_k": 2}, [0, 4 / 7, 0, 3 / 7]),
        ({"top_k": 9}, [0.1, 0.4, 0.2, 0.3]),
        ({"top_p": 0.75}, [0, 4 / 9, 2 / 9, 3 / 9]),
        ({"temperature": 0.5, "top_p": 0.8}, [0, 16 / 25, 0, 9 / 25]),  # the temperature comes first
        ({"top_k": 3, "top_p": 0.7}, [0, 4 / 7, 0, 3 / 7]),  # 7/9 of what top_k left; of all, 0.7 is the border
        ({"temperature": 0}, [0, 1, 0, 0]),
        ({"temperature": 1e-30}, [0, 1, 0, 0]),
    ]:
        found, expected = frequencies(logits, **settings), torch.tensor(expected)
        assert (found - expected).abs().max() < 0.035, settings  # 4.5 standard deviations
        assert (found[expected == 0] == 0).all(), settings


def test_a_generator_is_used_and_the_global_one_left_alone():
    logits, before = torch.randn(50, V), torch.get_rng_state()
    first, again = (sample(logits, generator=torch.Generator().manual_seed(7)) for _ in range(2))
    assert torch.equal(first, again) and torch.equal(torch.get_rng_state(), before)
    assert not torch.equal(first, sample(logits, generator=torch.Generator().manual_seed(8)))


def test_cuts_keep_the_logits_and_take_the_smallest_set():
    logits = torch.tensor([[0.1, 0.4, 0.2, 0.3], [0.7, 0.1, 0.1, 0.1]]).log()
    kept = keep_top_p(logits, 0.6)
    assert kept.isfinite().tolist() == [[False, True, False, True], [True, False, False, False]]
    assert torch.equal(kept[kept.isfinite()], logits[kept.isfinite()])
    assert torch.equal(keep_top_p(logits, 1.0), logits)
    assert keep_top_p(torch.zeros(1, 4), 0.5).isfinite().sum() == 2  # exactly half is enough
    assert keep_top_k(logits, 1).isfinite().sum(-1).tolist() == [1, 1]
    assert keep_top_k(torch.zeros(2, 4), 3).isfinite().sum(-1).tolist() == [3, 3]  # exactly k, also where all are equal


def test_cuts_take_any_number_of_axes_in_front():
    logits = torch.randn(B, T, V)
    for cut in (lambda logits: keep_top_k(logits, 3), lambda logits: keep_top_p(logits, 0.6)):
        by_hand = torch.stack([torch.stack([cut(row[None])[0] for row in item]) for item in logits])
        assert torch.equal(cut(logits), by_hand) and torch.equal(cut(logits[1, 2]), by_hand[1, 2])


def test_large_logits_of_every_dtype_can_be_drawn_from():
    for dtype in (torch.bfloat16, torch.float16, torch.float64):
        logits = torch.tensor([[0.0, 60000.0, -60000.0]], dtype=dtype)
        assert sample(logits, temperature=0.1, top_p=0.9).tolist() == [1]


def test_draws_are_as_exact_as_those_of_float32_and_each_row_has_its_own_scale():
    logits = torch.randn(200, V).to(torch.bfloat16)
    exact, coarse = (sample(x, generator=torch.Generator().manual_seed(7)) for x in (logits.float(), logits))
    assert torch.equal(coarse, exact)
    logits = torch.tensor([[100.0, 0.0], [-200.0, -100.0]])
    assert sample(logits, temperature=1e-37).tolist() == [0, 1]


def test_greedy_writing_equals_feeding_the_whole_text_again_and_again():
    made, ids = model(), some_ids(B, 4)
    expected = ids
    for _ in range(7):
        expected = torch.cat([expected, made(expected)[0][:, -1:].argmax(-1)], dim=1)
    assert torch.equal(generate(made, ids, 7), expected)
    assert torch.equal(generate(made, ids, 0), ids)
    assert generate(made, ids.int(), 2).dtype == torch.int32


def test_the_prefix_is_fed_once_and_then_each_new_token():
    made, fed, ids = model(), [], some_ids(B, 4)

    def recorded(ids, past=None):
        assert not torch.is_grad_enabled()
        fed.append(ids)
        return made(ids, past)

    generate(recorded, ids, 4)
    assert [tuple(part.shape) for part in fed] == [(B, 4), (B, 1), (B, 1), (B, 1)]


def test_writing_goes_on_after_padding_on_the_left():
    made, rows = model(), [some_ids(1, n, seed=n)[0] for n in (2, 5, 3)]
    ids, real = padded(rows)
    written = generate(made, ids, 6, real=real)
    for row, found in zip(rows, written, strict=True):
        assert torch.equal(found[5:], generate(made, row[None], 6)[0, len(row) :])


# ---------------------------------------------------------------- errors


IDS = torch.zeros(2, 3, dtype=torch.long)


def test_errors_of_a_model_are_one_sentence():
    made, long = model(), IDS.repeat(1, 4)
    past, others = made(long[:, :9])[1], made(IDS[:1])[1]
    require_refused(
        ("ValueError: ids must lie between 0 and 12", lambda: made(IDS + V)),
        ("ValueError: ids must be (B, T), got (3,); one sequence", lambda: made(IDS[0])),
        ("ValueError: the model has 11 positions, got 0 past and 12 new tokens; shorten", lambda: made(long)),
        ("ValueError: the model has 11 positions, got 9 past and 3 new tokens", lambda: made(IDS, past)),
        ("ValueError: past holds 1 sequences, but ids 2", lambda: made(IDS, others)),
        ("TypeError: past must be what the model returned with its logits, got tuple", lambda: made(IDS, (IDS, IDS))),
        ("TypeError: real must be bool (True = a real token), got torch.int64; for a", lambda: made(IDS, real=IDS)),
        ("ValueError: real must be (2, 3), got (1, 3)", lambda: made(IDS, real=IDS[:1] == 0)),
        ("ValueError: head_mask must be (2, 5), got (5,)", lambda: made(IDS, head_mask=torch.ones(5))),
        ("TypeError: head_mask must be a tensor, got list", lambda: made(IDS, head_mask=[1])),
        ("ValueError: steps must be at least 0, got -1", lambda: generate(made, IDS, -1)),
        ("ValueError: padding must be on the left", lambda: generate(made, IDS, 1, real=IDS > 0)),
        ("ValueError: the model has 11 positions, got 11 past and 1 new", lambda: generate(made, IDS, 10)),
        ("ValueError: num_heads must divide d_model, got 4 heads", lambda: DecoderConfig(V, d_model=7)),
        ("ValueError: d_ff must be at least 1, got -1", lambda: DecoderConfig(V, d_ff=-1)),
        ("FrozenInstanceError: cannot assign to field 'd_ff'", lambda: setattr(made.config, "d_ff", 0)),
        ("ValueError: context_length must be at least 1, got 0", lambda: DecoderConfig(V, 0)),
        ("ValueError: num_layers must be at least 1, got 0", lambda: DecoderConfig(V, num_layers=0)),
        ("ValueError: vocab_size must be at least 1, got 0", lambda: DecoderConfig(0)),
        ("ValueError: dropout probability p must be", lambda: DecoderConfig(V, dropout=1.0)),
    )


def test_errors_of_losses_and_draws_are_one_sentence():
    logits, finite = torch.zeros(2, 3, V), "ValueError: temperature must be at least 0 and finite, got"
    require_refused(
        ("ValueError: logits must be (B, T, V), got (3, 13)", lambda: next_token_loss(logits[0], IDS[0])),
        ("ValueError: ids must be (2, 3), got (2, 2)", lambda: next_token_loss(logits, IDS[:, 1:])),
        ("ValueError: with T of at least 2", lambda: next_token_loss(logits[:, :1], IDS[:, :1])),
        ("ValueError: got only the padding id 0", lambda: next_token_loss(logits, IDS, 0)),
        ("ValueError: logits must be (B, V), got (2, 3, 13); of a model's output take", lambda: sample(logits)),
        *((f"{finite} {t}", lambda t=t: sample(logits[0], t)) for t in (-1, math.nan, math.inf)),
        ("TypeError: temperature must be a number, got '1'", lambda: sample(logits[0], "1")),
        ("TypeError: top_p must be a number, got '1'", lambda: sample(logits[0], top_p="1")),
        ("ValueError: top_k must be at least 1, got 0", lambda: sample(logits[0], top_k=0)),
        *(
            (f"ValueError: top_p must be above 0 and at most 1, got {p}", lambda p=p: sample(logits[0], top_p=p))
            for p in (0, 2)
        ),
    )
