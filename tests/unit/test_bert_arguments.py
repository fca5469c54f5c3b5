"""Which arguments transformers' BertAttention ignores: the table of notebook 14, made with a fake transformers."""

import json
import sys
import types

import torch

from helpers import bert
from models import bert_arguments
from runtime.notebook import DATA


class FakeAttention(torch.nn.Module):
    """A BertAttention that uses head_mask and attention_mask, and ignores all other arguments."""

    def __init__(self, config):
        super().__init__()
        self.own = bert.BertAttention(bert.BertConfig(hidden_size=24, num_attention_heads=3))

    def forward(self, x, attention_mask=None, head_mask=None, **others):
        mask = None if attention_mask is None else attention_mask == (True if attention_mask.dtype == torch.bool else 0)
        return self.own(x, mask=mask, head_mask=head_mask)[:2]


def test_the_table_of_ignored_arguments_says_what_changes_the_output(monkeypatch):
    transformers = types.ModuleType("transformers")
    transformers.__version__, transformers.BertConfig = "0.0", types.SimpleNamespace
    modeling = types.ModuleType("modeling_bert")
    modeling.BertAttention = FakeAttention
    monkeypatch.setitem(sys.modules, "transformers", transformers)
    monkeypatch.setitem(sys.modules, "transformers.models.bert.modeling_bert", modeling)
    table = bert_arguments.table()
    assert table["version"] == "0.0"
    none, error = "no effect, no error", "no error"
    assert list(table["effects"].values()) == [
        *("has an effect", "hides what is False", "has an effect", "scales the heads", none, none, "has an effect"),
        *(none, none, none, error, error, "is gone", *["out, weights"] * 4),
    ]
    assert bert_arguments.kind(None) == "None" and bert_arguments.kind((table,)) == "cache"
    for version in (4, 5):
        saved = json.loads((DATA / f"transformers_{version}.json").read_text(encoding="utf-8"))
        assert list(saved["effects"]) == list(table["effects"])
