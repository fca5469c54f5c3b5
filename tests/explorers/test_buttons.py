"""The buttons of a prediction on a bare page. In JupyterLab, test_accessible_in_jupyterlab.py presses them."""

import json

import pytest

from exercises import COURSE
from feedback.buttons import Buttons
from feedback.prediction import Question

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ORDER = COURSE.predictions["02.cards"]
CHOSEN = "[aria-pressed=true]"


class Asked:
    """One question on a page. A button is found by the name that a screen reader reads out."""

    def __init__(self, output):
        self.output = output
        self.root = output.locator(".course-predict")
        self.root.wait_for()

    def button(self, letter):
        return self.root.get_by_role("button", name=f"({letter})")

    def reply(self):
        return self.root.get_by_role("status").inner_text()

    def chosen(self):
        return self.root.locator(CHOSEN).all_inner_texts()


@pytest.fixture
def page(open_page):
    return open_page(
        {
            "new": Buttons(Question(ORDER, None, lambda letter: None)),
            "answered": Buttons(Question(ORDER, "b", lambda letter: None)),
            "code": Buttons(Question(COURSE.predictions["02.axis"], None, lambda letter: None)),
        }
    )


def sent(page):
    """The messages to the kernel, which are taken: no other may follow."""
    return [json.loads(message) for message in page.page.evaluate("window.messages.splice(0)")]


def test_a_click_is_noted_in_the_browser_and_told_to_the_kernel(page):
    asked = Asked(page.output("new"))
    assert asked.reply().strip() == "Choose an answer, then run the next cell." and asked.chosen() == []
    asked.button("c").click()
    assert asked.reply() == "You chose (c). Now run the next cell."
    assert asked.chosen() == [f"(c) {ORDER.answers['c']}"]
    asked.button("a").click()
    assert asked.reply() == "You chose (a). Now run the next cell."
    assert asked.chosen() == [f"(a) {ORDER.answers['a']}"]
    assert sent(page) == [["choice", "c"], [], ["choice", "a"], []]


def test_it_begins_with_the_choice_of_last_time(page):
    asked = Asked(page.output("answered"))
    assert asked.chosen() == [f"(b) {ORDER.answers['b']}"] and "You chose (b)." in asked.reply()


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_it_works_with_the_keyboard_alone(page, key):
    asked = Asked(page.output("new"))
    asked.button("a").focus()
    page.page.keyboard.press("Tab")
    assert page.page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.page.keyboard.press(key)
    assert asked.chosen() == [f"(b) {ORDER.answers['b']}"]
    assert sent(page) == [["choice", "b"], []]


def test_code_is_set_as_code_and_a_question_names_its_group(page):
    asked = Asked(page.output("code"))
    assert asked.root.locator("code").all_inner_texts() == ["dim=0", "dim=-1"]
    assert asked.root.get_attribute("role") == "group" and "`" not in asked.root.inner_text()


def test_buttons_are_large_enough_and_fit_a_narrow_window(page):
    page.resize(360)
    asked = Asked(page.output("new"))
    edge = asked.output.evaluate("node => node.getBoundingClientRect().right")
    for letter in ORDER.answers:
        box = asked.button(letter).bounding_box()
        assert box["height"] >= 24 and box["x"] + box["width"] <= edge
