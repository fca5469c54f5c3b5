"""`compare` names a fault correctly or not at all, and leaves the models unchanged."""

import copy
import itertools
import re
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from helpers.relative_positions import rotate_halves, rotate_pairs
from helpers.today import TodayConfig, TodayDecoder
from invariants.compare import compare
from models import story_model, story_today
from tests.calls import Calls
from tests.invariants import pairs, styles
from tests.invariants.faults import FAULTS, IDS, PAIRS, Fault, edit, reorder
from tests.invariants.ports import PortedAttention, decoder_pair, fill
from tests.invariants.styles import Einsum, OneByOne, Separate, Stacked, Torchs
from tests.unit.refusals import require_refused

PLACED = [fault for fault in FAULTS if fault.places]
TOGETHER = [both for both in itertools.combinations(PLACED, 2) if both[0].pair == both[1].pair][::11]
STEP = 7
PARTS = [0, *(pytest.param(start, marks=pytest.mark.slow) for start in range(1, STEP))]  # 0 in the quick run


def test_nine_tenths_of_the_faults_are_named():
    known = [fault for fault in FAULTS if fault.kinds]
    assert sum(not fault.missed for fault in known) >= 0.9 * len(known)
    assert len({(fault.pair, fault.name) for fault in FAULTS}) == len(FAULTS)


@pytest.mark.parametrize("start", PARTS)
def test_a_fault_has_its_place_and_is_called_by_its_name_or_not_at_all(start):
    wrong = []
    for fault in FAULTS[start::STEP]:
        mine, theirs, inputs, options = fault.broken()
        found = compare(mine, theirs, *inputs, **options)
        kind = found.guess.kind if found.guess else ""
        right = kind in fault.kinds if fault.kinds and not fault.missed else not kind
        if not (right and found.difference > found.tolerance and (found.name in fault.places or not fault.places)):
            wrong.append((fault.pair, fault.name, found.name, kind))
    assert not wrong


@pytest.mark.parametrize("start", PARTS)
def test_of_two_faults_no_third_one_is_named(start):
    wrong = []
    for one, other in TOGETHER[start::STEP]:
        mine, theirs, inputs, options = one.broken()
        other.change(mine)
        found = compare(mine, theirs, *inputs, **options)
        named = not found.guess or found.guess.kind in {*one.kinds, *other.kinds}
        if not named or found.name not in {*one.places, *other.places}:
            wrong.append((one.pair, one.name, other.name, found.name, found.guess))
    assert not wrong


def test_equal_models_agree_in_any_style_even_if_a_factor_is_elsewhere():
    for name, make in PAIRS.items():
        mine, theirs, inputs, options = make()
        found = compare(mine, theirs, *inputs, **options)
        assert not found and found.guess is None and not found.other_architecture, name
        assert found.undone == (name in ("translator", "Gemma")), name
        assert name in styles.PAIRS or sum(row.gave is not None for row in found.rows) >= 6, name


@pytest.mark.parametrize("start", PARTS)
def test_a_change_that_other_parameters_cancel_is_neither_a_difference_nor_a_cause(start):
    for mine, theirs in ((Separate, Torchs), (OneByOne, Einsum)):
        mine, theirs, inputs, _ = styles.pair(mine, theirs, styles.EQUAL[start % 4])
        assert not compare(mine, theirs, *inputs)
    wrong = []
    faults = [fault for fault in FAULTS if fault.pair in styles.PAIRS and fault.name != "items and positions mixed"]
    for fault, change in list(itertools.product(faults, styles.EQUAL))[start::STEP]:
        mine, theirs, inputs, _ = fault.broken(change)
        found = compare(mine, theirs, *inputs)
        assert found, (fault.pair, fault.name)
        if found.guess and found.guess.kind not in fault.kinds:
            wrong.append((fault.pair, fault.name, change.__name__, found.guess))
    assert not wrong


