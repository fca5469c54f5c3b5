"""The slides: which cells are on them, what of a text is shown, and that nothing leaves the slide or the computer."""

import re
from types import SimpleNamespace

import pytest

from exercises import COURSE
from feedback.notebooks import paths, prediction_of, read
from tests.explorers.browser import WatchedPage
from tools import Problem
from tools.slides import build, text
from tools.slides.__main__ import main
from tools.slides.decks import Deck, Slide, decks

DECKS, NOTEBOOKS = decks(), paths(COURSE.contents.folder)
SIZE = (1280, 720)
# What leaves a slide, as (slide, element, bottom, right), once everything that is hidden at first is shown.
OUTSIDE = """() => {
  const found = [];
  for (const [index, slide] of [...document.querySelectorAll(".slides > section > section")].entries()) {
    Reveal.slide(index);
    slide.querySelectorAll(".fragment").forEach((part) => part.classList.add("visible"));
    for (const element of slide.querySelectorAll("*")) {
      if (element.closest("aside.notes") || !element.checkVisibility()) continue;
      const box = element.getBoundingClientRect();
      const right = Math.max(box.right, box.width ? box.left + element.scrollWidth : 0);
      if (box.bottom > 720 || right > 1280 || box.top < 0 || box.left < 0)
        found.push([index, element.outerHTML.slice(0, 80), box.bottom, right]);
    }
  }
  return found;
}"""


# ---- the file that says what is on which slide


def test_there_is_a_deck_for_each_session_and_every_cell_is_shown_once():
    assert list(DECKS) == ["1", "2", "3", "4"]
    shown = [(slide.notebook, cell) for deck in DECKS.values() for slide in deck.slides for cell in slide.cells]
    polls = [slide.poll for deck in DECKS.values() for slide in deck.slides if slide.poll]
    assert len(set(shown)) == len(shown) and len(set(polls)) == len(polls)
    assert set(polls) <= set(COURSE.predictions)


@pytest.mark.parametrize("number", NOTEBOOKS)
def test_every_cell_that_it_names_is_in_the_notebook(number):
    there = {cell["id"] for cell in read(NOTEBOOKS[number])}
    slides = [slide for deck in DECKS.values() for slide in deck.slides if slide.notebook == number]
    assert {cell for slide in slides for cell in (*slide.cells, *slide.notes)} <= there


def test_no_slide_shows_an_answer_above_its_poll():
    """The cell after a prediction shows what comes out: in a deck it must come after the poll."""
    for deck in DECKS.values():
        polls = {slide.poll: place for place, slide in enumerate(deck.slides) if slide.poll}
        for poll, place in polls.items():
            cells = read(NOTEBOOKS[poll.split(".")[0]])
            asked = next(i for i, cell in enumerate(cells) if prediction_of(cell) == poll)
            answer = next(cell["id"] for cell in cells[asked + 1 :] if cell["cell_type"] == "code")
            later = [cell for slide in deck.slides[place:] for cell in slide.cells]
            earlier = [cell for slide in deck.slides[:place] for cell in slide.cells]
            assert answer in later or answer not in earlier, poll


@pytest.mark.parametrize("line", ["dot dot-run", "02", "2 dot", "poll", "poll 02.axis | dot", "poll 02.axis dot"])
def test_a_line_that_is_no_slide_is_refused(line):
    with pytest.raises(Problem, match=r"Line 2 .*must be the number of a notebook"):
        decks(f"session 1: title\n{line}")


def test_a_slide_before_the_first_session_is_refused():
    with pytest.raises(Problem, match="belongs to no session"):
        decks("02 dot")


@pytest.mark.parametrize(
    "slide, said",
    [
        (Slide("02", ("nowhere",)), "Notebook 02 has no cell 'nowhere'"),
        (Slide("99", ("dot",)), "There is no notebook 99"),
        (Slide("02", poll="02.nothing"), "There is no prediction 02.nothing"),
    ],
)
def test_a_slide_of_something_unknown_is_refused(slide, said):
    with pytest.raises(Problem, match=said):
        build.page(Deck("1", "A title", (slide,)), COURSE.predictions)


# ---- texts


def test_a_slide_has_the_beginning_of_a_paragraph_and_the_notes_all_of_it():
    sentence = "This sentence has fewer than forty letters."  # three of them are enough
    assert text.on_a_slide(" ".join([sentence] * 6)) == " ".join([sentence] * 3)
    assert text.in_the_notes(" ".join([sentence] * 6)).count(sentence) == 6
    assert (
        text.on_a_slide(f"By Vaswani et al. (2017). {sentence * 4} No.") == f"By Vaswani et al. (2017). {sentence * 4}"
    )


def test_headings_minutes_and_folded_parts_are_left_out():
    source = "## 5. A title\n\n*core · 8 min*\n\nShort.\n\n<details><summary>Why?</summary>\nLong.\n</details>"
    assert text.heading(source) == "5. A title"
    assert text.on_a_slide(source) == "Short."
    assert "Why?" in text.in_the_notes(source) and "core" not in text.in_the_notes(source)


def test_a_prediction_tables_lists_and_tasks_stay_whole():
    rest = "word " * 60
    for source in (
        f"**Predict:** what? {rest}.",
        f"**Your task** (about 5 minutes). {rest}.",
        f"* one\n* {rest}. Two.",
    ):
        assert text.on_a_slide(source) == source.strip()
    assert text.on_a_slide(f"One. {rest}. **Predict:** which?").endswith("\n\n**Predict:** which?")


