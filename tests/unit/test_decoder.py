"""The decoder: causal, the same with and without its cache, and generation that draws from the right probabilities."""

import math

import pytest
import torch

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


def model(dtype=torch.float32, **sizes):
    torch.manual_seed(1)
    config = DecoderConfig(**{"vocab_size": V, "context_length": 11, "d_model": C, "num_heads": H, "d_ff": 31, **sizes})
    made = Decoder(config)
    for parameter in made.parameters():
        if parameter.dim() == 1:  # LayerNorms and biases, so that leaving one out would show
            parameter.data += 0.3 * torch.randn_like(parameter)
    return made.to(dtype).eval()


def some_ids(rows=B, length=T, seed=0):
    return torch.randint(V, (rows, length), generator=torch.Generator().manual_seed(seed))


def agree(a, b):
    torch.testing.assert_close(a, b, rtol=0, atol=1e-5)


# ---------------------------------------------------------------- block and model


def test_without_a_feed_forward_network_there_is_only_attention():
    block, x = DecoderBlock(C, H, 0), torch.randn(B, T, C)
    agree(block(x), x + block.attention(block.norm1(x), causal=True)[0])
    agree(block.step(x)[0], block(x))
    assert not [name for name, _ in model(d_ff=0).named_parameters() if "feed" in name or "norm2" in name]


def test_a_block_takes_a_mask_and_its_step_without_a_past_is_the_block():
    block, x = DecoderBlock(C, H, 31), torch.randn(B, T, C)
    mask = torch.rand(B, 1, T, T) < 0.7
    agree(block.step(x, mask=mask)[0], block(x, mask))
    assert (block(x, mask) - block(x)).abs().max() > 1e-3


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
    for pieces in ([4], [1, 1, 1, 1], [3, 1]):
        past, found = made(ids, real=real)[1], []
        for part in more.split(pieces, dim=1):
            logits, past = made(part, past)
            found.append(logits)
        for row, extra, mine in zip(rows, more, torch.cat(found, dim=1), strict=True):
            agree(mine, made(torch.cat([row, extra])[None])[0][0, -4:])


def test_padding_may_begin_after_a_past_without_any():
    made, ids = model(), some_ids(2, 6)
    _, past = made(ids[:, :3])
    real = torch.tensor([[True, True, True], [True, True, False]])
    agree(made(ids[:, 3:], past, real=real)[0][:, :2], made(ids)[0][:, 3:5])


def test_look_gives_the_logits_and_weights_of_each_layer():
    made, ids = model(), some_ids()
    logits, weights = made.look(ids)
    agree(logits, made(ids.to(torch.uint8))[0])  # in any dtype of whole numbers
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
    made.blocks[1].attention.out_proj.weight.data[:, 2 * D : 3 * D] = 0  # the head's columns of the last projection
    agree(made(ids)[0], silenced)
    assert (model()(ids)[0] - silenced).abs().max() > 1e-3


def test_an_untrained_model_starts_with_small_numbers_and_without_biases():
    torch.manual_seed(0)
    made = Decoder(DecoderConfig(97, context_length=89, d_model=64))
    sizes = {name: p.std().item() for name, p in made.named_parameters() if p.dim() == 2}
    assert sizes.pop("positions.weight") == pytest.approx(0.02, rel=0.05)
    wide = {name for name in sizes if name.endswith("feed_forward.2.weight")}  # it reads d_ff numbers, not d_model
    assert all(size == pytest.approx(1 / 16 if name in wide else 1 / 8, rel=0.05) for name, size in sizes.items())
    assert not any(p.any() for name, p in made.named_parameters() if name.endswith("bias"))


def test_dropout_acts_in_training_only():
    made, ids, x = model(dropout=0.5), some_ids(), torch.randn(B, T, C)
    assert torch.equal(made(ids)[0], made(ids)[0])
    made.train()
    for block in made.blocks:
        for layer in (lambda x: made(ids)[0], block, lambda x, block=block: block.attention(x)[0]):
            assert not torch.equal(layer(x), layer(x))


# ---------------------------------------------------------------- loss and generation; exercises 8.1 to 8.6 check more


def test_padding_is_not_counted_and_losses_may_be_huge():
    logits, ids = torch.randn(2, 5, V), torch.tensor([[3, 4, 5, 0, 0], [0, 0, 6, 7, 8]])
    losses = token_losses(logits, ids.int())
    agree(losses.mean(), next_token_loss(logits, ids))
    agree(next_token_loss(logits, ids, pad_id=0), torch.cat([losses[0, :2], losses[1, 1:]]).mean())
    assert next_token_loss(logits * 1e30, ids).isfinite()


def frequencies(logits, draws=4000, **settings):
    generator = torch.Generator().manual_seed(3)
    ids = sample(logits.expand(draws, -1), generator=generator, **settings)
    return torch.bincount(ids, minlength=logits.size(-1)) / draws


