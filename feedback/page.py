"""The notation of an exercise's page, a Markdown file with all its texts and answers, and the parser for it.

    # 3.3 mask_by_filling               the number of the exercise, and the name of its answer

    minutes: 5 · difficulty: 2          fields; one more is `correct`, the text after a right answer
    WHICH: Which key is hidden?         a text that {WHICH} stands for in the texts below
    uses: exercises.common.inputs       modules whose names the code of the page may use
    steps: fill(scores, mask) · ...     the arguments of steps, if the exercise's `assemble` lacks them
    1. Which number is lower than ...   a hint

    include: [scale](../common/scale.md): no-scale, scaled-by-d         mistakes of a catalog; without ids, all of them
    include: [scale](../common/scale.md) explained by token: no-scale   ... with another explainer

    ## true-hides · hidden_weight       a known mistake: its id, and the explainer of the learner's numbers

    Where the mask is True ...          what the code does
    > Which of the two does ...         what to think about next
    raised in: `q @ k`                  a pattern for the lines in which this mistake raises

    - `code`                            a way to make the mistake, known to the checker
    - answer: `code`                    an answer that makes it, which only tests see, not the checker

    ## wrong                            answers with mistakes that have no heading of their own: - id: `code`
    ## two at once                      - id & id   or   - id & id: `code`
    ## right                            answers that pass; `## limited`: those with a limit; `## unnamed`: wrong ones
                                        that get no diagnosis
    # Suspects                          a part that the module itself reads; other headings with # are for readers

If several mistakes behave alike, the first one is named, so their order matters. A heading may repeat the id of an
included mistake: its code is added to that, and its texts replace the catalog's. An id without a text belongs to
the engine, a property or a behavioral test.

Code is one of these:

    `scores.softmax(-2)`                the value to return; if a class is asked for, the class
    `s = q @ k; s.softmax(-1)`          statements, and the value to return
    `old` → `new`, `old` → nothing      edits of the base, which is the module's answer unless a block says otherwise;
                                        `old` occurs in it once
    `old` → `new`, of other-id          edits of the first code below another heading
    softmax: `scores`, merge: `z`       steps of an answer or methods of the base: their bodies
    ```python mistake                   a block, up to a line of ```: the body of the answer or, if a function or class
    ```python answer                    comes last in it, that function or class
    ```python given                     the mistake in the notebook's cell, which is to be repaired
    ```python base                      another base for all edits; `answer base`: for the edits in answers
    ```python helpers                   definitions for the code of the page; `answer helpers`: for answers alone

An item, a hint and a quotation may wrap: their further lines begin with two spaces, three spaces or >. (Within `code`
they may begin in any way, since Prettier moves them.) Blank lines may be anywhere between them, and a backslash that a
formatter puts before punctuation is ignored. Anything else is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

HEADING = re.compile(r"(?P<id>[a-z\d]+(?:-[a-z\d]+)*|two at once)(?: · (?P<explain>[\w.]+(?:\(.*\))?))?")
INCLUDE = re.compile(r"include: \[[^]]+\]\((?P<file>[^)]+)\)(?: explained by (?P<explain>[\w.]+))?(?:: (?P<ids>.+))?")
TITLE = re.compile(r"(?P<number>\d+\.\d+) (?P<name>\w+)")
KEY = re.compile(r"(?P<name>\w[\w ]*): (?P<value>.+)", re.DOTALL)
FENCE = re.compile(
    r"```python (?:(?P<kind>mistake|answer|suspect|given)|(?:(?P<of>answer|suspect) )?(?P<more>base|helpers))"
)
LISTED = re.compile(r"(?P<id>[a-z\d]+(?:-[a-z\d]+)*):(?: (?P<code>.+))?", re.DOTALL)
PAIR = re.compile(r"(?P<one>[\w-]+) & (?P<other>[\w-]+)(?::(?: (?P<code>.+))?)?", re.DOTALL)
SPAN = r"`([^`]+)`"
EDIT = re.compile(rf"{SPAN} → (?:{SPAN}|nothing)")
EDITS = re.compile(rf"{EDIT.pattern}(?:, {EDIT.pattern})*(?:, of (?P<of>[\w-]+))?")
STEP = re.compile(rf"(\w+): {SPAN}")
STEPS = re.compile(rf"{STEP.pattern}(?:, {STEP.pattern})*")
OF_EXERCISES, OF_ALL = ("minutes", "difficulty", "correct"), ("uses", "steps")
FIELDS = OF_EXERCISES + OF_ALL
TWO, RIGHT, LIMITED, UNNAMED, WRONG = RESERVED = ("two at once", "right", "limited", "unnamed", "wrong")


class PageError(ValueError):
    """An error in a page or in the module next to it, with its file, its line, and what is wrong there."""

    def __init__(self, path: Path, line: int, problem: str) -> None:
        super().__init__(f"{path}:{line}: {problem}")
        self.path, self.line, self.problem = path, line, problem


@dataclass
class Code:
    """A piece of code: a text of its own, or edits, or steps."""

    kind: str  # "mistake", "given", "answer" or "suspect"
    line: int
    text: str = ""
    block: bool = False  # whether the text is in a fence, so that its first line is the one after `line`
    edits: list[tuple[str, str]] = field(default_factory=list)
    of: str = ""  # the id whose code is edited, if it is not the base
    steps: dict[str, str] = field(default_factory=dict)


@dataclass
class Section:
    """The contents below a heading with ##: a mistake, a reserved section, or a suspect."""

    id: str
    line: int
    explain: str = ""
    means: str = ""
    hint: str = ""
    raised_in: str = ""
    codes: list[Code] = field(default_factory=list)


