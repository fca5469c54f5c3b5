"""Exercise 13.4: test_cache."""

from exercises.common.suspects import RUNNER
from exercises.e13_4_test_cache.misconceptions import known
from exercises.e13_4_test_cache.reference import test_cache
from exercises.e13_4_test_cache.suspects import bank
from feedback import Exercise

EXERCISE = Exercise(
    minutes=18,
    difficulty=3,
    gives="None or True where a text in pieces gives what it gives at once, and False or an AssertionError where it "
    "does not",
    reference=test_cache,
    returns=("verdict",),
    runner=RUNNER,
    named_in_part=False,
    cases=bank.cases,
    minimal_inputs=(),
    misconceptions=known,
    properties=bank.properties(
        accuses="Which logits does your test compare with which, and how closely? And does it pass on what the call "
        "before returned, whatever that is?",
        passes="Which pieces, which texts, and which order of calls would show that?",
    ),
    hints=(
        "Write down what may differ from one use of a cache to another: how long the pieces are, how many there are, "
        "how long the text is, how many items, and who goes on from which past.",
        "`ids.split(sizes, dim=1)` cuts a text. Feed the pieces one by one, each with the past that the call before "
        "returned, and compare with the logits of `model(ids)` for the same tokens.",
        "For branches: `_, past = model(start)`, then `_, first = model(a, past)` and `second, _ = model(b, past)`. "
        "Compare `second` with start + b at once, and then what `model(c, first)` gives with start + a + c at once.",
    ),
    error_meanings=(
        (
            r"index out of range|index -?\d+ is out of bounds",
            "The model knows the ids from 0 to 49: `torch.randint(50, (B, T))` draws them.",
        ),
    ),
    when_correct="Each input was a model to judge: your test found every broken cache, and accused no healthy one.",
)
