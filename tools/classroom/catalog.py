"""The course's texts about its exercises and misconceptions."""

from dataclasses import dataclass

STOPPED = "stopped"  # an exception whose cause is unknown
GENERAL = frozenset(  # diagnoses that belong to no single exercise; their ids describe them
    f"""
    {STOPPED} syntax-error never-ends returns-none returns-one returns-wrong-type wrong-shape wrong-dtype wrong-device
    changes-input not-repeatable shared-result remembers no-init no-forward forward-arguments inputs-exchanged
    returns-no-function answers-wrong-type asks-autograd returns-something-else does-not-fit suspect-stopped
    lets-a-bug-pass accuses-healthy-code right-only-sometimes parameters-changed not-a-module shared-layer no-projection
    has-bias no-bias wrong-projection-size extra-parameters name-missing name-unknown shape-of-a-parameter no-attention
    two-attentions feed-forward-layers number-of-norms another-norm another-eps mask-only-in-training
    mask-only-in-evaluation mask-not-cut transposed
    """.split()
)


@dataclass(frozen=True)
class Exercise:
    """An exercise and its known mistakes: `mistakes` is {id: (what it means, what to ask)}."""

    id: str
    name: str
    minutes: int
    notebook: str
    mistakes: dict


def collect():
    """Return {id: exercise}, in order."""
    from exercises import COURSE  # slow to import

    return {
        id: Exercise(id, each.name, each.minutes, COURSE.contents.of(id).number, mistakes(each))
        for id, each in COURSE.exercises.items()
    }


def mistakes(exercise):
    tested = (*exercise.properties, *exercise.behavioral_tests)
    return {
        **{id: (in_words(id), "") for id in GENERAL},
        **{test.id: (in_words(test.id), test.hint) for test in tested},
        **{known.id: (known.means, known.hint) for known in exercise.misconceptions},
    }


def in_words(id):
    return f"{id.replace('-', ' ').capitalize()}."
