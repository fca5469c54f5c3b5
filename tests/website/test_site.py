"""The website, built once and read in a browser: nothing of the notebooks is missing, and everything works.

It is built as if the course had an address on GitHub, and served by this machine. One test builds it without one.
"""

import functools
import http.server
import json
import re
import subprocess
import sys
import threading
import zipfile
from collections import Counter
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

import nbformat
import pytest
from bs4 import BeautifulSoup

from exercises import COURSE, EXERCISES
from exercises.notebooks import NOTEBOOKS
from feedback.notebooks import FOLDED, LABEL, prediction_of, statements
from tests.explorers.axe import OF_COLORS, violations, violations_of_colors
from tests.explorers.browser import SIZE, WatchedPage
from tests.minilm import require_minilm
from tools import badges
from tools.site import __main__ as site
from tools.site import prepare, states
from tools.site.exercises import TRIED

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(not (prepare.ROOT / ".git").exists(), reason="the site is built in a clone of the repository"),
]

NOWHERE = {"owner": badges.PLACEHOLDER, "repository": "attention-by-hand", "branch": "main"}
PLACE = {"owner": "someone", "repository": "attention-by-hand", "branch": "main"}
ADDRESS = "https://someone.github.io/attention-by-hand/"
FILES = [entry.file for entry in NOTEBOOKS]
WRITTEN = sorted(Path(name).stem for name in (*FILES, *prepare.DOCS, *prepare.PAGES.glob("*.md")))
PAGES = [f"{name}.html" for name in (*WRITTEN, "search")]
# Together, these have all kinds of cards, code, figures and explorers; one style sheet sets all colors.
COLORED = ("index.html", "03_causal_masking.html", "views.html", "search.html", "field_guide.html")
FIRST_VIEW = 580_000  # bytes before compression, without figures; notebook 08, the longest page, is two thirds of it
MODELS = ("/home.js", "/00-writing-run-0.js", "/08-write-explore-run-0.js")  # of next_token, loaded last: 294 kB
IN_JUPYTER = (*prepare.IN_JUPYTER_ONLY, "end-progress")  # cells that a page leaves out on purpose
SEE_ALL = """async () => {  // unfold everything, and wait until every view is there
  for (const details of document.querySelectorAll("details")) details.open = true;
  const end = Date.now() + 300_000;
  for (const place of document.querySelectorAll(".course-live")) {
    while (place.dataset.alive === undefined) {
      if (Date.now() > end) throw new Error(`${place.dataset.values} is not alive`);
      place.scrollIntoView({ behavior: "instant" });  // each time: a view or a picture above it may have grown
      await new Promise((go) => setTimeout(go, 10));
    }
  }
}"""
PLAIN_CODE = """() => {  // without its thousands of colored parts, which are no different to a screen reader
  for (const code of document.querySelectorAll(".highlight pre")) code.textContent = code.textContent;
}"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    require_minilm()
    out = tmp_path_factory.mktemp("site") / "_site"
    site.build(out, PLACE)
    return out


@pytest.fixture(scope="module")
def soups(folder):
    return {name: BeautifulSoup((folder / name).read_text(encoding="utf-8"), "html.parser") for name in PAGES}


@pytest.fixture(scope="module")
def address(folder):
    """The address at which the site is served."""
    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


@pytest.fixture
def visit(chromium, address):
    """visit("index.html", **options of the browser) -> a page. Teardown checks for errors and requests to other hosts.

    `place` is the site's address, if not the one at which it is served.
    """
    watched = []

    def visit_it(name, place=address, **options):
        watched.append(WatchedPage(chromium, **options))
        watched[-1].page.goto(place + name)
        return watched[-1].page

    yield visit_it
    problems = [problem for each in watched for problem in each.take_problems()]
    for each in watched:
        each.close()
    assert problems == []


# ---- pages have everything that is in the notebooks


def cells_of(file):
    """Return all cells of a notebook except those that a page leaves out."""
    cells = nbformat.read(prepare.ROOT / "notebooks" / file, as_version=4).cells
    return [cell for cell in cells if cell.id not in IN_JUPYTER]


def texts(file):
    """Return the text of all Markdown cells, without code."""
    cells = [cell.source for cell in cells_of(file) if cell.cell_type == "markdown"]
    return re.sub(r"^```.*?^```|`[^`\n]*`", "", "\n\n".join(cells), flags=re.DOTALL | re.MULTILINE)


def outputs(file, kind="html"):
    """Return all outputs of this kind, except for progress at a notebook's beginning, which a page leaves out."""
    return [
        output.get("data", {}).get(f"text/{kind}", "")
        for cell in cells_of(file)
        if cell.cell_type == "code" and not prepare.PROGRESS.search(cell.source)
        for output in cell.outputs
    ]