def test_a_module_that_runs_again_is_reported():
    class Stack(nn.Module):
        def __init__(self):
            super().__init__()
            self.blocks, self.order = nn.ModuleList(pairs.Block(12, 3, 20) for _ in range(3)), (0, 1, 2)

        def forward(self, x):
            for i in self.order:
                x = self.blocks[i](x, None)
            return x

    theirs = fill(Stack(), 4)
    x = torch.randn(2, 5, 12, generator=torch.Generator().manual_seed(1))
    mine = copy.deepcopy(theirs)
    mine.order = (0, 1, 1)
    found = compare(mine, theirs, x)
    assert str(found.guess) == "What differs is which module runs: `blocks.1` again in mine, `blocks.2` in theirs."
    mine.blocks[2], mine.order = mine.blocks[1], (0, 1, 2)
    found = compare(mine, theirs, x)
    assert not found.other_architecture and found.guess.kind in ("roles", "parameter")


def test_a_parameter_that_a_run_changes_is_put_back():
    class Changing(nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.out = nn.Embedding(5, 4), nn.Linear(4, 4)

        def forward(self, x):
            rows = self.table.weight[: x.size(1)]
            rows += 1
            return self.out(x + rows)

    torch.manual_seed(0)
    mine = Changing()
    before, theirs = mine.table.weight.clone(), copy.deepcopy(mine)
    theirs.out.bias.data += 1
    found = compare(mine, theirs, torch.randn(2, 3, 4))
    assert found.guess.kind == "parameter" and torch.equal(mine.table.weight, before)


def test_half_precision_has_a_tolerance_of_its_own():
    torch.manual_seed(0)
    theirs = nn.Sequential(nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 16)).bfloat16()
    mine = copy.deepcopy(theirs)
    mine.forward = lambda x: F.linear(mine[1](mine[0](x)).float(), mine[2].weight.float(), mine[2].bias.float())
    assert not compare(mine, theirs, torch.randn(3, 16).bfloat16())


def turned(x):
    """Rotate the features in a way that is not among the causes."""
    q, _ = torch.linalg.qr(torch.randn(x.size(-1), x.size(-1), generator=torch.Generator().manual_seed(1)))
    return x @ q.to(x)


ODD = {
    "clamp": lambda x: x.clamp(-0.5, 0.6),
    "sine": torch.sin,
    "cumulative": lambda x: x.cumsum(-1),
    "sorted": lambda x: x.sort(-1)[0],
    "turned": turned,
    "rounded": lambda x: (x * 10).round() / 10,
    "squared": lambda x: x * x.abs(),
    "batch": lambda x: x.roll(1, 0),
    "weighted": lambda x: x * torch.linspace(0.5, 1.5, x.size(-1)),
}


@pytest.mark.parametrize("start", PARTS)
def test_what_nobody_has_thought_of_has_no_name(start):
    known = [pair for pair in pairs.PAIRS if pair != "torch first"]  # its dropout would be named, correctly
    for i, (pair, (odd, change)) in list(enumerate(itertools.product(known, ODD.items())))[start::STEP]:
        mine, theirs, inputs, options = PAIRS[pair]()
        names = [name for name, _ in mine.named_modules() if name]
        module = mine.get_submodule(names[i % len(ODD) * 7 % len(names)])
        inner = module.forward

        def forward(*args, inner=inner, change=change, **kwargs):
            result = inner(*args, **kwargs)
            return (change(result[0]), *result[1:]) if isinstance(result, tuple) else change(result)

        module.forward = forward
        found = compare(mine, theirs, *inputs, **options)
        assert found.guess is None, (pair, odd, found.name, found.guess)


# ---------------------------------------------------------------- the report


