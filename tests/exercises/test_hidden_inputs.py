"""Hidden inputs: right answers pass on them, and remembered results do not.

All right answers on the inputs of some seeds, in about 20 s for each:
`COURSE_GRADE_SEEDS="1 2 3" python course.py test tests/exercises/test_hidden_inputs.py`.
"""

import os
from collections.abc import Callable
from types import FunctionType

import pytest
import torch

from exercises import COURSE, EXERCISES, FOLDER
from feedback import checker
from feedback.exercise_package import HiddenExercises
from feedback.observations import Observations
from feedback.sandbox import session

SEEDS = os.environ.get("COURSE_GRADE_SEEDS", "").split()
HIDDEN = {seed: HiddenExercises(COURSE.package, str(FOLDER), int(seed)) for seed in SEEDS or ["1"]}
NO_INPUTS = {"2.6"}  # its answer is a pair of matrices: nothing else can be asked for
ACTS_ON_A_MODEL = {"8.4", "8.7"}  # what it feeds or changes is part of the answer, and a memory does neither
JUDGES = {id for id in EXERCISES if EXERCISES[id].returns == ("verdict",)}  # suspects look alike: none is remembered


def right_answers(id):
    """The reference and all right answers, or every seventh of them."""
    answers = [answer.code for answer in EXERCISES[id].banks().right]
    return [EXERCISES[id].reference, *(answers if SEEDS else answers[::7])]


@pytest.mark.slow
@pytest.mark.parametrize("id", EXERCISES)
@pytest.mark.parametrize("seed", HIDDEN)
def test_right_answers_are_right_on_hidden_inputs(id, seed):
    for answer in right_answers(id):
        report = checker.check(HIDDEN[seed][id], answer)
        assert report.solved, f"{answer.__name__}: {report.message}"


def passes(exercise, answer):
    """Whether an answer gives the right results on all test cases."""
    with session():
        seen = Observations(exercise, answer)
        return all(seen.passes(i) for i in seen.required())


@pytest.mark.parametrize("id", [id for id in EXERCISES if id not in NO_INPUTS | ACTS_ON_A_MODEL | JUDGES])
def test_remembered_results_pass_the_check_but_not_the_hidden_inputs(id):
    exercise = EXERCISES[id]
    memory = {}
    remembering, repeating = both(exercise.reference, memory)
    assert passes(exercise, remembering) and memory
    assert passes(exercise, repeating)
    assert not passes(HIDDEN[next(iter(HIDDEN))][id], repeating)


def test_without_inputs_nothing_can_be_hidden():
    assert {id for id in EXERCISES if not EXERCISES[id].arguments} == NO_INPUTS


# ---- answers that remember


def both(reference, memory):
    """Two answers: one computes and remembers, the other only looks up."""
    if not isinstance(reference, type):

        def remember(*args, **options):
            key = fingerprint((args, options))
            memory[key] = reference(*args, **options)
            return memory[key]

        return remember, lambda *args, **options: memory[fingerprint((args, options))]

    class Remembers(reference):
        def forward(self, *args, **options):
            key = fingerprint((self, args, options))
            memory[key] = super().forward(*args, **options)
            return memory[key]

    class Repeats(reference):
        def forward(self, *args, **options):
            return memory[fingerprint((self, args, options))]

    Remembers.__name__ = Repeats.__name__ = "Answer"  # which is part of their fingerprints
    return Remembers, Repeats


def fingerprint(value):
    """Equal for equal arguments. A function is known by what it makes of the tensors next to it."""
    if isinstance(value, torch.Tensor):
        return value.dtype, tuple(value.shape), tuple(value.detach().flatten().tolist())
    if isinstance(value, torch.nn.Module):
        own = [item for item in vars(value).items() if isinstance(item[1], (int, float, tuple, FunctionType))]
        return repr(value), repr(own), fingerprint(list(value.state_dict().items()))
    if isinstance(value, torch.Generator):
        return value.initial_seed()
    if isinstance(value, dict):
        return tuple((key, fingerprint(item)) for key, item in value.items())
    if isinstance(value, (tuple, list)):
        tensors = [item for item in value if isinstance(item, torch.Tensor)]
        return tuple(fingerprint(item(*tensors) if is_function(item) else item) for item in value)
    return repr(value)


def is_function(value):
    return isinstance(value, Callable) and not isinstance(value, torch.nn.Module)
