"""The long texts explorer: its `ROW` for test_every_explorer.py, and tests of what only this explorer does."""

import re

import torch

import explorers
from explorers.base import INVITATION
from explorers.long_texts import page_tables, read_by, spans
from helpers.windows import rolling_step
from models.cache_sizes import PUBLISHED, readable
from tests.explorers.view import Row, View

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
    positions, past = torch.arange(12.0).view(1, 1, 12, 1), None
    for t in range(12):
        before = [] if past is None else past[0].flatten().tolist()
        assert read_by(t, 4, 0) == [*before, t]
        _, past = rolling_step(*[positions[:, :, t : t + 1]] * 3, past, 4)


def test_first_tokens_are_read_by_every_query_from_their_own_position_on():
    assert [read_by(t, 2, 3) for t in (0, 2, 6)] == [[0], [0, 1, 2], [0, 1, 2, 5, 6]]


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


# ---------------------------------------------------------------- in a browser

SHOW = "show"
WINDOW, SINKS, QUERY, LAYERS = "window", "first tokens kept", "query at position", "layers"
PAGE, PREFIX, ADDED = "tokens in a page", "common prefix", "tokens that each adds"
FIRST_PART, SECOND_PART = "a window and the first tokens", "the pages of two texts"
LLAMA = PUBLISHED["Llama 3 8B"].bytes()
TOKENS = {"usual": 32, "long": 64, "short": 8}


class LongTextsView(View):
    def costs(self):
        """The rows of the table: [[cache, tokens or pages, bytes]]."""
        return self.output.locator(".abh-costs tbody tr").evaluate_all(
            "rows => rows.map(row => [row.cells[0].firstChild, row.cells[2], row.cells[3]].map(x => x.textContent))"
        )

    def squares(self, kind):
        """The squares in the color of this kind, {(query, key)}, including those that are painted over."""
        path = self.output.locator(f".abh-band path.abh-{kind}")
        size = float(path.get_attribute("stroke-width")) + 1
        assert path.get_attribute("stroke-dasharray") == f"{size - 1:g} 1"
        runs = re.findall(r"M([\d.]+) ([\d.]+)H([\d.]+)", path.get_attribute("d"))
        left, top = 30, 48  # LEFT and TOP of long_texts.js
        found = set()
        for start, y, end in ([float(each) for each in run] for run in runs):
            row = (y - top) / size - 0.5
            found |= {(round(row), round((start - left) / size) + n) for n in range(round((end - start) / size))}
        return found

    def slots(self):
        """The texts in the slots, and below them."""
        texts = self.output.locator(".abh-slots")
        return texts.locator(".abh-inside").all_text_contents(), texts.locator(".abh-left").all_text_contents()

    def tables(self):
        """The block tables of A and B."""
        listed = self.output.locator(".abh-block-table span").all_inner_texts()
        return [[int(page) for page in text.split(", ")] for text in listed]

    def assert_right(self):
        now = self.controls()
        if now[SHOW] == FIRST_PART:
            self.assert_reads(TOKENS.get(self.which, 32), *(int(now[name]) for name in (WINDOW, SINKS, QUERY, LAYERS)))
        else:
            self.assert_pages(*(int(now[name]) for name in (PAGE, PREFIX, ADDED)))

    def assert_reads(self, tokens, window, sinks, position, layers):
        """Assert that words, squares, slots and bytes match masks computed in Python."""
        model = "DeepSeek-V3" if self.which == "short" else "Llama 3 8B"
        size = PUBLISHED[model].bytes()
        link = self.output.get_by_role("link", name=f"Where the sizes of {model} are published")
        assert link.get_attribute("href") == PUBLISHED[model].source
        i, j = torch.arange(tokens)[:, None], torch.arange(tokens)
        seen = (j <= i) & ((j > i - window) | (j < sinks))  # (T, T)
        mine = read_by(position, window, sinks)
        assert self.said().endswith(f": {spans(mine)}") or len(mine) in (1, position + 1)
        blue, orange, gray = (self.squares(kind) for kind in ("line", "mark", "gone"))
        assert orange == {(i, j) for i in range(tokens) for j in range(min(sinks, i + 1))}
        assert blue == set(map(tuple, seen.nonzero().tolist())) - orange
        assert gray == {(i, j) for i in range(tokens) for j in range(i + 1)}
        if layers > 1:
            through = torch.linalg.matrix_power(seen.double(), layers)
            assert self.squares("reached") == set(map(tuple, through.nonzero().tolist()))
        inside, left = self.slots()
        assert sorted(map(int, inside)) == mine
        ring = [p for p in mine if p >= sinks]
        assert sorted(map(int, left)) == [p - window for p in ring if p - window >= sinks]
        assert self.costs() == [
            ["full cache", str(position + 1), readable((position + 1) * size)],
            ["rolling cache", str(len(mine)), readable(len(mine) * size)],
        ]

    def assert_pages(self, size, prefix, added):
        """Assert that words, block tables, pages and bytes match PagedCache."""
        tables = list(page_tables(size, prefix, added))
        assert self.tables() == tables
        count, alone = len({*tables[0], *tables[1]}), len(tables[0]) + len(tables[1])
        assert self.costs() == [
            ["nothing shared", str(alone), readable(alone * size * LLAMA)],
            ["shared prefix", str(count), readable(count * size * LLAMA)],
        ]
        (told,) = self.charts()
        users = re.findall(r"(\d+) (A and B|A|B)(?: \(a copy\))?", told.split(": ", 1)[1])
        assert [int(page) for page, _ in users] == list(range(count))
        for page, who in users:
            expected = [name for name, table in zip("AB", tables, strict=True) if int(page) in table]
            assert who == " and ".join(expected)
        drawn = self.output.locator(".abh-store path").evaluate_all(
            "paths => Object.fromEntries(paths.map(path => [path.classList[path.classList.length - 1],"
            " path.getAttribute('d').split('z').length - 1]))"
        )
        copied = prefix % size if added else 0
        free = count * size - prefix - copied - 2 * added
        kinds = ("abh-third", "abh-line", "abh-mark", "abh-free-slot")
        assert drawn == dict(zip(kinds, (prefix + copied, added, added, free), strict=True))


