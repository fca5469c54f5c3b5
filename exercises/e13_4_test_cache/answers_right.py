"""Right tests for exercise 13.4, in many styles: the checker must accept all of them."""

import random

import torch

from feedback.bank import RightAnswers
from helpers.suspicions import assert_cache_equals_whole

right = RightAnswers()


def fed(model, *parts, past=None):
    """The logits of all parts together, and the last past."""
    outs = []
    for part in parts:
        out, past = model(part, past)
        outs.append(out)
    return torch.cat(outs, dim=1), past


def drawn(B, T):
    return torch.randint(50, (B, T))


@right
def helper(model):
    assert_cache_equals_whole(model, drawn(3, 20))


@right
def returns_a_bool(model):
    a, b, c = drawn(2, 6), drawn(2, 6), drawn(2, 12)
    for sizes in ([1] * 6, [2, 1, 3], [1, 2, 3]):
        for start in (a, torch.cat([a, c], dim=1)):
            whole = model(start)[0]
            parts = start[:, :6].split(sizes, dim=1)
            if start.size(1) > 6:
                parts = (*parts, *start[:, 6:].split([5, 1, 6], dim=1))
            out, past = fed(model, *parts)
            if not torch.allclose(out, whole, atol=1e-4):
                return False
            first, first_past = model(b, past)
            second, _ = model(c, past)
            third, _ = model(a, first_past)
            n = start.size(1)
            wanted = (
                (first, torch.cat([start, b], 1), n),
                (second, torch.cat([start, c], 1), n),
                (third, torch.cat([start, b, a], 1), n + 6),
            )
            if not all(torch.allclose(got, model(all_)[0][:, m:], atol=1e-4) for got, all_, m in wanted):
                return False
    return True


@right
def a_tree_of_branches(model):
    """Every past is kept, and goes on in two ways, later ones first."""
    with torch.no_grad():
        nodes = [(drawn(3, 0), None)]
        for size in (1, 3, 2, 6, 7):
            more = []
            for text, past in reversed(nodes):
                for _ in range(2 if len(nodes) < 5 else 1):
                    new = drawn(3, size)
                    all_ = torch.cat([text, new], dim=1)
                    logits, after = model(new, past)
                    torch.testing.assert_close(logits, model(all_)[0][:, -size:], rtol=1e-4, atol=1e-4)
                    more.append((all_, after))
            nodes = more + nodes[-1:] if nodes[-1][1] is not None else more


@right
def random_pieces_with_many_tries(model):
    draw = random.Random(7)
    for _ in range(14):
        ids = drawn(2, 24)
        whole, past, begin, kept = model(ids, None)[0], None, 0, []
        while begin < 24:
            size = min(draw.choice([1, 1, 2, 5]), 24 - begin)
            kept.append((begin, past))
            logits, past = model(ids[:, begin : begin + size], past)
            assert (logits - whole[:, begin : begin + size]).abs().max() < 2e-4
            begin += size
        for begin, past in draw.sample(kept, 3):  # go on from there once more
            logits, first = model(ids[:, begin : begin + 1], past)
            assert (logits - whole[:, begin : begin + 1]).abs().max() < 2e-4
            if begin + 2 <= 24:
                model(drawn(2, 2), past)
                again = model(ids[:, begin + 1 : begin + 2], first)[0]
                assert (again - whole[:, begin + 1 : begin + 2]).abs().max() < 2e-4


@right
def one_assert_for_each_suspicion(model):
    def same(got, text):
        right = model(text)[0][:, -got.size(1) :]
        assert torch.isclose(got, right, rtol=0, atol=3e-4).all()

    long = drawn(2, 32)
    same(fed(model, *long.split(1, dim=1))[0], long)
    same(fed(model, *long.split(8, dim=1))[0], long)
    same(fed(model, long[:, :1], long[:, 1:30], long[:, 30:])[0], long)
    start, one, other, end = drawn(2, 4), drawn(2, 3), drawn(2, 3), drawn(2, 2)
    past = model(start)[1]
    out_one, past_one = model(one, past=past)
    out_other, past_other = model(other, past=past)
    same(out_one, torch.cat([start, one], 1))
    same(out_other, torch.cat([start, other], 1))
    same(model(end, past=past_one)[0], torch.cat([start, one, end], 1))
    same(model(end, past=past_other)[0], torch.cat([start, other, end], 1))