@pytest.mark.parametrize("file", FILES)
def test_every_figure_table_formula_heading_and_piece_of_code_is_there(soups, file):
    page, text = soups[f"{Path(file).stem}.html"].article, texts(file)
    assert len(page.select("img[loading=lazy]")) == sum("<img" in html for html in outputs(file))
    written = "\n".join([text, *outputs(file, "markdown")])
    tables = len(re.findall(r"^\|[-| :]+\|$", written, re.MULTILINE)) + "".join(outputs(file)).count("<table")
    assert len(page.select("table")) == tables
    assert len(page.select("math")) == len(re.findall(r"\$\$.+?\$\$|(?<!\$)\$[^$\n]+\$(?!\$)", text, re.DOTALL))
    assert len(page.select("h1, h2, h3, h4")) == len(re.findall(r"^#+ ", text, re.MULTILINE))
    assert len(page.select(".course-tag")) == len(LABEL.findall(text))
    code = Counter(block.text.strip() for block in page.select("pre"))
    in_a_card = {exercise.check["id"] for exercise in statements(cells_of(file)).values()}
    for cell in cells_of(file):
        if cell.cell_type == "code" and cell.id not in in_a_card and not prediction_of(cell):
            assert code[prepare.PROGRESS.sub("", cell.source).strip()] >= 1, cell.id


@pytest.mark.parametrize("file", FILES)
def test_what_answers_a_prediction_and_what_a_notebook_hides_is_folded(soups, file):
    page, cells = soups[f"{Path(file).stem}.html"].article, cells_of(file)
    assert not page.select(".tag_hide-output > .cell_output, .cell > details[open]")
    for cell in cells:
        if cell.id == "setup" or cell.metadata.get("jupyter", {}).get("source_hidden"):
            source = prepare.PROGRESS.sub("", cell.source).strip()
            (shown,) = (code for code in page.select("pre") if code.text.strip() == source)
            assert shown.find_parent("details"), cell.id
    summaries = [summary.text for summary in page.select("details > summary")]
    assert ("When you run it yourself" in summaries) == any(cell.id == "setup-text" for cell in cells)
    folded = [cell.id for cell in cells if FOLDED in cell.source]
    answers = [summary.parent for summary in page.select("details > summary") if summary.text == "What you saw"]
    assert len(answers) == len(folded) and not any(details.has_attr("open") for details in answers)


@pytest.mark.parametrize("file", FILES)
def test_every_explorer_and_prediction_is_alive(soups, file):
    page, cells = soups[f"{Path(file).stem}.html"], [cell for cell in cells_of(file) if cell.cell_type == "code"]
    scripts = Counter(place["data-script"].rpartition("/")[2] for place in page.select(".course-live"))
    assert scripts.pop("buttons.js", 0) == sum(prediction_of(cell) is not None for cell in cells)
    assert scripts.total() == sum(states.is_explorer(output) for cell in cells for output in cell.outputs)


def test_a_page_has_the_explorers_of_all_notebooks(soups):
    def views(name):
        places = soups[name].select(".course-live")
        return [place["data-values"] for place in places if "buttons" not in place["data-script"]]

    shown = views("views.html")
    assert sorted(shown) == sorted(view for file in FILES for view in views(f"{Path(file).stem}.html"))
    assert len(soups["views.html"].select("article h2")) == len(shown)
    first = soups["views.html"].select_one(".course-live")
    assert prepare.WRITING in first["data-script"] and not first.find_parent("details")


def test_the_first_page_has_two_exercises_that_answer_each_choice_and_doors_to_the_rest(soups):
    page = soups["index.html"].article
    choices = page.select(".course-trials details")
    assert [choice["name"] for choice in choices] == [f"trial-{id}" for id, tried in TRIED.items() for _ in tried]
    codes = [choice.summary.code.text.strip() for choice in choices]
    assert all(codes) and any("-1e9" in code for code in codes)
    assert Counter("✓ correct" in choice.text for choice in choices) == {True: len(TRIED), False: 4 * len(TRIED)}
    distinct = {each.id for exercise in EXERCISES.values() for each in exercise.misconceptions}
    assert f"{len(distinct):,} different mistakes" in page.text
    assert page.select_one('a[href="teachers.html"]') and page.select_one('a[href="views.html"]')


