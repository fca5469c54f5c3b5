"""Exercise 13.5: test_heads."""

from exercises.common.suspects import RUNNER
from exercises.e13_5_test_heads.misconceptions import known
from exercises.e13_5_test_heads.reference import test_heads
from exercises.e13_5_test_heads.suspects import bank
from feedback import Exercise

EXERCISE = Exercise(
    minutes=16,
    difficulty=3,
    gives="None or True where head h is made of the h-th D rows of each projection and read in the h-th D columns of "
    "out_proj, and False or an AssertionError where that is not so",
    reference=test_heads,
    returns=("verdict",),
    runner=RUNNER,
    named_in_part=False,
    cases=bank.cases,
    minimal_inputs=(),
    misconceptions=known,
    properties=bank.properties(
        accuses="Is what your test expects plain attention, with the projections as they are and a scale of √D, and "
        "does it allow for rounding?",
        passes="Which rows or columns are wrong there, and in which of the two results would it show?",
    ),
    hints=(
        "Two kinds of test are possible. One computes what is right from the projections; the other changes the rows "
        "of one head, and looks at which head moves. Does yours look at all four layers, and at both results?",
        "The first kind: `attention.q_proj(x).view(B, T, H, D).transpose(1, 2)` is what the heads should have for "
        "queries, and keys and values likewise. H is `attention.num_heads`, and C is `attention.q_proj.in_features`.",
        "From q, k and v follow the right weights, `(q @ k.transpose(-2, -1) / math.sqrt(D)).softmax(-1)`; then the "
        "heads side by side go through `attention.out_proj`. Compare both with what `attention(x)` returns.",
    ),
    error_meanings=(
        (
            r"'NoneType' object",
            "A projection may have no bias: then `layer.bias` is None. `layer(x)` works with and without.",
        ),
        (
            r"a leaf Variable that requires grad|a view of a leaf",
            "Whoever writes into parameters does so inside `with torch.no_grad():`.",
        ),
        (
            r"shapes cannot be multiplied",
            "x must be as wide as the module: C is `attention.q_proj.in_features`.",
        ),
    ),
    when_correct="Each input was a module to judge: your test found all wrong heads, and accused no right ones.",
)
