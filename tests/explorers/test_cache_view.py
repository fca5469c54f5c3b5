"""The cache explorer in a browser: every number that it shows, compared with Python's."""

import re
from dataclasses import replace

import pytest

import explorers
from models.cache_sizes import PUBLISHED, CacheSizes, readable
from tests.explorers.browser import NARROW, PHONE, SIZE
from tests.explorers.view import View, in_both_themes

pytestmark = pytest.mark.browser

OWN = CacheSizes(num_layers=7, num_heads=6, groups=3, d_head=5)
LLAMA, DEEPSEEK = PUBLISHED["Llama 3 8B"], PUBLISHED["DeepSeek-V3"]
GROUPS, TEXT, LAYERS, HEADS, FEATURES = "groups", "text", "layers", "query heads", "features per head"


class CacheView(View):
    """The cache explorer: groups and lengths are chosen by their numbers, not by their places on the sliders."""

    def texts(self, name):
        """What the slider says at each of its places."""
        found = self.slider(name).evaluate("""slider => Array.from({ length: +slider.max + 1 }, (_, at) => {
            slider.value = at;
            slider.dispatchEvent(new InputEvent("input", { bubbles: true }));
            return slider.getAttribute("aria-valuetext");
        })""")
        self.settle()
        return found

    def pick(self, name, text):
        self.slide(name, self.texts(name).index(text))

    def values(self):
        return {name: self.slider(name).get_attribute("aria-valuetext") for name in (GROUPS, LAYERS, HEADS, FEATURES)}

    def chosen_model(self):
        radios = self.output.get_by_role("group", name="model").get_by_role("radio")
        return radios.evaluate_all("radios => radios.filter(radio => radio.checked).map(radio => radio.value)")

    def product(self):
        """What is multiplied, and the result."""
        return " ".join(self.output.locator(".abh-product").inner_text().split())

    def rows(self):
        """The table: [(attention, groups, this text, a token)], and the kind that is marked."""
        rows = self.output.locator(".abh-costs tbody tr:visible")
        cells = rows.evaluate_all(
            "rows => rows.map(row => [...row.cells[0].children, row.cells[2], row.cells[3]].map(x => x.textContent))"
        )
        return [tuple(row) for row in cells], rows.locator("xpath=self::*[contains(@class, 'abh-here')]").count()

    def middles(self, kind):
        """Of the boxes that are drawn for the heads, "line", or for what is kept, "mark"."""
        boxes = re.findall(r"M([\d.]+) \d+h([\d.]+)v", self.output.locator(f"svg .abh-{kind}").get_attribute("d"))
        return [float(left) + float(width) / 2 for left, width in boxes]

    def assert_shows(self, who, sizes, length, width=2):
        """Every number in sight is Python's."""
        one, text = readable(sizes.bytes(1, width)), readable(sizes.bytes(length, width))
        assert self.said() == f"{who} keeps {one} for each token, {text} for {length:,} tokens"
        counts = {"multi-head": sizes.num_heads, "grouped-query": sizes.groups, "multi-query": 1}
        if sizes.groups in (1, sizes.num_heads):
            del counts["grouped-query"]
        expected = []
        for kind, groups in counts.items():
            other = replace(sizes, groups=groups, latent=None)
            named = f"{groups} group{'' if groups == 1 else 's'}"
            expected.append((kind, named, readable(other.bytes(length, width)), readable(other.bytes(1, width))))
        if sizes.latent:
            expected.append(("latent", f"{sizes.latent} numbers", text, one))
        assert self.rows() == (expected, 1)


@pytest.fixture(scope="module")
def page(open_page):
    return open_page({"llama": explorers.cache(), "own": explorers.cache(OWN, 100, 4)})


def opened(page, name="Llama 3 8B"):
    """The first explorer as it opens, or with another model."""
    view = CacheView(page, "llama")
    view.choose("2 (float16)")
    view.pick(TEXT, "8,192 tokens")
    view.choose(name)
    return view


def test_controls_have_names_and_values(page):
    view = CacheView(page, "llama")
    assert view.chosen_model() == ["Llama 3 8B"]
    assert view.values() == {GROUPS: "8", LAYERS: "32", HEADS: "32", FEATURES: "128"}
    assert view.slider(TEXT).get_attribute("aria-valuetext") == "8,192 tokens"
    assert view.output.get_by_role("radio", name="2 (float16)").is_checked()


