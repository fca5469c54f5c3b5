"""How the page of an exercise is written, and how it is read: a Markdown file with all that is said, and all answers.

    # 3.3 mask_by_filling               the number of the exercise, and the name of its answer

    minutes: 5 · difficulty: 2          fields: also gives, correct (the text after a right answer), and what follows
    WHICH: Which key is hidden?         words in capitals: {WHICH} stands for them in the texts below
    uses: exercises.common.inputs       modules whose names the code of the page uses
    steps: fill(scores, mask) · ...     how steps are called, where the exercise's `assemble` does not say it
    1. Which number is lower than ...   a hint

    include: [scale](../common/scale.md): no-scale, scaled-by-d         mistakes of a catalog; without ids, all of them
    include: [scale](../common/scale.md) explained by token: no-scale   ... with another explainer

    ## true-hides · hidden_weight       a known mistake: its id, and the explainer of the learner's numbers

    Where the mask is True ...          what the code does
    > Which of the two does ...         what to think about next
    raised in: `q @ k`                  a pattern of the lines in which this mistake raises

    - `code`                            a way to make the mistake, known to the checker
    - answer: `code`                    an answer with it, which only tests read: nothing is fitted to it

    ## two at once                      - id & id   or   - id & id: `code`
    ## right                            answers that pass; `## limited`: those with a limit; `## unnamed`: wrong ones
                                        that get no diagnosis
    # Suspects                          a part that the module reads itself; any other heading with one # is for readers

Of mistakes with the same behavior the first one is named, so their order counts. A heading may repeat the id of a
mistake that is included: what stands below is added to it, and its texts replace the catalog's. An id without a text is
one of the engine's own, of a property or of a behavioral test.

Code is one of these:

    `scores.softmax(-2)`                what is returned; where a class is asked for, the class
    `s = q @ k; s.softmax(-1)`          statements, and what is returned
    `old` → `new`, `old` → nothing      edits of the base, in which `old` stands once
    `old` → `new`, of other-id          edits of the first code below another heading
    softmax: `scores`, merge: `z`       steps of an answer, or methods of the base, with their arguments
    ```python mistake                   a block, up to a line of ```: the body of the answer, or, where it ends with a
    ```python answer                    function or a class, that one
    ```python given                     a mistake that the notebook's cell holds, to be repaired
    ```python base                      what edits are edits of, not the reference; `answer base`: those of answers
    ```python helpers                   what the code of the page uses; `answer helpers`: what answers use

An item, a hint and a quotation may wrap, and blank lines may stand anywhere between them. Anything else is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

HEADING = re.compile(r"(?P<id>[\w-]+(?: [\w-]+)*)(?: · (?P<explain>[\w.]+(?:\(.*\))?))?")
INCLUDE = re.compile(r"include: \[[^]]+\]\((?P<file>[^)]+)\)(?: explained by (?P<explain>[\w.]+))?(?:: (?P<ids>.+))?")
TITLE = re.compile(r"(?P<number>\d+\.\d+) (?P<name>\w+)")
KEY = re.compile(r"(?P<name>\w[\w ]*): (?P<value>.+)", re.DOTALL)
FENCE = re.compile(
    r"```python (?:(?P<kind>mistake|answer|suspect|given)|(?:(?P<of>answer|suspect) )?(?P<more>base|helpers))"
)
PAIR = re.compile(r"(?P<one>[\w-]+) & (?P<other>[\w-]+)(?::(?: (?P<code>.+))?)?", re.DOTALL)
SPAN = r"`([^`]+)`"
EDIT = re.compile(rf"{SPAN} → (?:{SPAN}|nothing)")
EDITS = re.compile(rf"{EDIT.pattern}(?:, {EDIT.pattern})*(?:, of (?P<of>[\w-]+))?")
STEP = re.compile(rf"(\w+): {SPAN}")
STEPS = re.compile(rf"{STEP.pattern}(?:, {STEP.pattern})*")
NUMBERS = {"minutes": r"\d+", "difficulty": "[123]"}
FIELDS = ("minutes", "difficulty", "gives", "correct", "uses", "steps")
TWO, RIGHT, LIMITED, UNNAMED = RESERVED = ("two at once", "right", "limited", "unnamed")


class PageError(ValueError):
    """A slip in a page: its file, its line, and what is wrong there."""

    def __init__(self, path: Path, line: int, problem: str) -> None:
        super().__init__(f"{path}:{line}: {problem}")
        self.path, self.line, self.problem = path, line, problem


@dataclass
class Code:
    """A piece of code: a text of its own, or edits, or steps; of two mistakes at once it may be none of them."""

    kind: str  # "mistake", "given", "answer" or "suspect"
    line: int
    text: str = ""
    block: bool = False  # whether the text stands in a fence, so that its first line is the one after `line`
    edits: list[tuple[str, str]] = field(default_factory=list)
    of: str = ""  # whose code is edited, where not that of the base
    steps: dict[str, str] = field(default_factory=dict)


@dataclass
class Section:
    """What stands below a heading with ##: a mistake, a reserved place, or a suspect."""

    id: str
    line: int
    explain: str = ""
    means: str = ""
    hint: str = ""
    raised_in: str = ""
    codes: list[Code] = field(default_factory=list)


