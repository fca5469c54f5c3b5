"""The next token explorer: its `ROW` for test_every_explorer.py, and tests of what only this explorer does."""

import copy
import re

import pytest
import torch

import explorers
from explorers.base import INVITATION
from helpers.decoder import Decoder, DecoderConfig, keep_top_k, keep_top_p
from tests.explorers.view import Row, View

WORDS = ["<start>", ".", "Mia", "Tom", "reads", "maps", "Mio's", "&<co>"]
IDS = [0, 2, 4, 5, 1, 3, 4]


def small(**sizes):
    """A decoder with random parameters, none of which is 0 or 1."""
    options = {"context_length": 12, "d_model": 8, "num_heads": 2, "num_layers": 2, "d_ff": 16, **sizes}
    model = Decoder(DecoderConfig(len(WORDS), **options)).eval()
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for part in model.parameters():
            part.copy_(0.5 * torch.randn(part.shape, generator=generator))
    return model


def rounded(model):
    """The model as the browser computes it."""
    return copy.deepcopy(model).half().float()


def test_the_model_is_left_as_it_was_and_dropout_changes_nothing():
    model = small(dropout=0.5).train()
    before = copy.deepcopy(model.state_dict())
    view = explorers.next_token(model, WORDS, IDS)
    assert view.still() == explorers.next_token(small(), WORDS, IDS).still()
    assert model.training and all(torch.equal(before[name], now) for name, now in model.state_dict().items())


MODEL = rounded(small())
WITHOUT_INNER = rounded(small(d_ff=0))


@torch.no_grad()
def look(ids, used=(1, 1, 1, 1), model=MODEL):
    """PyTorch's logits (T, V) and the weights of each head, (L * H, T, T)."""
    logits, weights = model.look(torch.tensor([ids]), head_mask=torch.tensor(used).view(2, 2))
    return logits[0], torch.cat([layer[0] for layer in weights])


def expected(ids, position=-1):
    """The probabilities of the next word."""
    return look(ids)[0][position].softmax(-1)


def test_it_opens_with_the_head_that_reads_the_guess_and_the_picture_says_both():
    view, (most, guess) = explorers.next_token(small(), WORDS, IDS), expected(IDS).max(-1)
    weights = look(IDS)[1][:, -1]  # for the last word, (L * H, T)
    same = torch.tensor(IDS) == guess
    assert same.any() and view.head == int(weights[:, same].sum(-1).argmax())
    weight, j = weights[view.head].max(-1)
    name = f"Layer {view.head // 2}, head {view.head % 2}"
    words, svg = (view.still()[kind] for kind in ("text/plain", "image/svg+xml"))
    assert f"{name} reads “{WORDS[IDS[j]]}” (position {j}) most: {weight:.2f}." in words
    assert f"The model expects “{WORDS[guess]}” with {most:.2f}. {INVITATION}" in words
    assert "&amp;&lt;co&gt;" in svg and "&<co>" not in svg


def spoilt(value):
    model = small()
    with torch.no_grad():
        model.norm.bias[3] = value
    return model


REFUSED = [
    (TypeError, "model must be a Decoder, got Linear; pass a helpers.decoder", (torch.nn.Linear(1, 1), WORDS, IDS)),
    (ValueError, "at most 500,000 parameters, got 1,114,944; .* smaller one", (small(d_ff=2**15), WORDS, IDS)),
    (ValueError, "at most 32 heads, got 5 layers of 8; ", (small(num_layers=5, num_heads=8), WORDS, IDS)),
    (ValueError, "must fit float16, got 1 that are NaN, .*65,504; look for", (spoilt(float("nan")), WORDS, IDS)),
    (ValueError, "words must be 8, one for each id of the model, got 7; ", (small(), WORDS[:-1], IDS)),
    (ValueError, "words must all be different, got 'Mia' twice; ", (small(), [*WORDS[:-1], "Mia"], IDS)),
    (TypeError, "ids must be a list of whole numbers, got str; turn words into ids", (small(), WORDS, "Mia")),
    (ValueError, r"ids must have shape \(T,\), got \(1, 7\); .* ids\[0\]", (small(), WORDS, [IDS])),
    (ValueError, "ids must be 1 to 12, the positions of the model, got 13; ", (small(), WORDS, [0] * 13)),
    (ValueError, "ids must lie between 0 and 7, got 8 at position 2; ", (small(), WORDS, [0, 1, 8])),
]


# ---------------------------------------------------------------- in a browser


