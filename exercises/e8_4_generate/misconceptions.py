"""What people get wrong in exercise 8.4, generate."""

import torch

from feedback import Misconceptions
from feedback.format import counted, shortly

known = Misconceptions()


def told(case):
    """The first call of the model that is not right, or else the first row that is not."""
    ids, fed = case.actual
    right_ids, right_fed = case.expected
    for number, (mine, right) in enumerate(zip(fed, right_fed, strict=False), start=1):
        if mine != right:
            return f"call {number} of the model should get {call_of(right)}; yours gets {call_of(mine)}"
    if len(fed) != len(right_fed):
        calls, new = counted(len(right_fed), "call", "calls"), counted(case.args[2], "new token", "new tokens")
        return f"{new} should take {calls} of the model; yours makes {len(fed)}"
    return wrong_ids(ids, right_ids)


def wrong_ids(ids, right_ids):
    if not isinstance(ids, list) or len(ids) != len(right_ids) or not isinstance(ids[0], list):
        return f"your result is {shortly(ids)}, and {right_ids} is right"
    at = next((row for row, right in enumerate(right_ids) if ids[row] != right), 0)
    return f"row {at} of your result is {ids[at]}, and {right_ids[at]} is right"


def call_of(feed):
    """What the model was fed, for example 'the ids [[3]] and a past of 5 positions'."""
    ids, covered = feed
    past = f"a past of {counted(covered, 'position', 'positions')}" if covered else "no past"
    return f"the ids {shortly(ids)} and {past}"


def mistake(id, means, hint):
    return known(id, means=means, hint=hint, explain=told)


def likeliest(logits):
    return logits[:, -1].argmax(-1, keepdim=True)


# ---------------------------------------------------------------- what the model is fed


@mistake(
    "no-cache",
    "The tokens may be right, but the whole text is fed again in every step, without a past: the model reads the same "
    "tokens over and over.",
    "The past covers all that was fed. What has the model not read yet?",
)
def everything_again(model, ids, steps):
    for _ in range(steps):
        logits, _ = model(ids)
        ids = torch.cat([ids, likeliest(logits)], 1)
    return ids


@mistake(
    "everything-on-top-of-the-past",
    "The whole text is fed again on top of a past that already covers it: the model reads every token several times, "
    "each time at later positions.",
    "With a past, only the new token is fed: which shape does it have?",
)
def everything_and_the_past(model, ids, steps):
    past = None
    for _ in range(steps):
        logits, past = model(ids, past)
        ids = torch.cat([ids, likeliest(logits)], 1)
    return ids


@mistake(
    "past-forgotten",
    "New tokens are fed without the past: the model knows nothing of the text, and begins again at position 0.",
    "Hand the past that a call returned to the next one: `model(new, past)`.",
)
def without_the_past(model, ids, steps):
    new = ids
    for _ in range(steps):
        logits, _ = model(new)
        new = likeliest(logits)
        ids = torch.cat([ids, new], 1)
    return ids


@known.also("past-forgotten")
def past_of_the_prefix_forgotten(model, ids, steps):
    new, past = ids, None
    for step in range(steps):
        logits, past = model(new, past if step > 1 else None)
        new = likeliest(logits)
        ids = torch.cat([ids, new], 1)
    return ids


@mistake(
    "past-not-updated",
    "Every new token is fed with the past of the prefix: the tokens that were generated before it are missing, and its "
    "position does not move on.",
    "Each call returns a longer past. Which one does the next call get?",
)
def past_of_the_prefix(model, ids, steps):
    if not steps:
        return ids
    logits, past = model(ids)
    for step in range(steps):
        new = likeliest(logits)
        ids = torch.cat([ids, new], 1)
        if step + 1 < steps:
            logits, _ = model(new, past)
    return ids


@mistake(
    "last-token-twice",
    "The last token of the prefix is fed twice, once with the prefix and once more by itself, so it is in the past "
    "twice.",
    "The logits of the prefix already hold the first new token: use them before you feed again.",
)
def last_of_the_prefix_again(model, ids, steps):
    _, past = model(ids)
    for _ in range(steps):
        logits, past = model(ids[:, -1:], past)
        ids = torch.cat([ids, likeliest(logits)], 1)
    return ids


@mistake(
    "tokens-fed-again",
    "After the prefix, tokens are fed that an earlier call was fed already: they are in the past twice.",
    "Each call needs what no call has read before, and nothing else: the one new token of each row, (B, 1).",
)
def each_new_token_twice(model, ids, steps):
    new, past = ids, None
    for _ in range(steps):
        logits, past = model(new, past)
        ids = torch.cat([ids, likeliest(logits)], 1)
        new = ids[:, -2:]
    return ids


@known.also("tokens-fed-again")
def every_call_made_twice(model, ids, steps):
    new, past = ids, None
    for _ in range(steps):
        logits, past = model(new, past)
        new = likeliest(logits)
        ids = torch.cat([ids, new], 1)
        _, past = model(new, past)
    return ids


@mistake(
    "prefix-token-by-token",
    "The prefix is fed one token at a time; it is known from the start, so one call can read all of it.",
    "Positions that are known can be read side by side: feed the whole prefix in the first call.",
)
def prefix_in_a_loop(model, ids, steps):
    past = None
    for t in range(ids.size(1)):
        logits, past = model(ids[:, t : t + 1], past)
    for step in range(steps):
        new = likeliest(logits)
        ids = torch.cat([ids, new], 1)
        if step + 1 < steps:
            logits, past = model(new, past)
    return ids


