"""The attention explorer in what it accepts, what it refuses and what a cell shows."""

import sys
import xml.etree.ElementTree as ElementTree

import nbformat
import pytest
import torch

import explorers
import figures
from explorers import still
from explorers.base import INVITATION
from feedback import display
from feedback.display import VIEW
from tools.save_notebooks import keep_pictures

words = ["Your", "journey", "starts", "with", "one", "step"]
many = [f"word{i}" for i in range(128)]


def weights(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(123)).mul(2).softmax(dim=-1)


# ---------------------------------------------------------------- what is sent


def test_weights_and_words_are_sent_as_they_are():
    given = weights(2, 3, 5, 7)
    view = explorers.attention([f"key{i}" for i in range(7)], given, [f"query{i}" for i in range(5)])
    assert view.axes == [2, 3, 5, 7]
    assert (view.tokens[6], view.queries[4]) == ("key6", "query4")
    sent = torch.frombuffer(bytearray(view.weights), dtype=torch.float32)
    torch.testing.assert_close(sent, given.flatten(), atol=0, rtol=0)


# ---------------------------------------------------------------- what is refused


def given():
    """The arguments of test_every_explorer.py."""
    return words, weights(6, 6)


TAKEN = [(many, weights(128, 128)), (many, weights(12, 128, 128))]
REFUSED = [
    (TypeError, "one string 'Your journey'; split", ("Your journey", weights(2, 2))),
    (TypeError, "list of words, got int", (3, weights(3, 3))),
    (TypeError, "queries must be strings, got NoneType at position 0; turn ids", (["a"], weights(1, 1), [None])),
    (ValueError, "tokens must be 1 to 512 words, got 0; pass a part", ([], weights(1, 1))),
    (ValueError, "got \\(5, 5\\); every word needs", (words, weights(5, 5))),
    (ValueError, "got \\(6, 2\\); queries are the rows", (words, weights(6, 2), ["a", "b"])),
    (ValueError, "got \\(6,\\)", (words, weights(6))),
    (ValueError, "got \\(2, 2, 2, 6, 6\\); choose one item", (words, weights(2, 2, 2, 6, 6))),
    (
        ValueError,
        "20,000,000 numbers, got 26,214,400 in shape",
        (["a"] * 512, torch.zeros(1).expand(10, 10, 512, 512)),
    ),
    (ValueError, "at least 0, got -0.5 at \\[0, 1\\]; pass what comes after", (["a", "b"], [[1, -0.5], [0, 1]])),
    (ValueError, "finite .* got nan at \\[1, 0\\]", (["a", "b"], [[1, 0], [float("nan"), 1]])),
    (TypeError, "got a list of tensors; join", (words, [weights(1, 4, 6, 6), weights(1, 4, 6, 6)])),
    (TypeError, "rows of one length, got list", (words, [[1, 0], [1]])),
    (TypeError, "real numbers, got torch.complex64", (["a"], torch.ones(1, 1) * 1j)),
    (TypeError, "mask must be bool, .* got torch.int64; a mask of 0 and 1", (["a"], [[1]], None, [[1]])),
    (ValueError, r"mask for 6 .* got \(5, 6\); pass the", (words, weights(6, 6), None, torch.ones(5, 6) == 1)),
]


# ---------------------------------------------------------------- the picture that stays


def bundle(*arguments):
    return explorers.attention(*arguments).still()


@pytest.fixture
def outputs(monkeypatch):
    """What a cell shows: one dictionary of data for each output."""
    shown = []
    monkeypatch.setattr(display, "display", lambda data, **_: shown.append(data))
    return shown


@pytest.mark.slow
def test_a_cell_shows_the_picture_and_then_the_view_and_in_colab_both_in_one(outputs, monkeypatch):
    view, picture = explorers.attention(words, weights(6, 6)), {"text/html", "image/svg+xml", "text/plain"}
    view._ipython_display_()
    monkeypatch.setitem(sys.modules, "google.colab", None)
    view._ipython_display_()
    assert [set(data) for data in outputs] == [picture, {VIEW}, {VIEW} | picture]


@pytest.mark.slow
def test_saving_a_notebook_keeps_pictures_and_drops_views():
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in ("attention", "slider")])
    view = {VIEW: {"model_id": "1"}}
    for cell, shown in zip(notebook.cells, [[bundle(words, weights(6, 6)), view], [view]], strict=True):
        cell.outputs = [nbformat.v4.new_output("display_data", data=data) for data in shown]
    kept = [[set(output.data) for output in cell.outputs] for cell in keep_pictures(notebook).cells]
    assert kept == [[{"text/html", "image/svg+xml", "text/plain"}], [{VIEW}]]  # nothing else would be left


@pytest.mark.slow
@pytest.mark.parametrize("given", [weights(6, 6), weights(128, 128)])
def test_the_picture_is_that_of_the_figures_with_an_invitation(given):
    view = explorers.attention(many[: len(given)], given)
    inviting, plain = map(ElementTree.fromstring, (view.still()["image/svg+xml"], view.picture().svg))
    assert inviting[-1].text == INVITATION
    inviting.remove(inviting[-1])
    height, was = (float(root.get("viewBox").split()[3]) for root in (inviting, plain))
    assert height == was + 22 and float(inviting.get("height").removesuffix("pt")) == height
    assert [ElementTree.tostring(part) for part in inviting] == [ElementTree.tostring(part) for part in plain]


@pytest.mark.slow
def test_the_picture_of_a_masked_map_shows_the_mask():
    causal = torch.ones(6, 6).tril() == 1
    data = bundle(words, weights(6, 6) * causal, None, causal)
    assert "Hidden by the mask: 15." in data["text/plain"]
    one_row = bundle(words, weights(6, 6), None, torch.tensor([[True] * 5 + [False]]))  # stretched to all rows
    assert "Hidden by the mask: 6." in one_row["text/plain"]


def test_the_picture_of_a_long_masked_map_is_gray_where_all_is_hidden_and_0():
    causal = torch.ones(128, 128).tril() == 1
    values = weights(128, 128) * causal
    values[0, 127] = 0.9  # a leak
    svg = explorers.attention(many, values, mask=causal).picture().svg
    gray = svg.split('<path stroke="#d9dde4" d="')[1].split('"')[0]
    assert gray.startswith("M1 0h62M2 1h62")
    assert "gray: hidden by the mask" in svg and "gray" not in explorers.attention(many, values).picture().svg


@pytest.mark.slow
def test_the_words_name_the_head_that_is_shown():
    assert bundle(words, weights(6, 6))["text/plain"].startswith("weights, 6 queries")
    assert bundle(words, weights(4, 6, 6))["text/plain"].startswith("head 0 of 4, 6 queries")
    assert bundle(words, weights(2, 4, 6, 6))["text/plain"].startswith("layer 0, head 0 of 2 x 4, 6 queries")


def test_the_squares_of_a_long_sentence_are_the_largest_of_their_block():
    values = torch.zeros(130, 70)
    values[129, 69] = 1.0
    picture = still.weights(values, ["<q>"] * 130, ["k"] * 70, "weights")
    dark = "#{:02x}{:02x}{:02x}".format(*figures.WEIGHTS(1.0, bytes=True)[:3])
    assert f'<path stroke="{dark}" d="M34 43h1"/>' in picture.svg  # blocks of 3 rows and 2 columns
    assert "&lt;q&gt;" in picture.svg and "<q>" not in picture.svg