def reading(window, sinks, position, layers=1):
    return {WINDOW: window, SINKS: sinks, QUERY: position, LAYERS: layers}


def paging(size, prefix, added):
    return {PAGE: size, PREFIX: prefix, ADDED: added}


READS = [
    (
        (8, 4, 27, 2),
        "The query at position 27 reads 12 of the 28 keys so far: 0 to 3 and 20 to 27",
        "16 positions have left the cache, 4 to 19. Through 2 layers, information reaches it from up to 2 × 7 = 14 "
        "positions back, here from position 13 on, and from the first 4 tokens.",
    ),
    (
        (8, 4, 27, 4),
        None,
        "16 positions have left the cache, 4 to 19. Through 4 layers, information reaches it from up to 4 × 7 = 28 "
        "positions back, here from the whole text so far.",
    ),
    (
        (1, 1, 31, 9),
        "The query at position 31 reads 2 of the 32 keys so far: 0 and 31",
        "30 positions have left the cache, 1 to 30. With a window of 1, more layers reach no further back.",
    ),
    (
        (8, 4, 0, 1),
        "The query at position 0 reads its own key, the first of the text",
        "No position has left the cache yet. One layer sees 7 positions back, and each further layer 7 more.",
    ),
]
PAGES = [
    (
        (4, 10, 5),
        "The two texts use 6 pages, and would use 8 if they shared none",
        "Pages 0 to 1 are in both tables. The prefix ends within page 2, so B writes on a copy of it, page 3, and "
        "A on page 2 itself.",
    ),
    (
        (16, 4, 0),
        "The two texts use 1 page, and would use 2 if they shared none",
        "Page 0 is in both tables. As long as neither writes on, there is nothing of their own to keep.",
    ),
]
LINK = "Where the sizes of Llama 3 8B are published"
ROW = Row(
    explorers.long_texts,
    LongTextsView,
    {
        "usual": {},
        "pages": {"show": "pages"},
        "long": {"tokens": 64, "window": 64, "sinks": 8},
        "short": {"tokens": 8, "window": 1, "sinks": 0, "model": "DeepSeek-V3"},
    },
    taken=[
        {"tokens": tokens, "window": window, "sinks": sinks, "page_size": page_size, "show": show}
        for tokens, window, sinks, page_size in ((8, 1, 0, 1), (64, 64, 8, 16))
        for show in ("window", "pages")
    ],
    refused=REFUSED,
    opens={"long": {WINDOW: "64", SINKS: "8", QUERY: "63"}, "pages": {PAGE: "4", PREFIX: "10", ADDED: "5"}},
    stops={
        "pages": [SECOND_PART, PAGE, PREFIX, ADDED, "Read as a table", LINK],
        "usual": [FIRST_PART, WINDOW, SINKS, QUERY, LAYERS, "Read as a table", LINK],
    },
    settings=[
        ("usual", reading(*settings))
        for settings in ((8, 4, 31), (8, 4, 27, 2), (1, 0, 31, 32), (1, 8, 31, 2), (2, 1, 31, 30), (32, 0, 0, 32))
    ]
    + [("long", reading(5, 8, 40, 3))]
    + [
        ("pages", paging(*settings))
        for settings in ((4, 8, 5), (4, 8, 0), (4, 9, 0), (1, 24, 12), (16, 1, 12), (7, 24, 1))
    ],
    says=[("usual", reading(*settings), *told) for settings, *told in READS]
    + [("pages", paging(*settings), *told) for settings, *told in PAGES],
    roomy=[("long", reading(64, 8, 63, 2))]
    + [("pages", paging(*settings)) for settings in ((1, 24, 12), (16, 23, 12), (2, 23, 12))],
    first={WINDOW: {SHOW: FIRST_PART}, PAGE: {SHOW: SECOND_PART}},
    faces=("pages",),
    looks=[({LAYERS: 2}, ".abh-band path", 4), ({SHOW: SECOND_PART}, ".abh-store path", 4)],
    marks=[
        (".abh-here .abh-length", "tr:not(.abh-here) .abh-length"),
        (".abh-swatch.abh-token-mark", ".abh-swatch.abh-token-line"),
        (".abh-swatch.abh-reached", ".abh-swatch.abh-gone"),
    ],
)


