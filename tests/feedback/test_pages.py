"""Pages: the exercises that are made of them, and the messages about errors in them."""

import importlib
import itertools
import re

import pytest

from feedback import page as pages
from feedback.checker import check
from feedback.exercise_package import Exercises
from tools import show_page

PAGE = """# 9.1 double

minutes: 1 · difficulty: 1

correct: Twice, and one more.

FIRST: What comes first?

1. Twice?
2. And 1.

```python helpers
def half(x):
    return x / 2
```

## not-doubled
Nothing was doubled.
> {FIRST}
- double: `x`
- `half(x) * 2 + 1`
- answer: `2 * x` → `x`

## nothing-added · told
Nothing
was added.
> Plus
> 1.
- add: `x`
- answer: `x + x`

## wrong
- no-card: `x, x`

## two at once
- not-doubled & nothing-added
- not-doubled & nothing-added: `1 * x`

## right
- answer: `1 + 2 * x`
```python answer
for _ in range(1):
    x = x + x
return x + 1
```
```python answer
def named_otherwise(x):
    return 2 * x + 1
```
"""
MODULE = """
from feedback import TestCase
from feedback.page_exercise import exercise

def double(x):
    return 2 * x + 1

def from_steps(double=lambda x: 2 * x, add=lambda x: x + 1):
    return lambda x: add(double(x))

def told(case):
    return "It is a number"

EXERCISE = exercise(double, assemble=from_steps, returns=("y",), cases=(TestCase("five", (5,)), TestCase("two", (2,))),
                    minimal_inputs=((1,),))
"""
COUNT = itertools.count()


@pytest.fixture
def load(write_package):
    """load(text of the page, **other pages) returns the exercise."""

    def loaded(text=PAGE, **others):
        name, pages = f"course_of_pages_{next(COUNT)}", {"double": text, **others}
        files = {f"n09_room/{page}.md": content for page, content in pages.items()}
        write_package(name, {"n09_room/double.py": MODULE, **files})
        return importlib.import_module(f"{name}.n09_room.double").EXERCISE

    return loaded


# ---------------------------------------------------------------- what a page becomes


def test_a_page_is_the_statement_of_its_exercise_its_mistakes_and_answers(load):
    exercise = load()
    assert (exercise.id, exercise.name, exercise.minutes, exercise.difficulty) == ("9.1", "double", 1, 1)
    assert (exercise.when_correct, exercise.hints) == ("Twice, and one more.", ("Twice?", "And 1."))
    first, mistake = exercise.misconceptions
    assert first.hint == "What comes first?" and [way(5) for way in first.variants] == [6, 6]
    assert (mistake.means, mistake.hint, mistake.explain(None)) == ("Nothing was added.", "Plus 1.", "It is a number")
    banks = exercise.banks()
    assert [a.code(5) for a in banks.right] == [11, 11, 11] and [a.code(5) for a in banks.two_mistakes] == [5, 5]
    assert [(a.code(5), a.expected) for a in banks.wrong][1:] == [(10, "nothing-added"), ((5, 5), "no-card")]
    assert banks.wrong[0].place == f"double.md:{1 + PAGE[: PAGE.index('- answer: `2 * x`')].count(chr(10))}"


def test_an_exception_in_an_answer_is_told_with_its_line_of_the_page(load):
    exercise = load(PAGE + "- answer: `double(x)`\n```python answer\nx = x + 1\nreturn x / (x - x)\n```\n")
    *_, reference, answer = exercise.banks().right
    assert reference.code(5) == 11, "in a body, the name of the answer means the reference"
    line = 2 + (PAGE + "```python answer\nx = x + 1\n").count("\n")
    assert f"at your line {line}: `return x / (x - x)`" in check(exercise, answer.code).message


CATALOG = """# catalog

steps: double(x)

## tripled
It was tripled, {FIRST}
> Not {TIMES}.
- double: `3 * x`

## zero
It is 0.
> Why?
- `0 * x`
- answer: `2 * x` → `0`
"""


def test_mistakes_of_a_catalog_are_taken_over_in_the_order_of_the_page_and_in_its_words(load):
    include = "TIMES: 3 times\n\ninclude: [catalog](catalog.md) explained by told: zero, tripled\n\n"
    include += "## zero\nIt is nothing.\n\n## not-doubled"
    exercise = load(PAGE.replace("## not-doubled", include), catalog=CATALOG)
    assert [m.id for m in exercise.misconceptions] == ["zero", "tripled", "not-doubled", "nothing-added"]
    zero, tripled = exercise.misconceptions[:2]
    assert (zero.means, zero.hint, zero.shared) == ("It is nothing.", "Why?", 1)
    assert (tripled.means, tripled.hint) == ("It was tripled, What comes first?", "Not 3 times.")
    assert tripled.explain(None) == "It is a number"
    assert [way(5) for way in (*zero.variants, *tripled.variants)] == [0, 16]
    assert exercise.banks().wrong[0].code(5) == 1, "edits of a catalog are edits of this page's base"


