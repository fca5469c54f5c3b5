"""The buttons of a prediction on a bare page.

In JupyterLab, test_accessible_in_jupyterlab.py presses them with the keyboard alone; on the website, a click does, and
every page fits a phone.
"""

import json

import pytest

from exercises import COURSE
from feedback.buttons import Buttons
from feedback.prediction import Question

pytestmark = pytest.mark.slow

ORDER = COURSE.predictions["02.cards"]


def chosen(root):
    """The letter of the pressed button; asserts that the line below names it, too."""
    [pressed] = root.locator("[aria-pressed=true]").all_inner_texts()
    letter = pressed[1]
    assert pressed == f"({letter}) {ORDER.answers[letter]}"
    assert root.get_by_role("status").inner_text().startswith(f"You chose ({letter}).")
    return letter


def test_a_choice_can_be_changed_and_is_told_to_the_kernel_and_the_last_one_is_shown_again(open_page):
    page = open_page({"new": Buttons(Question(ORDER, None, print)), "answered": Buttons(Question(ORDER, "b", print))})
    root = page.output("new").locator(".course-predict")
    for letter in "ca":
        root.get_by_role("button", name=f"({letter})").click()
        assert chosen(root) == letter
    page.page.keyboard.press("Tab")
    assert page.page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    assert chosen(page.output("answered")) == "b"
    messages = page.page.evaluate("window.messages.splice(0)")
    assert [json.loads(message) for message in messages] == [["choice", "c"], [], ["choice", "a"], []]


def test_code_is_set_as_code_and_a_question_names_its_group(open_page):
    page = open_page({"code": Buttons(Question(COURSE.predictions["02.axis"], None, print))})
    root = page.output("code").locator(".course-predict")
    assert root.locator("code").all_inner_texts() == ["dim=0", "dim=-1"]
    assert root.get_attribute("role") == "group" and "`" not in root.inner_text()
    assert root.get_by_role("status").inner_text().strip() == "Choose an answer, then run the next cell."
