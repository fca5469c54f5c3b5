"""Right answers to exercise 8.4, in as many styles as learners have: the checker must accept all of them."""

# ruff: noqa: RET504, B007, PLR1704 - unused names and other habits of learners are styles that must pass

import torch

from feedback.bank import RightAnswers

right = RightAnswers()


@right.limited
def generate_after_a_prefill(model, ids, steps):
    """The prefix before the loop, and a last call that nobody needs."""
    logits, past = model(ids)
    for _ in range(steps):
        next_id = torch.argmax(logits[:, -1, :], dim=-1).unsqueeze(-1)
        ids = torch.cat((ids, next_id), dim=-1)
        logits, past = model(next_id, past=past)
    return ids


@right
def generate_feeding_the_last_column(model, ids, steps):
    past = None
    for step in range(steps):
        fed = ids if past is None else ids[:, -1:]
        logits, past = model(fed, past=past)
        ids = torch.cat([ids, logits[:, -1:].argmax(-1)], dim=1)
    return ids


@right
def generate_a_list(model, ids, steps):
    pieces, past = [ids], None
    while len(pieces) <= steps:
        logits, past = model(pieces[-1], past)
        pieces.append(logits[:, -1].max(dim=-1).indices[:, None])
    return torch.hstack(pieces)


@right
def generate_into_a_table(model, ids, steps):
    B, T = ids.shape
    out = torch.zeros(B, T + steps, dtype=ids.dtype)
    out[:, :T] = ids
    past, start = None, 0
    with torch.no_grad():
        for t in range(T, T + steps):
            logits, past = model(out[:, start:t], past)
            out[:, t] = logits[:, -1].argmax(-1)
            start = t
    return out


@right
def generate_by_recursion(model, ids, steps):
    def more(new, past, left):
        if left == 0:
            return []
        logits, past = model(new, past)
        token = logits.softmax(-1)[:, -1].topk(1).indices
        return [token, *more(token, past, left - 1)]

    return torch.cat([ids, *more(ids, None, steps)], dim=1)


@right
def generate_with_steps_0_first(model, ids, steps):
    if steps == 0:
        return ids
    logits, past = model(ids, None)
    token = logits[:, -1].argmax(-1).view(-1, 1)
    result = torch.cat([ids, token], 1)
    for _ in range(steps - 1):
        logits, past = model(token, past)
        token = logits[:, -1].argmax(-1).view(-1, 1)
        result = torch.cat([result, token], 1)
    return result


@right
def generate_with_lists_of_numbers(model, ids, steps):
    rows = ids.tolist()
    fed, past = ids, None
    for _ in range(steps):
        logits, past = model(fed, past)
        chosen = logits[:, -1].argmax(dim=1).tolist()
        for row, token in zip(rows, chosen):  # noqa: B905
            row.append(token)
        fed = torch.tensor(chosen)[:, None]
    return torch.tensor(rows)


@right
def generate_in_evaluation(model, ids, steps):
    model.eval()
    past, inputs = None, ids
    for _ in range(steps):
        output = model(inputs, past)
        past = output[1]
        inputs = output[0][:, -1].argmax(dim=-1, keepdim=True)
        ids = torch.cat([ids, inputs], dim=-1)
    return ids
