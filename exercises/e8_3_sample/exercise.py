"""Exercise 8.3: sample."""

import torch

from exercises.common.inputs import generator, seeded, with_generator
from exercises.e8_3_sample import draws
from exercises.e8_3_sample.misconceptions import known
from exercises.e8_3_sample.reference import sample
from feedback import BehavioralTest, Exercise, FunctionRunner, Property, SummaryComparison, TestCase
from feedback.format import listed, sentence

ROWS = torch.tensor([[1.6, -0.4, 0.3, 1.0, -1.2], [-0.9, 1.3, 1.8, -0.3, 0.5]])


def many(temperature=1.0, top_k=None, seed=None, plus=0.0, dtype=torch.float32, again=120):
    """A large batch that repeats two rows."""
    return ROWS.repeat(again, 1).to(dtype) + plus, temperature, top_k, seed


def few(seed, b, v, *options):
    return 2 * torch.randn(b, v, generator=generator(seed)), *options


def stage_of(args):
    """The temperature first, then top_k, then a top_k above V, then temperature 0."""
    logits, temperature, top_k, _ = args
    if temperature == 0:
        return 3
    return 0 if top_k is None else 1 + int(top_k > logits.size(-1))


NEARLY_ALIKE = torch.tensor([[0.0, 0.01, -1.0], [2.01, -3.0, 2.0]]).repeat(20, 1)
SURE = torch.tensor([[-30.0, 2.0, 40.0, -5.0]])

CASES = (
    TestCase("temperature 1", many(seed=1, again=1200)),
    TestCase("temperature 0.5", many(0.5, seed=2, again=700)),
    TestCase("temperature 3", many(3.0, seed=3, again=500)),
    TestCase("a batch of one row", (SURE, 1.0, None, 4)),
    TestCase("a call without a generator, temperature 2", many(2.0, again=300)),
    TestCase("float64, temperature 0.4", many(0.4, seed=5, dtype=torch.float64, again=400)),
    TestCase("top_k = 2", many(top_k=2, seed=6)),
    TestCase("temperature 4, top_k = 3", many(4.0, 3, 7, again=500)),
    TestCase("top_k = 1", few(8, 19, 11, 1.0, 1, 8)),
    TestCase("top_k = V", many(1.5, 5, 9)),
    TestCase("top_k above V", many(0.8, 50, 10)),
    TestCase("top_k = V, two tokens alike", (torch.zeros(400, 2), 1.0, 2, 16)),
    TestCase("temperature 0", few(11, 23, 13, 0.0, None, 11)),
    TestCase("temperature 0 and top_k = 3", few(12, 29, 11, 0.0, 3, 12)),
    TestCase("temperature 0, no generator", few(13, 31, 7, 0, None, None)),
    TestCase("temperature 0, two logits nearly alike", (NEARLY_ALIKE, 0.0, None, 15)),
    TestCase(
        "temperature 0, two logits that differ by 0.000001",
        (torch.tensor([[1.0, 1.000001]]).repeat(20, 1), 0.0, None, 18),
        limitation="It has a limit: at temperature 0, two logits that differ by 0.000001. A very small temperature is "
        "not 0, and there the likelier token must come every time: argmax takes it without a division.",
    ),
    TestCase(
        "logits around 500",
        many(seed=14, plus=500.0),
        limitation="It has a limit: with logits around 500, exp overflows; a softmax that takes away the largest logit "
        "first does not.",
    ),
    TestCase(
        "logits around -300, top_k = 1",
        (torch.tensor([[-300.0, -301.0, -400.0]]).repeat(40, 1), 1.0, 1, 17),
        limitation="It has a limit: tokens outside top_k must not be drawn, however low the others are. -inf is below "
        "every logit; and a softmax that takes away the largest logit first does not divide 0 by 0.",
    ),
)


# ---------------------------------------------------------------- behavioral tests

LOGITS = ROWS.repeat(40, 1)


def ask(attempt, generator=None, top_k=None):
    return attempt(LOGITS.clone(), 1.0, top_k, *(() if generator is None else (generator,)))


def one_draw_for_all(attempt):
    """Explains wrong numbers: equal rows always get the same token, which changes from call to call."""
    found = [ask(attempt, seeded(seed)) for seed in range(24)]
    if any(len(ids[row::2].unique()) > 1 for ids in found for row in (0, 1)) or len(torch.stack(found).unique()) == 1:
        return None
    if all(torch.equal(ids, found[0]) for ids in found):
        return None
    return (
        "In each of 24 calls, 40 equal rows all drew the same token, and from call to call it was another one: one "
        "draw decided for the whole batch."
    )


def draws_again(attempt):
    generator = seeded(1)
    if torch.equal(ask(attempt, generator), ask(attempt, generator)):
        return "Called twice with one and the same generator, your code drew the same 80 tokens both times."
    return None


def listens(attempt):
    for top_k in (None, 3):
        found = []
        for seed in (1, 2):  # of torch's global generator, which must not matter
            torch.default_generator.manual_seed(seed)
            found.append(ask(attempt, seeded(7), top_k))
        if not torch.equal(*found):
            return (
                f"With top_k = {top_k}, two generators with the same seed gave different tokens: something other than "
                "the generator decides."
            )
    return None


