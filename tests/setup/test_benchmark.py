"""The benchmark compares implementations of the same causal attention. No test checks a time."""

import json
import re
import sys

import pytest
import torch
from torch import nn

from benchmarks import attention as benchmark
from benchmarks import checks, length, measure

NAMES = [name for name in benchmark.IMPLEMENTATIONS if not name.startswith("BERT")]  # transformers is not installed
CPU = torch.device("cpu")


def with_weights_of(floor, module):
    """Copy the parameters of the floor's four layers into the module, whatever it calls its layers."""
    if isinstance(getattr(module, "attend", None), nn.MultiheadAttention):  # three of its layers are stacked
        for kind in ("weight", "bias"):
            stacked = torch.cat([getattr(getattr(floor, name), kind) for name in "qkv"])
            getattr(module.attend, f"in_proj_{kind}").data.copy_(stacked)
        module.attend.out_proj.load_state_dict(floor.out.state_dict())
    elif hasattr(module, "q_proj"):
        for name in ("q", "k", "v", "out"):
            getattr(module, f"{name}_proj").load_state_dict(getattr(floor, name).state_dict())
    else:
        module.load_state_dict(floor.state_dict())
    return module


def test_each_implementation_computes_what_the_floor_computes():
    floor, x = benchmark.build("floor", CPU), torch.randn(2, 7, benchmark.D_MODEL)
    for name in NAMES:
        module = with_weights_of(floor, benchmark.build(name, CPU))
        torch.testing.assert_close(module(x), floor(x), msg=lambda text, name=name: f"{name}: {text}")


def test_a_missing_package_is_left_out_and_named(monkeypatch, capsys):
    def missing():
        raise ImportError

    monkeypatch.setattr(benchmark, "IMPLEMENTATIONS", {"floor": benchmark.Floor, "BERT, sdpa": missing})
    monkeypatch.setattr(benchmark, "medians", lambda step, modules, x, budget: dict.fromkeys(modules, 0.5))
    monkeypatch.setattr(benchmark, "peak_megabytes", lambda name, B, T, device: 7)
    benchmark.compare(1, 8, CPU, 0)
    printed = capsys.readouterr().out
    assert re.search(r"^floor +1\.00 +1\.00 +7$", printed, re.MULTILINE)
    assert "not installed: BERT, sdpa; pip install -r benchmarks/requirements.txt" in printed


def test_modules_take_turns_and_the_median_counts(monkeypatch):
    turns, spans = [], iter(range(1, 100))
    monkeypatch.setattr(measure, "seconds", lambda step, module, x: turns.append(module) or next(spans))
    found = measure.medians(lambda module, x: None, {"a": "a", "b": "b"}, None, budget=0)
    assert "".join(turns) == "abbaabbaab"
    assert found == {"a": 5, "b": 6}


# ---- time and memory against length


@pytest.mark.parametrize("name", length.IMPLEMENTATIONS)
def test_the_three_compute_the_same(name):
    given, mix = length.drawn(length.TILE + 37, CPU), torch.randn(1, length.NUM_HEADS, length.TILE + 37, length.D_HEAD)
    results = [attend(given) for attend in (length.IMPLEMENTATIONS[name], length.fused)]
    torch.testing.assert_close(*results)
    torch.testing.assert_close(*(torch.autograd.grad((out * mix).sum(), given)[0] for out in results))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not report the peak memory of a process")
def test_only_the_table_grows_with_the_square_of_the_length(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    table = length.NUM_HEADS * 2048 * 2048 * 4 / measure.MEGABYTE
    explicit, tiled = (length.peak_megabytes(name, 2048, CPU) for name in ("explicit", "tiled"))
    assert explicit > 2 * table and tiled < table  # "explicit" keeps scores and weights


@pytest.mark.slow
def test_each_length_is_measured_printed_and_drawn(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(length, "DATA", tmp_path)
    monkeypatch.setattr(length, "LENGTHS", (8, 16))
    times = dict(zip(length.IMPLEMENTATIONS, (3.0, 5.0, 2.0), strict=True))
    monkeypatch.setattr(length, "medians", lambda *_: times)
    monkeypatch.setattr(length, "peak_megabytes", lambda name, T, device: len(name) * T)
    length.main(["--save"])
    assert capsys.readouterr().out.splitlines()[-1].split() == ["16", "fused", "1.00", "1.00", "80.0"]
    kept = json.loads((tmp_path / "length.json").read_text(encoding="utf-8"))["lengths"]
    assert kept["16"]["tiled"] == {"forward": 2.5, "and back": 2.5, "MB": 80}
    assert (tmp_path / "length_memory.svg").exists() and (tmp_path / "length_time.svg").exists()


# ---- how long a check takes


def test_every_answer_of_an_exercise_is_timed(monkeypatch, capsys):
    monkeypatch.setenv("COURSE_PROGRESS", "memory")
    some = checks.answers_of("0.1")[:3]
    monkeypatch.setattr(checks, "answers_of", lambda id: some)
    checks.main(["0.1"])
    _, *rows = capsys.readouterr().out.splitlines()
    assert [row.split()[:2] for row in rows] == [["0.1", "3"], ["all", "3"]]