def test_a_page_means_the_same_after_a_formatter(load):
    formatted = [  # by Prettier and by mdformat, and with what editors may leave
        ("- answer: `x + x`", "- answer: `(x +\nx)`"),
        ("- answer: `2 * x` → `x`\n", "- answer: `2 * x` → `x`  \n"),
        ("Nothing\nwas added.", "Nothing was\nadded\\."),
        ("2. And 1.", "1. And 1\\."),
        ("## not-doubled", "\n\n## not-doubled"),
        ("# 9.1 double", "\ufeff\n# 9.1 double"),
    ]
    text = PAGE
    for old, new in formatted:
        text = text.replace(old, new)

    def meant(exercise):
        results = [answer.code(5) for bank in vars(exercise.banks()).values() for answer in bank]
        return exercise.hints, [(m.id, m.means, m.hint) for m in exercise.misconceptions], results

    assert meant(load()) == meant(load(text))


# ---------------------------------------------------------------- slips

SLIPS = [  # the text on the page, the text that replaces it, and part of the message
    ("difficulty: 1", "difficulty: 4", "difficulty is 1, 2 or 3, got '4'"),
    ("return x / 2", "retrun x / 2", "double.md:14: SyntaxError: invalid syntax, in `retrun x / 2`"),
    ("correct: Twice", "corect: Twice", "no page has a field 'corect'"),
    ("correct: Twice, and one more.\n\n", "", "the page lacks correct"),
    ("correct: Twice, and one more.\n\n", "correct: Twice.\n", "a blank line belongs above 'FIRST: What comes first?'"),
    ("FIRST: What", "correct: What", "the field 'correct' stands above"),
    ("> {FIRST}", "> {FRIST}", "nothing says what {FRIST} stands for"),
    ("## not-doubled", "##not-doubled", "no line of a page begins like this"),
    ("- answer: `x + x`", " - answer: `x + x`", "and a further line with '  ' in an item"),
    ("## nothing-added · told", "## nothing-added · tolled", "name 'tolled' is not defined"),
    ("## nothing-added · told", "## not-doubled", "'not-doubled' has a heading above"),
    ("> Plus\n> 1.\n", "", "nothing-added needs a text and, after >, what to think about next"),
    ("Nothing was doubled.\n> {FIRST}\n", "", "not-doubled has no text, and stands in no catalog"),
    ("- answer: `x + x`", "- anwser: `x + x`", "neither `answer: ` nor a step: anwser; the steps are double, add"),
    ("- answer: `x + x`", "- answer: `x + `", "SyntaxError: invalid syntax, in `"),
    ("- answer: `2 * x` → `x`", "- answer: `3 * x` → `x`", "an edit fits one place, but `3 * x` stands 0 times"),
    ("- answer: `2 * x` → `x`", "- answer: `2 * x` → `x`, of nobody", "no code stands below a heading 'nobody' above"),
    ("- not-doubled & nothing-added\n", "- not-doubled & no-card\n", "no-card has no edits to compose it from, and"),
    ("1\n```\n```python answer\ndef", "1\n```\n```python answer\ndef named(x):\n    retrun x\n\ndef", "SyntaxError"),
    ("    return 2 * x + 1\n```\n", "    return 2 * x + 1\n", "this block has no end"),
    ("1. Twice?", "include: [it](nowhere.md)\n\n1. Twice?", "there is no page nowhere.md"),
    ("2. And 1.", "2. And 1.\n\nSome text.", "no text stands here: 'Some text.'"),
    ("1 · difficulty", "1, difficulty", "minutes is a whole number, and `·` stands before the next field"),
    ("> Plus\n> 1.", "> Plus\n1.", "a further line of a quotation begins with '> '"),
    ("> Plus\n> 1.", "> Plus\n> - 1.", "a list or quotation of its own begins here"),
    ("> Plus\n> 1.\n", "> Plus\n\n1.\n", "the text of a mistake stands above its > and its code"),
    ("Nothing\nwas", "<!-- Nothing -->\nwas", "no line of a page begins like this"),
    ("Nothing\nwas", "No <b>thing</b>\nwas", "a Markdown page does not show <b>: write `<b>`"),
    ("Nothing\nwas", "raisd in: `x`\n\nNothing\nwas", "a mistake may say once: raised in: `pattern`"),
    ("## nothing-added · told", "## nothing-added · math", "an explainer is a function of what was compared"),
    ("## right", "# Suspects\n\n## right", "'right' stands above `# Suspects`"),
    ("- answer: `2 * x` → `x`", "- answer: `2 * x` → `2 * x`", "an edit changes nothing"),
    ("- double: `x`", "- double: `x`, double: `3 * x`", "a step stands twice"),
    ("- no-card: `x, x`", "- answer: not-doubled: `x, x`", "neither `code`, nor `old` → `new`"),
    ("- no-card: `x, x`", "- not-doubled: `x, x`", "'not-doubled' has a heading above"),
    ("- no-card: `x, x`", "- `x, x`", "below wrong stand answers, `id: code`"),
    ("- no-card: `x, x`", "```python answer\nx, x\n```", "this block belongs to `- id:` above it"),
    ("1. Twice?", "include: [it](catalog.md): zero, zero\n\n1. Twice?", "zero of catalog.md is taken over twice"),
]

