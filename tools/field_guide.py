"""The field guide, docs/field_guide.md: from a symptom to a suspicion, a test and a remedy, on one sheet to print.

python -m tools.field_guide        writes it again from the exhibits of notebook 13
"""

from pathlib import Path

from exercises.museum.exhibits import EXHIBITS
from exercises.museum.verdicts import address

FILE = Path(__file__).parents[1] / "docs" / "field_guide.md"
TESTS = {
    "future": "The beginning of a text alone gives what it gives as a part of the whole.",
    "scale": "Scores are q · k / √D, for many D and several heads.",
    "padding": "Other words in the padding, the same outputs at real tokens.",
    "cache": "A text in pieces of any lengths gives what it gives at once, also where a past is continued twice.",
    "heads": "Other rows for head h of a projection change head h, and no other.",
    "modes": "In evaluation two calls are equal; in training they differ, and their mean is that of evaluation.",
    "permutation": "Without positions: the tokens of one item in another order, its outputs in that order, and the "
    "other items unmoved.",
    "dtype": "In float64 and on the device `meta`: all of the module moves, and float64 gives nearly the same numbers.",
    "gradients": "A random loss gives each parameter a finite gradient that is not all zeros.",
    "reference": "Loops over items, heads and queries give the same outputs.",
    "alone": "A text alone gives what it gives in a batch, next to padding on either side.",
}
MORE = (  # of which no exhibit has the bug: symptom, suspicion, assertion, remedy
    (
        "A model with fewer keys than queries learns worse than it should with imported weights.",
        "`repeat` in place of `repeat_interleave`",
        "`assert_grouped_heads`",
        "head h reads h // (num_heads // num_kv_heads)",
    ),
    (
        "What was computed for a prompt goes wrong once it is continued for the second time.",
        "a past that grows in place",
        "`assert_past_reusable`",
        "copy the past, or make new tensors with `torch.cat`",
    ),
)
HEAD = """# Field guide to bugs in attention

*Made from the exhibits of [notebook 13](../notebooks/13_the_museum_of_bugs.ipynb) by `python -m tools.field_guide`.
It names what ails them: visit the museum first. Each exhibit leads to the thread in which its bug was found.*

Nothing raises, and the loss falls. Ask what the code promises, then test that, with a different size along every axis
and on the CPU, before the first long training. The first six tests are exercises 13.1 to 13.6;
[`invariants/assertions`](your_own_model.md) has them, and more: `check_model(model, ids)` asks all that apply.

| symptom | suspicion | test | remedy | seen in |
|---|---|---|---|---|
"""
MIDDLE = """
Two more suspicions, whose bugs are in no exhibit:

| symptom | suspicion | assertion | remedy |
|---|---|---|---|
{more}

| test | what must hold |
|---|---|
"""
END = """
## Why does it give other numbers in a batch?

Compare the size of the difference with that of the outputs. A small GPT-2 (transformers 5.24.0), whose outputs go up
to 1.2, differed by

1. **2e-7, and 7e-16 in float64**: rounding. Other shapes are summed in another order. In bfloat16 it was 4e-3.
   Nothing is wrong.
2. **0.4 without a mask**: real tokens read padding. Pass the mask, and ask `assert_padding_ignored`.
3. **0.7 with a mask, padded on the left**: positions count columns. Passing `position_ids` leaves 3e-7
   (`assert_alone_equals_batch`).
4. **0.8 from call to call**: dropout is on. Call `model.eval()`, and ask `assert_modes`.
5. **Something that moves with the other texts**: items read each other, or BatchNorm is in training mode
   (`assert_items_apart`).

## How do I get the weights out?

1. **transformers 5.24.0**: `model.set_attn_implementation("eager")`, then `model(ids,
   output_attentions=True).attentions`: a tensor (B, H, T, S) for each layer. With `"sdpa"` the tuple is empty.
2. **`nn.MultiheadAttention`**: pass `need_weights=True, average_attn_weights=False`. By default it returns the mean
   over its heads.
3. **`nn.TransformerEncoder`** asks its layers for no weights. Set these two arguments in a
   `register_forward_pre_hook(..., with_kwargs=True)` on each `self_attn`, and read `output[1]` in a
   `register_forward_hook`.
4. **`F.scaled_dot_product_attention`** has none: compute `(q @ k.mT / D**0.5 + mask).softmax(-1)` from the same q, k
   and mask.
5. **Then check them**: rows sum to 1, and weights @ v gives the output. Look at single heads before you take a mean.
"""


def page():
    """The page as Markdown."""
    broken = [each for each in EXHIBITS.values() if not each.because]
    rows = (
        f"| {each.symptom} | {each.suspicion} | {name}{'' if each.tests else ', which is silent'} | {each.remedy} | "
        f"[exhibit {each.number}]({address(each.threads[0])}) |"
        for name in TESTS
        for each in broken
        if name == (each.tests + each.silent)[0]
    )
    more = "\n".join(f"| {' | '.join(row)} |" for row in MORE)
    tests = (f"| {name} | {what} |" for name, what in TESTS.items())
    return HEAD + "\n".join(rows) + "\n" + MIDDLE.format(more=more) + "\n".join(tests) + "\n" + END


if __name__ == "__main__":
    FILE.write_text(page(), encoding="utf-8")
