"""The notebooks of the course, in order, in two parts.

Add a notebook only to these lists. progress() and the links between notebooks are derived from them, and
`python -m tools.contents` updates every repetition, with the minutes taken from the sections of the notebooks. The
notebooks are ordered by their numbers, which may have gaps.
"""

from feedback.notebooks import Notebook


def notebooks(*rows):
    """Return Notebooks; each row has file, title, minutes with all exercises, minutes of the core, and question."""
    return tuple(Notebook(f"{file}.ipynb", *rest) for file, *rest in rows)


FIRST_PART = notebooks(
    ("00_start_here", "start here", 44, 44, "What will you build, and how does the course answer you?"),
    ("01_embeddings", "embeddings", 78, 50, "How does text become vectors?"),
    ("02_single_head_attention", "single-head attention", 106, 53, "How does a token decide what to read?"),
    ("03_causal_masking", "causal masking", 110, 49, "How do you hide the future?"),
    ("04_dropout", "dropout", 74, 38, "Why zero what you just computed?"),
    (
        "05_multi_head_attention",
        "multi-head attention",
        102,
        46,
        "Why several heads, and how do you compute them all at once?",
    ),
    ("06_the_bert_block", "the BERT block", 116, 57, "What surrounds attention in a real model?"),
    ("07_a_real_bert", "a real BERT", 116, 56, "Does what you wrote run a real model?"),
    ("08_a_language_model", "a language model of your own", 190, 80, "How does attention learn to write?"),
)

SECOND_PART = notebooks(
    ("09_positions_that_turn", "positions that turn", 117, 54, "How does a model of today know where a word stands?"),
    ("10_fewer_keys", "fewer keys", 139, 55, "What does a token cost, and how do models pay less?"),
    ("11_long_texts", "long texts", 140, 63, "How do you read 100,000 tokens with the memory for 1,000?"),
    (
        "12_the_same_numbers",
        "the same numbers in another order",
        154,
        66,
        "How does FlashAttention never make the table?",
    ),
    ("13_the_museum_of_bugs", "the museum of bugs", 171, 55, "Can you catch what the experts missed?"),
    (
        "14_reading_published_code",
        "reading published code",
        107,
        0,
        "Can you translate a published module into yours, and prove it?",
    ),
)

PARTS = {"first part": FIRST_PART, "second part": SECOND_PART}
NOTEBOOKS = FIRST_PART + SECOND_PART
