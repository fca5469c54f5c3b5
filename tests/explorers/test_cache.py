"""The cache explorer: its `ROW` for test_every_explorer.py, and tests of what only this explorer does."""

import re
from dataclasses import replace

import pytest

import explorers
from explorers.base import INVITATION
from explorers.cache import ways
from models.cache_sizes import PUBLISHED, CacheSizes, readable
from tests.explorers.view import Row, View

OWN = CacheSizes(num_layers=7, num_heads=6, groups=3, d_head=5)
LARGEST = CacheSizes(num_layers=128, num_heads=128, groups=128, d_head=256, latent=4096)
REFUSED = [
    (TypeError, r"model must be a name or CacheSizes, got int; make some with CacheSizes\(", (3,)),
    (ValueError, "model must be one of GPT-2, .*, got 'GPT-5'; or pass CacheSizes of your own", ("GPT-5",)),
    (TypeError, "length must be a whole number, got 8.0; pass an int", ("GPT-2", 8.0)),
    (ValueError, "length must be 1 to 1048576, got 0; pass the tokens of one text", ("GPT-2", 0)),
    (ValueError, "length must be 1 to 1048576, got 1048577", ("GPT-2", 2**20 + 1)),
    (ValueError, "bytes_per_number must be 4, 2 or 1, got 3; 2 is that of float16", ("GPT-2", 8, 3)),
    (ValueError, "d_head must be at most 256, got 257; choose a model", (CacheSizes(1, 1, 1, 257),)),
]


def test_the_picture_tells_who_shares_and_what_each_way_costs():
    assert repr(explorers.cache(OWN, 100)) == (
        "Your model: 41 KB for 100 tokens. 6 query heads read 3 groups. Multi-head, 6 groups: 82 KB; "
        f"grouped-query, 3 groups: 41 KB; multi-query, 1 group: 13.7 KB. {INVITATION}"
    )
    assert repr(explorers.cache("DeepSeek-V3", 1000)) == (
        "DeepSeek-V3: 67 MB for 1,000 tokens. 128 query heads read a latent of 576 numbers. Multi-head, 128 groups: "
        f"3.72 GB; multi-query, 1 group: 29.8 MB; latent, 576 numbers: 67 MB. {INVITATION}"
    )


# ---------------------------------------------------------------- in a browser

GROUPS, TEXT, LAYERS, HEADS, FEATURES = "groups", "text", "layers", "query heads", "features per head"
MODEL, WIDTH = "model", "bytes per number"


class CacheView(View):
    def rows(self):
        """The table, [(attention, groups, this text, a token)], and how many rows are marked."""
        rows = self.output.locator(".abh-costs tbody tr:visible")
        cells = rows.evaluate_all(
            "rows => rows.map(row => [...row.cells[0].children, row.cells[2], row.cells[3]].map(x => x.textContent))"
        )
        return [tuple(row) for row in cells], rows.locator("xpath=self::*[contains(@class, 'abh-here')]").count()

    def sizes(self):
        """The model's name and its sizes; a latent is DeepSeek's, unless the reader has chosen groups instead."""
        now = self.controls()
        if now[MODEL]:
            return now[MODEL], {**PUBLISHED, "Your model": OWN}[now[MODEL]]
        latent = PUBLISHED["DeepSeek-V3"].latent if now[GROUPS] == "latent" else None
        heads = int(now[HEADS])
        groups = heads if latent else int(now[GROUPS])
        return "A model of these sizes", CacheSizes(int(now[LAYERS]), heads, groups, int(now[FEATURES]), latent)

    def assert_right(self):
        now, (who, sizes) = self.controls(), self.sizes()
        length, width = int(now[TEXT].split()[0].replace(",", "")), int(now[WIDTH][0])
        one, text = readable(sizes.bytes(1, width)), readable(sizes.bytes(length, width))
        assert self.said() == f"{who} keeps {one} for each token, {text} for {length:,} tokens"
        expected = [
            (*way.split(", "), readable(other.bytes(length, width)), readable(other.bytes(1, width)))
            for way, other in ways(sizes).items()
        ]
        assert self.rows() == (expected, 1)
        if who != "A model of these sizes":
            links = [(link.inner_text(), link.get_attribute("href")) for link in self.output.get_by_role("link").all()]
            assert links == ([(f"Where the sizes of {who} are published", sizes.source)] if sizes.source else [])

    def product(self):
        """The factors and the result."""
        return " ".join(self.output.locator(".abh-product").inner_text().split())

    def middles(self, kind):
        """The middles of the boxes that stand for the heads ("line") or for what is kept ("mark")."""
        boxes = re.findall(r"M([\d.]+) \d+h([\d.]+)v", self.output.locator(f"svg .abh-{kind}").get_attribute("d"))
        return [float(left) + float(width) / 2 for left, width in boxes]


