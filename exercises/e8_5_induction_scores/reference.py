"""The course's answer to exercise 8.5."""

import torch


def induction_scores(weights, ids):
    latest, queries, keys = {}, [], []
    for position, token in enumerate(ids.tolist()):
        if token in latest:
            queries.append(position)
            keys.append(latest[token] + 1)  # what came after this token the last time
        latest[token] = position
    queries, keys = (torch.tensor(at, device=weights.device) for at in (queries, keys))
    return weights[:, queries, keys].mean(dim=-1)  # (H, number of pairs) -> (H,)
