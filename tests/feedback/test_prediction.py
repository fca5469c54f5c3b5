"""Predictions: their data, what is said about a choice, what a notebook shows, and how a choice is kept."""

import re
import sys
from types import SimpleNamespace

import nbformat
import pytest
from IPython.core.interactiveshell import InteractiveShell

from exercises import COURSE, predict
from feedback import buttons, display, prediction
from feedback.page import PageError
from feedback.prediction import Prediction
from tests.notebooks.common import PATHS, code_cells
from tools.save_notebooks import keep_pictures


@pytest.fixture(autouse=True)
def nothing_chosen(monkeypatch):
    monkeypatch.setattr(COURSE.store, "_unsaved", [])


PAGE = """# Predictions

## 01.x
Is it `x`, or
is it y?
- a: It is x,
  since x comes first.
> Is y
> not before it?
- b: It is y.

Look at
the last line.
"""


def load(folder, **pages):
    for room, page in pages.items():
        (folder / room).mkdir()
        (folder / room / "predictions.md").write_text(page, encoding="utf-8")
    return prediction.load(folder)


def test_a_page_of_predictions(tmp_path):
    with pytest.raises(PageError, match=r"predictions\.md:3: the id of a prediction is new, but '01\.x' is taken"):
        load(tmp_path, n03=PAGE, n04=PAGE)
    (tmp_path / "n04" / "predictions.md").unlink()
    (tmp_path / "n03" / "predictions.md").unlink()
    second = PAGE.replace("01.x", "02.y") + PAGE.replace("01.x", "02.a").removeprefix("# Predictions")
    found = load(tmp_path, n02=second, n01=PAGE)
    assert list(found) == ["01.x", "02.y", "02.a"]
    assert found["01.x"] == Prediction(
        id="01.x",
        question="Is it `x`, or is it y?",
        answers={"a": "It is x, since x comes first.", "b": "It is y."},
        right="b",
        tempting={"a": "Is y not before it?"},
        watch="Look at the last line.",
    )


@pytest.mark.parametrize(
    "old, new, line, message",
    [
        ("# Predictions", "# Questions", 1, "begins with `# Predictions`"),
        (PAGE, "", 1, "there is no prediction on this page"),
        ("## 01.x", "Some words.", 3, "begins with `## id`"),
        ("- b: It is y.\n", "", 3, "a question has 2 to 4 choices"),
        ("## 01.x", "## x", 3, "an id is `01.word`"),
        ("Is it `x`, or\nis it y?\n", "", 4, "no place for 'a: It is x,"),
        ("> Is y\n> not before it?\n", "", 3, "one choice is right, the one without `>`; here a and b"),
        ("- b: It is y.", "- b: y\n- c: y\n- d: y\n- e: y", 13, "no place for 'e: y'"),
        ("Look at\nthe last line.", "", 3, "what to look for in the output is missing"),
        ("the last line.", "the last line.\n\nAnd there.", 15, "no place for 'And there.'"),
        ("the last line.", "the last line.\n\n```python answer\nx\n```", 15, "no place for 'x'"),
    ],
)
def test_a_slip_is_told_with_its_place(tmp_path, old, new, line, message):
    assert PAGE.count(old) == 1
    with pytest.raises(PageError, match=re.escape(message)) as caught:
        load(tmp_path, n01=PAGE.replace(old, new))
    assert str(caught.value).startswith(f"{tmp_path / 'n01' / 'predictions.md'}:{line}: ")


def test_notebooks_ask_each_prediction_once_in_the_notebook_of_its_number():
    cells = [(path.stem[:2], cell.source) for path in PATHS for cell in code_cells(path)]
    asked = [(number, source) for number, source in cells if source.startswith("predict(")]
    assert asked == [(id[:2], f'predict("{id}")') for id in COURSE.predictions]


def test_right_and_wrong_choices_are_answered_differently_and_only_at_the_end():
    for id, asked in COURSE.predictions.items():
        verdicts = {letter: asked.verdict(letter) for letter in asked.answers}
        assert len({each.text for each in verdicts.values()}) == len(verdicts), id
        assert [letter for letter, each in verdicts.items() if each.head[0] == "✓"] == [asked.right]


