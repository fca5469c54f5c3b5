"""What continues after a past gives the same in pieces as at once, accepts a past twice, and leaks nothing."""

import pytest
import torch

from helpers.bert import POSITIONS
from helpers.decoder import Decoder, DecoderBlock, DecoderConfig
from helpers.grouped import GroupedQueryAttention
from helpers.latent import LatentAttention
from helpers.linear import delta_recurrent, linear_chunked, linear_recurrent
from helpers.long_attention import LongAttention
from helpers.masks import causal_mask
from helpers.relative_positions import ATTENTION, rotary_step
from helpers.today import TodayConfig, TodayDecoder
from helpers.windows import rolling_step
from models import distances
from tests.unit.bert_models import C, attention
from tests.unit.cases import flat
from tests.unit.tensors import agree, filled, random

B, H, G, T, D, WINDOW = 2, 6, 2, 7, 4, 3
V, WIDTH = 13, 24
PIECES = [[1] * T, [3, 1, 3], [2, 4, 1], [6, 1]]


def plain(made, x, past):
    return made(x, past=past)


def of_vectors(made, x, past):
    """Call a model of ids with vectors instead of ids."""
    made.tokens.forward = lambda ids: x
    return made(torch.zeros(x.shape[:2], dtype=torch.long, device=x.device), past)


def decoding(made, x, past):
    """BERT's attention with the mask of a decoder."""
    length = 0 if past is None else past[0].size(-2)
    return made(x, mask=causal_mask(x.size(1), x.device, past=length), past=past)


def pruned(made):
    made.prune_heads([1, 3])
    return made


def qkv(k_heads=H, *more):
    return [
        random(B, heads, T, width, seed=width + heads) for heads, width in [(H, D), (k_heads, D), (k_heads, D), *more]
    ]


LONG = {
    "plain": {},
    "window": {"window": WINDOW},
    "all": {"window": WINDOW, "sinks": True, "cap": 1.5, "score_width": 5, "gate": True, "rotary_width": 2},
}
LATENT = {"query_rank": 7, "rank": 4, "d_plain": 5, "d_rotary": 6, "d_value": 3}
MODULES = {  # the module, how it is called, and the width of x
    "Decoder": lambda: (filled(Decoder(DecoderConfig(V, T, WIDTH, H, d_ff=31))), of_vectors, WIDTH),
    "DecoderBlock.step": lambda: (filled(DecoderBlock(WIDTH, H, 31)), lambda made, x, past: made.step(x, past), WIDTH),
    "TodayDecoder": lambda: (filled(TodayDecoder(TodayConfig(V, WIDTH, H, G, d_ff=31))), of_vectors, WIDTH),
    "GroupedQueryAttention": lambda: (filled(GroupedQueryAttention(17, H, G, d_head=D)), plain, 17),
    "GroupedQueryAttention, QK-norm": lambda: (filled(GroupedQueryAttention(WIDTH, H, 3, qk_norm=True)), plain, WIDTH),
    "LatentAttention": lambda: (filled(LatentAttention(17, H, **LATENT)), plain, 17),
    "LatentAttention, absorbed": lambda: (
        filled(LatentAttention(17, H, **LATENT)),
        lambda made, x, past: made.absorbed(x, past),
        17,
    ),
    "BertAttention, pruned": lambda: (pruned(attention()), decoding, C),
}
MODULES |= {f"BertAttention, {kind}": lambda kind=kind: (attention(kind), decoding, C) for kind in POSITIONS}
MODULES |= {
    f"LongAttention, {name}": lambda options=options: (filled(LongAttention(17, H, G, d_head=D, **options)), plain, 17)
    for name, options in LONG.items()
}
MODULES |= {
    f"DistanceDecoder, {kind}": lambda kind=kind: (distances.new_model(kind, 0).double(), of_vectors, 64)
    for kind in ATTENTION
}
STEPS = {  # of q, k, v, and beta (B, H, T, 1) for the delta rule
    "rotary_step": lambda _, q, k, v, past: rotary_step(q, k, v, past),
    "rolling_step, window": lambda _, q, k, v, past: rolling_step(q, k, v, past, WINDOW),
    "rolling_step": lambda _, q, k, v, past: rolling_step(q, k, v, past, T),
    "linear_recurrent": lambda _, *given: linear_recurrent(*given),
    "linear_chunked": lambda _, q, k, v, past: linear_chunked(q, k, v, 3, past),
    "delta_recurrent": lambda _, q, k, v, beta, past: delta_recurrent(q, k, v, beta[..., 0].sigmoid(), past),
}
NAMES = [*MODULES, *STEPS]