def leaves_the_global_generator(attempt):
    before = torch.random.get_rng_state()
    ask(attempt, seeded(7))
    if torch.equal(before, torch.random.get_rng_state()):
        return None
    return "With a generator, torch's global one must stay still; after your code has run, it has moved or was seeded."


def ignores_its_defaults(attempt):
    """Without further arguments the temperature is 1, and no token is left out."""
    torch.default_generator.manual_seed(3)
    drawn = attempt(LOGITS.clone())
    missing = sorted(set(range(LOGITS.size(1))) - set(drawn.tolist()))
    if not missing:
        return None
    return f"Called with logits alone, your code never drew {listed([f'token {token}' for token in missing])}."


def draws_without(attempt):
    torch.default_generator.manual_seed(3)
    first, second = ask(attempt), ask(attempt)
    if torch.equal(first, second):
        return "Called twice without a generator, your code drew the same 80 tokens both times."
    torch.default_generator.manual_seed(3)
    if not torch.equal(first, ask(attempt)):
        return "Without a generator, `torch.manual_seed(3)` before two calls gave different tokens."
    return None


def with_the_generator(id, test, hint, while_doing="called with a generator,"):
    return BehavioralTest(id, test, hint, required=True, while_doing=while_doing)


PASS_IT_ON = (
    "Pass the generator on to whatever draws: `torch.multinomial(..., generator=generator)`. (`Categorical` and NumPy "
    "cannot use it.)"
)


def wrong_frequencies(case):
    args = case.args
    return None if draws.is_small(args) or draws.summary(args, case.actual) == "right" else sentence(draws.told(case))


def wrong_token(case):
    is_free = case.args[1] and len(case.actual) == 1  # a single row that was drawn for
    if not draws.is_small(case.args) or is_free or torch.equal(case.actual, case.expected):
        return None
    return sentence(draws.first_row(case))


EXERCISE = Exercise(
    minutes=10,
    difficulty=2,
    gives="ids (B,): for each row of logits (B, V) one token, drawn from softmax(logits / temperature) among the top_k "
    "most likely ones; at temperature 0 the most likely one",
    reference=sample,
    returns=("ids",),
    runner=FunctionRunner(with_generator, ("logits", "temperature", "top_k", "the generator's seed")),
    comparison=SummaryComparison(draws.summary),
    stage_of=stage_of,
    cases=CASES,
    minimal_inputs=(),
    axis_names={2240: "B", 240: "B", 5: "V"},
    misconceptions=known,
    error_meanings=(
        (
            r"probability tensor contains|invalid multinomial distribution",
            "What was to be drawn from is no distribution: some entries are negative, infinite or NaN. Logits need a "
            "softmax first, and a division by temperature 0 is no division at all.",
        ),
        (
            r"selected index k out of range|index \d+ is out of bounds",
            "There are not as many tokens as top_k asks for; then all of them may be drawn.",
        ),
        (
            r"prob_dist must be",
            "`torch.multinomial` draws from the last axis of one or two axes: give it (B, V).",
        ),
        (
            r"Categorical\.?(sample|__init__)?.*'generator'|sample\(\) got an unexpected keyword argument 'generator'",
            "`Categorical` takes no generator. `torch.multinomial(probabilities, 1, generator=generator)` does.",
        ),
    ),
    hints=(
        "What is done to the logits before they become probabilities, and in which order? One of these steps is "
        "impossible at temperature 0: what is asked for there? And what if `top_k` is larger than V?",
        "Hide all but the `top_k` largest, divide by the temperature, then take the softmax, and draw with "
        "`torch.multinomial`. The smallest logit that stays in each row is `logits.topk(min(top_k, V)).values[:, "
        "-1:]`; what is lower becomes -inf.",
        "`torch.multinomial(probabilities, 1, generator=generator).squeeze(1)`; and first of all, `if temperature == "
        "0: return logits.argmax(dim=-1)`.",
    ),
    properties=(
        Property("wrong-token", wrong_token, "Nothing is left to chance here. Follow this row by hand."),
        Property(
            "wrong-frequencies",
            wrong_frequencies,
            "Print the probabilities of one row just before you draw. If they are softmax(logits / temperature) of "
            "what may be drawn, look at the draw itself; if not, at the steps before it.",
        ),
    ),
    behavioral_tests=(
        BehavioralTest(
            "one-draw-for-all",
            one_draw_for_all,
            "Each row needs a draw of its own: how many random numbers does your code draw?",
            early=True,
        ),
        with_the_generator(
            "same-draws",
            draws_again,
            "Every call should draw new tokens: draw with the generator you are given, and seed nothing inside.",
            "called a second time,",
        ),
        with_the_generator("generator-ignored", listens, PASS_IT_ON),
        with_the_generator(
            "other-defaults",
            ignores_its_defaults,
            "The defaults are part of the signature: temperature=1.0, top_k=None, generator=None.",
            "called with logits alone,",
        ),
        with_the_generator("global-generator-moved", leaves_the_global_generator, PASS_IT_ON + " And seed nothing."),
        with_the_generator(
            "not-repeatable",
            draws_without,
            "With `generator=None`, torch's functions use its global generator, so there is nothing more to do: no "
            "seed, and no generator of your own.",
            "called without a generator,",
        ),
    ),
    when_correct="The model gives probabilities; what it writes is your choice.",
)