def test_the_report_names_the_place_the_size_and_the_cause():
    mine, theirs, inputs, options = PAIRS["decoder"]()
    mine.h[0].att.scale = lambda D: 1.0
    found = compare(mine, theirs, *inputs, **options)
    assert (found.name, found.before, found.inside) == ("h.0.att.wo", True, "h.0.att")
    first, second, third, fourth, *table = [line for line in repr(found).split("\n") if line]
    assert first == "First difference: `h.0.att.wo`"
    assert second.startswith("`h.0.att.wo` is the first module that gets something else, by up to 0.")
    assert third == "What differs is the scale of the scores: none = 2/√D in mine, 1/√D in theirs."
    assert fourth == "With the numbers of theirs there, nothing that comes later differs."
    assert table[0].split() == ["mine", "theirs", "input", "output"]
    assert [line.split()[:2] for line in table[3:5]] == [
        ["h.0.ln1", "blocks.0.norm1"],
        ["h.0.att.wo", "blocks.0.attention.out_proj"],
    ]
    html = found._repr_mimebundle_()["text/html"]
    assert "the scale of the scores" in html and "h.0.att.wo" in html
    found = compare(theirs, theirs, *inputs)
    assert repr(found).startswith("Agree to within 0.0001\nNo output differs by more than 0.0001.\n")


def test_the_page_shows_what_is_printed():
    mine, theirs = decoder_pair(width=24)
    mine.h[0].att.scale = lambda D: 1.0
    page = (Path(__file__).parents[2] / "docs" / "your_own_model.md").read_text(encoding="utf-8")
    shown = re.search("```\n(First difference.*?)```", page, re.DOTALL)[1]
    printed = repr(compare(mine, theirs, IDS)).partition("\n\n")[0] + "\n"
    assert re.sub(r"\d\.\d+", "", printed) == re.sub(r"\d\.\d+", "", shown)


def first_sentence(found):
    return str(found.guess).removeprefix("What differs is ")


def test_an_order_of_rows_that_is_undone_later_is_not_the_cause():
    theirs = fill(PortedAttention(24, 3, turn=rotate_pairs), 3)
    mine = copy.deepcopy(theirs)
    mine.turn = rotate_halves
    for layer in (mine.wq, mine.wk):
        reorder(layer, torch.arange(24).view(3, 4, 2).mT)
    x = torch.randn(2, 7, 24)
    found = compare(mine, theirs, x)
    assert not found and found.undone
    mine.turn = lambda x, places: rotate_halves(x, -places)
    found = compare(mine, theirs, x)
    assert found and found.guess is None


def test_the_description_of_a_cause_is_true():
    one_plus = "m.h[0].ln2.forward = lambda x: F.rms_norm(x, (24,), 1 + m.h[0].ln2.weight, 1e-6)"
    late = 'edit(m, "scores.softmax(-1)", "scores.softmax(-1) - 1e4 * (1 - visible)")'
    late = 'edit(m, "torch.where(visible == 1, scores, -1e9)", "scores"); ' + late
    for pair, code, words in (
        ("Llama", one_plus, "the weight of a norm: 1 + h.0.ln2.weight in mine, blocks.0.norm2.weight in theirs."),
        ("Einsum and Torchs", late, "the mask: scores -10000 after the softmax in mine, scores hidden in theirs."),
        ("decoder", "m.ln_f.forward = lambda x: x", "the norm of what `ln_f` gives: none in mine, LayerNorm in"),
        ("torch, norm first", "m.before = False", "the norm before or after: after in mine, before in theirs."),
    ):
        mine, theirs, inputs, options = Fault(pair, "", (), False, (), code).broken()
        assert first_sentence(compare(mine, theirs, *inputs, **options)).startswith(words), pair
    theirs, mine, inputs, _ = styles.pair(Separate, Torchs)
    edit(theirs, "self.wk(x)", "self.wq(x)")
    words = "what is used as queries, keys and values: queries, keys and values in mine, queries, queries and values in"
    assert first_sentence(compare(mine, theirs, *inputs)).startswith(words)