@pytest.mark.parametrize("name", PUBLISHED)
@pytest.mark.parametrize("width", ["4 (float32)", "1 (int8)"])
def test_each_model_keeps_what_python_computes(page, name, width):
    view = opened(page, name)
    view.choose(width)
    view.pick(TEXT, "65,536 tokens")
    view.assert_shows(name, PUBLISHED[name], 65_536, int(width[0]))
    link = view.output.get_by_role("link", name=f"Where the sizes of {name} are published")
    assert link.get_attribute("href") == PUBLISHED[name].source


def test_sizes_of_your_own_and_a_length_that_is_no_power_of_two(page):
    view = CacheView(page, "own")
    view.assert_shows("Your model", OWN, 100, 4)
    assert view.output.get_by_role("link").count() == 0
    assert view.texts(TEXT)[:3] == ["64 tokens", "100 tokens", "128 tokens"]
    view.pick(TEXT, "100 tokens")


def test_the_product_names_its_factors(page):
    view = opened(page)
    factors = "2 key and value × 8 groups × 128 features × 32 layers × 8,192 tokens × 2 bytes"
    assert view.product() == f"{factors} = 1 GB"
    assert view.output.locator(".abh-free").all_inner_texts() == ["8\ngroups"]
    view.choose("DeepSeek-V3")
    assert view.product() == "576 numbers in the latent × 61 layers × 8,192 tokens × 2 bytes = 549 MB"
    assert view.output.locator(".abh-free b").all_inner_texts() == ["576"]


@pytest.mark.parametrize("groups", [1, 2, 4, 16, 32])
def test_groups_are_the_divisors_of_the_heads(page, groups):
    view = opened(page)
    assert view.texts(GROUPS) == ["1", "2", "4", "8", "16", "32"]
    view.pick(GROUPS, str(groups))
    view.assert_shows("A model of these sizes", replace(LLAMA, groups=groups), 8192)
    assert view.chosen_model() == []
    view.pick(GROUPS, "8")
    assert view.chosen_model() == ["Llama 3 8B"]


def test_a_latent_can_be_given_up_for_groups(page):
    view = opened(page, "DeepSeek-V3")
    assert view.texts(GROUPS) == ["latent", "1", "2", "4", "8", "16", "32", "64", "128"]
    view.pick(GROUPS, "8")
    eight = replace(DEEPSEEK, groups=8, latent=None)
    assert view.said().startswith(f"A model of these sizes keeps {readable(eight.bytes())} for each token")
    rows, marked = view.rows()
    assert [row[0] for row in rows] == ["multi-head", "grouped-query", "multi-query", "latent"] and marked == 1
    view.pick(GROUPS, "latent")
    view.slide(HEADS, 7)
    view.assert_shows("A model of these sizes", replace(DEEPSEEK, num_heads=7, groups=7), 8192)


def test_other_heads_keep_the_groups_where_they_divide_them(page):
    view = opened(page)
    for heads, groups in ((40, 8), (33, 3), (31, 1), (36, 6), (64, 8)):
        view.slide(HEADS, heads)
        view.assert_shows("A model of these sizes", replace(LLAMA, num_heads=heads, groups=groups), 8192)
    view.choose("Llama 2 7B")
    for heads in (31, 64):  # as many groups as heads
        view.slide(HEADS, heads)
        view.assert_shows(
            "A model of these sizes", replace(PUBLISHED["Llama 2 7B"], num_heads=heads, groups=heads), 8192
        )


def test_layers_and_features_multiply(page):
    view = opened(page)
    view.slide(LAYERS, 128)
    view.slide(FEATURES, 37)
    view.assert_shows("A model of these sizes", replace(LLAMA, num_layers=128, d_head=37), 8192)