@dataclass
class Include:
    """Mistakes taken from another page: these ids, or all of them."""

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
    """A parsed page. `parts` are the sections below each heading with one #; "" has those of the exercise."""

    path: Path
    number: str = ""
    name: str = ""
    fields: dict[str, str] = field(default_factory=dict)
    hints: list[str] = field(default_factory=list)
    lines: dict[str, int] = field(default_factory=dict)  # the line of each field and hint, by its text
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
    """The number of the exercise in the title of its page; "" if this is not the page of an exercise."""
    with path.open(encoding="utf-8-sig") as file:
        first = next((line for line in file if line.strip()), "")
    found = TITLE.fullmatch(first.removeprefix("# ").strip())
    return found["number"] if found else ""


def read(path: Path) -> Page:
    """Parse the page in a file.

    Errors: PageError, with the line of the first error
    """
    path = Path(path)
    return _read(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=256)
def _read(path: Path, changed: int) -> Page:
    return _Reader(path).page


# ---------------------------------------------------------------- lines to blocks

MARK = re.compile(
    r"(?P<mark>##?|[->]|\d\.) (?P<text>.+)|(?P<fence>```.*)|(?P<paragraph>[^\s#<>=|~`*+-].*|`[^`].*|[+-](?:\d|inf).*)"
)
NAMED = re.compile(rf"({'|'.join((*FIELDS, 'include', 'raised in'))}|[A-Z][A-Z_0-9]+): ")  # begins a paragraph
FURTHER = {"-": ("an item", "  "), ">": ("a quotation", "> "), ".": ("a hint", "   ")}  # how further lines begin
NESTED = re.compile(r">|(?:[-+*]|#+|\d+[.)]) ")  # begins a list or a quotation of its own, even within `code`
CODE_OR_ESCAPED = re.compile(rf"{SPAN}|\\(?P<sign>[!-/:-@\[-`{{-~])")


def blocks(path: Path) -> Iterator[tuple[int, str, str]]:
    """Yield (line, mark, text) of each block; mark is #, ##, -, >, 1., "" for a paragraph, or the line of a fence."""
    lines, n = [line.rstrip() for line in path.read_text(encoding="utf-8-sig").split("\n")], 0
    while n < len(lines):
        start, found = n, MARK.fullmatch(lines[n])
        n += 1
        if not lines[start]:
            continue
        if not found:
            marks = "`# `, `## `, `- `, `> `, `1. `, ``` or a word, without blanks before it"
            further = ", ".join(f"{begin!r} in {what}" for what, begin in FURTHER.values())
            problem = f"no line of a page begins like this: {lines[start]!r}; it begins with {marks}"
            raise PageError(path, n, f"{problem}, and a further line with {further}")
        if found["fence"]:
            while n < len(lines) and not lines[n].startswith("```"):
                n += 1
            if n == len(lines) or lines[n] != "```":
                raise PageError(path, start + 1, "this block has no end: a line of ```")
            yield start + 1, found["fence"], "\n".join(lines[start + 1 : n])
            n += 1
            continue
        mark, text = found["mark"] or "", found["text"] or found["paragraph"]
        while mark[:1] != "#" and n < len(lines) and lines[n]:
            further = _further(path, n + 1, lines[n], mark, inside=text.count("`") % 2 == 1)
            if not further:
                break
            text, n = f"{text} {further}", n + 1
        if text.count("`") % 2:
            raise PageError(path, start + 1, f"a backtick without another one: {text[:80]!r}")
        if tag := re.search(r"<[A-Za-z/!?][^<>]*>", CODE_OR_ESCAPED.sub("", text)):
            raise PageError(path, start + 1, f"a Markdown page does not show {tag[0]}: write `{tag[0]}`")
        yield start + 1, mark, CODE_OR_ESCAPED.sub(lambda found: found["sign"] or found[0], text)


