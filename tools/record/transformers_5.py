"""Record tests/golden again: what BertModel of transformers 5.23 and the tokenizers library compute.

    pip install transformers==5.23.0 tokenizers==0.23.3 safetensors torch
    python -m tools.record.transformers_5 data/cache/minilm             compare with the recorded outputs
    python -m tools.record.transformers_5 data/cache/minilm --write     write new ones

bert_model.safetensors is a small BertModel with random weights; minilm.safetensors is MiniLM, from the folder that is
named; wordpiece.json holds the ids of texts. (`python -m models.bert_arguments` records data/transformers_5.json.)
"""

import json
import sys
from pathlib import Path

import tokenizers
import torch
import transformers
from safetensors import safe_open
from safetensors.torch import load_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertModel

from tools.record.compare import ROOT, part, record

GOLDEN = ROOT / "tests" / "golden"
MADE_BY = f"transformers {transformers.__version__}, torch {torch.__version__}, BertModel, eager attention, eval"


def model(state, **sizes):
    made = BertModel(BertConfig(**sizes, attn_implementation="eager")).eval()
    made.load_state_dict({name: t for name, t in state.items() if not name.endswith("position_ids")})
    return made


def small_model(tensors):
    ours = model(
        part(tensors, "state."),
        hidden_size=24,
        num_attention_heads=3,
        num_hidden_layers=2,
        intermediate_size=40,
        vocab_size=59,
        max_position_embeddings=16,
    )
    ids, types, mask = (tensors[f"input.{name}"] for name in ("ids", "token_types", "mask"))
    out = ours(ids, attention_mask=mask, token_type_ids=types, output_attentions=True)
    return {
        "output.embeddings": ours.embeddings(ids, types),
        "output.hidden": out.last_hidden_state,
        "output.pooled": out.pooler_output,
        "plain.hidden": ours(ids[:1, :11]).last_hidden_state,
        **{f"output.attentions.{i}": weights for i, weights in enumerate(out.attentions)},
    }


def minilm(tensors, folder):
    with safe_open(GOLDEN / "minilm.safetensors", "pt") as file:
        sentences = json.loads(file.metadata()["sentences"])
    encoded = tokenizer(folder).encode_batch(sentences)
    ids = torch.nn.utils.rnn.pad_sequence([torch.tensor(e.ids) for e in encoded], batch_first=True)
    if not torch.equal(ids, tensors["ids"].long()):
        sys.exit("minilm.safetensors: the ids differ from the recorded ones.")
    mask = (torch.arange(ids.size(1)) < tensors["lengths"][:, None]).long()
    ours = model(
        load_file(folder / "model.safetensors"),
        hidden_size=384,
        num_attention_heads=12,
        num_hidden_layers=6,
        intermediate_size=1536,
    )
    out = ours(ids, attention_mask=mask)
    hidden = out.last_hidden_state
    return {
        "hidden": hidden[tuple(tensors["rows"].long().T)],
        "pooled": out.pooler_output[:3],
        "mean": (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True),
    }


def tokenizer(folder, special_tokens_are_text=True):
    """Hugging Face's fast tokenizer for an uncased BERT, with the vocabulary of MiniLM."""
    pieces = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")[:-1]
    ids = {piece: i for i, piece in enumerate(pieces)}
    made = Tokenizer(models.WordPiece(ids, unk_token="[UNK]", max_input_chars_per_word=100))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.BertProcessing(("[SEP]", ids["[SEP]"]), ("[CLS]", ids["[CLS]"]))
    made.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    made.encode_special_tokens = special_tokens_are_text
    return made


def wordpiece(folder, write):
    path = GOLDEN / "wordpiece.json"
    text = path.read_text(encoding="utf-8")
    recorded = json.loads(text)
    plain, special = tokenizer(folder), tokenizer(folder, special_tokens_are_text=False)
    changed = 0
    for row in recorded["texts"] + recorded["shortened"]:
        if "max_length" in row:
            plain.enable_truncation(row["max_length"])
        else:
            plain.no_truncation()
        new = {"ids": plain.encode(row["text"]).ids}
        if "ids_with_special_tokens" in row:
            new["ids_with_special_tokens"] = special.encode(row["text"]).ids
        changed += any(row[name] != ids for name, ids in new.items())
        row |= new
    print(f"{path.relative_to(ROOT)}: {len(recorded['texts'] + recorded['shortened'])} texts, {changed} differ")
    if write:
        recorded["made_by"] = f"tokenizers {tokenizers.__version__}, tools/record/transformers_5.py"
        path.write_text(json.dumps(recorded, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    elif changed:
        sys.exit("To keep the new ids, add --write.")


if __name__ == "__main__":
    folder, write = Path(sys.argv[1]), "--write" in sys.argv
    record(GOLDEN / "bert_model.safetensors", small_model, MADE_BY, write)
    record(GOLDEN / "minilm.safetensors", lambda tensors: minilm(tensors, folder), f"{MADE_BY}, MiniLM", write)
    wordpiece(folder, write)