SLIPS_IN_A_CATALOG = [
    ("steps: double(x)", "correct: Yes.", "a catalog, `# name`, has no correct"),
    ("steps: double(x)", "uses: no.such.module", "No module named 'no'"),
    ("## zero", "```python base\nreturn 2 * x\n```\n\n## zero", "a catalog, `# name`, has no base"),
]
ALL_SLIPS = [("double", *slip) for slip in SLIPS] + [("catalog", *slip) for slip in SLIPS_IN_A_CATALOG]
INCLUDE = "TIMES: 3\n\ninclude: [catalog](catalog.md)\n\n## not-doubled"


@pytest.mark.parametrize("name, old, new, words", ALL_SLIPS, ids=[slip[2][:30] for slip in ALL_SLIPS])
def test_a_slip_is_one_sentence_with_the_file_and_the_line(load, name, old, new, words):
    texts = {"double": PAGE if name == "double" else PAGE.replace("## not-doubled", INCLUDE), "catalog": CATALOG}
    assert texts[name].count(old) == 1
    texts[name] = texts[name].replace(old, new)
    with pytest.raises(pages.PageError) as caught:
        load(texts["double"], catalog=texts["catalog"]).banks()
    assert words in str(caught.value) and re.match(rf".*{name}\.md:\d+: ", str(caught.value))


@pytest.mark.parametrize(
    "old, new, line",
    [
        ("> Plus\n> 1.", "> Plus\n1.", "1."),
        ("- answer: `x + x`", "- answer: `x +\nx`\n- answer: x", "- answer: x"),
        ("1. Twice?", "uses: no.such.module\n\n1. Twice?", "uses: no.such.module"),
    ],
)
def test_the_line_of_a_slip_is_its_own(load, old, new, line):
    text = PAGE.replace(old, new)
    with pytest.raises(pages.PageError) as caught:
        load(text).banks()
    assert caught.value.line == 1 + text.split("\n").index(line)


def test_two_pages_with_one_number_are_refused(write_package):
    folder = write_package("course", {f"n09_room/{name}.md": f"# 9.1 {name}\n" for name in ("double", "triple")})
    with pytest.raises(pages.PageError, match=r"triple\.md:1: 9\.1 is the number of .*double\.md, too"):
        Exercises("course", str(folder))


@pytest.mark.parametrize(
    "module, line, words",
    [
        ("import torch\n\nEXERCISE = torch.ones(2) @ torch.ones(3)\n", 3, "RuntimeError: inconsistent tensor size"),
        ("def shares(x):\n    return x +\n", 2, "SyntaxError: invalid syntax"),
        ("import json\n\njson.loads('[')\n", 3, "JSONDecodeError: Expecting value"),
    ],
)
def test_a_slip_in_the_module_of_an_exercise_is_one_sentence(write_package, module, line, words):
    files = {"n09_room/shares.md": "# 9.1 shares\n", "n09_room/shares.py": module}
    folder = write_package("course_with_a_slip", files)
    with pytest.raises(pages.PageError) as caught:
        Exercises("course_with_a_slip", str(folder))["9.1"]
    assert str(caught.value).startswith(f"{folder / 'n09_room' / 'shares.py'}:{line}: {words}")


def test_what_is_wrong_with_the_code_of_a_page_is_found_with_its_line(load):
    helper = PAGE.replace("## not-doubled", "```python answer helpers\ntwo = 2\n```\n## not-doubled")
    [found] = load(helper.replace("- add: `x`", "- add: `x + two`")).page.unknown_names()
    assert found.endswith("nothing defines two"), "a helper of answers is unknown to known mistakes"
    [found] = load(PAGE.replace("- answer: `x + x`", "- answer: `hafl(x) * 4`")).page.unknown_names()
    assert re.fullmatch(r"double\.md:\d+: nothing defines hafl", found)
    [found] = load(PAGE.replace("- answer: `2 * x` → `x`", "- answer: `half(x) * 2 + 1`")).page.copies()
    assert re.fullmatch(r"double\.md:\d+ is what double\.md:\d+ says", found)


def test_a_line_of_a_page_leads_to_the_code_of_its_section_above_it_or_to_the_next_code(load):
    exercise = load(PAGE)
    found = show_page.answers(exercise) + show_page.ways(exercise)
    lines = PAGE.splitlines()
    for asked, shown in {
        "## nothing-added · told": "- add: `x`",
        "> 1.": "- add: `x`",
        "- answer: `x + x`": "- answer: `x + x`",
        "## wrong": "- no-card: `x, x`",
    }.items():
        place = show_page.at(exercise, found, lines.index(asked) + 1).place
        assert lines[int(place.partition(":")[2]) - 1] == shown