def test_every_section_is_in_the_navigation_of_every_page(soups):
    pages = {f"{Path(file).stem}.html" for file in FILES}
    sections = {(name, node["id"]) for name in pages for node in soups[name].select("article > section > section")}
    for name, page in soups.items():
        links = {link["href"] for link in page.select(".sidebar-tree a")}
        assert {f"{'' if other == name else other}#{id}" for other, id in sections} <= links, name


@pytest.mark.release
def test_without_a_home_the_folder_holds_the_course_and_no_link_leads_to_a_placeholder(tmp_path):
    out = tmp_path / "_site"
    build = f"from tools.site.__main__ import Path, build; build(Path({str(out)!r}), {NOWHERE})"
    subprocess.run([sys.executable, "-c", build], cwd=prepare.ROOT, check=True)  # Sphinx builds once per process
    pages = {path.name: path.read_text(encoding="utf-8") for path in [*out.glob("*.html"), out / "CITATION.cff"]}
    assert [name for name, page in pages.items() if badges.PLACEHOLDER in page or "github.com/some" in page] == []
    for name in ("index.html", "teachers.html", *(f"{Path(file).stem}.html" for file in FILES)):
        assert f'href="{prepare.ZIP}"' in pages[name], name
    with zipfile.ZipFile(out / prepare.ZIP) as archive:
        assert archive.testzip() is None and "attention-by-hand/course.py" in archive.namelist()


def test_every_exercise_has_a_card_with_its_hints_and_an_example(soups):
    cards = [card for page in soups.values() for card in page.select("details.course-exercise")]
    assert len(cards) == len(EXERCISES)
    assert sum("Hint 1 of" in card.text for card in cards) == len(EXERCISES)
    without = [card.pre.text.split("\n")[0] for card in cards if "what the course says" not in card.details.text]
    assert len([card for card in cards if "An example: a wrong answer" not in card.text]) <= 2, without


def test_every_link_anchor_and_image_leads_somewhere(folder, soups):
    ids = {name: {node["id"] for node in page.select("[id]")} for name, page in soups.items()}
    wrong = []
    for name, page in soups.items():
        for node in page.select("[href], [src], [data-script]"):
            targets = [node.get(attribute) for attribute in ("href", "src", "data-script", "data-values")]
            for target in filter(None, targets):
                parts = urlsplit(target)
                path = unquote(parts.path) or name
                anchors = {"", parts.fragment} if path not in ids else {"", *ids[path]}
                if not parts.scheme and not ((folder / path).is_file() and parts.fragment in anchors):
                    wrong.append(f"{name}: {target}")
    assert wrong == []


def test_search_engines_and_places_where_a_link_is_shared_find_what_they_need(folder, soups):
    page = soups["02_single_head_attention.html"]
    assert page.select_one("link[rel=canonical]")["href"] == f"{ADDRESS}02_single_head_attention.html"
    assert page.select_one("meta[name=description]")["content"] == NOTEBOOKS[2].question
    image = page.select_one("meta[property='og:image']")["content"]
    assert (folder / image.removeprefix(ADDRESS)).is_file()
    locations = ElementTree.parse(folder / "sitemap.xml").findall("{*}url/{*}loc")
    assert {location.text for location in locations} == {ADDRESS + name for name in PAGES if name != "404.html"}
    assert soups["404.html"].base["href"] == ADDRESS  # servers show it at any address
    repository = "github.com/someone/attention-by-hand"
    assert page.select_one(".course-feedback a")["href"] == f"https://{repository}/issues/new/choose"
    assert page.select_one("a.course-button")["href"].endswith(f"{repository[10:]}/blob/main/notebooks/{FILES[2]}")


# ---- in a browser


# 404.html would load its styles from the published site
@pytest.mark.parametrize("name", [name for name in PAGES if name != "404.html"])
def test_every_page_works_as_a_file_fits_a_phone_and_is_accessible(visit, folder, name):
    page = visit(name, place=f"{folder.as_uri()}/")
    page.evaluate(SEE_ALL)
    for theme in ("light", "dark") if name in COLORED else ():
        page.emulate_media(color_scheme=theme)
        wrong, measured = violations_of_colors(page, "html")
        assert wrong == [] and measured > 5
    page.set_viewport_size({"width": 360, "height": 800})
    assert page.evaluate("document.querySelector('.content').scrollWidth") == 360  # the theme would hide what is wider
    page.set_viewport_size({"width": SIZE[0], "height": SIZE[1]})
    page.evaluate(PLAIN_CODE)
    assert violations(page, disabled=OF_COLORS) == []


