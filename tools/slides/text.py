"""Shorten a notebook's text for a slide: keep formulas, tables, lists and tasks, and the beginnings of paragraphs.

The whole text is in the speaker notes.
"""

import re

from latex2mathml.converter import convert

from feedback import notebooks
from feedback.notebooks import LABEL

WHOLE = re.compile(r"\||[*-] |\d\. |<|```|\$\$|\*\*(Predict|Look for|Your task)")  # begins a paragraph kept whole
SENTENCE = re.compile(r"(?<=[.?!:])(?<!al\.)[*)”\"]*\s+(?=[*\"“(`\[]*[A-Z0-9])")  # between two sentences
ENOUGH = 110  # characters; add sentences until there are this many
FOLDED = re.compile(r"<details.*?</details>", re.DOTALL)
HEADING = re.compile(r"^#+ (.*)$\n*", re.MULTILINE)
QUESTION = re.compile(r"(?<=\S) (?=\*\*(?:Predict|Look for))|(?<=\S)\n(?=\*\*(?:Predict|Look for))")
SAW = re.compile(rf"{re.escape(notebooks.FOLDED)}\n\n(.*)\n</details>", re.DOTALL)


def heading(source):
    """Return the first heading in a text, or '' if there is none."""
    found = HEADING.search(source)
    return found[1] if found else ""


def without_headings(source):
    return HEADING.sub("", LABEL.sub("", source)).strip()


def on_a_slide(source):
    """Return a text, shortened for a slide."""
    source = QUESTION.sub("\n\n", FOLDED.sub("", unfolded(without_headings(source))))
    paragraphs = (paragraph.strip() for paragraph in re.split(r"\n{2,}", source) if paragraph.strip())
    return for_a_page("\n\n".join(p if WHOLE.match(p) else beginning(p) for p in paragraphs))


def beginning(paragraph):
    """Return the first sentences of a paragraph, up to the first that ends after ENOUGH characters."""
    for end in SENTENCE.finditer(paragraph):
        if end.start() >= ENOUGH:
            return paragraph[: end.end()].rstrip()
    return paragraph


def in_the_notes(source):
    """Return the whole text, with folded parts unfolded."""
    source = re.sub(r"</?details[^>]*>|<summary>|</summary>", "", unfolded(without_headings(source)))
    return for_a_page(source)


def unfolded(source):
    """Return the text with "What you saw" unfolded."""
    return SAW.sub(r"\1", source)


def for_a_page(source):
    """Convert TeX to MathML, which browsers draw without a script, and remove links to other notebooks."""
    source = re.sub(r"\[([^\]]+)\]\((?!https?:)[^)]*\)", r"\1", source)
    source = re.sub(r"\$\$(.+?)\$\$", lambda found: block(found[1]), source, flags=re.DOTALL)
    return re.sub(r"(?<![\\$\w])\$(?! )([^$\n]+)\$(?!\d)", lambda found: mathml(found[1], "inline"), source)


def block(tex):
    """Return a displayed formula, with a line for each part if a wide space separates parts."""
    return "".join(f'\n\n<div class="formula">{mathml(part, "block")}</div>\n\n' for part in tex.split(r"\qquad"))


def mathml(tex, display):
    tex = re.sub(r"\\(?:big|!)", "", " ".join(tex.split()))  # sizes and negative spaces are left to MathML
    return convert(tex.strip(), display=display)