@dataclass
class Include:
    """Mistakes that stand on another page: these ids, or all of them."""

    file: str
    line: int
    explain: str = ""
    ids: tuple[str, ...] = ()


@dataclass
class Pair:
    """Two mistakes at once."""

    ids: tuple[str, str]
    line: int
    code: Code | None = None


@dataclass
class Page:
    """What stands on a page. `parts` are the sections below each heading with one #, "" those of the exercise."""

    path: Path
    number: str = ""
    name: str = ""
    fields: dict[str, str] = field(default_factory=dict)
    hints: list[str] = field(default_factory=list)
    parts: dict[str, list[Section | Include]] = field(default_factory=lambda: {"": []})
    pairs: list[Pair] = field(default_factory=list)
    blocks: dict[tuple[str, str, str], Code] = field(default_factory=dict)  # by part, kind, and base or helpers

    @property
    def sections(self) -> list[Section]:
        """The sections of the exercise: everything but the parts that its module reads."""
        return [each for each in self.parts[""] if isinstance(each, Section)]

    def fail(self, line: int, problem: str) -> PageError:
        return PageError(self.path, line, problem)


def number_on(path: Path) -> str:
    """The number of the exercise in the first line of its page; "" where it is no page of an exercise."""
    with path.open(encoding="utf-8") as file:
        found = TITLE.fullmatch(file.readline().removeprefix("# ").strip())
    return found["number"] if found else ""


def read(path: Path) -> Page:
    """The page in a file.

    Errors: PageError, with the line of the first slip
    """
    path = Path(path)
    return _read(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=256)
def _read(path: Path, changed: int) -> Page:
    return _Reader(path).page


# ---------------------------------------------------------------- lines to blocks

MARK = re.compile(
    r"(?P<mark>##?|[->]|\d\.) (?P<text>.*\S)|(?P<fence>```.*)"
    r"|(?P<paragraph>(?!<!--)[^\s#>`*+-].*|`[^`].*|[+-](?:\d|inf).*)"
)
NAMED = re.compile(rf"({'|'.join((*FIELDS, 'include', 'raised in'))}|[A-Z][A-Z_0-9]+): ")  # a paragraph of its own
BEGINNINGS = "it begins with `# `, `## `, `- `, `> `, `1. ` or ```, or is text that begins with a word or with `code`"
ABOVE = "a mistake begins with `## id`, a hint with `1. `, a field with its name"
FURTHER = {"-": "  ", ">": "> ", ".": "   "}  # how the further lines of an item, a quotation and a hint begin


