"""The guide and its index: what they say of sections, minutes, exercises, predictions and mistakes is true."""

import re

import pytest

import course
from exercises import EXERCISES
from exercises.notebooks import NOTEBOOKS
from tools import guide
from tools.classroom import catalog

ROOT = guide.ROOT
TEXT = guide.GUIDE.read_text(encoding="utf-8")
MISTAKE = re.compile(r"^- (\d+\.\d+) `([a-z0-9-]+)`: .* \*Ask:\* .*\?", re.MULTILINE)


def rows(table):
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]


PLANS = [(rows(table), int(total)) for _, table, total in guide.PLAN.findall(TEXT)]


def test_it_says_what_the_notebooks_say():
    assert guide.filled(TEXT) == TEXT, "run `python -m tools.guide`"
    assert len(guide.NAMED.findall(TEXT)) > 30 and len(guide.PLAN.findall(TEXT)) == len(PLANS)


def test_minutes_polls_and_exercises_are_written_into_a_plan():
    head = "| section | minutes | in class | show | poll | exercises in class | homework |\n|---|\n"
    row = "| 02 · 3. From scores to shares: the softmax | {} | {} | all | {} | {} | {} |\n"
    softmax = guide.section("02 · 3. From scores to shares: the softmax")
    total, alone = softmax.minutes, softmax.minutes - EXERCISES["2.2"].minutes
    for home, minutes, here in (("–", total, "2.2"), ("2.2", alone, "–")):
        chosen = f"{head}{row.format('', 0, '', '', home)}\nIn class: 0 minutes."
        line = row.format(f"core {total}", minutes, "02.axis, 02.overflow", here, home)
        assert guide.filled(chosen) == f"{head}{line}\nIn class: {minutes} minutes."
    named = guide.filled("*02 · 3. From scores to shares: the softmax* ()")
    assert named == f"*02 · 3. From scores to shares: the softmax* (core · {total} min)"


@pytest.mark.parametrize(
    "text", ["*02 · 3. Renamed* (core · 3 min)", "*99 · 3. From scores to shares: the softmax* ()"]
)
def test_a_section_that_no_notebook_has_is_refused(text):
    with pytest.raises(ValueError, match="which no notebook has. There are: 00 · "):
        guide.filled(text)


def test_homework_from_another_section_is_refused():
    with pytest.raises(ValueError, match=r"must be among its exercises, \('2.2',\); got \['2.1'\]"):
        guide.plan_row("02 · 3. From scores to shares: the softmax", "", "", "all", "", "", "2.1")


def test_there_are_the_plans_that_it_promises():
    headings = re.findall(r"^### (Session|Week) (\d): ", TEXT, re.MULTILINE)
    assert headings == [("Session", f"{i}") for i in range(1, 5)] + [("Week", f"{i}") for i in range(1, 9)]
    assert len(PLANS) == 2 + len(headings)
    assert TEXT.count("ut first: ") + TEXT.count("**Cut points.**") == len(PLANS)


def test_the_cells_to_show_are_in_their_sections():
    for lines, _ in PLANS:
        for place, _, _, show, *_ in lines:
            assert set(re.findall(r"`([^`]+)`", show)) <= {cell["id"] for cell in guide.section(place).cells}, place


def test_a_plan_is_shorter_than_its_meeting():
    for number, (_, total) in enumerate(PLANS):
        assert total <= (210 if number == 1 else 95)  # the second plan is that of half a day


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
    assert set(re.findall(r"\b\d\d+\.[a-z]+\b", TEXT)) <= predictions
    assert set(re.findall(r"[Ee]xercises? (\d+\.\d+)", TEXT)) <= set(EXERCISES)


def test_its_commands_and_links_lead_somewhere():
    commands = set(re.findall(r"python course\.py ([a-z]+)", TEXT))
    assert {"slides", "handout", "class"} <= commands <= {*course.COMMANDS, *course.TOOLS}
    anchors = {re.sub(r"[^a-z0-9 -]", "", line.lower()).strip().replace(" ", "-") for line in headings()}
    for target in re.findall(r"\]\(([^)]+)\)", TEXT):
        assert target.removeprefix("#") in anchors if target[0] == "#" else (ROOT / "classroom" / target).exists()


def headings():
    return re.findall(r"^#+ (.*)$", TEXT, re.MULTILINE)


# ---- the index


@pytest.fixture(scope="module")
def index():
    return guide.index()


@pytest.mark.slow
def test_the_index_has_every_mistake_of_every_exercise_with_its_question(index):
    parts = re.split(r"^### (\d+\.\d+) ", index, flags=re.MULTILINE)
    tables = dict(zip(parts[1::2], parts[2::2], strict=True))
    assert list(tables) == list(EXERCISES)
    for id, exercise in catalog.load().exercises.items():
        for mistake, (means, ask) in guide.own(exercise).items():
            assert f"| {guide.in_a_cell(means)} | {guide.in_a_cell(ask)} |" in tables[id], f"{id} {mistake}"


@pytest.mark.slow
def test_the_index_names_the_section_of_every_exercise(index):
    for _, section in guide.all_sections():
        for id in section.exercises:
            head = f"### {id} `{EXERCISES[id].name}`\n\nSection *{section.title}* "
            assert f"{head}({section.kind} · {section.minutes} min)" in index


def symptom(id, mistake):
    return guide.symptoms(EXERCISES[id])[mistake]


def test_a_symptom_is_what_can_be_seen():
    assert symptom("0.1", "column-means") == guide.SHAPE
    assert symptom("0.1", "sum-not-mean") == guide.NUMBERS
    assert symptom("1.2", "columns") == guide.RAISES
    assert symptom("2.2", "overflow") == guide.NAN
    assert symptom("2.4", "over-queries") == "Wrong numbers. The rows of the weights do not sum to 1."
    assert (
        symptom("3.3", "zero-filled") == "Right on some inputs, wrong numbers on others, such as a causal mask (T, T)."
    )


def test_a_wrong_number_is_not_called_a_wrong_shape_where_results_are_compared_by_what_they_have_in_common():
    found = guide.symptoms(EXERCISES["4.1"])
    assert found["not-scaled"] == guide.NUMBERS and guide.SHAPE not in found.values()
    assert guide.symptoms(EXERCISES["2.4"])["only-weights"] == guide.SHAPE
