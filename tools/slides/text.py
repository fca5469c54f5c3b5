"""What of a text of a notebook is on a slide: formulas, tables, lists and tasks, and of the rest how paragraphs begin.

The whole text is in the speaker notes.
"""

import re

from latex2mathml.converter import convert

from feedback import notebooks
from feedback.notebooks import LABEL

WHOLE = re.compile(r"\||[*-] |\d\. |<|```|\$\$|\*\*(Predict|Look for|Your task)")  # how a paragraph begins that is kept
SENTENCE = re.compile(r"(?<=[.?!:])(?<!al\.)[*)”\"]*\s+(?=[*\"“(`\[]*[A-Z0-9])")  # between two sentences
ENOUGH = 110  # characters: shorter sentences are followed by the next
FOLDED = re.compile(r"<details.*?</details>", re.DOTALL)
HEADING = re.compile(r"^#+ (.*)$\n*", re.MULTILINE)
QUESTION = re.compile(r"(?<=\S) (?=\*\*(?:Predict|Look for))|(?<=\S)\n(?=\*\*(?:Predict|Look for))")
SAW = re.compile(rf"{re.escape(notebooks.FOLDED)}\n\n(.*)\n</details>", re.DOTALL)


def heading(source):
    """The first heading in a text; '' if there is none."""
    found = HEADING.search(source)
    return found[1] if found else ""


def without_headings(source):
    return HEADING.sub("", LABEL.sub("", source)).strip()


def on_a_slide(source):
    """A text, shortened."""
    source = QUESTION.sub("\n\n", FOLDED.sub("", unfolded(without_headings(source))))
    paragraphs = (paragraph.strip() for paragraph in re.split(r"\n{2,}", source) if paragraph.strip())
    return for_a_page("\n\n".join(p if WHOLE.match(p) else beginning(p) for p in paragraphs))


def beginning(paragraph):
    """The first sentence, and more of them while they are short."""
    for end in SENTENCE.finditer(paragraph):
        if end.start() >= ENOUGH:
            return paragraph[: end.end()].rstrip()
    return paragraph


def in_the_notes(source):
    """A whole text; what is folded in the notebook is unfolded."""
    source = re.sub(r"</?details[^>]*>|<summary>|</summary>", "", unfolded(without_headings(source)))
    return for_a_page(source)


def unfolded(source):
    """A text in which "What you saw" is not folded."""
    return SAW.sub(r"\1", source)


def for_a_page(source):
    """TeX as MathML, which browsers draw without a script; and no links to other notebooks, which are elsewhere."""
    source = re.sub(r"\[([^\]]+)\]\((?!https?:)[^)]*\)", r"\1", source)
    source = re.sub(r"\$\$(.+?)\$\$", lambda found: block(found[1]), source, flags=re.DOTALL)
    return re.sub(r"(?<![\\$\w])\$(?! )([^$\n]+)\$(?!\d)", lambda found: mathml(found[1], "inline"), source)


def block(tex):
    """A displayed formula; where it consists of two, the second is on a line of its own."""
    return "".join(f'\n\n<div class="formula">{mathml(part, "block")}</div>\n\n' for part in tex.split(r"\qquad"))


def mathml(tex, display):
    tex = re.sub(r"\\(?:big|!)", "", " ".join(tex.split()))  # sizes and thin negative spaces: MathML has its own
    return convert(tex.strip(), display=display)
