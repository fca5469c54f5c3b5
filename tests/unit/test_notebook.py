"""What the notebooks share: setup, the example sentence, measurements."""

import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from runtime import notebook

ROOT = Path(__file__).parents[2]


def test_setup_fixes_random_numbers_and_print_options():
    notebook.setup()
    first = torch.rand(3)
    notebook.setup()
    assert torch.equal(first, torch.rand(3))
    assert re.fullmatch(r"tensor\(\[ +0\.0000, +123\.4560\]\)", repr(torch.tensor([1e-5, 123.456])))


def test_setup_picks_a_device_unless_one_is_given(monkeypatch, capsys):
    monkeypatch.delenv("COURSE_DEVICE", raising=False)
    best = "cuda" if torch.cuda.is_available() else "cpu"
    assert notebook.setup().type == best
    assert capsys.readouterr().out == f"device: {best}\n"
    monkeypatch.setenv("COURSE_DEVICE", "meta")
    assert notebook.setup() == torch.device("meta")
    assert notebook.setup(device="cpu") == torch.device("cpu")
    assert capsys.readouterr().out == "device: meta\ndevice: cpu\n"


def test_an_unknown_device_raises(monkeypatch):
    for name in ("gpu", "cuda:99"):
        monkeypatch.setenv("COURSE_DEVICE", name)
        says = f"COURSE_DEVICE must name a device of this machine, got '{name}'; unset it"
        with pytest.raises(ValueError, match=says):
            notebook.setup()


def test_dropout_draws_as_in_the_article():
    article = json.loads((ROOT / "data" / "causal_article.json").read_text(encoding="utf-8"))
    torch.manual_seed(123)
    for _ in range(3):
        torch.nn.Linear(3, 2, bias=False)  # the article's three matrices draw first
    ones = notebook.Dropout(0.5)(torch.ones(6, 6))
    zeros = torch.tensor(article["dropped_attn_weights"]["printed"]) == 0
    assert set(ones.flatten().tolist()) == {0.0, 2.0}
    assert torch.equal((ones == 0).tril(), zeros.tril())


@pytest.mark.skipif(tuple(map(int, torch.__version__.split(".")[:2])) < (2, 11), reason="older PyTorch draws otherwise")
def test_dropout_draws_as_this_pytorch_does():
    """Notebook 04 says this about PyTorch 2.11, 2.13 and 2.15."""
    found = []
    for kind in (torch.nn.Dropout, notebook.Dropout):
        torch.manual_seed(5)
        found.append(kind(0.1)(torch.ones(2, 6, 6)))
    torch.testing.assert_close(*found)


def test_dropout_otherwise_behaves_like_nn_dropout():
    layer, x = notebook.Dropout(0.9), torch.ones(1000, dtype=torch.float16, requires_grad=True)
    dropped = layer(x)
    dropped.sum().backward()
    assert dropped.dtype == torch.float16 and torch.equal(x.grad, dropped)
    assert 50 < torch.count_nonzero(dropped) < 150
    assert layer.eval()(x) is x


@pytest.mark.parametrize(
    "content, error, words",
    [
        (None, FileNotFoundError, "journey.csv is missing; it belongs to the course"),
        (b"word,x1\nYour,0.4\n", ValueError, "must have the columns word, x1, x2, x3"),
        (b"word,x1,x2,x3\nYour,0.4,0.1,much\n", ValueError, "numbers in the last three"),
        (b"\xff\xfe\x00", ValueError, "must have the columns"),
    ],
)
def test_a_missing_or_damaged_file_raises(tmp_path, monkeypatch, content, error, words):
    monkeypatch.setattr(notebook, "DATA", tmp_path)
    if content is not None:
        (tmp_path / "journey.csv").write_bytes(content)
    with pytest.raises(error, match=words):
        notebook.example_sentence()


def test_the_shortest_call_counts_in_milliseconds_and_the_first_does_not(monkeypatch):
    clock = iter([7.0, 8.0, 10.0, 10.25, 20.0, 23.0])
    monkeypatch.setattr(notebook, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    calls = []
    assert notebook.milliseconds(lambda: calls.append(1), times=3) == 250.0 and len(calls) == 4


def test_a_call_is_timed_on_one_thread_even_when_it_fails():
    before, seen = torch.get_num_threads(), []
    torch.set_num_threads(2)
    try:
        with pytest.raises(ZeroDivisionError):
            notebook.milliseconds(lambda: seen.append(torch.get_num_threads()) or 1 / 0)
        assert seen == [1] and torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_each_tensor_kept_for_the_backward_pass_counts_once():
    x = torch.randn(256, 1024, requires_grad=True)  # 1 MB
    assert notebook.megabytes_kept(lambda: x.sin()) == 1
    assert notebook.megabytes_kept(lambda: x * x) == 1  # saved twice, one storage
    assert notebook.megabytes_kept(lambda: x.exp().exp()) == 2  # two results
    assert notebook.megabytes_kept(lambda: x.detach().sin()) == 0
