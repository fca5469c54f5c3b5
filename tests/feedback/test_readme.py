"""README.md on a course of one's own: its code, run in an empty folder, does what the page says."""

import doctest
import re
from pathlib import Path

import feedback

PAGE = (Path(feedback.__file__).parent / "README.md").read_text(encoding="utf-8")
FILES = re.findall(r"^`([\w/]+\.(?:py|md))`\n\n(?:`{3,4})\w+\n(.*?)^`{3,4}$", PAGE, re.MULTILINE | re.DOTALL)
SESSION = re.search(r"```pycon\n(.*?)```", PAGE, re.DOTALL)[1]


def test_the_course_does_what_the_page_says(write_package, tmp_path, monkeypatch):
    write_package("words", {file.removeprefix("words/"): text for file, text in FILES})
    monkeypatch.chdir(tmp_path)
    said = []
    test = doctest.DocTestParser().get_doctest(SESSION, {}, "README.md", "README.md", 0)
    failed, tried = doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    assert (failed, tried) == (0, 4), "".join(said)
    assert (tmp_path / "attempts.jsonl").exists()


def test_it_takes_30_lines():
    lines = [line for _, text in FILES for line in text.splitlines() if line.strip()]
    assert 20 < len(lines) <= 30