class NextTokenView(View):
    def words(self):
        """The words of the text."""
        return [option.split()[0] for option in self.output.get_by_role("option").all_inner_texts()]

    def bars(self):
        """{word: its number}, from the first bar to the last."""
        texts = self.output.locator(".abh-next").all_inner_texts()
        return dict(text.rsplit(maxsplit=1) for text in texts)

    def heads(self):
        """The word that each head reads most, and its weight."""
        rows = self.output.locator(".abh-heads tbody tr").all()
        return [row.locator("td").all_inner_texts()[:2] for row in rows]

    def look_after(self, position):
        self.output.get_by_role("option").nth(position).click()
        self.settle()

    def type(self, text):
        self.output.get_by_role("combobox").fill(text)
        self.press("Enter")

    def complaint(self):
        return self.output.get_by_role("alert").inner_text()

    def ids(self):
        return [WORDS.index(word) for word in self.words()]

    def assert_right(self):
        """Assert that bars, sentence and heads show PyTorch's numbers for the settings of the controls."""
        now, ids = self.controls(), self.ids()
        used = tuple(int(now[f"use layer {layer}, head {head}"]) for layer in (0, 1) for head in (0, 1))
        position = self.output.get_by_role("option").evaluate_all(
            "options => options.findIndex(option => option.ariaSelected === 'true')"
        )
        model = MODEL if self.which == "text" else WITHOUT_INNER
        logits, weights = look(ids, used, model)
        temperature, top_k, top_p = (now[name] for name in ("temperature", "top-k", "top-p"))
        kept = logits[position] / max(float(temperature), 1e-6)
        kept = kept if top_k == "all" else keep_top_k(kept, int(top_k))
        kept = kept if top_p == "all" else keep_top_p(kept, float(top_p))
        self.assert_expects(kept.softmax(-1), logits[position])
        for head, (word, number) in enumerate(self.heads()):
            weight, j = weights[head, position].max(-1)
            repeated = ids.count(ids[j]) > 1
            assert word == f"'{WORDS[ids[j]]}'" + (f" (position {j})" if repeated else "")
            assert float(number) == pytest.approx(weight.item(), abs=0.0101)
        first = look(ids, model=model)[0][position].argmax()
        assert (f"With all heads in use: '{WORDS[first]}' with" in self.explained()) == (0 in used)

    def assert_expects(self, probabilities, logits):
        """Assert that sentence and bars show PyTorch's numbers, with the bars in the order of the logits."""
        most, first = probabilities.max(-1)
        [number] = re.findall(r"\d\.\d{4}", self.said())
        assert f"the model expects '{WORDS[first]}' with" in self.said()
        assert float(number) == pytest.approx(most.item(), abs=1e-4)
        order = logits.argsort(descending=True, stable=True)
        assert list(self.bars()) == [WORDS[id] for id in order]
        bars = [0.0 if text == "cut" else float(text) for text in self.bars().values()]
        assert bars == pytest.approx(probabilities[order].tolist(), abs=1e-3)


FIRST = explorers.next_token(small(), WORDS, IDS).head
TEXT = "The text: select the word after which to predict"
USES = [f"use layer {layer}, head {head}" for layer in (0, 1) for head in (0, 1)]
ROW = Row(
    explorers.next_token,
    NextTokenView,
    {"text": (small(), WORDS, IDS), "one word": (small(d_ff=0), tuple(WORDS), torch.tensor(IDS[:1]))},
    refused=REFUSED,
    opens={"text": {"temperature": "1.00", "top-k": "all", "top-p": "all"} | dict.fromkeys(USES, True)},
    stops={
        "text": ["next words", "Add", "Draw a word", "Remove the last word", "Start again", TEXT]
        + [f"{WORDS[expected(IDS).argmax()]} {expected(IDS).max():.3f}"]
        + [*USES[:FIRST], USES[FIRST].removeprefix("use "), *USES[FIRST:]]
        + ["temperature", "top-k", "top-p", "All words that can be typed", "Read as a table"]
    },
    settings=[
        ("text", settings)
        for settings in (
            *({"temperature": 2}, {"top-k": 3}, {USES[1]: False}, {"temperature": 0.5, "top-k": 3, USES[2]: False}),
            *({"top-p": 0.5}, {USES[0]: False, USES[3]: False}, {"Remove the last word": None}),
        )
    ],
    first={"Add": {"next words": "Mia"}},
    fits={"text": 390, "one word": 390},
    legends=1,
    looks=[({}, ".abh-chip", 3)],
    marks=[(".abh-length", ".abh-track"), (".abh-own", ".abh-track")],
)


def test_typed_words_are_added_and_the_last_is_removed(opened):
    view = opened.view()
    view.type("mia reads.")
    assert view.ids() == [*IDS, 2, 4, 1]
    view.assert_right()
    view.press("Backspace", "Backspace")
    assert view.ids() == [*IDS, 2]
    view.click("Remove the last word")
    assert view.ids() == IDS
    view.assert_right()