def test_the_story_decoder_and_todays_are_other_architectures():
    mine, theirs = story_model.new_model(0), story_today.new_model(0)
    found = compare(mine, theirs, torch.arange(24).view(2, 12))
    assert found.other_architecture and found.guess is None
    assert repr(found).startswith("These are different architectures\nmine alone has `positions`")
    found = compare(mine.blocks[0], theirs.blocks[0], torch.randn(2, 6, mine.config.d_model))
    assert found.other_architecture and found.guess is None
    mine = copy.deepcopy(theirs)
    mine.blocks[1].norm2.eps = 0.1
    found = compare(mine, theirs, torch.arange(24).view(2, 12))
    assert (found.name, found.guess.kind, found.follows) == ("blocks.1.norm2", "epsilon", ())


def test_of_two_faults_the_second_is_said_to_follow():
    mine, theirs, inputs, options = PAIRS["decoder"]()
    mine.h[0].att.scale = lambda D: 1.0
    mine.h[1].ffn.act = lambda x: F.relu(F.dropout(x, 0.5))  # later dropout is not reported
    found = compare(mine, theirs, *inputs, **options)
    assert (found.name, found.guess.kind, found.follows) == ("h.0.att.wo", "scale", ("h.1.ffn.down",))
    assert "With the numbers of theirs there, `h.1.ffn.down` is the next that differs." in repr(found)
    mine.h[0].att.hide = lambda s, v: s  # two causes in one place: the first is named
    found = compare(mine, theirs, *inputs, **options)
    assert (found.name, found.guess.kind, found.follows) == ("h.0.att.wo", "scale", ("h.1.ffn.down",))


def test_a_bias_of_zeros_makes_no_other_architecture():
    mine, theirs, inputs, _ = styles.pair(Separate, Stacked)
    theirs.qkv.bias = theirs.proj.bias = None
    for layer in (mine.wq, mine.wk, mine.wv, mine.wo):
        layer.bias.data.zero_()
    assert not compare(mine, theirs, *inputs)
    edit(mine, "triu(1)", "triu(2)")
    found = compare(mine, theirs, *inputs)
    assert found.guess.kind == "mask" and not found.other_architecture


def test_a_head_with_the_numbers_of_the_embeddings_is_no_other_architecture():
    class Headed(nn.Module):
        def __init__(self, model):
            super().__init__()
            self.model, self.lm_head = copy.deepcopy(model), nn.Linear(24, 29, bias=False)
            self.lm_head.weight.data = self.model.tokens.weight.data.clone()

        def forward(self, ids):
            x = self.model.tokens(ids)
            for block in self.model.blocks:
                x = block(x)[0]
            return self.lm_head(self.model.norm(x))

    theirs = fill(TodayDecoder(TodayConfig(29, 24, 4, 2, 2, 20)), 7)
    mine = Headed(theirs)
    for one, other in ((mine, theirs), (theirs, mine)):
        found = compare(one, other, IDS)
        assert not found and not found.other_architecture
        assert found.rows[0].name.endswith("tokens") and found.rows[0].other.endswith("tokens")


def test_a_mapping_pairs_modules_that_names_do_not():
    torch.manual_seed(0)
    mine = nn.Sequential(nn.Linear(5, 5), nn.Linear(5, 5), nn.Tanh())
    theirs = nn.Sequential(nn.Linear(5, 5), nn.Linear(5, 5), nn.Tanh())
    theirs.forward = lambda x: theirs[2](theirs[0](theirs[1](x)))
    theirs[0].load_state_dict(mine[1].state_dict())
    theirs[1].load_state_dict(mine[0].state_dict())
    x = torch.randn(3, 5)
    mapping = {"0": "1", "1": "0"}
    found = compare(mine, theirs, x)
    assert not found and found.undone and "later steps undo every difference" in repr(found)
    found = compare(mine, theirs, x, mapping=mapping)
    assert not found and not found.undone
    theirs[0].weight.data[2] += 1
    found = compare(mine, theirs, x, mapping=mapping)
    assert (found.name, found.guess.kind) == ("1", "parameter")


# ---------------------------------------------------------------- no side effects


def state_of(model):
    return (
        [module.training for module in model.modules()],
        [(len(module._forward_hooks), len(module._forward_pre_hooks)) for module in model.modules()],
        [(p.grad, p.requires_grad, p.clone()) for p in model.parameters()],
    )