def test_formulas_become_mathml():
    found = text.on_a_slide(r"Here $e^{-\infty} = 0$." + "\n\n$$ a = \\frac{1}{2} \\qquad b = 3 $$")
    assert found.count("<math") == 3 and "$" not in found and found.count('class="formula"') == 2
    assert text.on_a_slide("It costs $5 or $6.") == "It costs $5 or $6."


# ---- one slide


def whole(*given):
    return build.page(Deck("1", "A title", given), COURSE.predictions)


def slides(*given):
    """The slides alone, without styles and scripts."""
    return body(whole(*given))


def body(page):
    return page.partition('<div class="slides">')[2].partition("<script")[0]


@pytest.mark.slow
def test_a_poll_asks_and_only_the_notes_answer():
    prediction = COURSE.predictions["02.axis"]
    shown, notes = slides(Slide("02", poll="02.axis")).rsplit('<aside class="notes">', 1)
    assert "The shape stays, but the rows no longer sum to 1." in shown and "Right:" not in shown
    assert f"Right: ({prediction.right})" in notes and "so rows and columns look interchangeable" in notes


@pytest.mark.slow
def test_the_output_of_a_prediction_waits_for_a_click_and_long_code_is_left_out():
    page = slides(Slide("02", ("cards-predict", "cards-run")))
    before, after = page.split('<div class="fragment"')
    assert "notebook" in before and "more than 99% of the digits right? True" in after
    assert "right? True" not in before
    drawn = slides(Slide("03", ("test-figure",)))
    assert "<img" in drawn and '<span class="n">' not in drawn


def test_what_yours_prints_is_no_result():
    cell = SimpleNamespace(output_type="stream", text="Exercise 2.3: using your own attention_weights.\n")
    assert build.short(cell) is None
    cell.text += "\n".join(map(str, range(40)))
    assert build.short(cell).text.splitlines()[-1] == "..." and build.short(cell).text.startswith("0\n1\n")


# ---- the command


@pytest.mark.slow
def test_it_writes_the_decks_that_are_named(tmp_path, capsys):
    assert main(["4", "--from", str(tmp_path), "--output", "there"]) == 0
    assert [path.name for path in (tmp_path / "there").iterdir()] == ["session-4.html"]
    page = (tmp_path / "there" / "session-4.html").read_text(encoding="utf-8")
    assert not re.search(r'src="(?!data:)|href="(?!https://)', body(page))
    assert whole(Slide("02", ("dot",))) == whole(Slide("02", ("dot",)))  # nothing in it is random


@pytest.mark.parametrize(
    "words, said", [(["9"], "There is no deck '9', only 1, 2, 3, 4."), (["1"], "cannot be written")]
)
def test_what_cannot_be_done_is_said_in_a_line(tmp_path, capsys, words, said):
    (tmp_path / "slides").touch()
    assert main([*words, "--from", str(tmp_path)]) == 1
    assert said in (err := capsys.readouterr().err) and len(err.splitlines()) == 1


@pytest.fixture(scope="module")
def browser_page(chromium):
    watched = WatchedPage(chromium, size=SIZE)
    yield watched
    watched.close()


@pytest.mark.browser
@pytest.mark.parametrize("number", DECKS)
def test_nothing_leaves_a_slide_and_no_slide_leaves_the_computer(browser_page, number, tmp_path):
    path = tmp_path / "deck.html"
    path.write_text(build.page(DECKS[number], COURSE.predictions), encoding="utf-8")
    browser_page.page.goto(path.as_uri())
    browser_page.page.wait_for_selector(".reveal.ready")
    assert browser_page.page.evaluate("Reveal.getTotalSlides()") == len(DECKS[number].slides) + 1
    assert browser_page.page.evaluate(OUTSIDE) == []
    assert browser_page.take_problems() == []


@pytest.mark.browser
def test_the_keys_move_and_a_prediction_waits(browser_page, tmp_path):
    page = browser_page.page
    path = tmp_path / "deck.html"
    path.write_text(whole(Slide("02", ("cards-predict", "cards-run")), Slide("02", poll="02.axis")), encoding="utf-8")
    page.goto(path.as_uri())
    page.wait_for_selector(".reveal.ready")
    page.keyboard.press("ArrowRight")
    answer = page.get_by_text("more than 99% of the digits right? True").first
    assert answer.evaluate("e => getComputedStyle(e.closest('.fragment')).opacity") == "0"
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.querySelectorAll('.fragment.visible').length") == 1
    page.keyboard.press("ArrowRight")
    assert page.evaluate("Reveal.getIndices().h") == 2


@pytest.mark.browser
def test_the_measurement_would_find_something(browser_page, tmp_path):
    path = tmp_path / "deck.html"
    html = whole(Slide("02", ("dot",)))
    path.write_text(html.replace("</h2>", "</h2><p style='height: 900px'>tall</p>", 1), encoding="utf-8")
    browser_page.page.goto(path.as_uri())
    browser_page.page.wait_for_selector(".reveal.ready")
    assert browser_page.page.evaluate(OUTSIDE) != []


@pytest.mark.browser
def test_s_opens_the_speaker_notes(browser_page, tmp_path):
    path = tmp_path / "deck.html"
    path.write_text(whole(Slide("02", poll="02.axis")), encoding="utf-8")
    browser_page.page.goto(path.as_uri())
    browser_page.page.wait_for_selector(".reveal.ready")
    browser_page.page.keyboard.press("ArrowRight")
    with browser_page.page.expect_popup() as opened:
        browser_page.page.keyboard.press("s")
    notes = opened.value
    notes.get_by_text("Right: (c)").wait_for()
    notes.keyboard.press("ArrowLeft")
    notes.get_by_role("heading", name="A title").wait_for()
    assert browser_page.page.evaluate("Reveal.getIndices().h") == 0
    assert browser_page.take_problems() == []
    notes.close()
