"""The slides: which cells they show, how texts are shortened, that all fits, and that no network is used."""

import re
from types import SimpleNamespace

import pytest

from exercises import COURSE
from feedback.notebooks import prediction_of
from tests.explorers.browser import WatchedPage
from tools import Problem
from tools.slides import build, text
from tools.slides.__main__ import main
from tools.slides.decks import Deck, Slide, cells_of, decks, slides

DECKS, ALL = decks(), slides()
SIZE = (1280, 720)
# Shows a slide with everything unhidden and unfolded. Returns what does not fit, as [element, bottom, right], the size
# of its text, and for each figure its share of the slide's width and its height in pixels.
MEASURE = """(index) => {
  Reveal.slide(index);
  const slide = Reveal.getCurrentSlide(), outside = [];
  slide.querySelectorAll(".fragment").forEach((part) => part.classList.add("visible"));
  slide.querySelectorAll("details").forEach((part) => { part.open = true; });
  fit(slide);
  for (const element of slide.querySelectorAll("*")) {
    if (element.closest("aside.notes") || !element.checkVisibility()) continue;
    const box = element.getBoundingClientRect();
    const right = Math.max(box.right, box.width ? box.left + element.scrollWidth : 0);
    if (box.bottom > 720 || right > 1280 || box.top < 0 || box.left < 0)
      outside.push([element.outerHTML.slice(0, 80), box.bottom, right]);
  }
  const figures = [...slide.querySelectorAll("figure img")].map((figure) => {
    const box = figure.getBoundingClientRect(), ratio = figure.naturalWidth / figure.naturalHeight;
    return [Math.min(box.width, box.height * ratio) / 1200, Math.min(box.height, box.width / ratio)];
  });
  const notes = Boolean(slide.querySelector("aside.notes"));
  return { outside, figures, notes, size: parseFloat(slide.style.fontSize) };
}"""


# ---- the file with the slides


def test_every_cell_and_every_poll_is_on_one_slide():
    shown = [(slide.notebook, cell) for slide in ALL for cell in slide.cells]
    polls = [slide.poll for slide in ALL if slide.poll]
    assert len(set(shown)) == len(shown) and len(set(polls)) == len(polls)


def test_a_deck_has_the_slides_of_its_sections_and_what_their_notebooks_begin_with():
    one, two = Slide("06", ("block-figure",), ("block",)), Slide("06", ("stack-figure",), ("stack-saw",))
    assert one.section == "" and two.section == "1. Layer upon layer"
    deck = DECKS["week-7"]
    assert deck.slides.index(one) < deck.slides.index(two)
    assert {slide.notebook for slide in deck.slides} == {"05", "06"}
    assert two not in DECKS["week-8"].slides and one in DECKS["week-8"].slides


def test_no_slide_shows_an_answer_above_its_poll():
    """The cell after a prediction shows the result, so it must come after the poll in a deck."""
    for deck in DECKS.values():
        polls = {slide.poll: place for place, slide in enumerate(deck.slides) if slide.poll}
        for poll, place in polls.items():
            cells = cells_of(poll.split(".")[0])
            asked = next(i for i, cell in enumerate(cells) if prediction_of(cell) == poll)
            answer = next(cell["id"] for cell in cells[asked + 1 :] if cell["cell_type"] == "code")
            later = [cell for slide in deck.slides[place:] for cell in slide.cells]
            earlier = [cell for slide in deck.slides[:place] for cell in slide.cells]
            assert answer in later or answer not in earlier, poll


def test_a_line_that_is_no_slide_is_refused():
    for line in ("dot dot-run", "02", "2 dot", "poll", "poll 02.axis | dot", "poll 02.axis dot"):
        with pytest.raises(Problem, match=r"Line 2 .*must be the number of a notebook"):
            slides(f"# a comment\n{line}")


