"""Exercises and predictions as a page shows them, without a kernel that could check an answer."""

import ast
import inspect
import re
import textwrap
from dataclasses import replace
from pathlib import Path

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from exercises import COURSE, EXERCISES
from feedback import markup, source
from feedback.buttons import Buttons
from feedback.prediction import Question
from feedback.report import Hints, Text
from tools.site import live

MOST_LINES = 14  # the most lines of an answer that is shown
TRIED = {  # for exercises on the home page, the diagnosis of each answer on offer, and perhaps a part of its code
    "2.2": ("no-exponential", "overflow", "over-the-rows", "correct: shifted", "one-maximum-for-all"),
    "3.3": ("masked-after-softmax", "true-hides", "correct", "zero-filled", "weights-filled"),
}
RUN_IT = '<a href="index.html#run-it-on-your-computer">run the course on your computer</a>'
BUTTONS = Path(inspect.getfile(Buttons)).with_suffix(".js")


def raw(html):
    """Return the HTML in a raw block, which Markdown leaves as it is."""
    return f"~~~{{raw}} html\n{html}\n~~~"


def prediction(id, files):
    """Return a question with buttons as HTML; if no script runs, it shows the question and its answers."""
    asked = COURSE.predictions[id]
    widget = Buttons(Question(asked, None, lambda letter: None))
    verdicts = {letter: asked.verdict(letter) for letter in asked.answers}
    values = live.state(widget) | {"verdicts": {letter: [each.head, each.text] for letter, each in verdicts.items()}}
    answers = "".join(f"<div>({letter}) {markup.with_code(text)}</div>" for letter, text in asked.answers.items())
    still = markup.box(markup.BLUE, f"<div><b>Predict:</b> {markup.with_code(asked.question)}</div>{answers}")
    return live.view(BUTTONS.name, BUTTONS.read_text(encoding="utf-8"), values, f"predict-{id}", still, files)


def card(id, stub):
    """Return an exercise, folded, as Markdown: the stub, the hints one by one, and an example of a diagnosis."""
    exercise = EXERCISES[id]
    hints = Hints(id, exercise.hints).html()
    where = f"<p>To have it checked, {RUN_IT}.</p>"
    return "\n\n".join(
        [
            raw('<details class="course-exercise"><summary>Try it: code to complete, hints, and an example</summary>'),
            f"```python\n{stub}\n```",
            raw(f'{where}<div class="course-hints">{hints}</div>'),
            *example(id),
            raw("</details>"),
        ]
    )


def trial(id):
    """Return answers of the bank to choose from, each with its card, as HTML."""
    banks, choices = EXERCISES[id].banks(), []
    for diagnosis, _, part in (each.partition(": ") for each in TRIED[id]):
        known = {in_lines(each): each.code for each in (*banks.wrong, *banks.right) if each.expected == diagnosis}
        text = min((text for text in known if text and part in text), key=len)
        code = highlight(_body(text), PythonLexer(), HtmlFormatter(nowrap=True)).rstrip()
        said = _said(COURSE.check(id, known[text], record=False))
        summary = f'<summary><code class="highlight">{code}</code></summary>'
        choices.append(f'<details name="trial-{id}">{summary}{said}</details>')
    return "\n".join(choices)


def example(id):
    """Return a wrong answer of the bank and its card, as parts of Markdown; none if no answer is short enough."""
    for answer in EXERCISES[id].banks().wrong:
        code = in_lines(answer)
        if answer.expected and 0 < code.count("\n") < MOST_LINES:
            said = _said(COURSE.check(id, answer.code, record=False))
            opening = "<details><summary>An example: a wrong answer, and what the course says</summary>"
            return [raw(opening), f"```python\n{code}\n```", raw(f"{said}</details>")]
    return []


def in_lines(answer):
    """Return an answer as a learner would write it, one statement a line, or "" if it is composed of steps."""
    text = source.text(answer.code) or answer.text
    lines = ast.unparse(ast.parse(text)) if text else ""
    return re.sub(r"\b1(0{6,})\.0\b", lambda power: f"1e{len(power[1])}", lines)  # ast.unparse writes 1e9 out


def _body(code):
    """Return the body of the only function of this code, which has no docstring."""
    return textwrap.dedent(code.strip().partition("\n")[2])


def _said(report):
    """Return the card as HTML, without the parts that work only in a notebook."""
    parts = [part for part in report.parts if not isinstance(part, Hints)]
    parts = [part for part in parts if not (isinstance(part, Text) and part.kind == "next")]
    return replace(report, parts=tuple(parts))._repr_mimebundle_()["text/html"]
