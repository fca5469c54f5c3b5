"""Small BERTs with random parameters."""

from helpers.bert import POSITIONS, BertAttention, BertConfig, BertModel
from tests.unit.tensors import filled

B, H, D, T, S, M = 2, 5, 3, 7, 11, 13
C = H * D
RELATIVE = POSITIONS[1:]
SMALL = {
    "hidden_size": C,
    "num_attention_heads": H,
    "max_position_embeddings": M,
    "num_hidden_layers": 2,
    "intermediate_size": 17,
    "vocab_size": 19,
    "type_vocab_size": 3,
}


def config(kind="absolute", **options):
    return BertConfig(**(SMALL | {"position_embedding_type": kind} | options))


def attention(kind="absolute", **options):
    return filled(BertAttention(config(kind, **options)))


def model(kind="absolute", **options):
    return filled(BertModel(config(kind, **options)))