def test_draws_have_the_right_frequencies():
    logits = torch.tensor([[0.1, 0.4, 0.2, 0.3]]).log() + 5
    for settings, expected in [
        ({"temperature": 0.5}, [1 / 30, 16 / 30, 4 / 30, 9 / 30]),
        ({"top_k": 9}, [0.1, 0.4, 0.2, 0.3]),
        ({"top_p": 0.75}, [0, 4 / 9, 2 / 9, 3 / 9]),
        ({"temperature": 0.5, "top_p": 0.8}, [0, 16 / 25, 0, 9 / 25]),  # the temperature comes first
        ({"top_k": 3, "top_p": 0.7}, [0, 4 / 7, 0, 3 / 7]),  # 7/9 of what top_k left; of all, 0.7 is the border
        ({"temperature": 0, "top_p": 0.8}, [0, 1, 0, 0]),
    ]:
        found, expected = frequencies(logits, **settings), torch.tensor(expected)
        assert (found - expected).abs().max() < 0.035, settings  # 4.5 standard deviations
        assert (found[expected == 0] == 0).all(), settings


def test_cuts_keep_the_logits_and_exactly_k_or_half():
    logits = torch.randn(B, T, V)
    for cut in (lambda logits: keep_top_k(logits, 3), lambda logits: keep_top_p(logits, 0.6)):
        kept = cut(logits)
        assert torch.equal(kept[kept.isfinite()], logits[kept.isfinite()]) and torch.equal(
            cut(logits[1, 2]), kept[1, 2]
        )
    assert keep_top_k(torch.zeros(2, 4), 3).isfinite().sum(-1).tolist() == [3, 3]  # exactly k, also where all are equal
    assert keep_top_p(torch.zeros(1, 4), 0.5).isfinite().sum() == 2  # exactly half is enough


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


def test_writing_keeps_the_dtype_and_needs_no_gradients():
    made, ids = model(), some_ids(B, 4)

    def recorded(ids, past=None):
        assert not torch.is_grad_enabled()
        return made(ids, past)

    assert torch.equal(generate(recorded, ids, 0), ids) and generate(recorded, ids.int(), 2).dtype == torch.int32


def test_writing_goes_on_after_padding_on_the_left():
    made, rows = model(), [some_ids(1, n, seed=n)[0] for n in (2, 5, 3)]
    ids, real = padded(rows)
    written = generate(made, ids, 6, real=real)
    for row, found in zip(rows, written, strict=True):
        assert torch.equal(found[5:], generate(made, row[None], 6)[0, len(row) :])


IDS = torch.zeros(2, 3, dtype=torch.long)


def test_errors_of_a_model_are_one_sentence():
    made, long = model(), IDS.repeat(1, 4)
    past, others = made(long[:, :9])[1], made(IDS[:1])[1]
    sizes = {"d_ff": -1, "context_length": 0, "num_layers": 0, "vocab_size": 0}
    require_refused(
        ("ValueError: ids must lie between 0 and 12", lambda: made(IDS + V)),
        ("ValueError: the model has 11 positions, got 9 past and 3 new tokens; shorten", lambda: made(IDS, past)),
        ("ValueError: past holds 1 sequences, but ids 2", lambda: made(IDS, others)),
        ("TypeError: past must be what the model returned with its logits, got tuple", lambda: made(IDS, (IDS, IDS))),
        ("TypeError: real must be bool (True = a real token), got torch.int64; for a", lambda: made(IDS, real=IDS)),
        ("ValueError: head_mask must be (2, 5), got (5,)", lambda: made(IDS, head_mask=torch.ones(5))),
        ("ValueError: steps must be at least 0, got -1", lambda: generate(made, IDS, -1)),
        ("ValueError: padding must be on the left", lambda: generate(made, IDS, 1, real=IDS > 0)),
        ("ValueError: num_heads must divide d_model, got 4 heads", lambda: DecoderConfig(V, d_model=7)),
        ("FrozenInstanceError: cannot assign to field 'd_ff'", lambda: setattr(made.config, "d_ff", 0)),
        ("ValueError: dropout probability p must be", lambda: DecoderConfig(V, dropout=1.0)),
        *(
            (
                f"ValueError: {name} must be at least 1, got {n}",
                lambda size={name: n}: DecoderConfig(**{"vocab_size": V, **size}),
            )
            for name, n in sizes.items()
        ),
    )


def test_errors_of_losses_and_draws_are_one_sentence():
    logits, finite = torch.zeros(2, 3, V), "ValueError: temperature must be at least 0 and finite, got"
    require_refused(
        ("ValueError: logits must be (B, T, V), got (3, 13)", lambda: next_token_loss(logits[0], IDS[0])),
        ("ValueError: ids must be (2, 3), got (2, 2)", lambda: next_token_loss(logits, IDS[:, 1:])),
        ("TypeError: top_p must be a number, got '1'", lambda: sample(logits[0], top_p="1")),
        ("ValueError: with T of at least 2", lambda: next_token_loss(logits[:, :1], IDS[:, :1])),
        ("ValueError: got only the padding id 0", lambda: next_token_loss(logits, IDS, 0)),
        ("ValueError: logits must be (B, V), got (2, 3, 13); of a model's output take", lambda: sample(logits)),
        *((f"{finite} {t}", lambda t=t: sample(logits[0], t)) for t in (-1, math.inf)),
        ("TypeError: temperature must be a number, got '1'", lambda: sample(logits[0], "1")),
        ("ValueError: top_k must be at least 1, got 0", lambda: sample(logits[0], 0, top_k=0)),
        *(
            (f"ValueError: top_p must be above 0 and at most 1, got {p}", lambda p=p: sample(logits[0], p, top_p=p))
            for p in (0, 2)
        ),
    )
