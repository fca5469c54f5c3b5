"""sample: the reference and its test cases; the page next to it says the rest."""

from functools import lru_cache

import torch

from exercises.common.generators import decided_by_the_generator, required
from exercises.common.inputs import generator, seeded, with_generator
from feedback import BehavioralTest, FunctionRunner, Property, SummaryComparison, TestCase
from feedback.format import number, sentence
from feedback.page_exercise import exercise


def sample(logits, temperature=1.0, top_k=None, generator=None):
    if temperature == 0:
        return logits.argmax(dim=-1)
    if top_k is not None and top_k < logits.size(-1):
        smallest = logits.topk(top_k).values[:, -1:]  # (B, 1), the smallest logit that stays
        logits = logits.masked_fill(logits < smallest, float("-inf"))
    probabilities = (logits / temperature).softmax(dim=-1)
    return torch.multinomial(probabilities, 1, generator=generator).squeeze(1)  # (B, 1) -> (B,)


# Two right answers draw different ids, so results are compared by their frequencies. A batch repeats two rows of logits
# many times, in turn, and the ids of equal rows are counted.

KINDS = 2  # the number of rows of logits that a large batch repeats
UNLIKELY = 50  # by chance, a G statistic with 8 degrees of freedom exceeds this once in 20 million tries
CLEARLY = 12  # names whose statistic is this much larger than the best one's are ruled out


def summary(args, value):
    """Return the name of the distribution that the ids fit, or which tokens they are if nothing is left to chance."""
    logits, temperature, _, _ = args
    if not isinstance(value, torch.Tensor) or value.shape != logits.shape[:1] or value.is_floating_point():
        return f"{type(value).__name__} {tuple(getattr(value, 'shape', ()))}"
    if not are_tokens(logits, value):
        return "no tokens"
    if is_small(args):
        return "some token" if temperature and len(value) == 1 else which(logits, value)
    counts = count(logits, value)
    found = {name: unlikeliness(counts, wanted) for name, wanted in distributions(args).items()}
    if min(found.values()) > UNLIKELY:
        return "one token for each kind of row" if ((counts > 0).sum(1) == 1).all() else "another"
    if found["right"] < UNLIKELY:
        return "right"
    return next(name for name, value in found.items() if value < min(found.values()) + CLEARLY)


def is_small(args):
    """Return whether there are too few rows to count; then nothing is left to chance, or only the shape is checked."""
    return len(args[0]) < 50


def are_tokens(logits, ids):
    return ids.min() >= 0 and ids.max() < logits.size(-1)


def which(logits, ids):
    ranks = (logits > logits.gather(1, ids[:, None].long())).sum(1)  # the number of more likely tokens
    if len(ranks.unique()) == 1:
        return f"rank {int(ranks[0])}"
    return "one and the same" if len(ids.unique()) == 1 else "others"


def count(logits, ids):
    """Return (KINDS, V): how often each token was drawn for each of the repeated rows."""
    vocabulary = logits.size(-1)
    return torch.stack([ids[row::KINDS].long().bincount(minlength=vocabulary) for row in range(KINDS)])


def unlikeliness(counts, wanted):
    """Return the G statistic (a likelihood ratio) of these counts; infinite if something impossible was drawn."""
    expected = counts.sum(1, keepdim=True) * wanted
    drawn = counts > 0
    if (wanted[drawn] < 1e-9).any():
        return float("inf")
    return float(2 * (counts[drawn] * (counts[drawn] / expected[drawn]).log()).sum())


def largest(z, k):
    """Return which entries are among the k largest of their row."""
    return z >= z.topk(min(k, z.size(-1))).values[:, -1:]


def hidden(z, mask):
    return z.masked_fill(~mask, float("-inf"))


def distributions(args):
    """Return {name: probabilities (KINDS, V)}, the right ones first, then those of mistakes."""
    logits, temperature, top_k, _ = args
    return _distributions(tuple(logits[:KINDS].double().flatten().tolist()), temperature, top_k)


@lru_cache(maxsize=64)  # used in every check
def _distributions(numbers, temperature, top_k):
    z = torch.tensor(numbers, dtype=torch.float64).view(KINDS, -1)
    k = z.size(-1) if top_k is None else top_k
    top, divided = largest(z, k), z / temperature
    found = {
        "right": hidden(divided, top),
        "temperature multiplied": hidden(z * temperature, top),
        "temperature ignored": hidden(z, top),
        "top_k ignored": divided,
        "one token more": hidden(divided, largest(z, k + 1)),
        "one token less": hidden(divided, largest(z, k - 1)) if k > 1 else divided,
        "the least likely": hidden(divided, largest(-z, k)),
        "the others": hidden(divided, ~top) if not top.all() else divided,
        "zero is no -inf": divided.masked_fill(~top, 0),
        "positions in the top k": hidden(divided.sort(descending=True).values, torch.arange(z.size(-1)) < k),
        "the cut of the first row": hidden(divided, z >= z[0].topk(min(k, z.size(-1))).values[-1]),
        "uniform": hidden(torch.zeros_like(z), top),
        "uniform over all": torch.zeros_like(z),
        "softmax twice": hidden(z.softmax(-1) / temperature, top),
        "softmax over the batch": hidden(divided.log_softmax(0), top),
        "greedy": hidden(z, largest(z, 1)),
        "least likely first": hidden(-divided, top),
    }
    return {name: x.softmax(-1) for name, x in found.items()}


