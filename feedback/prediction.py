"""Questions to answer before the next cell is run, and the pages on which they are written.

A question is worth asking if a known misconception leads to one of its choices, and if it can be answered from what
came before. The output that follows decides: what speaks for and against a choice is shown only below it.

The pages are called predictions.md, one in the folder of each notebook:

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
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from feedback import markup
from feedback.page import PageError, blocks

NAME, TITLE = "predictions.md", "Predictions"
ID = re.compile(r"\d\d\.[\w-]+")
CHOICE = re.compile(r"(?P<letter>[a-d]): (?P<text>.+)")
ORDER = "the question, then choices, `- a: text`, with what speaks against each, `> text`, then what to look for"


@dataclass(frozen=True)
class Prediction:
    """A question with two to four answers, one of which is right.

    answers   {"a": "...", "b": "..."}; text in `backticks` is shown as code
    tempting  for each wrong answer: why it is tempting and what speaks against it, in one sentence
    watch     what to look for in the output
    """

    id: str
    question: str
    answers: Mapping[str, str]
    right: str
    tempting: Mapping[str, str]
    watch: str

    def noted(self, letter: str) -> Reply:
        """The reply to a choice as soon as it is made."""
        return Reply(f"You chose ({letter}).", "Now run the next cell.")

    def verdict(self, letter: str) -> Reply:
        """The reply to a choice that is shown below the output."""
        if letter == self.right:
            return Reply(f"✓ You chose ({letter}): well predicted.", self.watch)
        return Reply(f"→ You chose ({letter}), but ({self.right}) is right.", f"{self.tempting[letter]} {self.watch}")


@dataclass(frozen=True)
class Reply:
    """A reply to a choice, as text and as a box."""

    head: str
    text: str

    def __repr__(self) -> str:
        return f"{self.head} {self.text}"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        html = markup.box(markup.BLUE, f"<b>{self.head}</b> {markup.with_code(self.text)}")
        return {"text/html": html, "text/plain": repr(self)}


@dataclass(frozen=True)
class Question:
    """A prediction as a notebook shows it: its text, the same in every run, and buttons that take the text's place.

    `chosen` is what was chosen before, or None; `choose` is called with each new choice.
    """

    prediction: Prediction
    chosen: str | None
    choose: Callable[[str], object]

    @property
    def call(self) -> str:
        return f'predict("{self.prediction.id}", "{next(iter(self.prediction.answers))}")'

    def __repr__(self) -> str:
        answers = (f"  ({letter}) {text}" for letter, text in self.prediction.answers.items())
        return "\n".join([f"Predict: {self.prediction.question}", *answers, f"Answer with {self.call}, for example."])

    def still(self) -> dict[str, str]:
        """The static question, for where nothing can be clicked, such as a notebook on a website."""
        answers = "".join(
            f"<div>({letter}) {markup.with_code(text)}</div>" for letter, text in self.prediction.answers.items()
        )
        html = markup.box(
            markup.BLUE,
            f"<div><b>Predict:</b> {markup.with_code(self.prediction.question)}</div>"
            f'<div style="margin:6px 0 6px 1em">{answers}</div>'
            f"<div>{markup.with_code(f'Run this cell and click an answer, or write `{self.call}`.')}</div>",
        )
        return {"text/html": html, "text/plain": repr(self)}

    def _ipython_display_(self) -> None:
        from feedback.buttons import show  # anywidget is not needed where a question is only printed

        show(self)


# ---------------------------------------------------------------- their pages


def load(folder: Path | str) -> dict[str, Prediction]:
    """The predictions on all pages in the subfolders of a folder by their id, in order.

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
        """Add what is below the heading, which has a fixed order."""
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