def test_without_scripts_the_pictures_and_the_questions_remain(visit):
    page = visit("03_causal_masking.html", java_script_enabled=False)
    for place in page.locator(".course-live").all():
        place.scroll_into_view_if_needed()
        assert place.bounding_box()["height"] > 60
    picture = page.locator(".course-live img").first
    assert "filled with -∞, then softmax" in picture.get_attribute("alt")
    asked = COURSE.predictions["03.leak"]
    assert all(page.get_by_text(answer).count() for answer in asked.answers.values())


def test_on_a_phone_the_contents_close_when_a_section_is_chosen(visit):
    page = visit("03_causal_masking.html", size=(360, 800), reduced_motion="reduce")
    page.locator("label.toc-header-icon").click()
    assert page.locator("#__toc").is_checked()
    page.locator(".toc-drawer a").nth(2).click()
    assert not page.locator("#__toc").is_checked() and "#" in page.url
    assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"  # no smooth scrolling


def test_code_is_large_enough_and_fits_a_wide_window(visit):
    page = visit("05_multi_head_attention.html", size=(1280, 900))
    page.evaluate(SEE_ALL)
    cut, sizes = page.evaluate("""() => {
      const code = [...document.querySelectorAll(".cell_input pre")];
      const size = (node) => parseFloat(getComputedStyle(node).fontSize);
      const cut = code.filter((node) => node.scrollWidth > node.clientWidth).length;
      return [cut, [...document.querySelectorAll(".cell pre")].map(size)];
    }""")
    assert cut <= 2 and min(sizes) >= 12  # fonts differ between computers


def test_an_explorer_computes_and_a_choice_gets_its_verdict_in_the_output_that_decides(visit):
    asked = COURSE.predictions["03.leak"]
    page = visit("03_causal_masking.html")
    page.evaluate(SEE_ALL)
    explorer = page.locator(".course-live .abh").filter(has_text="method").first
    before = explorer.text_content()
    explorer.get_by_role("radio").first.click()
    assert explorer.text_content() != before
    group = page.get_by_role("group", name=asked.question)
    assert "then unfold the output below" in group.text_content()
    page.evaluate("for (const details of document.querySelectorAll('details')) details.open = false")
    group.get_by_role("button", name=asked.answers["c"]).click()
    verdict = page.get_by_text(asked.tempting["c"])
    assert "You chose (c)." in group.text_content() and verdict.is_hidden()
    page.locator("details", has=verdict).locator("summary").click()
    assert verdict.is_visible() and asked.watch in verdict.text_content()


def test_the_first_view_is_small(chromium, address):
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    page, sizes = context.new_page(), {}
    page.on("response", lambda answer: sizes.update({answer.url: int(answer.headers.get("content-length", 0))}))
    for name in ("index.html", "05_multi_head_attention.html", "08_a_language_model.html"):
        sizes.clear()
        page.goto(address + name, wait_until="networkidle")
        counted = {url: size for url, size in sizes.items() if "/figures/" not in url and not url.endswith(MODELS)}
        assert sum(counted.values()) < FIRST_VIEW, json.dumps(sizes, indent=1)
    context.close()


def test_on_paper_are_no_controls_and_all_figures(visit):
    page = visit("03_causal_masking.html")
    page.emulate_media(media="print")
    assert not page.locator(".skip-to-content").is_visible() and not page.locator(".course-links").is_visible()
    assert page.locator("article").evaluate("node => getComputedStyle(node).printColorAdjust") == "exact"
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    page.wait_for_function(
        "[...document.querySelectorAll('article img')].every(image => image.complete && image.naturalWidth)"
    )


def test_the_search_leads_to_sections_and_says_what_it_cannot_show_from_files(visit, folder):
    limit = "can list only the titles"
    page = visit("search.html")
    page.get_by_role("searchbox", name="Words").fill("renormalize")
    page.get_by_role("button", name="Search").click()
    hit = page.locator("#search-results").get_by_role("link", name="7. Multiply, then renormalize")
    assert hit.first.get_attribute("href") == "03_causal_masking.html#multiply-then-renormalize"
    page.locator("#search-results .context").first.wait_for()
    assert not page.get_by_text(limit).is_visible()
    page = visit("search.html?q=renormalize", place=f"{folder.as_uri()}/")
    page.get_by_role("link", name="03 Causal masking").nth(1).wait_for()
    assert page.get_by_text(limit).is_visible()