ROW = Row(
    explorers.cache,
    CacheView,
    {"llama": (), "own": (OWN, 100, 4)},
    taken=[(LARGEST, 1, 1), (LARGEST, 2**20, 4), (CacheSizes(1, 1, 1, 1),)],
    refused=REFUSED,
    opens={"own": {MODEL: "Your model", TEXT: "100 tokens", WIDTH: "4 (float32)", GROUPS: "3"}},
    stops={"llama": ["Llama 3 8B", GROUPS, TEXT, LAYERS, HEADS, FEATURES, "2 (float16)"]
           + ["Where the sizes of Llama 3 8B are published"]},
    settings=[("own", {}), ("own", {TEXT: "128 tokens"}), ("llama", {LAYERS: 128, FEATURES: 37})]
    + [("llama", {MODEL: name, WIDTH: "1 (int8)", TEXT: "65,536 tokens"}) for name in PUBLISHED]
    + [("llama", {WIDTH: "4 (float32)"})]
    + [("llama", {GROUPS: groups}) for groups in ("1", "4", "32")]
    + [("llama", {GROUPS: "16", HEADS: 36}), ("llama", {MODEL: "DeepSeek-V3", GROUPS: "latent", HEADS: 7})],
    says=[
        ("llama", {}, None, "With a key and a value for each of the 32 query heads, it would be 4 times as much. "
         "A graphics card with 24 GB has room for 24 such texts, if it holds nothing else."),
        ("llama", {MODEL: "Llama 2 7B", TEXT: "65,536 tokens"}, None,
         "Each query head has a key and a value of its own: multi-head attention. "
         "A graphics card with 24 GB has room for no such text, if it holds nothing else."),
    ],
    roomy=[("llama", {MODEL: name}) for name in PUBLISHED],
    marks=[(".abh-length", ".abh-track"), (".abh-here .abh-length", "tr:not(.abh-here) .abh-length")],
)  # fmt: skip


def test_the_product_names_its_factors(opened):
    view = opened.view()
    factors = "2 key and value × 8 groups × 128 features × 32 layers × 8,192 tokens × 2 bytes"
    assert view.product() == f"{factors} = 1 GB"
    view.choose("DeepSeek-V3")
    assert view.product() == "576 numbers in the latent × 61 layers × 8,192 tokens × 2 bytes = 549 MB"


def test_other_heads_keep_the_groups_where_they_divide_them_and_a_model_is_known_by_its_sizes(opened):
    for heads, groups, name in [(40, 8, ""), (33, 3, ""), (31, 1, ""), (32, 8, "Llama 3 8B")]:
        now = opened.view(settings={HEADS: heads}).controls()
        assert (now[GROUPS], now[MODEL]) == (str(groups), name)


def test_a_latent_can_be_given_up_for_groups_and_is_still_compared(opened):
    view = opened.view(settings={MODEL: "DeepSeek-V3", GROUPS: "8"})
    eight = replace(PUBLISHED["DeepSeek-V3"], groups=8, latent=None)
    assert view.said().startswith(f"A model of these sizes keeps {readable(eight.bytes())} for each token")
    rows, marked = view.rows()
    assert [row[0] for row in rows] == ["multi-head", "grouped-query", "multi-query", "latent"] and marked == 1


def test_the_drawing_says_and_shows_which_heads_read_which_group(opened):
    view = opened.view(settings={HEADS: 6})
    view.put({GROUPS: "2"})
    assert view.charts()[0] == "6 query heads, 2 groups: heads 0 to 2 read group 0, heads 3 to 5 read group 1"
    heads, kept = (view.middles(kind) for kind in ("line", "mark"))
    assert len(heads) == 6
    assert kept == pytest.approx([sum(heads[:3]) / 3, sum(heads[3:]) / 3], abs=0.2)
    view.choose("DeepSeek-V3")
    assert view.charts() == ["128 query heads, a latent of 576 numbers: all heads read the latent"]


def test_the_bars_have_the_lengths_of_their_bytes(opened):
    view = opened.view()
    shares = view.output.locator(".abh-costs tr:visible .abh-track").evaluate_all(
        "tracks => tracks.map(track => track.firstChild.getBoundingClientRect().width / track.clientWidth)"
    )
    assert shares == pytest.approx([1, 1 / 4, 1 / 32], abs=0.003)