def blocks(path: Path) -> Iterator[tuple[int, str, str]]:
    """(line, mark, text) of each block; the mark is #, ##, -, >, 1., "" for a paragraph, or the line of a fence."""
    lines, n = [line.rstrip() for line in path.read_text(encoding="utf-8").split("\n")], 0
    while n < len(lines):
        start, found = n, MARK.fullmatch(lines[n])
        n += 1
        if not lines[start]:
            continue
        if not found:
            raise PageError(path, n, f"no line of a page begins like this: {lines[start]!r}; {BEGINNINGS}")
        if found["fence"]:
            while n < len(lines) and not lines[n].startswith("```"):
                n += 1
            if n == len(lines) or lines[n] != "```":
                raise PageError(path, start + 1, "this block has no end: a line of ```")
            yield start + 1, found["fence"], "\n".join(lines[start + 1 : n])
            n += 1
            continue
        mark, text = found["mark"] or "", found["text"] or found["paragraph"]
        begin = FURTHER.get(mark[-1:], "")
        while mark[:1] != "#" and n < len(lines) and lines[n].strip() and lines[n].startswith(begin):
            if not mark and not (MARK.fullmatch(lines[n]) or {"paragraph": None})["paragraph"]:
                break
            if not mark and NAMED.match(lines[n]):
                raise PageError(path, n + 1, f"a blank line belongs above {lines[n]!r}")
            text, n = f"{text} {lines[n][len(begin) :].strip()}", n + 1
        yield start + 1, mark, text


# ---------------------------------------------------------------- blocks to a page


