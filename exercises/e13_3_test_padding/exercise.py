"""Exercise 13.3: test_padding."""

from exercises.common.suspects import RUNNER
from exercises.e13_3_test_padding.misconceptions import known
from exercises.e13_3_test_padding.reference import test_padding
from exercises.e13_3_test_padding.suspects import bank
from feedback import Exercise

EXERCISE = Exercise(
    minutes=12,
    difficulty=2,
    gives="None or True where what stands in padding does not matter to real tokens, and False or an AssertionError "
    "where it does",
    reference=test_padding,
    returns=("verdict",),
    runner=RUNNER,
    named_in_part=False,
    cases=bank.cases,
    minimal_inputs=(),
    misconceptions=known,
    properties=bank.properties(
        accuses="What may a healthy model do that your test does not allow? Which outputs does it compare, and is "
        "anything another but ids in padding?",
        passes="Which batch would show that: on which side is its padding, and how long are its texts? And what would "
        "your test have to compare?",
    ),
    hints=(
        "An experiment has two runs that differ in one thing. What is that here, and which outputs must stay?",
        "`ids[~real]` is what stands in padding, and `out[real]` what comes out at real tokens. Change the first, and "
        "compare the second. Try texts of different lengths, and padding on either side.",
        "`real = torch.arange(9) < lengths[:, None]` pads on the right, and `real.flip(1)` on the left. For both: "
        "`ids[~real] = torch.randint(50, (4, 9))[~real]`, and no number of `model(ids, real)[real]` moves by 1e-4.",
    ),
    error_meanings=(
        (
            r"index out of range|index -?\d+ is out of bounds",
            "The model knows the ids from 0 to 49: `torch.randint(50, (B, T))` draws them.",
        ),
    ),
    when_correct="Each input was a model to judge: your test found all that read padding, and accused no other.",
)
