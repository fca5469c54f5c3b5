"""otter-grader's grading, told by `confirm` which of the questions have earned their points.

An assignment names the plugin Confirm; its questions are called exercise_3_3 and the like.
"""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

from otter.plugins import AbstractOtterPlugin

from feedback.confirm import confirm, drawn_seed, refused
from feedback.fresh import Answer

QUESTION = re.compile(r"exercise_(\d+)_(\d+)")


class Confirm(AbstractOtterPlugin):
    """Fails a question that passed its test in the notebook's kernel, and is not confirmed.

    Its settings, each of which may be left out: `course`, the package of the exercises, and `seed`, which chooses the
    hidden inputs.
    """

    def before_execution(self, submission: Any) -> Any:
        """Answers are confirmed first: otter later reads a file that the notebook's code may have written."""
        course = importlib.import_module(self.plugin_config.get("course", "exercises")).COURSE
        seed = self.plugin_config.get("seed") or drawn_seed()
        cells = [cell.source for cell in submission.cells if cell.cell_type == "code"]
        answers = [Answer(id, course.exercises[id].name) for id in self._asked(course)]
        found = zip(answers, confirm(course, [*cells, *answers], seed, Path(self.submission_path).parent), strict=True)
        self.refused = {each.id: refused(course.exercises[each.id].title, why, seed) for each, why in found if why}
        return submission

    def _asked(self, course: Any) -> list[str]:
        """The exercises of this assignment, by the files of its tests."""
        names = (QUESTION.fullmatch(path.stem) for path in Path(self.submission_path).parent.glob("tests/*.py"))
        return [id for id in (f"{name[1]}.{name[2]}" for name in names if name) if id in course.exercises]

    def after_grading(self, results: Any) -> None:
        for name, test in results.results.items():
            question = QUESTION.fullmatch(name)
            told = self.refused.get(f"{question[1]}.{question[2]}") if question else None
            for case in test.test_case_results:
                if told and case.passed:
                    case.passed, case.message = False, f"NotYet: {told}"