def case(name):
    """The module or None, run(module, *inputs, past), and the inputs, whose positions are the last axis but one."""
    if name in MODULES:
        made, run, width = MODULES[name]()
        return made, run, [random(B, T, width)]
    more = [(H, 1)] if "delta" in name else []
    return None, STEPS[name], qkv(G if "rolling" in name else H, *more)


@pytest.mark.parametrize("name", NAMES)
def test_in_pieces_it_gives_the_same_as_at_once_and_so_do_its_gradients(name):
    made, run, inputs = case(name)
    leaves = [x.requires_grad_() for x in (*inputs, *(made.parameters() if made else ()))]
    expected, *weights, end = run(made, *inputs, None)
    mix = random(*expected.shape, seed=9)

    def gradients(out):
        return torch.autograd.grad((out * mix).sum(), leaves, retain_graph=True, materialize_grads=True)

    for pieces in PIECES:
        past, outs, seen = None, [], 0
        for parts in zip(*(x.split(pieces, dim=-2) for x in inputs), strict=True):
            out, *found, past = run(made, *parts, past)
            rows = slice(seen, seen := seen + parts[0].size(-2))
            outs.append(out)
            for mine, all_weights in zip(found, weights, strict=True):
                if mine is not None:  # a window forgets the first keys
                    agree(mine, all_weights[..., rows, seen - mine.size(-1) : seen])
        agree(torch.cat(outs, dim=-2), expected)
        agree(flat(past), flat(end))
        agree(gradients(torch.cat(outs, dim=-2)), gradients(expected))


@torch.no_grad()
@pytest.mark.parametrize("name", NAMES)
def test_a_past_is_not_changed_and_can_be_continued_twice(name):
    made, run, inputs = case(name)
    first, rest = [x[..., :4, :] for x in inputs], [x[..., 4:, :] for x in inputs]
    past = run(made, *first, None)[-1]
    kept = [x.clone() for x in flat(past)]
    run(made, *(-x for x in rest), past)
    agree(run(made, *rest, past)[0], run(made, *inputs, None)[0][..., 4:, :])
    assert all(map(torch.equal, flat(past), kept))


@pytest.mark.parametrize("name", NAMES)
def test_nothing_leaks_from_the_future_and_all_of_the_past_is_read(name):
    made, run, inputs = case(name)
    inputs = [x.requires_grad_() for x in inputs]
    reach = WINDOW if "window" in name or name.endswith("all") else T
    out = run(made, *inputs, None)[0]
    for t in range(T):
        gradients = torch.autograd.grad(out[..., t, :].square().sum(), inputs, retain_graph=True, allow_unused=True)
        read = sum(x.abs().sum(-1).flatten(0, -2).sum(0) for x in gradients if x is not None)  # (T,)
        assert (read[t + 1 :] == 0).all() and (read[max(0, t + 1 - reach) : t + 1] > 0).all()


@torch.no_grad()
@pytest.mark.parametrize("name", NAMES)
def test_what_goes_on_after_a_past_stays_on_the_gpu(gpu, name):
    made, run, inputs = case(name)
    expected = run(made, *inputs, None)[0][..., 4:, :]
    made, inputs = made and made.to("cuda"), [x.to("cuda") for x in inputs]
    past = run(made, *(x[..., :4, :] for x in inputs), None)[-1]
    agree(run(made, *(x[..., 4:, :] for x in inputs), past)[0].cpu(), expected)
