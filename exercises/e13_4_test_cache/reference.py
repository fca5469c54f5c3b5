"""The course's own answer to exercise 13.4."""

import torch


def test_cache(model):
    """A text in pieces gives what it gives at once, also where a past is continued in two ways.

    Shapes: model takes ids (B, T) and a past, None at first, to logits (B, T, V) and the past to go on from
    """
    ids = torch.randint(50, (3, 20))
    other = torch.cat([ids[:, :5], torch.randint(50, (3, 15))], dim=1)  # begins like ids
    whole, whole_of_other = model(ids)[0], model(other)[0]
    for sizes in ([1] * 20, [1, 4, 3, 12], [6, 2, 1, 11]):
        past, begin = None, 0
        for piece in ids.split(sizes, dim=1):
            logits, past = model(piece, past)
            assert close(logits, whole[:, begin : begin + piece.size(1)]), f"pieces of {sizes} tokens"
            begin += piece.size(1)
    _, past = model(ids[:, :5])
    _, first = model(ids[:, 5:8], past)
    second, _ = model(other[:, 5:9], past)
    assert close(second, whole_of_other[:, 5:9]), "a past that is continued once more"
    assert close(model(ids[:, 8:], first)[0], whole[:, 8:]), "a branch that goes on after another one"


def close(a, b):
    return torch.allclose(a, b, rtol=0, atol=1e-4)
