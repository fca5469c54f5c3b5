"""What of a text of a notebook is on a slide: its formulas, tables, lists and tasks, and the first sentence of the rest.

The whole text is in the speaker notes.
"""

import re

from latex2mathml.converter import convert

WHOLE = re.compile(r"\||[*-] |\d\. |<|```|\$\$|\*\*(Predict|Look for|Your task)")  # how a paragraph begins that is kept
SENTENCE = re.compile(r".+?[.?!:](?=[*)”\"]*\s+[*\"“(`\[]*[A-Z0-9])[*)”\"]*", re.DOTALL)
FOLDED = re.compile(r"<details.*?</details>", re.DOTALL)
MINUTES = re.compile(r"^\*(core|deeper) · \d+ min\*\n*", re.MULTILINE)
HEADING = re.compile(r"^#+ (.*)$\n*", re.MULTILINE)
QUESTION = re.compile(r"(?<=\S) (?=\*\*(?:Predict|Look for))|(?<=\S)\n(?=\*\*(?:Predict|Look for))")
SAW = re.compile(r"\*\*What you saw\.\*\* *")


def heading(source):
    """The first heading in a text; '' if there is none."""
    found = HEADING.search(source)
    return found[1] if found else ""


def without_headings(source):
    return HEADING.sub("", MINUTES.sub("", source)).strip()


def on_a_slide(source):
    """A text, shortened."""
    source = SAW.sub("", QUESTION.sub("\n\n", FOLDED.sub("", without_headings(source))))
    paragraphs = (paragraph.strip() for paragraph in re.split(r"\n{2,}", source) if paragraph.strip())
    return with_mathml("\n\n".join(p if WHOLE.match(p) else first_sentence(p) for p in paragraphs))


def first_sentence(paragraph):
    found = SENTENCE.match(paragraph)
    return found[0] if found else paragraph


def in_the_notes(source):
    """A whole text; what is folded in the notebook is unfolded."""
    source = re.sub(r"</?details[^>]*>|<summary>|</summary>", "", SAW.sub("", without_headings(source)))
    return with_mathml(source)


def with_mathml(source):
    """TeX as MathML, which browsers draw without a script."""
    source = re.sub(
        r"\$\$(.+?)\$\$",
        lambda m: f'\n\n<div class="formula">{mathml(m[1], "block")}</div>\n\n',
        source,
        flags=re.DOTALL,
    )
    return re.sub(r"(?<![\\$\w])\$([^$\n]+)\$", lambda m: mathml(m[1], "inline"), source)


def mathml(tex, display):
    tex = re.sub(r"\\(?:big|!)", "", " ".join(tex.split()))  # sizes and thin negative spaces: MathML has its own
    return convert(tex.strip(), display=display)
