"""The buttons of a prediction on a bare page. In JupyterLab, test_accessible_in_jupyterlab.py presses them."""

import json

import pytest

from exercises import COURSE
from feedback.buttons import Buttons
from feedback.prediction import Question

pytestmark = pytest.mark.slow

ORDER = COURSE.predictions["02.cards"]


@pytest.fixture
def page(open_page):
    return open_page(
        {
            "new": Buttons(Question(ORDER, None, lambda letter: None)),
            "answered": Buttons(Question(ORDER, "b", lambda letter: None)),
            "code": Buttons(Question(COURSE.predictions["02.axis"], None, lambda letter: None)),
        }
    )


def asked(page, which):
    root = page.output(which).locator(".course-predict")
    root.wait_for()
    return root


def button(root, letter):
    """By the name that a screen reader reads out."""
    return root.get_by_role("button", name=f"({letter})")


def assert_chosen(root, letter):
    assert root.locator("[aria-pressed=true]").all_inner_texts() == [f"({letter}) {ORDER.answers[letter]}"]
    assert root.get_by_role("status").inner_text().startswith(f"You chose ({letter}).")


def sent(page):
    """The messages to the kernel, which are taken: no other may follow."""
    return [json.loads(message) for message in page.page.evaluate("window.messages.splice(0)")]


def test_a_click_is_noted_in_the_browser_and_told_to_the_kernel(page):
    root = asked(page, "new")
    assert root.get_by_role("status").inner_text().strip() == "Choose an answer, then run the next cell."
    for letter in "ca":
        button(root, letter).click()
        assert_chosen(root, letter)
    assert sent(page) == [["choice", "c"], [], ["choice", "a"], []]
    assert_chosen(asked(page, "answered"), "b")  # last time


def test_it_works_with_the_keyboard_alone(page):
    root = asked(page, "new")
    button(root, "a").focus()
    for key, letter in (("Enter", "b"), ("Space", "c")):
        page.page.keyboard.press("Tab")
        assert page.page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
        page.page.keyboard.press(key)
        assert_chosen(root, letter)
    assert sent(page) == [["choice", "b"], [], ["choice", "c"], []]


def test_code_is_set_as_code_and_a_question_names_its_group(page):
    root = asked(page, "code")
    assert root.locator("code").all_inner_texts() == ["dim=0", "dim=-1"]
    assert root.get_attribute("role") == "group" and "`" not in root.inner_text()


def test_buttons_are_large_enough_and_fit_a_narrow_window(page):
    page.resize(360)
    root = asked(page, "new")
    for letter in ORDER.answers:
        box = button(root, letter).bounding_box()
        assert box["height"] >= 24 and box["x"] + box["width"] <= 360