def test_an_unknown_word_is_named_with_the_nearest_and_changes_nothing(opened):
    view = opened.view()
    view.type("Mia Toms")
    words = len([word for word in WORDS if not word.startswith("<")])
    assert view.complaint() == f"'Toms' is not one of the {words} words that can be typed; the nearest is 'Tom'."
    assert view.ids() == IDS
    assert view.output.get_by_role("combobox").get_attribute("aria-invalid") == "true"
    view.type("<start>")
    assert view.complaint().startswith(f"'<start>' is not one of the {words} words")
    assert view.complaint().endswith("all of them are listed at the end of this view.")
    view.output.get_by_text("All words that can be typed").click()
    listed = view.output.locator("details[open] .abh-help").inner_text().split()
    assert listed == sorted(word for word in WORDS if not word.startswith("<"))
    view.output.get_by_text("All words that can be typed").click()
    view.type("Tom")
    assert view.complaint() == "" and view.ids() == [*IDS, 3]


def test_an_earlier_word_shows_its_own_prediction_and_what_is_put_in_replaces_the_next(opened):
    view = opened.view()
    view.look_after(2)
    view.assert_right()
    follows, (most, first) = expected(IDS, 2)[IDS[3]], expected(IDS).max(-1)
    assert f"The text goes on with '{WORDS[IDS[3]]}': " in view.explained()
    assert f"At its end the model expects '{WORDS[first]}' with" in view.explained()
    numbers = [float(number) for number in re.findall(r"\d\.\d{4}", view.explained())[1:]]
    assert numbers == pytest.approx([follows.item(), most.item()], abs=1e-4)
    hidden = view.output.locator(".abh-text .abh-hatched").all_inner_texts()
    assert [text.strip() for text in hidden] == [WORDS[id] for id in IDS[3:]]
    view.type("Tom")
    changed = [*IDS[:3], 3, *IDS[4:]]
    assert view.ids() == changed
    view.assert_right()
    view.look_after(6)
    view.assert_right()


def test_temperature_and_cuts_change_the_bars_and_what_is_drawn(opened):
    view = opened.view(settings={"temperature": 2})
    before = view.bars()
    assert view.said().endswith("(temperature 2).")
    view.put({"temperature": 0})
    assert list(view.bars().values()) == ["1.000", *["cut"] * 7]
    view.put({"temperature": 1, "top-k": 1})
    lines = view.output.locator(".abh-own").evaluate_all("lines => lines.map(line => parseFloat(line.style.left))")
    own = expected(IDS).sort(descending=True)
    assert lines == pytest.approx((100 * own.values).tolist(), abs=0.01)  # the model's own, whatever the settings
    view.click("Draw a word")
    assert view.ids() == [*IDS, own.indices[0].item()]
    view.put({"temperature": 2, "top-k": 8, USES[2]: False, "Start again": None})
    assert view.bars() == before and view.output.get_by_role("checkbox", checked=False).count() == 0


def test_the_text_ends_where_the_model_has_no_more_positions_and_keeps_its_first_word(opened):
    view = opened.view()
    view.type("Mia reads maps . Tom .")
    assert "room for 12 words" in view.complaint() and view.ids() == IDS
    view = opened.view("one word")
    view.click("Remove the last word")
    assert view.complaint() == "'<start>' stays: the model needs a word to begin with." and view.words() == ["<start>"]


def test_keys_walk_through_the_text_and_the_bars_and_a_click_chooses_too(opened):
    view = opened.view()
    view.output.get_by_role("listbox").focus()
    view.press("ArrowLeft", "ArrowLeft")
    assert view.focused()
    view.assert_right()
    view.press("Home")
    view.assert_right()
    view.press("End", "Tab", "ArrowDown")
    assert view.focused()
    order = expected(IDS).argsort(descending=True).tolist()
    view.press("Enter")
    assert view.ids() == [*IDS, order[1]]
    view = opened.view()
    view.output.locator(".abh-next").nth(2).click()
    view.settle()
    assert view.ids() == [*IDS, order[2]]


def test_keys_may_be_faster_than_the_repaint(opened):
    view = opened.view()
    view.output.get_by_role("listbox").evaluate("""list => {
        for (const key of ["Backspace", "ArrowLeft", "ArrowLeft"]) {
            list.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
        }
    }""")
    view.settle()
    assert view.ids() == IDS[:-1]
    view.assert_right()


def test_everything_can_be_read_as_tables(opened):
    view = opened.view()
    view.unfold()
    (caption, words), (_, heads), (_, weights) = view.listings()
    assert caption == "Next word after 'reads' (position 6)"
    own = expected(IDS).sort(descending=True).values.tolist()
    assert [float(row[1].removeprefix("less than ")) for row in words] == pytest.approx(own, abs=1.01e-4)
    assert [row[0] for row in heads] == [f"layer {i}, head {j}" for i in (0, 1) for j in (0, 1)]
    assert [row[:2] for row in weights] == [[str(j), WORDS[id]] for j, id in enumerate(IDS)]
