"""Wrong answers to exercise 8.4, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET504, B007 - naming a result before returning it is what learners do

import torch

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


@wrong("no-cache")
def generate_without_a_cache(model, ids, steps):
    for _ in range(steps):
        logits, _ = model(ids, None)
        ids = torch.cat([ids, logits[:, -1].argmax(-1, keepdim=True)], dim=1)
    return ids


@wrong("everything-on-top-of-the-past")
def generate_everything_again(model, ids, steps):
    past = None
    for _ in range(steps):
        logits, past = model(ids, past=past)
        ids = torch.cat([ids, logits[:, -1].argmax(-1)[:, None]], dim=1)
    return ids


@wrong("past-forgotten")
def generate_without_the_past(model, ids, steps):
    new = ids
    for _ in range(steps):
        logits, past = model(new)
        new = logits[:, -1].argmax(-1, keepdim=True)
        ids = torch.cat([ids, new], dim=1)
    return ids


@wrong("past-forgotten")
def generate_with_positions_that_restart(model, ids, steps):
    logits, past = model(ids)
    for _ in range(steps):
        new = logits[:, -1].argmax(-1, keepdim=True)
        ids = torch.cat([ids, new], dim=1)
        logits, _ = model(new)
    return ids


@wrong("past-not-updated")
def generate_with_a_stale_past(model, ids, steps):
    logits, past = model(ids)
    for _ in range(steps):
        new = logits[:, -1].argmax(-1, keepdim=True)
        ids = torch.cat([ids, new], dim=1)
        logits, new_past = model(new, past)
    return ids


@wrong("last-token-twice")
def generate_after_reading_the_prefix(model, ids, steps):
    logits, past = model(ids)
    for _ in range(steps):
        logits, past = model(ids[:, -1:], past)
        ids = torch.cat([ids, logits[:, -1].argmax(-1, keepdim=True)], dim=1)
    return ids


@wrong("fed-otherwise")
def generate_with_two_calls_for_each_token(model, ids, steps):
    past, new = None, ids
    for _ in range(steps):
        logits = model(new, past)[0]
        new = logits[:, -1].argmax(-1, keepdim=True)
        ids = torch.cat([ids, new], dim=1)
        if past is None:
            past = model(ids, None)[1]
    return ids


@wrong("prefix-token-by-token")
def generate_reading_the_prefix_in_a_loop(model, ids, steps):
    past = None
    for t in range(ids.size(1)):
        logits, past = model(ids[:, [t]], past)
    for _ in range(steps):
        new = logits[:, -1].argmax(-1, keepdim=True)
        ids = torch.cat([ids, new], dim=1)
        logits, past = model(new, past)
    return ids


@wrong("prefix-in-two-calls")
def generate_with_the_last_token_apart(model, ids, steps):
    if steps == 0:
        return ids
    past = None
    if ids.size(1) > 1:
        _, past = model(ids[:, :-1])
    for _ in range(steps):
        logits, past = model(ids[:, -1:], past)
        ids = torch.cat([ids, logits[:, -1].argmax(-1, keepdim=True)], dim=1)
    return ids


@wrong("prefix-cut")
def generate_from_the_last_token(model, ids, steps):
    past, new = None, ids[:, -1:]
    for _ in range(steps):
        logits, past = model(new, past)
        new = logits[:, -1].argmax(-1, keepdim=True)
        ids = torch.cat([ids, new], dim=1)
    return ids


@wrong("same-token-fed")
def generate_from_the_same_ids(model, ids, steps):
    result, past = ids, None
    for _ in range(steps):
        logits, past = model(ids, past)
        result = torch.cat([result, logits[:, -1].argmax(-1, keepdim=True)], dim=1)
    return result


@wrong("first-logits")
def generate_from_the_first_position(model, ids, steps):
    new, past = ids, None
    for _ in range(steps):
        logits, past = model(new, past)
        new = logits[:, 0].argmax(-1, keepdim=True)
        ids = torch.cat([ids, new], dim=1)
    return ids


@wrong("drawn")
def generate_by_chance(model, ids, steps):
    new, past = ids, None
    for _ in range(steps):
        logits, past = model(new, past)
        new = torch.multinomial(logits[:, -1].softmax(-1), 1)
        ids = torch.cat([ids, new], dim=1)
    return ids


@wrong("least-likely")
def generate_argmin(model, ids, steps):
    new, past = ids, None
    for _ in range(steps):
        logits, past = model(new, past)
        new = logits[:, -1].argmin(-1, keepdim=True)
        ids = torch.cat([ids, new], dim=1)
    return ids


@wrong("one-token-for-all-rows")
def generate_for_row_0(model, ids, steps):
    new, past = ids, None
    for _ in range(steps):
        logits, past = model(new, past)
        new = torch.full((ids.size(0), 1), int(logits[0, -1].argmax()))
        ids = torch.cat([ids, new], dim=1)
    return ids


@wrong("all-positions-taken")
def generate_at_all_positions(model, ids, steps):
    new, past = ids, None
    for _ in range(steps):
        logits, past = model(new, past)
        new = logits.argmax(dim=-1)
        ids = torch.cat([ids, new], dim=1)
    return ids


@wrong("only-the-new")
def generate_only_new_tokens(model, ids, steps):
    new, past, out = ids, None, [ids[:, :0]]
    for _ in range(steps):
        logits, past = model(new, past)
        new = logits[:, -1].argmax(-1, keepdim=True)
        out.append(new)
    return torch.cat(out, dim=1)


@wrong("one-token-less")
def generate_one_less(model, ids, steps):
    logits, past = model(ids)
    for _ in range(steps - 1):
        new = logits[:, -1].argmax(-1, keepdim=True)
        ids = torch.cat([ids, new], dim=1)
        logits, past = model(new, past)
    return ids


@wrong("one-token-more")
def generate_one_more(model, ids, steps):
    logits, past = model(ids)
    new = logits[:, -1].argmax(-1, keepdim=True)
    ids = torch.cat([ids, new], dim=1)
    for _ in range(steps):
        logits, past = model(new, past)
        new = logits[:, -1].argmax(-1, keepdim=True)
        ids = torch.cat([ids, new], dim=1)
    return ids


@wrong("a-token-for-0-steps")
def generate_at_least_one(model, ids, steps):
    logits, past = model(ids)
    new = logits[:, -1].argmax(-1, keepdim=True)
    ids = torch.cat([ids, new], dim=1)
    for _ in range(steps - 1):
        logits, past = model(new, past)
        new = logits[:, -1].argmax(-1, keepdim=True)
        ids = torch.cat([ids, new], dim=1)
    return ids


@wrong("length-not-steps")
def generate_up_to_steps(model, ids, steps):
    new, past = ids, None
    while ids.size(1) < steps:
        logits, past = model(new, past)
        new = logits[:, -1].argmax(-1, keepdim=True)
        ids = torch.cat([ids, new], dim=1)
    return ids


@wrong("in-front")
def generate_in_front(model, ids, steps):
    new, past = ids, None
    for _ in range(steps):
        logits, past = model(new, past)
        new = logits[:, -1].argmax(-1, keepdim=True)
        ids = torch.cat([new, ids], dim=1)
    return ids


@wrong()
def generate_without_keepdim(model, ids, steps):
    new, past = ids, None
    for _ in range(steps):
        logits, past = model(new, past)
        new = logits[:, -1].argmax(-1)
        ids = torch.cat([ids, new[:, None]], dim=1)
    return ids


@wrong()
def generate_with_the_pair(model, ids, steps):
    for _ in range(steps):
        logits = model(ids)
        ids = torch.cat([ids, logits[:, -1].argmax(-1, keepdim=True)], dim=1)
    return ids


@wrong("returns-wrong-type")
def generate_and_past(model, ids, steps):
    new, past = ids, None
    for _ in range(steps):
        logits, past = model(new, past)
        new = logits[:, -1].argmax(-1, keepdim=True)
        ids = torch.cat([ids, new], dim=1)
    return ids, past


@wrong("returns-none")
def generate_nothing(model, ids, steps):
    new, past = ids, None
    for _ in range(steps):
        logits, past = model(new, past)
        new = logits[:, -1].argmax(-1, keepdim=True)
        ids = torch.cat([ids, new], dim=1)


@wrong("wrong-dtype")
def generate_floats(model, ids, steps):
    new, past, out = ids, None, ids.float()
    for _ in range(steps):
        logits, past = model(new, past)
        new = logits[:, -1].argmax(-1, keepdim=True)
        out = torch.cat([out, new], dim=1)
    return out


@wrong("tokens-fed-again")
def generate_from_the_last_two(model, ids, steps):
    logits, past = model(ids)
    for _ in range(steps):
        ids = torch.cat([ids, logits[:, -1].argmax(-1, keepdim=True)], 1)
        logits, past = model(ids[:, -2:], past)
    return ids


@wrong()
def generate_with_the_pair_turned_around(model, ids, steps):
    past, logits = model(ids)
    for _ in range(steps):
        new = logits[:, -1].argmax(-1, keepdim=True)
        ids = torch.cat([ids, new], 1)
        past, logits = model(new, past)
    return ids