def test_the_drawings_have_words_and_the_slots_are_in_their_order(opened):
    view = opened.view(settings=reading(4, 2, 12))
    assert view.charts() == [
        "32 queries and as many keys: each query reads the 4 latest keys, its own included, and the first 2 tokens; "
        "the query at position 12 is outlined",
        "The cache: 6 positions in 6 slots: 0 to 1 and 9 to 12",
    ]
    assert view.slots() == (["0", "1", "10", "11", "12", "9"], ["6", "7", "8", "5"])
    view.put(reading(8, 1, 3))
    assert view.charts()[1] == "The cache: 4 positions in 9 slots: 0 to 3"
    assert view.slots() == (["0", "1", "2", "3"], [])


def test_all_can_be_read_as_tables(opened):
    view = opened.view(settings=reading(3, 1, 6, 2))
    view.unfold()
    (first, queries), (second, slots) = view.listings()
    assert first == "Which keys each query reads" and len(queries) == 32
    assert queries[6] == ["6", "0 and 4 to 6", "0 and 2 to 6"] and queries[0] == ["0", "0", "0"]
    assert second == "The slots of the cache for the query at position 6"
    assert slots == [["0", "0", "–"], ["1", "4", "1"], ["2", "5", "2"], ["3", "6", "3"]]
    view = opened.view("pages")
    view.unfold()
    [[caption, rows]] = view.listings()
    assert caption == "All pages" and rows[2:4] == [["2", "A", "8 to 11", "0"], ["3", "B (a copy)", "8 to 11", "0"]]


def test_the_parts_keep_their_settings_when_the_other_is_shown(opened):
    view = opened.view(settings=reading(5, 2, 17))
    said = view.said()
    view.choose(SECOND_PART)
    assert view.said().startswith("The two texts use 6 pages") and view.slider(WINDOW).count() == 0
    view.choose(FIRST_PART)
    assert view.said() == said
