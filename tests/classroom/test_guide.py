"""The guide is right about sections, minutes, exercises, predictions and mistakes."""

import re

import pytest

import course
from exercises import COURSE, EXERCISES
from exercises.notebooks import FIRST_PART, NOTEBOOKS
from tools import Problem, guide
from tools.classroom import catalog
from tools.slides.decks import decks

ROOT = guide.ROOT
TEXT = guide.GUIDE.read_text(encoding="utf-8")
PLANS = guide.plans(TEXT)
MISTAKE = re.compile(r"^- (\d+\.\d+) `([a-z0-9-]+)`: .* \*Ask:\* .*\?", re.MULTILINE)
SOFTMAX = "02 · 9. Scores of any size"
HEAD = "| at | section | minutes | kind | show | poll | exercises | homework |\n|---|\n"


# ---- the plans


def test_it_says_what_the_notebooks_say():
    assert guide.filled(TEXT) == TEXT, "run `python -m tools.contents`"
    assert len(guide.NAMED.findall(TEXT)) > 30


def test_times_minutes_polls_and_exercises_are_written_into_a_plan():
    softmax, alone = guide.section(SOFTMAX), EXERCISES["2.2"].minutes
    whole = softmax.minutes + 3 * len(softmax.predictions)
    for home, minutes, row in (
        ("–", whole, "2.2 | –"),
        ("2.2", whole - alone, f"– | 2.2 ({alone} min)"),
        ("2.2 (99 min)", whole - alone, f"– | 2.2 ({alone} min)"),
    ):
        chosen = f"## Day 1: Softmax\n\n{HEAD}| | *Break* | 61 | | – | | | |\n| | {SOFTMAX} | | | all | | | {home} |\n"
        written = guide.filled(f"{chosen}\nEnds at ? of 2:30. Exercises at home: ?")
        assert "| 0:00 | *Break* | 61 | – | – | – | – | – |\n" in written
        assert f"| 1:01 | {SOFTMAX} | {minutes} | deeper | all |" in written
        assert f"| 02.overflow | {row} |\n" in written
        at_home = f"{alone} minutes" if "2.2" in home else "none"
        assert written.endswith(f"\nEnds at {guide.clock(61 + minutes)} of 2:30. Exercises at home: {at_home}.")
    assert guide.filled(f"*{SOFTMAX}* ()") == f"*{SOFTMAX}* (deeper · {softmax.minutes} min)"


def test_a_section_that_no_notebook_has_is_refused():
    for place, said in {
        "02 · 3. Renamed": "which no notebook has. Notebook 02 has 02 · 1. One word, two meanings, 02 · 2. ",
        "99 · 3. From scores to shares: the softmax": "which no notebook has. There is no notebook 99.",
    }.items():
        with pytest.raises(Problem, match=re.escape(said)):
            guide.filled(f"*{place}* (core · 3 min)")


def test_all_that_the_notebooks_lack_is_named_at_once():
    rows = (
        f"| | {SOFTMAX} | | | all | | | 2.1 |",
        f"| | {SOFTMAX} | | | `overflow`, `gone` | | | – |",
        "| | *Break* |" + " |" * 6,
    )
    with pytest.raises(Problem) as refused:
        guide.filled(f"## Day 1: Softmax\n\n{HEAD}" + "\n".join(rows) + "\n\nEnds at ? of 1:30. Exercises at home: ?")
    assert str(refused.value).splitlines() == [
        f"Day 1: '{SOFTMAX}' has 2.2, so its homework cannot be 2.1: change the last column.",
        f"Day 1: '{SOFTMAX}' has no cell gone: change the column *show*.",
        "Day 1: *Break* is no section, so its minutes must be a number, got ''.",
    ]


def test_a_plan_without_its_last_line_is_refused():
    with pytest.raises(Problem, match="must end in a line such as"):
        guide.plans(f"## Day 1: Softmax\n\n{HEAD}| | {SOFTMAX} | | | all | | | – |\n")


def test_a_plan_ends_before_its_meeting_does():
    for plan in PLANS.values():
        hours, minutes = map(int, plan.limit.split(":"))
        assert plan.minutes < 60 * hours + minutes, plan.name


def test_no_plan_shows_a_section_twice_and_the_sessions_build_on_each_other():
    for prefix in ("ninety", "session", "week", "extra"):
        places = [row.place for plan in PLANS.values() if plan.name.startswith(prefix) for row in plan.sections]
        assert len(set(places)) == len(places), prefix


def test_every_core_section_of_the_first_part_is_in_a_plan_or_named_for_reading_at_home():
    named = {row.place for plan in PLANS.values() for row in plan.sections} | set(guide.NAMED.findall(TEXT))
    first = tuple(notebook.number for notebook in FIRST_PART)
    core = {place for place, section in guide.by_place().items() if section.kind == "core" and place.startswith(first)}
    assert sorted(core - named) == [], (
        "give these sections a row in a plan of classroom/guide.md, or name them below it"
    )


def test_what_a_plan_shows_and_asks_is_on_its_slides():
    missing = []
    for name, deck in decks().items():
        shown = {(slide.notebook, cell) for slide in deck.slides for cell in slide.cells}
        polls, there = {slide.poll for slide in deck.slides}, {(slide.notebook, slide.section) for slide in deck.slides}
        for row in PLANS[name].sections:
            missing += [f"{name}: cell {id} of {row.place}" for id in row.cells if (row.notebook, id) not in shown]
            missing += [f"{name}: poll {id}" for id in row.polls if id not in polls]
            if (row.notebook, row.section.title) not in there:
                missing.append(f"{name}: anything of {row.place}")
    assert missing == [], "add these to classroom/slides.txt"


# ---- the rest of the guide


def test_it_names_three_mistakes_for_each_notebook_and_each_is_in_the_bank():
    found = MISTAKE.findall(TEXT)
    for notebook in NOTEBOOKS:
        assert sum(int(id.split(".")[0]) == int(notebook.number) for id, _ in found) == 3, notebook.number
        assert f"\n**{notebook.name}**\n" in TEXT
    known = catalog.collect()
    assert [f"{id} {mistake}" for id, mistake in found if mistake not in known[id].mistakes] == []


def test_its_exercises_commands_and_links_lead_somewhere():
    assert set(re.findall(r"\b\d\d+\.[a-z]+\b", TEXT)) <= set(COURSE.predictions)
    assert set(re.findall(r"[Ee]xercises? (\d+\.\d+)", TEXT)) <= set(EXERCISES)
    commands = set(re.findall(r"python course\.py ([a-z]+)", TEXT))
    assert {"slides", "handout", "class"} <= commands <= set(course.COMMANDS)
    headings = re.findall(r"^#+ (.*)$", TEXT, re.MULTILINE)
    anchors = {re.sub(r"[^a-z0-9 -]", "", line.lower()).strip().replace(" ", "-") for line in headings}
    for target in re.findall(r"\]\(([^)]+)\)", TEXT):
        assert target.removeprefix("#") in anchors if target[0] == "#" else (ROOT / "classroom" / target).exists()
