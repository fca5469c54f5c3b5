"""The long-texts explorer in Python: what it accepts, what it refuses and the pictures that it saves."""

import re

import pytest
import torch

import explorers
from explorers.base import INVITATION
from explorers.still_long import page_tables, reads
from helpers.windows import rolling_step
from models.cache_sizes import PUBLISHED


def test_what_a_token_costs_is_sent():
    view = explorers.long_texts(model="DeepSeek-V3")
    assert (view.token_bytes, view.source) == (70_272, PUBLISHED["DeepSeek-V3"].source)


def given():
    """The arguments of test_every_explorer.py."""
    return ()


SIZES = ("tokens", "window", "sinks", "page_size")
TAKEN = [
    {**dict(zip(SIZES, sizes, strict=True)), "show": show}
    for sizes in ((8, 1, 0, 1), (64, 64, 8, 16))
    for show in ("window", "pages")
]
REFUSED = [
    (TypeError, "tokens must be a whole number, got 32.0; pass an int such as 8", {"tokens": 32.0}),
    (ValueError, "tokens must be 8 to 64, got 65; each query of the text is a row", {"tokens": 65}),
    (ValueError, "window must be 1 to 16, got 17; it counts the query's own", {"tokens": 16, "window": 17}),
    (ValueError, "sinks must be 0 to 8, got 9; pass how many of the first", {"sinks": 9}),
    (ValueError, "page_size must be 1 to 16, got 0; pass the tokens of a page", {"page_size": 0}),
    (ValueError, "model must be one of GPT-2, .*, got 'GPT-5'; pass its name", {"model": "GPT-5"}),
    (ValueError, "model must be one of GPT-2, .*, got 3; pass its name", {"model": 3}),
    (ValueError, "show must be one of window, pages, got 'sinks'; pass its name", {"show": "sinks"}),
]


# ---------------------------------------------------------------- what is computed for the pictures


def test_without_first_tokens_a_query_reads_what_rolling_step_keeps_and_its_own_key():
    tokens, window = 12, 4
    positions = torch.arange(tokens, dtype=torch.float32).view(1, 1, tokens, 1)
    past = None
    for t, row in enumerate(reads(tokens, window, 0)):
        before = [] if past is None else past[0].flatten().long().tolist()
        assert row.nonzero()[:, 0].tolist() == [*before, t]
        _, past = rolling_step(*[positions[:, :, t : t + 1]] * 3, past, window)


def test_first_tokens_are_read_by_every_query_from_their_own_position_on():
    seen = reads(8, 2, 3)
    assert seen.int().tolist() == [
        [1, 0, 0, 0, 0, 0, 0, 0],
        [1, 1, 0, 0, 0, 0, 0, 0],
        [1, 1, 1, 0, 0, 0, 0, 0],
        [1, 1, 1, 1, 0, 0, 0, 0],
        [1, 1, 1, 1, 1, 0, 0, 0],
        [1, 1, 1, 0, 1, 1, 0, 0],
        [1, 1, 1, 0, 0, 1, 1, 0],
        [1, 1, 1, 0, 0, 0, 1, 1],
    ]


def test_a_fork_shares_whole_pages_and_copies_the_last_one_where_it_is_not_full():
    assert page_tables(4, 8, 5) == ([0, 1, 4, 5], [0, 1, 2, 3])
    assert page_tables(4, 10, 5) == ([0, 1, 2, 5], [0, 1, 3, 4])
    assert page_tables(4, 10, 0) == ([0, 1, 2], [0, 1, 2])


# ---------------------------------------------------------------- the pictures


def test_the_picture_tells_what_the_last_query_reads_and_what_it_costs():
    assert repr(explorers.long_texts()) == (
        "A window of 8 and the first 4 tokens, in a text of 32 tokens. The query at position 31 reads 12 of 32 keys: "
        "0 to 3 and 24 to 31. At 128 KB a token (Llama 3 8B, float16), its cache keeps 1.5 MB in place of 4 MB. "
        f"{INVITATION}"
    )
    whole = repr(explorers.long_texts(window=32))
    assert "reads 32 of 32 keys: 0 to 31. " in whole and "its cache keeps 4 MB, as much as without a window. " in whole


def test_the_picture_of_pages_tells_both_tables_and_what_sharing_saves():
    assert repr(explorers.long_texts(show="pages")) == (
        "Two texts with 10 tokens in common, in pages of 4. Each adds 5. A’s table lists pages 0, 1, 2, 5, and B’s "
        "lists 0, 1, 3, 4. Together 6 pages, 3 MB with the sizes of Llama 3 8B in float16; without sharing 8 pages, "
        f"4 MB. {INVITATION}"
    )


def squares(svg, color):
    """The squares of this color in a picture of queries and keys: {(query, key)}."""
    path = re.search(rf'<path stroke="{color}" d="([^"]*)"', svg)
    runs = re.findall(r"M(\d+) (\d+)h(\d+)", path[1] if path else "")
    return {(int(i), int(j) + n) for j, i, wide in runs for n in range(int(wide))}


@pytest.mark.parametrize("tokens, window, sinks", [(8, 1, 0), (64, 64, 0), (64, 1, 8), (20, 3, 1)])
def test_the_picture_has_the_squares_of_the_mask(tokens, window, sinks):
    svg = explorers.long_texts(tokens=tokens, window=window, sinks=sinks).still()["image/svg+xml"]
    gone, first, latest = (squares(svg, color) for color in ("#d9dde4", "#c0540a", "#0b5fa5"))
    seen = set(map(tuple, reads(tokens, window, sinks).nonzero().tolist()))
    assert first | latest == seen and not first & latest
    assert first == {(i, j) for i, j in seen if j < sinks}
    assert gone == {(i, j) for i in range(tokens) for j in range(i + 1)} - seen


@pytest.mark.parametrize("size, copied", [(1, 0), (4, 2), (16, 10)])
def test_the_picture_of_pages_has_a_square_for_each_token(size, copied):
    svg = explorers.long_texts(page_size=size, show="pages").still()["image/svg+xml"]
    count = [svg.count(f'height="20" fill="{color}"') for color in ("#1b7f5c", "#0b5fa5", "#c0540a")]
    assert count == [10 + copied, 5, 5]
    table_a, table_b = page_tables(size, 10, 5)
    numbers = sorted(map(int, re.findall(r">page (\d+)<", svg)))
    assert numbers == sorted({*table_a, *table_b})
    boxes = re.findall(r'<rect x="([\d.]+)" y="\d+" width="([\d.]+)"', svg)
    assert all(float(x) >= 0 and float(x) + float(width) <= 760 for x, width in boxes)
