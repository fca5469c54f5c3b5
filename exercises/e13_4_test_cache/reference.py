"""The course's own answer to exercise 13.4."""

import torch


def test_cache(model):
    """A text in pieces gives what it gives at once, also where a past is continued in two ways.

    Shapes: model takes ids (B, T) and a past, None at first, to logits (B, T, V) and the past to go on from
    """

    def assert_same(logits, whole, begin):
        right = whole[:, begin : begin + logits.size(1)]
        assert (logits - right).abs().max() < 1e-4, f"the piece from token {begin} on"

    ids = torch.randint(50, (3, 20))
    whole = model(ids)[0]
    for sizes in ([1] * 20, [1, 4, 3, 12], [6, 2, 1, 11]):
        past, begin = None, 0
        for piece in ids.split(sizes, dim=1):
            logits, past = model(piece, past)
            assert_same(logits, whole, begin)
            begin += piece.size(1)
    other = torch.cat([ids[:, :5], torch.randint(50, (3, 4))], dim=1)  # begins like ids
    _, past = model(ids[:, :5])
    _, first = model(ids[:, 5:8], past)
    second, _ = model(other[:, 5:], past)
    assert_same(second, model(other)[0], 5)
    assert_same(model(ids[:, 8:], first)[0], whole, 8)  # the first branch goes on
