"""What the course says about its exercises, misconceptions and predictions, without importing PyTorch.

Importing all exercises takes seconds: their texts are kept in data/cache/ until a file of the course changes.
"""

import contextlib
import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from feedback import files
from tools.classroom.general import FOUND, GENERAL

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / "data" / "cache" / "class_catalog.json"


@dataclass(frozen=True)
class Exercise:
    """`mistakes` is {id: (what it means, what to ask)}."""

    id: str
    name: str
    minutes: int
    notebook: str
    mistakes: dict


@dataclass(frozen=True)
class Prediction:
    question: str
    answers: dict
    right: str


@dataclass(frozen=True)
class Catalog:
    """The notebooks' names by their numbers, the exercises and the predictions by their ids, all in order."""

    notebooks: dict
    exercises: dict
    predictions: dict


def load(cache=CACHE):
    """The catalog, from its file if nothing has changed since it was written."""
    key = fingerprint()
    try:
        kept = json.loads(cache.read_text(encoding="utf-8"))
        if kept["made_from"] == key:
            return restored(kept["catalog"])
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        pass  # there is none yet, or it is damaged: it is made again
    catalog = collect()
    with contextlib.suppress(OSError):  # the folder is read-only: the next call takes seconds again
        files.write(cache, json.dumps({"made_from": key, "catalog": asdict(catalog)}, indent=1))
    return catalog


def restored(kept):
    return Catalog(
        kept["notebooks"],
        {id: Exercise(**exercise) for id, exercise in kept["exercises"].items()},
        {id: Prediction(**prediction) for id, prediction in kept["predictions"].items()},
    )


def fingerprint():
    """It changes with every file that the texts come from."""
    course = (path for path in (ROOT / "exercises").rglob("*") if path.suffix in (".py", ".md"))
    files = sorted([*Path(__file__).parent.glob("*.py"), *course])
    states = ((str(file.relative_to(ROOT)), file.stat().st_size, file.stat().st_mtime_ns) for file in files)
    return hashlib.sha256(repr(list(states)).encode()).hexdigest()


def collect():
    from exercises import COURSE

    def notebook(id):
        return COURSE.contents.of(id).number

    return Catalog(
        {each.number: each.name for each in COURSE.contents.notebooks},
        {id: Exercise(id, e.name, e.minutes, notebook(id), mistakes(e)) for id, e in COURSE.exercises.items()},
        {id: Prediction(p.question, dict(p.answers), p.right) for id, p in COURSE.predictions.items()},
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
