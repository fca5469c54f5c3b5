"""Right answers to exercise 8.5, in as many styles as learners have: the checker must accept all of them."""

# ruff: noqa: RET504, B007 - naming a result before returning it, and unused names of loops, are styles that must pass

import torch

from feedback.bank import RightAnswers

right = RightAnswers()


@right
def scores_by_a_dict(weights, ids):
    seen, found = {}, []
    for i, token in enumerate(ids.tolist()):
        if token in seen:
            found.append(weights[:, i, seen[token] + 1])
        seen[token] = i
    return torch.stack(found).mean(dim=0)


@right
def scores_by_two_loops(weights, ids):
    total = torch.zeros(weights.size(0), dtype=weights.dtype)
    count = 0
    for i in range(len(ids)):
        for j in range(i - 1, -1, -1):
            if ids[j] == ids[i]:
                total += weights[:, i, j + 1]
                count += 1
                break
    return total / count


@right
def scores_by_a_table(weights, ids):
    T = len(ids)
    same = (ids[:, None] == ids[None, :]).tril(-1)  # (T, T)
    previous = torch.where(same, torch.arange(T), -1).max(dim=1).values
    queries = (previous >= 0).nonzero().squeeze(1)
    return weights[:, queries, previous[queries] + 1].mean(dim=1)


@right
def scores_by_gather(weights, ids):
    T = ids.shape[0]
    same = torch.tril(ids.unsqueeze(1) == ids.unsqueeze(0), diagonal=-1)
    last = (same * torch.arange(1, T + 1)).amax(dim=1)  # the position after it; 0 where there is none
    picked = weights.gather(2, last.expand(len(weights), T).unsqueeze(-1)).squeeze(-1)
    mask = last > 0
    return (picked * mask).sum(dim=1) / mask.sum()


@right
def scores_by_a_mask(weights, ids):
    T = len(ids)
    mask = torch.zeros(T, T, dtype=torch.bool)
    last = {}
    for i in range(T):
        token = ids[i].item()
        if token in last:
            mask[i, last[token] + 1] = True
        last[token] = i
    return weights[:, mask].mean(-1)


@right
def scores_head_by_head(weights, ids):
    words = [int(w) for w in ids]
    scores = []
    for head in weights:
        values = []
        for i in range(1, len(words)):
            earlier = [j for j in range(i) if words[j] == words[i]]
            if earlier:
                values.append(head[i, max(earlier) + 1])
        scores.append(sum(values) / len(values))
    return torch.stack(scores)


@right
def scores_by_counting_tokens(weights, ids):
    """As many pairs as positions without the first occurrences."""
    total, last = 0, {}
    for i, token in enumerate(ids.numpy()):
        if token in last:
            total = total + weights[:, i, last[token] + 1]
        last[token] = i
    return total / (len(ids) - len(last))


@right
def scores_by_einsum(weights, ids):
    T = len(ids)
    mask = weights.new_zeros(T, T)
    words = ids.tolist()
    for i in range(T):
        before = words[:i]
        if words[i] in before:
            mask[i, i - before[::-1].index(words[i])] = 1
    return torch.einsum("hts,ts->h", weights, mask) / mask.sum()


@right
def scores_by_a_nonzero(weights, ids):
    pairs = []
    for i in range(len(ids)):
        where = (ids[:i] == ids[i]).nonzero()
        if len(where):
            pairs.append((i, int(where[-1]) + 1))
    queries, keys = zip(*pairs)  # noqa: B905
    return weights[:, list(queries), list(keys)].mean(1)


@right
def scores_of_floats(weights, ids):
    seen, values = {}, [[] for _ in weights]
    for i, token in enumerate(ids.tolist()):
        if token in seen:
            for h in range(len(weights)):
                values[h].append(weights[h, i, seen[token] + 1].item())
        seen[token] = i
    return torch.tensor([sum(v) / len(v) for v in values], dtype=weights.dtype)