@mistake(
    "prefix-in-two-calls",
    "The prefix is fed in two calls: first all but its last token, and then that one.",
    "The tokens are the same, but one call is too many: the first call's logits at the last position are all you need.",
)
def all_but_the_last_first(model, ids, steps):
    if not steps:
        return ids
    past = model(ids[:, :-1])[1] if ids.size(1) > 1 else None
    for _ in range(steps):
        logits, past = model(ids[:, -1:], past)
        ids = torch.cat([ids, likeliest(logits)], 1)
    return ids


@mistake(
    "prefix-cut",
    "Only the last token of the prefix is fed: the model never sees what comes before it.",
    "There is no past yet in the first call. What must the model read then?",
)
def only_the_last(model, ids, steps):
    past = None
    for _ in range(steps):
        logits, past = model(ids[:, -1:], past)
        ids = torch.cat([ids, likeliest(logits)], 1)
    return ids


@mistake(
    "same-token-fed",
    "The token that is fed never changes: in every step it is the prefix, or its last token.",
    "What the model has not read yet is the token that you have just appended.",
)
def prefix_every_time(model, ids, steps):
    past, out = None, ids
    for _ in range(steps):
        logits, past = model(ids, past)
        out = torch.cat([out, likeliest(logits)], 1)
    return out


@known.also("same-token-fed")
def last_of_the_prefix_every_time(model, ids, steps):
    past, out, new = None, ids, ids
    for _ in range(steps):
        logits, past = model(new, past)
        out, new = torch.cat([out, likeliest(logits)], 1), ids[:, -1:]
    return out


@known.also("same-token-fed")
def prefix_every_time_without_a_past(model, ids, steps):
    out = ids
    for _ in range(steps):
        out = torch.cat([out, likeliest(model(ids)[0])], 1)
    return out


# ---------------------------------------------------------------- which token is taken


def writes(choose):
    """A right answer but for the choice of the next token: choose(logits) -> (B, 1)."""

    def generate(model, ids, steps):
        new, past = ids, None
        for _ in range(steps):
            logits, past = model(new, past)
            new = choose(logits)
            ids = torch.cat([ids, new], 1)
        return ids

    return generate


@mistake(
    "first-logits",
    "After the prefix, the logits of an earlier position were used, such as its first, not those of its last.",
    "The logits at position t predict token t + 1. Which position predicts the token after the prefix?",
)
def first_position(model, ids, steps):
    return writes(lambda logits: logits[:, 0].argmax(-1, keepdim=True))(model, ids, steps)


known.also("first-logits")(
    writes(lambda logits: logits[:, -2:-1].argmax(-1) if logits.size(1) > 1 else likeliest(logits))
)


@mistake(
    "drawn",
    "The next token was drawn at random; here the most likely one is asked for.",
    "Greedy means `argmax`.",
)
def at_random(model, ids, steps):
    return writes(lambda logits: torch.multinomial(logits[:, -1].softmax(-1), 1))(model, ids, steps)


@mistake(
    "least-likely",
    "The least likely token was taken.",
    "The largest logit belongs to the most likely token.",
)
def the_smallest(model, ids, steps):
    return writes(lambda logits: logits[:, -1].argmin(-1, keepdim=True))(model, ids, steps)


@mistake(
    "one-token-for-all-rows",
    "All rows of the batch get the same new token.",
    "Each row has logits of its own: `argmax(dim=-1)` gives (B,).",
)
def of_the_first_row(model, ids, steps):
    return writes(lambda logits: likeliest(logits[:1]).expand(len(logits), 1))(model, ids, steps)


@mistake(
    "all-positions-taken",
    "A token was taken at every position that was fed, not only at the last: the first step appends as many tokens as "
    "the prefix has.",
    "Only the last position predicts something new: `logits[:, -1]`.",
)
def argmax_of_all_positions(model, ids, steps):
    return writes(lambda logits: logits.argmax(-1))(model, ids, steps)


# ---------------------------------------------------------------- what is returned


@mistake(
    "only-the-new",
    "Only the new tokens came back; the prefix belongs to the result, (B, T + steps).",
    "Start from ids, and append.",
)
def without_the_prefix(model, ids, steps):
    return writes(likeliest)(model, ids, steps)[:, ids.size(1) :]


@mistake(
    "one-token-less",
    "There is one new token less than steps.",
    "How many tokens does the prefix's call give, and how many does each later one? Count them for steps = 1.",
)
def one_less(model, ids, steps):
    return writes(likeliest)(model, ids, max(steps - 1, 0))


@known.also("one-token-less")
def last_one_not_appended(model, ids, steps):
    new, past, out = ids, None, []
    for _ in range(steps):
        out.append(new)
        logits, past = model(new, past)
        new = likeliest(logits)
    return torch.cat(out, 1) if out else ids


@mistake(
    "one-token-more",
    "There is one new token more than steps.",
    "How many tokens does the prefix's call give, and how many does each later one? Count them for steps = 1.",
)
def one_more(model, ids, steps):
    return writes(likeliest)(model, ids, steps + 1)


@mistake(
    "a-token-for-0-steps",
    "With steps = 0 there is a new token all the same; the result should be ids.",
    "Does your code take a token before it asks whether there is a step at all?",
)
def one_at_least(model, ids, steps):
    return writes(likeliest)(model, ids, max(steps, 1))


@mistake(
    "length-not-steps",
    "steps was taken as the length of the result; it is the number of new tokens.",
    "The result has the shape (B, T + steps).",
)
def until_the_length(model, ids, steps):
    return writes(likeliest)(model, ids, max(0, steps - ids.size(1)))


@mistake(
    "in-front",
    "New tokens were put in front of the text, not behind it.",
    "`torch.cat([ids, new], dim=1)`: what comes first stands in front.",
)
def newest_first(model, ids, steps):
    new, past, out = ids, None, ids
    for _ in range(steps):
        logits, past = model(new, past)
        new = likeliest(logits)
        out = torch.cat([new, out], 1)
    return out