def test_all_that_is_in_no_notebook_is_named_at_once():
    with pytest.raises(Problem, match="in no notebook: 02 nowhere, 03 gone, poll 02.nothing. Change or remove"):
        decks("02 dot nowhere\n03 mask | gone\npoll 02.nothing")
    with pytest.raises(Problem, match="There is no notebook 99, which slides.txt names"):
        decks("99 dot")


# ---- texts


def test_a_slide_has_the_beginning_of_a_paragraph_and_the_notes_all_of_it():
    sentence = "This sentence has fewer than forty letters."  # three of them have ENOUGH characters
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


def whole(*given, **options):
    return build.page(Deck("one", "A title", given, homework=("2.2",)), COURSE.predictions, **options)


def page_of(*given, **options):
    """Return the HTML of the slides alone, without styles and scripts."""
    return body(whole(*given, **options))


def body(page):
    return page.partition('<div class="slides">')[2].partition("<script")[0]


@pytest.mark.slow
def test_a_poll_asks_and_only_the_notes_answer():
    prediction = COURSE.predictions["02.axis"]
    before, notes, shown = re.split("<aside.*?>|</aside>", page_of(Slide("02", poll="02.axis")).partition("<h2>")[2])
    assert prediction.answers["c"] in shown and "Right:" not in before + shown
    assert f"Right: ({prediction.right})" in notes and "so rows and columns look interchangeable" in notes
    page = page_of(Slide("02", poll="02.axis"), Slide("02", ("dot-run", "dot-saw")), notes=False)
    assert prediction.answers["c"] in page and "notes" not in page and "Right:" not in page


@pytest.mark.slow
def test_the_output_of_a_prediction_waits_for_a_click_and_long_code_is_left_out():
    page = page_of(Slide("06", ("norm-idea", "norm-hand")))
    before, after = page.split('<div class="fragment"')
    assert "print" in before and "mean square 1.0" in after and "mean square 1.0" not in before
    drawn = page_of(Slide("03", ("leak-figure",)))
    assert "<img" in drawn and '<span class="n">' not in drawn


def test_what_yours_prints_is_no_result():
    cell = SimpleNamespace(output_type="stream", text="Exercise 2.3: using your own attention_weights.\n")
    assert build.short(cell) is None
    cell.text += "\n".join(map(str, range(40)))
    assert build.short(cell).text.splitlines()[-1] == "..." and build.short(cell).text.startswith("0\n1\n")


def test_where_a_plan_leaves_an_exercise_for_home_its_slide_says_so():
    assert "02 single-head attention · homework" in page_of(Slide("02", ("ex22", "softmax-stub")))
    assert "homework" not in page_of(Slide("02", ("ex23",)))


@pytest.mark.slow
def test_a_caption_is_in_the_notes_and_only_the_picture_on_the_slide():
    page = page_of(Slide("02", ("average-figure",)))
    notes, shown = page.split('<aside class="notes">')[2].split("</aside>")
    assert "the arrows reach bank" in notes and "<img alt=" in shown and "the arrows reach" not in shown


# ---- the command


@pytest.mark.slow
def test_it_writes_the_decks_that_are_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["session-4", "--output", "there"]) == 0
    assert main(["session-4", "--without-notes", "--output", "there"]) == 0
    files = sorted(path.name for path in (tmp_path / "there").iterdir())
    assert files == ["session-4-without-notes.html", "session-4.html"]
    with_notes, without = (body((tmp_path / "there" / file).read_text(encoding="utf-8")) for file in reversed(files))
    assert '<aside class="notes">' in with_notes and '<aside class="notes">' not in without
    assert not re.search(r'src="(?!data:)|href="(?!https://)', with_notes)
    assert whole(Slide("02", ("dot",))) == whole(Slide("02", ("dot",)))  # nothing in it is random


@pytest.mark.parametrize(
    "words, said",
    [(["9"], "There is no deck '9', only ninety-minutes, session-1, "), (["week-1"], "cannot be used")],
)
def test_what_cannot_be_done_is_said_in_a_line(tmp_path, monkeypatch, capsys, words, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "slides").touch()
    assert main(words) == 1
    assert said in (err := capsys.readouterr().err) and len(err.splitlines()) == 1


