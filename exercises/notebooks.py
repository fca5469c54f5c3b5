"""The notebooks of the course, in order, in two parts.

These lists are the only place to add one: progress(), the links between notebooks and the total times follow from them.
The titles of the notebooks and the tables in notebook 00 and the README repeat them, and
tests/notebooks/test_contents.py compares them. `minutes` is the time for reading everything and solving all exercises,
`core` that without the sections marked as deeper. Notebooks are ordered by their numbers, in which there may be gaps.
"""

from feedback.notebooks import Notebook

FIRST_PART = (
    Notebook(
        "00_start_here.ipynb",
        "start here",
        minutes=28,
        core=28,
        question="What will you build, and how does the course answer you?",
    ),
    Notebook("01_embeddings.ipynb", "embeddings", minutes=88, core=52, question="How does text become vectors?"),
    Notebook(
        "02_single_head_attention.ipynb",
        "single-head attention",
        minutes=135,
        core=94,
        question="How does a token decide what to read?",
    ),
    Notebook("03_causal_masking.ipynb", "causal masking", minutes=131, core=52, question="How do you hide the future?"),
    Notebook("04_dropout.ipynb", "dropout", minutes=93, core=44, question="Why zero what you just computed?"),
    Notebook(
        "05_multi_head_attention.ipynb",
        "multi-head attention",
        minutes=135,
        core=78,
        question="Why several heads, and how do you compute them all at once?",
    ),
    Notebook(
        "06_the_bert_block.ipynb",
        "the BERT block",
        minutes=157,
        core=76,
        question="What surrounds attention in a real model?",
    ),
    Notebook(
        "07_a_real_bert.ipynb", "a real BERT", minutes=124, core=69, question="Does what you wrote run a real model?"
    ),
    Notebook(
        "08_a_language_model.ipynb",
        "a language model of your own",
        minutes=202,
        core=100,
        question="How does attention learn to write?",
    ),
)

SECOND_PART = (
    Notebook(
        "09_positions_that_turn.ipynb",
        "positions that turn",
        minutes=124,
        core=64,
        question="How does a model of today know where a word stands?",
    ),
    Notebook(
        "10_fewer_keys.ipynb",
        "fewer keys",
        minutes=125,
        core=63,
        question="What does a token cost, and how do models pay less?",
    ),
    Notebook(
        "11_long_texts.ipynb",
        "long texts",
        minutes=109,
        core=68,
        question="How do you read 100,000 tokens with the memory for 1,000?",
    ),
    Notebook(
        "12_the_same_numbers.ipynb",
        "the same numbers in another order",
        minutes=123,
        core=60,
        question="How does FlashAttention never make the table?",
    ),
    Notebook(
        "13_the_museum_of_bugs.ipynb",
        "the museum of bugs",
        minutes=157,
        core=59,
        question="Can you catch what the experts missed?",
    ),
    Notebook(
        "14_reading_published_code.ipynb",
        "reading published code",
        minutes=133,
        core=0,
        question="Can you translate a published module into yours, and prove it?",
    ),
)

PARTS = {"first part": FIRST_PART, "second part": SECOND_PART}
NOTEBOOKS = FIRST_PART + SECOND_PART
