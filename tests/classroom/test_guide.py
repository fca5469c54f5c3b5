"""The guide and its index: what they say of sections, minutes, exercises, predictions and mistakes is true."""

import re

import pytest

import course
from exercises import EXERCISES
from exercises.notebooks import NOTEBOOKS
from tools import guide
from tools.classroom import catalog
from tools.sections import ROOT, all_sections, cells_of, notebooks

TEXT = (ROOT / "classroom" / "guide.md").read_text(encoding="utf-8")
INDEX = guide.INDEX.read_text(encoding="utf-8")
SECTIONS = {(section.notebook, section.title): section for section in all_sections()}
NAMED = re.compile(r"\*(\d\d) · ([^*]+?)\* \((core|deeper) · (\d+) min\)")
PLAN = re.compile(r"\| section \| minutes .*?\n\|---.*?\n(.*?)\n\nIn class: (\d+) minutes\.", re.DOTALL)
MISTAKE = re.compile(r"^- (\d\.\d) `([a-z0-9-]+)`: .* \*Ask:\* .*\?", re.MULTILINE)


def rows(table):
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]


def ids(cell):
    return [] if cell == "–" else cell.split(", ")


PLANS = [(rows(table), int(total)) for table, total in PLAN.findall(TEXT)]


def test_every_section_that_the_text_names_is_there_with_its_minutes():
    named = NAMED.findall(TEXT)
    assert len(named) > 30
    for notebook, title, kind, minutes in named:
        section = SECTIONS.get((notebook, title))
        assert section, f"{notebook} · {title}"
        assert (section.kind, section.minutes) == (kind, int(minutes)), title


def test_there_are_the_plans_that_it_promises():
    headings = re.findall(r"^### (Session|Week) (\d): ", TEXT, re.MULTILINE)
    assert headings == [("Session", f"{i}") for i in range(1, 5)] + [("Week", f"{i}") for i in range(1, 9)]
    assert len(PLANS) == 2 + len(headings)
    assert TEXT.count("ut first: ") + TEXT.count("**Cut points.**") == len(PLANS)


@pytest.mark.parametrize("plan", range(len(PLANS)))
def test_a_plan_says_what_the_notebooks_say(plan):
    lines, total = PLANS[plan]
    spent = 0
    for place, minutes, in_class, show, poll, here, home in lines:
        section = SECTIONS[tuple(place.split(" · ", 1))]
        assert minutes == f"{section.kind} {section.minutes}", place
        assert ids(poll) == list(section.predictions), place
        assert sorted(ids(here) + ids(home)) == sorted(section.exercises), place
        assert int(in_class) == section.minutes - sum(EXERCISES[id].minutes for id in ids(home)), place
        assert set(re.findall(r"`([^`]+)`", show)) <= set(section.cells), place
        spent += int(in_class)
    assert spent == total <= 95 or plan == 1 and spent == total <= 210  # the second plan is that of half a day


def test_no_plan_shows_a_section_twice_and_the_sessions_build_on_each_other():
    for lines, _ in PLANS:
        places = [line[0] for line in lines]
        assert len(set(places)) == len(places)
    for block in (PLANS[2:6], PLANS[6:]):
        everything = [line[0] for lines, _ in block for line in lines]
        assert len(set(everything)) == len(everything)


def test_it_names_three_mistakes_for_each_notebook_and_each_is_in_the_bank():
    found = MISTAKE.findall(TEXT)
    for notebook in NOTEBOOKS:
        assert sum(int(id.split(".")[0]) == int(notebook.number) for id, _ in found) == 3, notebook.number
        assert f"\n**{notebook.name}**\n" in TEXT
    for id, mistake in found:
        assert mistake in guide.own(catalog.load().exercises[id]), f"{id} {mistake}"


def test_the_exercises_and_predictions_that_it_mentions_exist():
    predictions = set(catalog.load().predictions)
    assert set(re.findall(r"\b0\d\.[a-z]+\b", TEXT)) <= predictions
    assert set(re.findall(r"[Ee]xercises? (\d\.\d)", TEXT)) <= set(EXERCISES)


def test_its_commands_and_links_lead_somewhere():
    commands = set(re.findall(r"python course\.py ([a-z]+)", TEXT))
    assert {"slides", "handout", "class"} <= commands <= {*course.COMMANDS, *course.TOOLS}
    anchors = {re.sub(r"[^a-z0-9 -]", "", line.lower()).strip().replace(" ", "-") for line in headings()}
    for target in re.findall(r"\]\(([^)]+)\)", TEXT):
        assert target.removeprefix("#") in anchors if target[0] == "#" else (ROOT / "classroom" / target).exists()


def headings():
    return re.findall(r"^#+ (.*)$", TEXT, re.MULTILINE)


# ---- the index


def test_the_index_has_every_mistake_of_every_exercise_with_its_question():
    parts = re.split(r"^### (\d\.\d) ", INDEX, flags=re.MULTILINE)
    tables = dict(zip(parts[1::2], parts[2::2], strict=True))
    assert list(tables) == list(EXERCISES)
    for id, exercise in catalog.load().exercises.items():
        for mistake, (means, ask) in guide.own(exercise).items():
            assert f"| {guide.in_a_cell(means)} | {guide.in_a_cell(ask)} |" in tables[id], f"{id} {mistake}"


def test_the_index_names_the_section_of_every_exercise():
    for section in all_sections():
        for id in section.exercises:
            head = f"### {id} `{EXERCISES[id].name}`\n\nSection *{section.title}* "
            assert f"{head}({section.kind} · {section.minutes} min)" in INDEX


@pytest.mark.slow
def test_the_index_is_current():
    assert guide.index() == INDEX, "run `python -m tools.guide`"


def symptom(id, mistake):
    return guide.symptoms(EXERCISES[id])[mistake]


def test_a_symptom_is_what_can_be_seen():
    assert symptom("0.1", "column-means") == guide.SHAPE
    assert symptom("0.1", "sum-not-mean") == guide.NUMBERS
    assert symptom("1.2", "columns") == guide.RAISES
    assert symptom("2.2", "overflow") == guide.NAN
    assert symptom("2.4", "over-queries") == "Wrong numbers: rows do not sum to 1."
    assert symptom("3.3", "zero-filled") == "Wrong numbers, but only on some inputs, such as a causal mask (T, T)."


def test_every_section_of_every_notebook_is_found():
    for number, path in notebooks().items():
        titles = re.findall(r"^## (.*)\n\n\*(?:core|deeper) · ", "\n\n".join(c["source"] for c in cells_of(path)), re.M)
        assert [section.title for section in all_sections() if section.notebook == number] == titles
