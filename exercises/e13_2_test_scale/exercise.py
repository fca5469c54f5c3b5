"""Exercise 13.2: test_scale."""

from exercises.common.suspects import RUNNER
from exercises.e13_2_test_scale.misconceptions import known
from exercises.e13_2_test_scale.reference import test_scale
from exercises.e13_2_test_scale.suspects import bank
from feedback import Exercise

EXERCISE = Exercise(
    minutes=8,
    difficulty=1,
    gives="None or True where `scores_of(q, k)` is q · k / √D, and False or an AssertionError where it is not",
    reference=test_scale,
    returns=("verdict",),
    runner=RUNNER,
    named_in_part=False,
    cases=bank.cases,
    minimal_inputs=(),
    misconceptions=known,
    properties=bank.properties(
        accuses="Is what you compare with q · k / √D, and do you allow for rounding?",
        passes="For which sizes would your test have to try it, and what would it have to compare, to see that?",
    ),
    hints=(
        "You know what each score should be. Which sizes can be taken for D by mistake, and for which q and k would "
        "somebody be right by chance?",
        "Draw q (2, 3, 5, D) and k (2, 3, 7, D), and compare with `q @ k.transpose(-2, -1) / math.sqrt(D)`. Do that "
        "for several D: small and large, odd and even.",
        "A loop over D in (2, 3, 8, 64, 80), and in it an `assert` that the largest absolute difference is below 1e-4.",
    ),
    when_correct="Each input was a function to judge: your test found every wrong scale, and accused no right one.",
)