class _Reader:
    """Goes through the blocks of a file, and fills a page."""

    def __init__(self, path: Path) -> None:
        self.page, self.part = Page(path), ""
        self.section: Section | None = None
        for self.line, mark, text in blocks(path):
            kind = {"#": "part", "##": "heading", "-": "item", ">": "quotation", "": "paragraph"}.get(mark)
            getattr(self, f"_{kind or ('fence' if mark[0] == '`' else 'hint')}")(*([text] if kind else [mark, text]))
        if not self.page.name:
            raise self.page.fail(1, "a page begins with `# 3.3 name`, a catalog with `# name`")

    def _part(self, text: str) -> None:
        if not self.page.name:
            title = TITLE.fullmatch(text)
            self.page.number, self.page.name = (title["number"], title["name"]) if title else ("", text)
            return
        self.part, self.section = (text if text == "Suspects" else ""), None
        self.page.parts.setdefault(self.part, [])

    def _heading(self, text: str) -> None:
        found = HEADING.fullmatch(text)
        if not found:
            raise self.page.fail(self.line, f"a heading is `## id` or `## id · explainer`, got {text!r}")
        if " " in found["id"] and found["id"] not in RESERVED:
            known = ", ".join(f"`## {each}`" for each in RESERVED)
            raise self.page.fail(
                self.line,
                f"an id is one word, such as not-scaled, and an explainer follows after ` · `, got {text!r}; "
                f"the other headings are {known}",
            )
        self.section = Section(found["id"], self.line, found["explain"] or "")
        if found["id"] in {each.id for each in self.page.parts[self.part] if isinstance(each, Section)}:
            raise self.page.fail(self.line, f"{found['id']!r} has a heading above: say everything below one")
        self.page.parts[self.part].append(self.section)

    def _paragraph(self, text: str) -> None:
        include, key = INCLUDE.fullmatch(text), KEY.fullmatch(text)
        if include:
            ids = tuple((include["ids"] or "").split(", ")) if include["ids"] else ()
            self.page.parts[self.part].append(Include(include["file"], self.line, include["explain"] or "", ids))
            self.section = None
        elif text.startswith("include:"):
            raise self.page.fail(self.line, f"it is `include: [scale](../common/scale.md): id, id`, got {text!r}")
        elif self.section and key and key["name"] == "raised in":
            self.section.raised_in = key["value"].strip("`")
        elif self.section and key and key["name"].lower() == "raised in":
            raise self.page.fail(self.line, f"it is `raised in: `, in small letters, got {text!r}")
        elif self.section and self.section.id not in RESERVED:
            self.section.means = f"{self.section.means} {text}".strip()
        elif not self.section and key:
            self._fields(text)
        else:
            below = f"below `## {self.section.id}` stands code" if self.section else ABOVE
            raise self.page.fail(self.line, f"no text stands here: {text!r}; {below}")

    def _fields(self, text: str) -> None:
        for each in re.split(r" · (?=\w+: )", text):
            name, value = KEY.fullmatch(each).groups()  # type: ignore[union-attr]  # that is how it was split
            if name not in FIELDS and not name.isupper():
                raise self.page.fail(
                    self.line, f"no page has a field {name!r}; they are {', '.join(FIELDS)}, and WORDS"
                )
            if name in self.page.fields:
                raise self.page.fail(self.line, f"the field {name!r} stands above: say it once")
            if name in NUMBERS and not re.fullmatch(NUMBERS[name], value):
                wanted = "1, 2 or 3" if name == "difficulty" else "a number, such as 5"
                raise self.page.fail(self.line, f"{name} is {wanted}, got {value!r}")
            self.page.fields[name] = value

    def _hint(self, mark: str, text: str) -> None:
        if self.section or self.part:
            raise self.page.fail(self.line, f"hints stand above the first heading, got {text!r}")
        self.page.hints.append(text)

    def _quotation(self, text: str) -> None:
        if not self.section or self.section.id in RESERVED:
            raise self.page.fail(self.line, f"a quotation belongs to a mistake, got {text!r}")
        self.section.hint = f"{self.section.hint} {text}".strip()

    def _item(self, text: str) -> None:
        if not self.section:
            raise self.page.fail(self.line, f"code belongs below a heading `## id`, got {text!r}")
        if self.section.id == TWO:
            found = PAIR.fullmatch(text)
            if not found or found["one"] == found["other"]:
                raise self.page.fail(self.line, f"two mistakes are `id & id` or `id & id: `code``, got {text!r}")
            code = self._code("answer", found["code"]) if found["code"] else None
            self.page.pairs.append(Pair((found["one"], found["other"]), self.line, code))
            return
        answer = text.startswith("answer: ")
        kind = "answer" if answer else "suspect" if self.part else "mistake"
        self._require_answer(kind)
        self.section.codes.append(self._code(kind, text.removeprefix("answer: ")))

    def _fence(self, mark: str, text: str) -> None:
        found = FENCE.fullmatch(mark)
        if not found:
            raise self.page.fail(
                self.line, f"a block is ```python mistake, given, answer, suspect, base or helpers, got {mark!r}"
            )
        if found["more"]:
            key = self.part, found["of"] or "mistake", found["more"]
            if key in self.page.blocks:
                raise self.page.fail(self.line, f"there is such a block above, in line {self.page.blocks[key].line}")
            self.page.blocks[key] = Code(found["of"] or "mistake", self.line, text, block=True)
        elif not self.section:
            raise self.page.fail(self.line, "code belongs below a heading `## id`")
        elif self.section.id == TWO:
            if not self.page.pairs or self.page.pairs[-1].code or found["kind"] != "answer":
                raise self.page.fail(self.line, "this block belongs to `- id & id:` above it, as ```python answer")
            self.page.pairs[-1].code = Code("answer", self.line, text, block=True)
        else:
            self._require_answer(found["kind"])
            self.section.codes.append(Code(found["kind"], self.line, text, block=True))

    def _require_answer(self, kind: str) -> None:
        """What stands below `## right` and the like are answers: there is no mistake that the checker could know."""
        if self.section and self.section.id in RESERVED and kind != "answer":
            raise self.page.fail(
                self.line, f"below `## {self.section.id}` stand answers: `- answer: `code`` or ```python answer"
            )

    def _code(self, kind: str, text: str) -> Code:
        """What stands in an item of a list."""
        if found := EDITS.fullmatch(text):
            return Code(kind, self.line, edits=EDIT.findall(text), of=found["of"] or "")
        if STEPS.fullmatch(text):
            return Code(kind, self.line, steps=dict(STEP.findall(text)))
        if found := re.fullmatch(SPAN, text):
            return Code(kind, self.line, found[1])
        problem = f"neither `code`, nor `old` → `new`, nor step: `code`, got {text!r}"
        if text.count("`") % 2:
            problem += "; a backtick is missing"
        elif "->" in re.sub(SPAN, "", text):
            problem += "; the arrow is →"
        elif text.startswith("answer:"):
            problem += "; a blank belongs after `answer:`"
        raise self.page.fail(self.line, problem)