def test_without_a_notebook_there_is_no_output_to_wait_for():
    assert repr(predict("02.cards", "a")).startswith("✓ You chose (a): well predicted. Compare the two halves")
    for written in ("b", " B "):
        assert repr(predict("02.cards", written)).startswith("→ You chose (b), but (a) is right. A row in which")


VERDICT = repr(COURSE.predictions["02.cards"].verdict("b"))


def test_in_a_notebook_the_verdict_comes_below_the_output_that_decides(run):
    _, printed = run('from exercises import predict\npredict("02.cards", "b")')
    assert printed.endswith("]: You chose (b). Now run the next cell.\n")
    assert run("def f(x):\n    return x") == ([], "")
    assert "ZeroDivisionError" in run("print(1 / 0)")[1]
    assert run("print('the experiment')") == ([VERDICT], "the experiment\n")
    assert run("print('the next')") == ([], "the next\n")


def test_the_verdict_is_on_the_last_choice_a_click_counts_as_one_and_on_the_next_day_it_is_given_again(run):
    run('from exercises import predict\npredict("02.cards", "a")')
    buttons.Buttons(predict("02.cards")).choice = "b"
    assert run("1 + 1")[0] == [VERDICT]
    display._waiting.clear()
    run('question = predict("02.cards")')
    assert run("1 + 1")[0] == [VERDICT]


def test_an_unknown_prediction_and_an_unknown_answer_are_answered_with_the_known_ones():
    unknown = predict("02.other").message
    assert "There is no prediction '02.other'. The predictions are " in unknown and " 02.axis, 02.overflow," in unknown
    assert 'Prediction 02.cards has the answers "a", "b", "c", got \'d\'.' in predict("02.cards", "d").message
    assert "got 2." in predict("02.cards", 2).message
    assert "There is no prediction ['02.cards']." in predict(["02.cards"]).message


@pytest.fixture
def shown(monkeypatch):
    """The list of outputs that predict("02.cards") shows in a notebook."""
    outputs = []
    monkeypatch.setattr(InteractiveShell, "initialized", lambda: True)
    monkeypatch.setattr(display, "display", lambda data, metadata=None, raw=False: outputs.append(data))
    return outputs


def test_the_still_question_comes_first_and_alone_is_saved_and_the_buttons_are_a_second_output(shown):
    predict("02.cards")._ipython_display_()
    still, live = shown
    assert set(still) == {"text/html", "text/plain"} and set(live) == {display.VIEW}
    for said in ("Predict:", "They have learned the task, but later ", "(c)", 'predict("02.cards", "a")'):
        assert said in still["text/plain"]
    assert "<code>predict(&quot;02.cards&quot;, &quot;a&quot;)</code>" in still["text/html"]
    assert still["text/plain"] == repr(predict("02.cards"))
    cell = nbformat.v4.new_code_cell("predict(...)")
    cell.outputs = [nbformat.v4.new_output("display_data", data=data) for data in shown]
    kept = keep_pictures(nbformat.v4.new_notebook(cells=[cell]))
    assert [output.data for output in kept.cells[0].outputs] == [still]


def test_in_colab_both_are_one_output(shown, monkeypatch):
    monkeypatch.setitem(sys.modules, "google.colab", SimpleNamespace())
    predict("02.cards")._ipython_display_()
    assert [set(data) for data in shown] == [{display.VIEW, "text/html", "text/plain"}]


def test_the_buttons_begin_with_the_choice_of_last_time_tell_a_new_one_and_know_no_verdict():
    assert buttons.Buttons(predict("02.cards")).choice == ""
    predict("02.cards", "b")
    view = buttons.Buttons(predict("02.cards"))
    assert view.choice == "b"
    assert not any(word in str(view.get_state()) for word in COURSE.predictions["02.cards"].tempting.values())
    view.choice = "a"
    assert COURSE.store.choices() == {"02.cards": "a"}