def same_state(one, other):
    return one[:2] == other[:2] and all(
        a[0] is b[0] and a[1] == b[1] and torch.equal(a[2], b[2]) for a, b in zip(one[2], other[2], strict=True)
    )


@pytest.mark.parametrize("raises", [False, True])
def test_models_modes_gradients_and_random_numbers_are_as_before(raises):
    mine, theirs, inputs, options = PAIRS["torch"]()
    mine.ffn.act = lambda x: F.dropout(F.gelu(x), 0.3)
    mine.train()
    mine.att.wq.eval()
    theirs.linear1.train()
    for parameter in mine.parameters():
        parameter.grad = torch.ones_like(parameter)
    kept = mine.ln2.register_forward_hook(lambda module, args, output: None)
    before, numbers = [state_of(model) for model in (mine, theirs)], torch.get_rng_state()
    if raises:
        theirs.linear2.forward = lambda x: 1 / 0
        with pytest.raises(ZeroDivisionError):
            compare(mine, theirs, *inputs, **options)
    else:
        assert compare(mine, theirs, *inputs, **options).guess.kind == "dropout"
    assert all(same_state(a, state_of(b)) for a, b in zip(before, (mine, theirs), strict=True))
    assert torch.equal(numbers, torch.get_rng_state())
    assert torch.is_grad_enabled() and torch.backends.mha.get_fastpath_enabled()
    kept.remove()


def test_inputs_are_not_changed_and_in_place_steps_do_not_mislead():
    class InPlace(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.relu, self.b = nn.Linear(5, 5), nn.ReLU(inplace=True), nn.Linear(5, 5)

        def forward(self, x):
            x += 1
            return self.b(self.relu(self.a(x)))

    torch.manual_seed(0)
    mine, x = InPlace(), torch.randn(3, 5)
    theirs, before = copy.deepcopy(mine), x.clone()
    assert not compare(mine, theirs, x) and torch.equal(x, before)
    theirs.relu = nn.LeakyReLU(0.3, inplace=True)
    assert compare(mine, theirs, x).name in ("relu", "b")


def test_a_model_agrees_with_itself_unless_it_is_random():
    mine, _, inputs, _ = PAIRS["Llama"]()
    assert not compare(mine, mine, *inputs)
    mine.h[0].ffn.join = lambda gate, up: F.dropout(gate * up, 0.5)
    assert compare(mine, mine, *inputs).guess.kind == "dropout"


def test_comparing_small_models_is_little_work():
    for pair in ("decoder", "Llama", "Gemma"):
        mine, theirs, inputs, options = PAIRS[pair]()
        mine.h[0].att.hide = lambda s, v: (3 * torch.tanh(s / 3)).masked_fill(~v, -1e30)  # no cause fits: all are tried
        with Calls() as calls:
            assert compare(mine, theirs, *inputs, **options).guess is None
        assert 0 < calls.count < 150_000  # about 50,000


# ---------------------------------------------------------------- errors

LAYER, THREE = nn.Linear(3, 3), torch.zeros(2, 3)


def test_errors_are_one_sentence():
    need = "ValueError: the models need an input, got none; pass what they are called with: compare(mine"
    unknown = "ValueError: mapping names 'a', which is no module of mine"
    run = "ValueError: the call must run the model, Linear, as model(...), and it did not"
    require_refused(
        ("TypeError: mine must be an nn.Module, got method", lambda: compare(LAYER.forward, LAYER, THREE)),
        ("TypeError: theirs must be an nn.Module, got list", lambda: compare(LAYER, [LAYER], THREE)),
        (need, lambda: compare(LAYER, LAYER)),
        ("ValueError: tolerance must be a number above 0, got 0", lambda: compare(LAYER, LAYER, THREE, tolerance=0)),
        (unknown, lambda: compare(LAYER, LAYER, THREE, mapping={"a": "b"})),
        (run, lambda: compare(LAYER, LAYER, THREE, their_call=lambda model, x: x)),
    )
