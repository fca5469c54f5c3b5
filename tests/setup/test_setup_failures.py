"""The table of failures explains messages of installers, imports and JupyterLab; its page in docs/ is up to date."""

import json
import os
import re
from pathlib import Path

import course
import setup_failures

# Texts from public threads, shortened, and the beginning of the sentence that helps.
TEXTS = [json.loads(line) for line in Path(__file__).with_name("setup_texts.jsonl").read_text("utf-8").splitlines()]


def test_what_installers_and_programs_said_is_explained():
    for entry in TEXTS:
        sentence, line = setup_failures.explain(entry["text"])
        assert sentence.startswith(entry["means"]) and line in entry["text"], entry


def test_what_nobody_knows_is_not_explained():
    assert setup_failures.explain("ERROR: the wheel has a hole") == (None, None)


def test_each_sign_leads_to_its_own_sentence():
    """No earlier entry matches it."""
    for signs, sentence in setup_failures.FAILURES:
        for sign in signs:
            found, line = setup_failures.explain(f"first\n{sign}\nlast")
            assert found == sentence.format(**setup_failures.this_computer()) and line == sign


def test_nobody_is_told_to_switch_off_what_protects():
    advice = " ".join(sentence for _, sentence in setup_failures.FAILURES)
    assert not re.search(r"trusted-host|sslverify|--break-system-packages|PYTHONHTTPSVERIFY|allow-root", advice)


def test_the_sizes_are_those_of_the_set_up():
    sentence, _ = setup_failures.explain(f"[Errno 28] {os.strerror(28)}")
    numbers = [float(number) for number in re.findall(r"([\d.]+) GB", sentence)]
    assert numbers == [course.SMALL[1], course.LARGE[1], course.SMALL[0], course.LARGE[0]]


def test_the_page_is_up_to_date():
    assert setup_failures.PAGE.read_text(encoding="utf-8") == setup_failures.page(), "run python setup_failures.py"
