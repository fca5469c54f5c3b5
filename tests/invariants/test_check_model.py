"""`check_model` runs all tests that apply, and its table hides nothing."""

import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from helpers.decoder import Decoder
from invariants import assertions
from invariants.assertions import check_model
from tests.invariants.test_assertions import IDS, REAL, Net, X, bert, story, torchs


def table(capsys, *args, **options):
    check_model(*args, **options)
    return dict(line.split("  ", 1) for line in capsys.readouterr().out.splitlines())


def test_the_table_asks_what_applies(capsys):
    asked = table(capsys, story(), IDS, causal=True, real=REAL, cache=True)
    assert len(asked) == 10 and all(verdict.split()[0] in ("verdict", "kept") for verdict in asked.values())
    asked = table(capsys, torchs("MultiheadAttention", batch_first=True), X, num_heads=3)
    assert asked["causal"].split()[0] == "open" and "order matters" not in asked


def test_the_table_names_what_is_broken_and_accuses_randomness_once(capsys):
    with pytest.raises(AssertionError, match="^broken promises: modes$"):
        check_model(Net(lambda m, ids: F.dropout(m(ids)[0], 0.1), story()), IDS)
    assert "causal            not asked  two runs" in capsys.readouterr().out


class Masked(nn.Module):
    def __init__(self, places=True):
        super().__init__()
        self.bert = bert()
        if not places:
            self.bert.embeddings.position_embeddings.weight.data[:] = 0

    def forward(self, input_ids, attention_mask):
        return self.bert(input_ids, mask=attention_mask.bool()[:, None, None])


def test_a_mask_that_the_model_requires_comes_from_real_in_every_row(capsys):
    asked = table(capsys, Masked(), IDS, causal=False, real=REAL)
    assert len(asked) == 8 and not any(verdict.split()[0] in ("not", "broken") for verdict in asked.values())
    with pytest.raises(AssertionError, match="^broken promises: order matters$"):
        check_model(Masked(places=False), IDS, causal=False, real=REAL)
    check_model(Masked(), IDS, causal=False, real=REAL, attention_mask=REAL.long())
    for mask in (torch.ones_like(IDS), lambda T: torch.ones(3, T)):
        with pytest.raises(ValueError, match="^attention_mask says something else than real about what is padding"):
            check_model(Masked(), IDS, causal=False, real=REAL, attention_mask=mask)


def test_a_table_of_which_most_was_not_asked_does_not_pass(capsys):
    with pytest.raises(ValueError, match="^5 of 5 promises could not be asked: modes, items apart, order matters"):
        check_model(Net(lambda m, ids, memory: m(ids)[0], story()), IDS, causal=False)
    assert "not asked  TypeError" in capsys.readouterr().out


def test_evidence_ends_with_a_whole_name(capsys):
    asked = table(
        capsys, Net(lambda m, x: m(x, x, x)[0], torchs("MultiheadAttention", batch_first=True)), X, num_heads=3
    )
    assert asked["heads"].endswith("', ...")


def test_the_page_s_file_runs_as_it_stands(monkeypatch, capsys):
    page = (Path(__file__).parents[2] / "docs" / "your_own_model.md").read_text(encoding="utf-8")
    monkeypatch.setitem(sys.modules, "my_project", SimpleNamespace(build_model=story))
    names = {}
    exec(re.search("```python\n(.*?)```", page, re.DOTALL)[1], names)
    names["test_the_model_keeps_its_promises"]()
    monkeypatch.setattr(Decoder, "_places", lambda model, ids, past, real: torch.arange(ids.size(1)))
    capsys.readouterr()
    with pytest.raises(AssertionError, match="cache"):
        names["test_the_model_keeps_its_promises"]()
    printed = re.search("```\n(promise.*?)```", page, re.DOTALL)[1]
    assert re.sub(r"\d+\.\d+", "", capsys.readouterr().out) == re.sub(r"\d+\.\d+", "", printed)
    assert all(name in page for name in assertions.__all__)
