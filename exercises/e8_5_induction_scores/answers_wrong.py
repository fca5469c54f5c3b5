"""Wrong answers to exercise 8.5, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET504, B007 - naming a result before returning it, and unused names of loops, are what learners do

import torch

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


@wrong("first-occurrence")
def scores_after_the_first(weights, ids):
    seen, found = {}, []
    for i, token in enumerate(ids.tolist()):
        if token in seen:
            found.append(weights[:, i, seen[token] + 1])
        else:
            seen[token] = i
    return torch.stack(found).mean(dim=0)


@wrong("first-occurrence")
def scores_by_index(weights, ids):
    words = ids.tolist()
    pairs = [(i, words.index(w) + 1) for i, w in enumerate(words) if words.index(w) < i]
    return torch.stack([weights[:, i, j] for i, j in pairs]).mean(0)


@wrong("first-occurrence")
def scores_by_argmax(weights, ids):
    same = (ids[:, None] == ids).tril(-1)
    queries = same.any(1).nonzero().squeeze(1)
    first = same.int().argmax(1)[queries]
    return weights[:, queries, first + 1].mean(1)


@wrong("last-occurrence-of-all")
def scores_by_a_finished_dict(weights, ids):
    words = ids.tolist()
    last = {w: i for i, w in enumerate(words)}
    found = [weights[:, i, last[w] + 1] for i, w in enumerate(words) if words.index(w) < i]
    return torch.stack(found).mean(0)


@wrong("position-itself")
def scores_by_a_range_that_ends_with_the_position(weights, ids):
    total, count = 0, 0
    for i in range(len(ids)):
        alike = [j for j in range(i + 1) if ids[j] == ids[i]]
        if len(alike) > 1 and alike[-1] + 1 < len(ids):
            total, count = total + weights[:, i, alike[-1] + 1], count + 1
    return total / count


@wrong("last-occurrence-of-all")
def scores_by_a_dict_that_is_filled_first(weights, ids):
    last, found = {}, []
    for i, w in enumerate(ids.tolist()):
        last[w] = i
        if w in last:
            found.append(weights[:, i, last[w] + 1])
    return torch.stack(found).mean(0)


@wrong("all-occurrences")
def scores_of_all_pairs(weights, ids):
    mask = (ids[:, None] == ids).tril(-1).roll(1, dims=1)
    return weights[:, mask].mean(1)


@wrong("all-occurrences")
def scores_of_two_loops_without_break(weights, ids):
    total, count = 0, 0
    for i in range(len(ids)):
        for j in range(i):
            if ids[i] == ids[j]:
                total = total + weights[:, i, j + 1]
                count += 1
    return total / count


@wrong("next-occurrence")
def scores_of_what_comes_later(weights, ids):
    words, found = ids.tolist(), []
    for i, w in enumerate(words):
        if w in words[i + 1 :]:
            j = words.index(w, i + 1)
            if j + 1 < len(words):
                found.append(weights[:, i, j + 1])
    return torch.stack(found).mean(0)


@wrong("each-token-once")
def scores_of_first_repetitions(weights, ids):
    words, found = ids.tolist(), []
    for w in set(words):
        at = [i for i, other in enumerate(words) if other == w]
        if len(at) > 1:
            found.append(weights[:, at[1], at[0] + 1])
    return torch.stack(found).mean(0)


@wrong("neighbors-left-out")
def scores_of_strictly_earlier_keys(weights, ids):
    seen, found = {}, []
    for i, w in enumerate(ids.tolist()):
        if w in seen and seen[w] + 1 < i:
            found.append(weights[:, i, seen[w] + 1])
        seen[w] = i
    return torch.stack(found).mean(0)


@wrong("fixed-distance")
def scores_of_the_second_half(weights, ids):
    half = ids.numel() // 2
    return torch.stack([weights[:, half + i, i + 1] for i in range(half)]).mean(0)


@wrong("on-the-occurrence")
def scores_on_the_token_itself(weights, ids):
    seen, found = {}, []
    for i, token in enumerate(ids.tolist()):
        if token in seen:
            found.append(weights[:, i, seen[token]])
        seen[token] = i
    return torch.stack(found).mean(dim=0)


@wrong("on-the-occurrence")
def scores_of_previous_by_a_table(weights, ids):
    same = (ids[:, None] == ids).tril(-1)
    previous = torch.where(same, torch.arange(len(ids)), -1).amax(1)
    queries = (previous >= 0).nonzero()[:, 0]
    return weights[:, queries, previous[queries]].mean(1)


@wrong("before-the-occurrence")
def scores_before_the_token(weights, ids):
    seen, found = {}, []
    for i, token in enumerate(ids.tolist()):
        if token in seen:
            found.append(weights[:, i, seen[token] - 1])
        seen[token] = i
    return torch.stack(found).mean(dim=0)


@wrong("two-after")
def scores_with_1_added_twice(weights, ids):
    after, found = {}, []
    for i, token in enumerate(ids.tolist()):
        if token in after and after[token] + 1 < len(ids):
            found.append(weights[:, i, after[token] + 1])
        after[token] = i + 1
    return torch.stack(found).mean(dim=0)


@wrong("query-one-late")
def scores_of_the_next_row(weights, ids):
    seen, found = {}, []
    for i, token in enumerate(ids.tolist()[:-1]):
        if token in seen:
            found.append(weights[:, i + 1, seen[token] + 1])
        seen[token] = i
    return torch.stack(found).mean(dim=0)


@wrong("rows-and-columns-exchanged")
def scores_of_columns(weights, ids):
    seen, found = {}, []
    for i, token in enumerate(ids.tolist()):
        if token in seen:
            found.append(weights[:, seen[token] + 1, i])
        seen[token] = i
    return torch.stack(found).mean(dim=0)


@wrong("table-not-pairs")
def scores_of_a_table(weights, ids):
    words, queries, keys = ids.tolist(), [], []
    for i, w in enumerate(words):
        if w in words[:i]:
            queries.append(i)
            keys.append(i - words[:i][::-1].index(w))
    return weights[:, queries][..., keys].mean(dim=(1, 2))


@wrong("whole-rows")
def scores_of_whole_rows(weights, ids):
    words = ids.tolist()
    queries = [i for i, w in enumerate(words) if w in words[:i]]
    return weights[:, queries].mean(dim=(1, 2))


@wrong("divided-by-all-positions")
def scores_divided_by_t(weights, ids):
    total, seen = torch.zeros(len(weights), dtype=weights.dtype), {}
    for i, token in enumerate(ids.tolist()):
        if token in seen:
            total += weights[:, i, seen[token] + 1]
        seen[token] = i
    return total / len(ids)


@wrong("divided-by-tokens")
def scores_divided_by_the_dict(weights, ids):
    total, seen = torch.zeros(len(weights), dtype=weights.dtype), {}
    for i, token in enumerate(ids.tolist()):
        if token in seen:
            total += weights[:, i, seen[token] + 1]
        seen[token] = i
    return total / len(seen)


@wrong("mean-of-means")
def scores_of_each_token(weights, ids):
    seen, found = {}, {}
    for i, token in enumerate(ids.tolist()):
        if token in seen:
            found.setdefault(token, []).append(weights[:, i, seen[token] + 1])
        seen[token] = i
    return torch.stack([torch.stack(f).mean(0) for f in found.values()]).mean(0)


@wrong("sum-not-mean")
def scores_summed(weights, ids):
    seen, total = {}, 0
    for i, token in enumerate(ids.tolist()):
        if token in seen:
            total = total + weights[:, i, seen[token] + 1]
        seen[token] = i
    return total


@wrong("largest-weight")
def scores_of_the_largest(weights, ids):
    seen, found = {}, []
    for i, token in enumerate(ids.tolist()):
        if token in seen:
            found.append(weights[:, i, seen[token] + 1])
        seen[token] = i
    return torch.stack(found).max(dim=0).values


@wrong("heads-averaged")
def score_of_all_heads(weights, ids):
    seen, found = {}, []
    for i, token in enumerate(ids.tolist()):
        if token in seen:
            found.append(weights[:, i, seen[token] + 1])
        seen[token] = i
    return torch.stack(found).mean()


@wrong("not-averaged")
def scores_of_each_pair(weights, ids):
    seen, found = {}, []
    for i, token in enumerate(ids.tolist()):
        if token in seen:
            found.append(weights[:, i, seen[token] + 1])
        seen[token] = i
    return torch.stack(found, dim=1)


@wrong("tensors-as-keys")
def scores_with_tensors_as_keys(weights, ids):
    seen, found = {}, []
    for i, token in enumerate(ids):
        if token in seen:
            found.append(weights[:, i, seen[token] + 1])
        seen[token] = i
    return torch.stack(found).mean(dim=0)


@wrong("tensors-as-keys")
def scores_with_tensors_in_a_set(weights, ids):
    total, count, seen = torch.zeros(len(weights), dtype=weights.dtype), 0, {}
    for i in range(len(ids)):
        if ids[i] in seen:
            total += weights[:, i, seen[ids[i]] + 1]
            count += 1
        seen[ids[i]] = i
    return total / count


@wrong("wrong-dtype")
def scores_in_float32(weights, ids):
    seen, values = {}, []
    for i, token in enumerate(ids.tolist()):
        if token in seen:
            values.append(weights[:, i, seen[token] + 1].tolist())
        seen[token] = i
    return torch.tensor(values).mean(0)


@wrong("returns-wrong-type")
def scores_as_a_list(weights, ids):
    words, scores = ids.tolist(), []
    for head in weights:
        found = [head[i, i - words[:i][::-1].index(w)] for i, w in enumerate(words) if w in words[:i]]
        scores.append(sum(found) / len(found))
    return scores
