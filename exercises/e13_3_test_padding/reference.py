"""The course's own answer to exercise 13.3."""

import torch


def test_padding(model):
    """What stands in padding does not matter to real tokens, on whichever side it is.

    Shapes: model takes ids and real, both (B, T), to (B, T, C)
    """
    lengths = torch.tensor([4, 9, 1, 7])
    right = torch.arange(9) < lengths[:, None]  # (4, 9): padding stands on the right
    for real in (right, right.flip(1)):
        ids = torch.randint(50, (4, 9))
        before = model(ids, real)[real]
        for _ in range(3):
            ids[~real] = torch.randint(50, (4, 9))[~real]
            moved = (model(ids, real)[real] - before).abs().max()
            assert moved < 1e-4, f"real tokens move by {moved:.2g} with what stands in padding"
