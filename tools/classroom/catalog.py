"""What the course says about its exercises, misconceptions and predictions."""

from dataclasses import dataclass

from tools.classroom.general import FOUND, GENERAL


@dataclass(frozen=True)
class Exercise:
    """`mistakes` is {id: (what it means, what to ask)}."""

    id: str
    name: str
    minutes: int
    notebook: str
    mistakes: dict


@dataclass(frozen=True)
class Catalog:
    """The notebooks' names by their numbers, the exercises and the predictions by their ids, all in order."""

    notebooks: dict
    exercises: dict
    predictions: dict


def collect():
    from exercises import COURSE  # takes seconds

    def notebook(id):
        return COURSE.contents.of(id).number

    return Catalog(
        {each.number: each.name for each in COURSE.contents.notebooks},
        {id: Exercise(id, e.name, e.minutes, notebook(id), mistakes(e)) for id, e in COURSE.exercises.items()},
        COURSE.predictions,
    )


def mistakes(exercise):
    tested = (*exercise.properties, *exercise.behavioral_tests)
    return {
        **GENERAL,
        **{test.id: (what_fails(test.id), test.hint) for test in tested},
        **{known.id: (known.means, known.hint) for known in exercise.misconceptions},
    }


def what_fails(id):
    """What it means that the property or test of this id fails, in a sentence."""
    if id in GENERAL:
        return GENERAL[id][0]
    words = FOUND.get(id) or f"{id.replace('-', ' ')}."
    return words[:1].upper() + words[1:]