@pytest.mark.parametrize(
    "name, text, meaning",
    [
        (
            "Llama 3 8B",
            "8,192 tokens",
            "With a key and a value for each of the 32 query heads, it would be 4 times as much. "
            "A graphics card with 24 GB has room for 24 such texts, if it holds nothing else.",
        ),
        (
            "Llama 2 7B",
            "65,536 tokens",
            "Each query head has a key and a value of its own: multi-head attention. "
            "A graphics card with 24 GB has room for no such text, if it holds nothing else.",
        ),
        (
            "DeepSeek-V3",
            "262,144 tokens",
            "With a key and a value for each of the 128 query heads, it would be 56.9 times as much. "
            "A graphics card with 24 GB has room for 1 such text, if it holds nothing else.",
        ),
    ],
)
def test_it_says_what_the_numbers_mean(page, name, text, meaning):
    view = opened(page, name)
    view.pick(TEXT, text)
    assert view.explained() == meaning


def test_the_drawing_says_and_shows_which_heads_read_which_group(page):
    view = opened(page)
    view.slide(HEADS, 6)
    for groups, told in (
        (2, "heads 0 to 2 read group 0, heads 3 to 5 read group 1"),
        (6, "each head reads a group of"),
    ):
        view.pick(GROUPS, str(groups))
        assert view.charts()[0].startswith(f"6 query heads, {groups} groups: {told}")
        heads, kept = (view.middles(kind) for kind in ("line", "mark"))
        assert len(heads) == 6 and len(kept) == groups
        each = 6 // groups
        for g, middle in enumerate(kept):
            assert middle == pytest.approx(sum(heads[g * each : (g + 1) * each]) / each, abs=0.2)
    view.choose("DeepSeek-V3")
    assert view.charts() == ["128 query heads, a latent of 576 numbers: all heads read the latent"]


def test_the_bars_have_the_lengths_of_their_bytes(page):
    view = opened(page)
    tracks = view.output.locator(".abh-costs tr:visible .abh-track")
    shares = tracks.evaluate_all(
        "tracks => tracks.map(track => track.firstChild.getBoundingClientRect().width / track.clientWidth)"
    )
    assert shares == pytest.approx([1, 1 / 4, 1 / 32], abs=0.003)
    assert view.output.locator(".abh-here th").inner_text().split() == ["grouped-query", "8", "groups"]


def test_the_keyboard_alone_suffices(page):
    view = opened(page)
    link = "Where the sizes of Llama 3 8B are published"
    assert view.tab_stops() == ["Llama 3 8B", GROUPS, TEXT, LAYERS, HEADS, FEATURES, "2 (float16)", link]
    view.slider(GROUPS).focus()
    view.press("Home", "ArrowRight")
    view.assert_shows("A model of these sizes", replace(LLAMA, groups=2), 8192)
    assert view.focused()
    view.press("Tab", "ArrowLeft")
    view.assert_shows("A model of these sizes", replace(LLAMA, groups=2), 4096)
    view.press("Tab", "ArrowRight", "Tab", "ArrowRight", "ArrowRight", "Tab", "ArrowLeft", "Tab", "ArrowRight")
    sizes = CacheSizes(num_layers=33, num_heads=34, groups=2, d_head=127)
    view.assert_shows("A model of these sizes", sizes, 4096, 1)
    assert view.focused()
    view.press("Tab")
    assert view.focused()


def test_a_screen_reader_finds_the_costs_in_a_table(page):
    view = opened(page)
    table = view.output.get_by_role("table", name="The same 8,192 tokens with each kind of attention")
    assert table.get_by_role("columnheader").all_inner_texts() == ["attention", "this text", "a token"]
    assert table.get_by_role("rowheader").count() == 3


def test_it_fits_a_narrow_window_and_a_phone(page, open_page):
    page.resize(NARROW)
    opened(page, "DeepSeek-V3").assert_inside("svg, svg text, fieldset, label, output, table, p, a")
    page.resize(*SIZE)
    phone = open_page({"llama": explorers.cache()}, **PHONE)
    for width in (390, 320):
        phone.resize(width)
        for name in PUBLISHED:
            view = opened(phone, name)
            view.assert_inside("svg, svg text, fieldset, label, output, table, p, a")


def test_it_follows_the_theme(page, tmp_path):
    dark, light = in_both_themes(page, "llama", tmp_path)
    assert dark[0] != light[0] and dark[1] != light[1]


@pytest.mark.parametrize("name", [GROUPS, HEADS, LAYERS])
def test_a_repaint_is_little_work(page, name):
    opened(page, "DeepSeek-V3").drag(name)
