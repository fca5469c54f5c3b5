"""Exercise 13.1: test_future."""

from exercises.common.suspects import RUNNER
from exercises.e13_1_test_future.misconceptions import known
from exercises.e13_1_test_future.reference import test_future
from exercises.e13_1_test_future.suspects import bank
from feedback import Exercise

EXERCISE = Exercise(
    minutes=12,
    difficulty=2,
    gives="None or True where no output of `attend` depends on later inputs, and False or an AssertionError where some "
    "output does",
    reference=test_future,
    returns=("verdict",),
    runner=RUNNER,
    named_in_part=False,
    cases=bank.cases,
    minimal_inputs=(),
    misconceptions=known,
    properties=bank.properties(
        accuses="What may a healthy function do that your test does not allow? Compare outputs up to a position, on "
        "inputs that are the same up to there, and allow for rounding.",
        passes="What would your test have to try, and what would it have to compare, to see that?",
    ),
    hints=(
        "If no output depends on what stands later, what must be the same for a text and for its beginning alone?",
        "Apply `attend` to x, (2, 12, 4) say, and to `x[:, :t]` for each t. Where must the two agree, and how closely?",
        "`(attend(x[:, :t]) - attend(x)[:, :t]).abs().max()` is below 1e-4 in healthy code, for each t from 1 to 11, "
        "and above 1e-3 for some t in broken code. `assert` that.",
    ),
    error_meanings=(
        (
            r"does not require grad",
            "Gradients may not flow through what you test, and healthy code may be without them: compare outputs.",
        ),
    ),
    when_correct="Each input was a function to judge: your test found every leak, and accused no healthy code.",
)
