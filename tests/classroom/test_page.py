"""The page: its numbers, its privacy, and that it holds nothing but what the course says."""

import base64
import hashlib
import re

import pytest
from bs4 import BeautifulSoup

from tests.classroom.small import CATALOG, after, attempt, choice, write
from tools.classroom import page
from tools.classroom.records import Reader
from tools.classroom.summary import summarize


def parsed(html):
    """The page, and the rows of all its tables as lists of texts."""
    soup = BeautifulSoup(html, "html.parser")
    for part in soup.select("td strong, td small"):
        part.insert_before("|")
    rows = [[cell.text.replace("\xa0", " ") for cell in row.select("td, th")] for row in soup.select("tr")]
    return soup, rows


def make(folder, now=14, names=False, every=None):
    reader = Reader([folder], CATALOG)
    students = reader.read()
    return page.html(summarize(students, CATALOG, after(now).timestamp()), reader.complaints, names, every)


@pytest.fixture
def small(tmp_path):
    write(tmp_path / "<i>anna", attempt(0, misconception="no-scale"), attempt(2, verdict="correct"), choice(3, "b"))
    write(tmp_path / "<i>ben", attempt(0), attempt(10, misconception="upside-down"), choice(10, "a"), choice(11, "b"))
    write(tmp_path / "<i>cleo", attempt(0, "3.2", "limited", "<script>alert(1)</script>"))
    return tmp_path


def test_the_numbers_of_a_small_class(small):
    html = make(small)
    _, rows = parsed(html)
    assert "<b>3 students, 3 at work in the last 15 minutes, 5 attempts</b>" in html
    assert rows[1] == ["0.1 row_means", "3 min", "1", "10 min", "The mask is upside down <here>."]
    assert rows[3] == ["1", "0", "1", "0.1 row_means", "No scale.", "By what?"]
    assert rows[4] == ["1", "1", "1", "0.1 row_means", "The mask is upside down <here>.", "Which triangle?"]
    assert rows[5][:4] == ["1", "0", "1", "0.1 row_means"] and "no known mistake" in rows[5][4]
    assert rows[6] == ["notebook", "exercise 1", "exercise 2"]
    assert rows[7] == ["00 start", "0.1 row_means|33%|1 of 3 solved|1 trying"]
    assert rows[8] == ["03 masks", "3.1 causal_mask|0%|not tried yet", "3.2 CausalMask|33%|1 of 3 solved"]
    assert rows[-2:] == [["(a) one", "1 of 2", "50%"], ["(b) two ✓ right", "1 of 2", "50%"]]


def test_no_name_and_no_path_is_on_the_page_by_default(small):
    html = make(small)
    assert not re.search("anna|ben|cleo", html) and str(small) not in html
    assert "1 file or folder could not be read as a whole: the terminal names them." in html


def test_names_are_those_of_folders_and_escaped(small):
    html = make(small, names=True)
    assert "&lt;i&gt;ben (10&nbsp;min)" in html and "&lt;i&gt;anna (" not in html  # she is not stuck
    soup, rows = parsed(html)
    assert ["folder", "0.1", "3.1", "3.2"] in rows
    assert all(row in rows for row in (["<i>anna", "✓", "", ""], ["<i>ben", "…", "", ""], ["<i>cleo", "", "", "✓"]))
    assert "cleo" in html and "does not know (line 1)" in html
    assert not soup.select("i")
    assert "do not project it" in html


def test_the_policy_allows_exactly_the_style_of_the_page_and_no_script(small):
    html = make(small, names=True)
    assert "<script" not in html and "alert(1)" not in html
    [style] = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = parsed(html)[0].select_one("meta[http-equiv=Content-Security-Policy]")["content"]
    assert policy.startswith(f"default-src 'none'; style-src 'sha256-{digest}';") and "unsafe" not in policy


def test_only_a_page_that_is_watched_loads_itself_again_and_then_its_fold_stays_open(small, monkeypatch):
    monkeypatch.setattr(page, "SHOWN", 1)
    once, watched = make(small), make(small, every=7)
    assert 'http-equiv="refresh"' not in once and "<details>" in once
    assert '<meta http-equiv="refresh" content="7">' in watched and "<details open>" in watched


def test_a_class_that_has_not_begun_and_one_in_its_first_notebook(tmp_path):
    html = make(tmp_path)
    assert "<b>0 students, " in html and "Nobody has made a prediction yet." in html
    assert "Nobody has tried an exercise yet." in html and parsed(html)[1] == []
    write(tmp_path, attempt(0))
    assert "00 start" in make(tmp_path) and "03 masks" not in make(tmp_path)


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
    assert tab.locator(".poll .bar div").first.bounding_box()["width"] > 20  # the policy let the style in
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    tab.close()
