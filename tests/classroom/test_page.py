"""The page about a class: its numbers, its privacy, and that it contains only the course's own texts."""

import re

import pytest
from bs4 import BeautifulSoup

from tests.classroom.small import CATALOG, after, attempt, choice, write
from tools.classroom import page
from tools.classroom.records import read
from tools.classroom.summary import summarize


def parsed(html):
    """Return the parsed page, and the rows of all its tables as lists of texts."""
    soup = BeautifulSoup(html, "html.parser")
    return soup, [[cell.text.strip() for cell in row.select("td, th")] for row in soup.select("tr")]


def make(folder, now=14, names=False, every=None):
    students, complaints = read([folder], CATALOG)
    return page.html(summarize(students, CATALOG, after(now).timestamp()), complaints, names, every)


@pytest.fixture
def small(tmp_path):
    """Anna solves 0.1 at her second attempt. Ben has been trying it for 14 minutes. Cleo solved 3.2 long ago."""
    write(tmp_path / "<i>anna", attempt(0, misconception="no-scale"), attempt(2, verdict="correct"), choice(3, "b"))
    twice = [attempt(minutes, misconception="no-scale") for minutes in (1, 4)]
    last = attempt(10, misconception="upside-down"), choice(10, "a"), choice(11, "b")
    write(tmp_path / "<i>ben", attempt(0), *twice, *last)
    write(tmp_path / "<i>cleo", attempt(-90, "3.2", "limited", "<script>alert(1)</script>"), attempt(0, "<script>"))
    return tmp_path


def test_the_numbers_of_a_small_class(small):
    html = make(small)
    _, rows = parsed(html)
    assert "<b>3 students, 2 at work in the last 15 minutes, 7 attempts</b>" in html
    assert rows[1] == ["0.1 row_means", "3 min", "1", "10 min", "The mask is upside down <here>."]
    assert rows[3:6] == [
        ["0.1 row_means", "1 of 3", "1"],
        ["3.1 causal_mask", "0 of 3", "0"],
        ["3.2 CausalMask", "1 of 3", "0"],
    ]
    assert rows[7] == ["2", "0", "0.1 row_means", "No scale.", "By what?"]
    assert rows[8] == ["1", "1", "0.1 row_means", "The mask is upside down <here>.", "Which triangle?"]
    assert rows[9][:3] == ["1", "0", "0.1 row_means"] and "no known mistake" in rows[9][3]


def test_no_name_and_no_path_is_on_the_page_by_default(small):
    html = make(small)
    assert not re.search("anna|ben|cleo", html) and str(small) not in html
    assert "1 file or folder could not be read as a whole: the terminal names them." in html


def test_names_are_those_of_folders_and_escaped(small):
    html = make(small, names=True)
    assert "&lt;i&gt;ben (10 min)" in html and "&lt;i&gt;anna (" not in html  # Anna is not stuck
    soup, rows = parsed(html)
    assert ["folder", "0.1", "3.1", "3.2"] in rows
    assert all(row in rows for row in (["<i>anna", "✓", "", ""], ["<i>ben", "…", "", ""], ["<i>cleo", "", "", "✓"]))
    assert "cleo" in html and "skipped (line 2)" in html
    assert not soup.select("i")
    assert "do not project it" in html


def test_the_page_holds_no_script_and_asks_no_host(small):
    html = make(small, names=True)
    soup, _ = parsed(html)
    assert not soup.select("script, img, link, iframe, object, form, a, base, [src], [href], [style]")
    assert not [name for tag in soup.find_all(True) for name in tag.attrs if name.startswith("on")]
    assert not re.search(r"https?:|url\(|@import|alert\(1\)", html)


def test_only_a_page_that_is_watched_loads_itself_again(small):
    assert 'http-equiv="refresh"' not in make(small)
    assert '<meta http-equiv="refresh" content="7">' in make(small, every=7)


def test_a_class_that_has_not_begun(tmp_path):
    assert "<b>0 students, " in make(tmp_path)


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_in_a_browser(small, tmp_path, chromium, axe, scheme):
    file = tmp_path / "class.html"
    file.write_text(make(small, names=True, every=3600), encoding="utf-8")
    tab = chromium.new_page(color_scheme=scheme)
    said = []
    tab.on("console", lambda message: said.append(message.text))
    tab.on("request", lambda request: said.append(request.url))
    tab.goto(file.as_uri())
    assert said == [file.as_uri()]
    assert axe(tab, disabled=["meta-refresh", "meta-refresh-no-exceptions"]) == []
    assert tab.evaluate("getComputedStyle(document.querySelector('table')).borderCollapse") == "collapse"  # styled
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    tab.close()
