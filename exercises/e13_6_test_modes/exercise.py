"""Exercise 13.6: test_modes."""

from exercises.common.suspects import RUNNER
from exercises.e13_6_test_modes.misconceptions import known
from exercises.e13_6_test_modes.reference import test_modes
from exercises.e13_6_test_modes.suspects import bank
from feedback import Exercise

EXERCISE = Exercise(
    minutes=14,
    difficulty=2,
    gives="None or True where evaluation is repeatable and drops nothing, training drops other numbers in each call "
    "and keeps the mean, and modes can be switched; False or an AssertionError where that is not so",
    reference=test_modes,
    returns=("verdict",),
    runner=RUNNER,
    named_in_part=False,
    cases=bank.cases,
    minimal_inputs=(),
    misconceptions=known,
    properties=bank.properties(
        accuses="In which mode was it called, what was expected there, and how far may chance or rounding move it?",
        passes="In which mode, after which other calls, and in which comparison would that show?",
    ),
    hints=(
        "Write down what is promised: for two calls in evaluation, for two calls in training, for the mean of many "
        "calls in training, and for evaluation after training. Each is a comparison.",
        "For a mean that is right to a few hundredths you need thousands of draws. One call can make them: "
        "`x.expand(4000, T, C)` has 4,000 equal items, and other numbers are dropped in each.",
        "`still = module.eval()(x)`; then twice: `module.train()`, two calls, which differ, and whose mean over the "
        "items is `still[0]` to 0.06; `module.eval()`, two calls, which are `still` to 1e-4.",
    ),
    when_correct="Each input was a module to judge: your test found all wrong modes, and accused no right ones.",
)