# ---- in a browser


@pytest.fixture(scope="module")
def browser_page(chromium):
    watched = WatchedPage(chromium, size=SIZE)
    yield watched
    watched.close()


@pytest.fixture
def show(browser_page, tmp_path):
    """show(html): open a page, wait until it is ready, and return it."""

    def open_in_browser(html):
        path = tmp_path / "deck.html"
        path.write_text(html, encoding="utf-8")
        browser_page.page.goto(path.as_uri())
        browser_page.page.wait_for_selector(".reveal.ready")
        return browser_page.page

    return open_in_browser


@pytest.mark.browser
@pytest.mark.parametrize("notebook", dict.fromkeys(slide.notebook for slide in ALL))
def test_what_is_on_a_slide_stays_there_and_is_large_enough_for_the_last_row(show, browser_page, notebook):
    given = [slide for slide in ALL if slide.notebook == notebook]
    page = show(whole(*given))
    assert page.evaluate("Reveal.getTotalSlides()") == len(given) + 1
    for index, slide in enumerate(given, start=1):
        found = page.evaluate(MEASURE, index)
        assert found["outside"] == [], slide
        assert found["notes"], slide
        assert found["size"] >= (32 if slide.poll else 18), slide  # of 720 pixels
        for width, height in found["figures"]:
            assert width > 0.98 or height > 380, slide
    assert browser_page.take_problems() == []


@pytest.mark.browser
def test_a_card_with_its_hints_opened_stays_on_the_slide(show):
    page = show(whole(Slide("00", ("wrong-on-purpose",))))
    page.keyboard.press("ArrowRight")
    before = page.evaluate("parseFloat(Reveal.getCurrentSlide().style.fontSize)")
    for hint in ("Stuck? Hint 1 of 2", "Hint 2 of 2"):
        page.get_by_text(hint, exact=True).click()
    bottom = "document.querySelector('section.present section.present .jp-OutputArea').getBoundingClientRect().bottom"
    fits = f"document.querySelectorAll('details[open]').length === 2 && {bottom} <= 720"
    next_frame = "new Promise(requestAnimationFrame)"  # the page's policy forbids Playwright's own waiting
    assert page.evaluate(
        f"async () => {{ for (let n = 0; n < 600 && !({fits}); n++) await {next_frame}; return {fits}; }}"
    )
    assert page.evaluate("parseFloat(Reveal.getCurrentSlide().style.fontSize)") < before


@pytest.mark.browser
def test_in_print_every_slide_fits_on_its_page(show, browser_page):
    given = [slide for slide in ALL if slide.notebook == "07"]
    page = show(whole(*given))
    page.goto(f"{page.url.partition('#')[0]}?print-pdf")
    page.wait_for_selector(".pdf-page")
    found = page.evaluate("""() => [...document.querySelectorAll(".pdf-page")].map((page) => page.offsetHeight)""")
    assert len(found) >= len(given) + 1 and max(found) <= 720
    assert browser_page.take_problems() == []


@pytest.mark.browser
def test_the_keys_move_and_a_prediction_waits_and_s_opens_the_speaker_notes(show, browser_page):
    page = show(whole(Slide("06", ("norm-idea", "norm-hand")), Slide("02", poll="02.axis")))
    page.keyboard.press("ArrowRight")
    answer = page.get_by_text("mean square 1.0").first
    assert answer.evaluate("e => getComputedStyle(e.closest('.fragment')).opacity") == "0"
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.querySelectorAll('.fragment.visible').length") == 1
    page.keyboard.press("ArrowRight")
    with page.expect_popup() as opened:
        page.keyboard.press("s")
    notes = opened.value
    notes.get_by_text("Right: (c)").wait_for()
    notes.keyboard.press("ArrowLeft")
    assert page.evaluate("Reveal.getIndices().h") == 1
    assert browser_page.take_problems() == []
    notes.close()