def counted(case):
    """Show the token whose count is furthest off, preferably one that should never be drawn, and the right count."""
    logits = case.args[0]
    if not isinstance(case.actual, torch.Tensor) or case.actual.shape != case.expected.shape:
        return "one id for each row is asked for"
    if is_small(case.args):
        return first_row(case)
    if not are_tokens(logits, case.actual):
        return (
            f"your ids run from {int(case.actual.min())} to {int(case.actual.max())}; there are {logits.size(1)} tokens"
        )
    counts = count(logits, case.actual)
    wanted = distributions(case.args)["right"]
    total = counts.sum(1, keepdim=True)
    off = (counts / total - wanted).abs()
    off[(wanted == 0) & (counts > 0)] += 1  # larger than any difference of shares
    row, token = divmod(int(off.argmax()), logits.size(1))
    probability, rows = float(wanted[row, token]), int(total[row])
    should = f"about {round(rows * probability)}" if probability else "none"
    numbers = ", ".join(f"{x:.4g}" for x in logits[row].tolist())
    return (
        f"{given(case.args)}, the logits [{numbers}] give token {token} the probability "
        f"{number(probability) if probability else 0}: of {rows} such rows, {should} should draw it; yours did so in "
        f"{int(counts[row, token])}"
    )


def given(args):
    _, temperature, top_k, _ = args
    return f"with temperature = {temperature:g}" + ("" if top_k is None else f" and top_k = {top_k}")


def first_row(case):
    """Show the first row with a wrong id, if nothing is left to chance."""
    at = int((case.actual != case.expected).float().argmax())
    logits = ", ".join(f"{x:.4g}" for x in case.args[0][at].tolist())
    return (
        f"{given(case.args)}, the logits [{logits}] should give token {int(case.expected[at])}; yours gave "
        f"{int(case.actual[at])}"
    )


ROWS = torch.tensor([[1.6, -0.4, 0.3, 1.0, -1.2], [-0.9, 1.3, 1.8, -0.3, 0.5]])


def many(temperature=1.0, top_k=None, seed=None, plus=0.0, again=120):
    """Return a large batch that repeats two rows."""
    return ROWS.repeat(again, 1) + plus, temperature, top_k, seed


def few(seed, b, v, *options):
    return 2 * torch.randn(b, v, generator=generator(seed)), *options


def stage_of(args):
    """Judge the temperature first, then top_k, then a top_k above V, then temperature 0."""
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
    TestCase("top_k = 2", many(top_k=2, seed=6)),
    TestCase("temperature 4, top_k = 3", many(4.0, 3, 7, again=500)),
    TestCase("top_k = 1", few(8, 19, 11, 1.0, 1, 8)),
    TestCase("top_k = V", many(1.5, 5, 9)),
    TestCase("top_k above V", many(0.8, 50, 10)),
    TestCase("top_k = V, two tokens alike", (torch.zeros(400, 2), 1.0, 2, 16)),
    TestCase("temperature 0", few(11, 23, 13, 0.0, None, 11)),
    TestCase("temperature 0 and top_k = 3", few(12, 29, 11, 0.0, 3, 12)),
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


LOGITS = ROWS.repeat(40, 1)


def eighty_tokens(attempt, generator):
    return attempt(LOGITS.clone(), 1.0, None, *(() if generator is None else (generator,)))


def one_draw_for_all(attempt):
    """Explain wrong numbers: equal rows always get the same token, which changes from call to call."""
    found = [eighty_tokens(attempt, seeded(seed)) for seed in range(24)]
    apart = any(len(ids[row::2].unique()) > 1 for ids in found for row in (0, 1))
    if apart or all(torch.equal(ids, found[0]) for ids in found):
        return None
    return (
        "In each of 24 calls, 40 equal rows all drew the same token, and from call to call it was another one: one "
        "draw decided for the whole batch."
    )


def other_defaults(attempt):
    found = []
    for options in ((), (1.0, None)):
        torch.default_generator.manual_seed(3)
        found.append(attempt(LOGITS.clone(), *options))
    if torch.equal(*found):
        return None
    return "Called with logits alone, your code drew other tokens than with temperature=1.0 and top_k=None."


def wrong_frequencies(case):
    right = is_small(case.args) or summary(case.args, case.actual) == "right"
    return None if right else sentence(counted(case))


def wrong_token(case):
    is_free = case.args[1] and len(case.actual) == 1  # a single row with a random draw
    if not is_small(case.args) or is_free or torch.equal(case.actual, case.expected):
        return None
    return sentence(first_row(case))


EXERCISE = exercise(
    sample,
    returns=("ids",),
    runner=FunctionRunner(with_generator, ("logits", "temperature", "top_k", "the generator's seed")),
    comparison=SummaryComparison(summary),
    stage_of=stage_of,
    cases=CASES,
    minimal_inputs=(),
    axis_names={2240: "B", 240: "B", 5: "V"},
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
        (r"prob_dist must be", "`torch.multinomial` draws from the last axis of one or two axes: give it (B, V)."),
        (
            r"Categorical\.?(sample|__init__)?.*'generator'|sample\(\) got an unexpected keyword argument 'generator'",
            "`Categorical` takes no generator. `torch.multinomial(probabilities, 1, generator=generator)` does.",
        ),
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
        *decided_by_the_generator(
            eighty_tokens,
            "drew the same 80 tokens",
            "gave different tokens",
            "Pass the generator on to whatever draws. (`Categorical` and NumPy cannot use it.)",
            "same-draws",
        ),
        required(
            "other-defaults",
            other_defaults,
            "called with logits alone,",
            "The defaults are part of the signature: temperature=1.0, top_k=None, generator=None.",
        ),
    ),
)