def _further(path: Path, n: int, line: str, mark: str, inside: bool) -> str:
    """The text that a line adds to the block above it, perhaps within its last `code`; "" if it begins a new block."""
    (what, begin), found = FURTHER.get(mark[-1:], ("", "")), MARK.fullmatch(line)
    if not (mark and line.startswith(begin)):
        if found and not found["paragraph"] or not (found or inside):
            return ""
        if mark and not inside:
            problem = f"a further line of {what} begins with {begin!r}, and a text stands below a blank line"
            raise PageError(path, n, f"{problem}, got {line!r}")
        if NAMED.match(line):
            raise PageError(path, n, f"a blank line belongs above {line!r}")
        begin = ""
    if NESTED.match(further := line[len(begin) :].strip()):
        raise PageError(path, n, f"a list or quotation of its own begins here: break the line elsewhere, got {line!r}")
    return further


# ---------------------------------------------------------------- blocks to a page


class _Reader:
    """Reads the blocks of a file into a Page."""

    def __init__(self, path: Path) -> None:
        self.page, self.part = Page(path), ""
        self.section: Section | None = None
        self.listed: Section | None = None  # the one of the last item below `## wrong`
        for self.line, mark, text in blocks(path):
            if mark[:1] == "`":
                self._fence(mark, text)
                continue
            take = {"#": self._part, "##": self._heading, "-": self._item, ">": self._quotation, "": self._paragraph}
            take.get(mark, self._hint)(text)
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
            raise self.page.fail(
                self.line, f"a heading is `## id` or `## id · explainer`, an id like no-scale, got {text!r}"
            )
        if found["id"] in RESERVED and self.part:
            raise self.page.fail(self.line, f"{found['id']!r} stands above `# {self.part}`")
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
        elif self.section and self.section.id not in RESERVED:
            if text.startswith("raised in") or key and re.fullmatch(SPAN, key["value"]):
                self._raised_in(self.section, text)
                return
            if self.section.hint or self.section.codes:
                raise self.page.fail(self.line, f"the text of a mistake stands above its > and its code, got {text!r}")
            self.section.means = f"{self.section.means} {text}".strip()
        elif not self.section and key:
            self._fields(text)
        else:
            raise self.page.fail(self.line, f"no text stands here: {text!r}")

    def _raised_in(self, section: Section, text: str) -> None:
        found = re.fullmatch(rf"raised in: {SPAN}", text)
        if not found or section.raised_in:
            raise self.page.fail(self.line, f"a mistake may say once: raised in: `pattern`, got {text!r}")
        try:
            re.compile(found[1])
        except re.error as error:
            raise self.page.fail(self.line, f"{found[1]!r} is no pattern: {error}") from error
        section.raised_in = found[1]

    def _fields(self, text: str) -> None:
        for each in re.split(r" · (?=\w+: )", text):
            name, value = KEY.fullmatch(each).groups()  # type: ignore[union-attr]  # that is how it was split
            if name not in FIELDS and not name.isupper():
                raise self.page.fail(
                    self.line, f"no page has a field {name!r}; they are {', '.join(FIELDS)}, and WORDS"
                )
            if name in self.page.fields:
                raise self.page.fail(self.line, f"the field {name!r} stands above: say it once")
            if name in OF_EXERCISES:
                self._only_of_an_exercise(name)
            if name in ("minutes", "difficulty") and not value.isdecimal():
                raise self.page.fail(
                    self.line, f"{name} is a whole number, and `·` stands before the next field, got {value!r}"
                )
            if name == "difficulty" and value not in ("1", "2", "3"):
                raise self.page.fail(self.line, f"difficulty is 1, 2 or 3, got {value!r}")
            self.page.fields[name] = value
            self.page.lines[value] = self.line

    def _only_of_an_exercise(self, what: str) -> None:
        if not self.page.number:
            raise self.page.fail(self.line, f"a catalog, `# name`, has no {what}; an exercise begins with `# 3.3 name`")

    def _hint(self, text: str) -> None:
        if self.section or self.part:
            raise self.page.fail(self.line, f"hints stand above the first heading, got {text!r}")
        self._only_of_an_exercise("hints")
        self.page.hints.append(text)
        self.page.lines[text] = self.line

    def _quotation(self, text: str) -> None:
        if not self.section or self.section.id in RESERVED:
            raise self.page.fail(self.line, f"a quotation belongs to a mistake, got {text!r}")
        self.section.hint = f"{self.section.hint} {text}".strip()

    def _item(self, text: str) -> None:
        if not self.section:
            raise self.page.fail(self.line, f"code belongs below a heading, got {text!r}")
        if self.section.id == TWO:
            found = PAIR.fullmatch(text)
            if not found:
                raise self.page.fail(self.line, f"two mistakes are `id & id`, got {text!r}")
            code = self._code("answer", found["code"]) if found["code"] else None
            self.page.pairs.append(Pair((found["one"], found["other"]), self.line, code))
            return
        if self.section.id == WRONG:
            self._listed(self.section.line, text)
            return
        answer = text.startswith("answer: ")
        kind = "answer" if answer else "suspect" if self.part else "mistake"
        self._add(self.section, self._code(kind, text.removeprefix("answer: ")))

    def _listed(self, start: int, text: str) -> None:
        """Read an item below `## wrong`, in line `start`, as if its code were below a heading with its id."""
        found = LISTED.fullmatch(text)
        if not found or found["id"] in RESERVED:
            raise self.page.fail(self.line, f"below wrong stand answers, `id: code`, got {text!r}")
        here = [each for each in self.page.parts[self.part] if isinstance(each, Section) and each.id == found["id"]]
        if here and here[0].line < start:
            raise self.page.fail(self.line, f"{found['id']!r} has a heading above: say everything below one")
        self.listed = here[0] if here else Section(found["id"], self.line)
        if not here:
            self.page.parts[self.part].append(self.listed)
        if found["code"]:
            self.listed.codes.append(self._code("answer", found["code"]))

    def _add(self, section: Section, code: Code) -> None:
        if section.id in RESERVED and code.kind != "answer":
            raise self.page.fail(code.line, f"below {section.id} stand answers: `- answer: `, or ```python answer")
        section.codes.append(code)

    def _fence(self, mark: str, text: str) -> None:
        found = FENCE.fullmatch(mark)
        if not found:
            raise self.page.fail(
                self.line, f"a block is ```python mistake, given, answer, suspect, base or helpers, got {mark!r}"
            )
        if found["more"]:
            if found["more"] == "base":
                self._only_of_an_exercise("base")
            key = self.part, found["of"] or "mistake", found["more"]
            if key in self.page.blocks:
                raise self.page.fail(self.line, f"there is such a block above, in line {self.page.blocks[key].line}")
            self.page.blocks[key] = Code(found["of"] or "mistake", self.line, text, block=True)
        elif not self.section:
            raise self.page.fail(self.line, "code belongs below a heading")
        elif self.section.id == WRONG:
            if not self.listed or found["kind"] != "answer":
                raise self.page.fail(self.line, "this block belongs to `- id:` above it, as ```python answer")
            self.listed.codes.append(Code("answer", self.line, text, block=True))
        elif self.section.id == TWO:
            if not self.page.pairs or self.page.pairs[-1].code or found["kind"] != "answer":
                raise self.page.fail(self.line, "this block belongs to `- id & id:` above it, as ```python answer")
            self.page.pairs[-1].code = Code("answer", self.line, text, block=True)
        else:
            self._add(self.section, Code(found["kind"], self.line, text, block=True))

    def _code(self, kind: str, text: str) -> Code:
        """Parse the code in an item of a list."""
        if found := EDITS.fullmatch(text):
            edits = EDIT.findall(text)
            if any(old == new for old, new in edits):
                raise self.page.fail(self.line, f"an edit changes nothing: {text!r}")
            return Code(kind, self.line, edits=edits, of=found["of"] or "")
        if STEPS.fullmatch(text):
            steps = STEP.findall(text)
            if len(dict(steps)) < len(steps):
                raise self.page.fail(self.line, f"a step stands twice in {text!r}")
            return Code(kind, self.line, steps=dict(steps))
        if found := re.fullmatch(SPAN, text):
            return Code(kind, self.line, found[1])
        raise self.page.fail(self.line, f"neither `code`, nor `old` → `new`, nor step: `code`, got {text!r}")
