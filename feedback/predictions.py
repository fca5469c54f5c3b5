"""The predictions of a course, which stand in pages called predictions.md, one in the room of each notebook.

    # Predictions                       the title

    ## 01.order                         the id: the number of the notebook and a word
    Does attention give ...?            the question
    - a: No: in one sentence ...        a choice
    > To a reader the two dogs ...      what speaks against it; the choice without such an answer is right
    - b: Yes, the same: ...

    Compare the two lines ...           what to look for in the output

Every text may wrap: the further lines of a choice begin with two spaces, and those of a quotation with >. `Code` in
backticks is shown as code. Anything else is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from feedback.page import PageError, blocks
from feedback.prediction import Prediction

NAME, TITLE = "predictions.md", "Predictions"
ID = re.compile(r"\d\d\.[\w-]+")
CHOICE = re.compile(r"(?P<letter>[a-d]): (?P<text>.+)")
ORDER = "the question, then choices, `- a: text`, with what speaks against each, `> text`, then what to look for"


def load(folder: Path | str) -> dict[str, Prediction]:
    """The predictions on all pages in the rooms of a folder by their id, in order.

    Errors: PageError, with the line of the first slip
    """
    found: dict[str, Prediction] = {}
    for path in sorted(Path(folder).glob(f"*/{NAME}")):
        for line, prediction in read(path):
            if prediction.id in found:
                raise PageError(path, line, f"the id of a prediction is new, but {prediction.id!r} is taken")
            found[prediction.id] = prediction
    return found


def read(path: Path) -> list[tuple[int, Prediction]]:
    """The predictions on a page, in order, each with the line of its heading.

    Errors: PageError, with the line of the first slip
    """
    found: list[_Draft] = []
    for n, (line, mark, text) in enumerate(blocks(path)):
        if n == 0:
            if (mark, text) != ("#", TITLE):
                raise PageError(path, line, f"a page of predictions begins with `# {TITLE}`")
        elif mark == "##":
            found.append(_Draft(path, line, text))
        elif not found:
            raise PageError(path, line, f"the first prediction begins with `## id`, got {text!r}")
        else:
            found[-1].add(line, mark, text)
    if not found:
        raise PageError(path, 1, "there is no prediction on this page")
    return [(draft.line, draft.made()) for draft in found]


@dataclass
class _Draft:
    """A prediction while its page is read."""

    path: Path
    line: int
    id: str
    question: str = ""
    answers: dict[str, str] = field(default_factory=dict)
    tempting: dict[str, str] = field(default_factory=dict)
    watch: str = ""

    def __post_init__(self) -> None:
        if not ID.fullmatch(self.id):
            raise PageError(self.path, self.line, f"an id is `01.word`, got {self.id!r}")

    def add(self, line: int, mark: str, text: str) -> None:
        """What stands below the heading, in its order."""
        letter, choice = next(reversed(self.answers), ""), CHOICE.fullmatch(text)
        if mark == "" and not self.question:
            self.question = text
        elif mark == "" and letter and not self.watch:
            self.watch = text
        elif mark == "-" and self.question and not self.watch and choice and choice["letter"] == self.due:
            self.answers[self.due] = choice["text"]
        elif mark == ">" and letter and not self.watch and letter not in self.tempting:
            self.tempting[letter] = text
        else:
            raise PageError(self.path, line, f"no place for {text!r}: {ORDER}")

    @property
    def due(self) -> str:
        """The letter of the next choice."""
        return chr(ord("a") + len(self.answers))

    def made(self) -> Prediction:
        right = self.answers.keys() - self.tempting.keys()
        if len(self.answers) < 2:
            problem = "a question has 2 to 4 choices"
        elif len(right) != 1:
            problem = f"one choice is right, the one without `>`; here {' and '.join(sorted(right)) or 'none'}"
        else:
            problem = "" if self.watch else "what to look for in the output is missing"
        if problem:
            raise PageError(self.path, self.line, f"{self.id}: {problem}")
        return Prediction(self.id, self.question, self.answers, right.pop(), self.tempting, self.watch)
