"""Exercises 13.1 to 13.6 judge tests: what their suspects promise, and in which order a card says what it found."""

import copy
import sys
import types

import pytest
import torch

from exercises import EXERCISES, check
from exercises.common.suspects import A_BUG, NOTHING, Suspects, judged
from feedback.page import PageError

JUDGES = [id for id in EXERCISES if id.startswith("13.") and EXERCISES[id].returns == ("verdict",)]
BANKS = {id: sys.modules[EXERCISES[id].reference.__module__].SUSPECTS for id in JUDGES}
SUSPECTS = [
    pytest.param(id, number, truth, id=f"{id}-suspect {number}")
    for id in JUDGES
    for number, truth in enumerate(BANKS[id].truths, start=1)
]


def inputs(id, suspect, B, T):
    """Legal arguments of about size 1; one call for each."""
    ids, x = torch.randint(50, (B, T)), torch.randn(B, T, 3)
    lengths = torch.randint(1, T + 1, (B, 1))
    return {
        "13.1": [(x,), (torch.randn(B, T, 1),), (torch.zeros(B, T, 5),)],
        "13.2": [(torch.randn(B, 2, T, D), torch.randn(B, 2, 4, D)) for D in (2, 65, 127, 128)],
        "13.3": [(ids, torch.arange(T) < lengths), (ids, torch.arange(T) >= T - lengths), (0 * ids, ids >= 0)],
        "13.4": [(ids,), (ids, None), (0 * ids,)],
        "13.5": [(torch.randn(B, T, suspect.q_proj.in_features),)] if id == "13.5" else [],
        "13.6": [(x,), (0 * x,), (torch.ones(B, T, 1),)],
    }[id]


@pytest.mark.parametrize("id, number, truth", SUSPECTS)
def test_legal_calls_return_finite_float32_twice_the_same_and_write_into_nothing(id, number, truth):
    suspect = BANKS[id].suspect(number).model()
    stays = id != "13.6" or not truth.broken
    suspect.eval() if id == "13.6" else suspect.train()
    for sizes in ((1, 1), (2, 1), (1, 9), (3, 32), (5, 2)):
        for args in inputs(id, suspect, *sizes):
            given = copy.deepcopy(args)
            out, again = suspect(*args), suspect(*args)
            out, again = (each if isinstance(each, tuple) else (each,) for each in (out, again))
            assert all(torch.equal(a, b) for a, b in zip(args, given, strict=True) if a is not None)
            for a, b in zip(out, again, strict=True):
                if isinstance(a, torch.Tensor) and id != "13.4" or a is out[0]:
                    assert a.dtype == torch.float32 and a.isfinite().all()
                    assert not stays or (a - b).abs().max() <= 1e-5


@pytest.mark.parametrize("id", JUDGES)
def test_suspects_look_alike(id):
    looks = set()
    for number in range(1, 1 + len(BANKS[id].truths)):
        suspect = BANKS[id].suspect(number).model()
        names = {name for name in vars(suspect) if name != "num_heads"}
        children = {name for name, _ in suspect.named_children()} if id != "13.6" else set()
        looks.add((type(suspect), frozenset(names), frozenset(children)))
        assert id in ("13.5", "13.6") or repr(suspect) == "Model()"
    assert len(looks) == 1, looks


@pytest.mark.parametrize("id, number, truth", SUSPECTS)
def test_the_reference_is_right_in_many_more_runs(id, number, truth, monkeypatch):
    monkeypatch.setattr("exercises.common.suspects.RUNS", 8)
    torch.manual_seed(0)
    assert judged(EXERCISES[id].reference, BANKS[id].suspect(number)) == (A_BUG if truth.broken else NOTHING)


@pytest.mark.parametrize("id, number, truth", [each for each in SUSPECTS if each.values[2].broken])
def test_what_a_broken_one_is_shown_by_differs(id, number, truth):
    told = truth.shows(BANKS[id].suspect(number).model())
    assert told[0].isupper() and not told.endswith(".")
    numbers = [part.strip("[],;") for part in told.replace(",", " ").split() if "." in part and "-" not in part[1:]]
    alike_is_the_bug = "two calls in training" in told
    assert len(set(numbers)) > 1 or alike_is_the_bug, told


@pytest.mark.parametrize("id", JUDGES)
def test_every_broken_one_gets_past_some_known_mistake_and_every_kind_is_told(id):
    truths = BANKS[id].truths
    assert sum(truth.broken for truth in truths) >= 15 and sum(not truth.broken for truth in truths) >= 10
    report = check(id, lambda suspect: True)
    assert report.diagnosis == "always-none"
    assert next(truth.does for truth in truths if truth.broken) in report.message
    assert "suspect" not in report.message.replace('Tried on "suspect', "").replace("in any suspect", "")


def test_exceptions_come_first_then_other_values_then_accusations_then_bugs():
    first = BANKS["13.1"].truths[0]

    def raises(attend):
        if attend(torch.ones(1, 2, 1)).sum() is not None:
            raise ZeroDivisionError("mine")

    report = check("13.1", raises)
    assert report.status == "error" and "ZeroDivisionError: mine, at your line" in report.message
    assert check("13.1", lambda attend: "fine").diagnosis == "returns-something-else"
    report = check("13.1", lambda attend: not torch.equal(attend(torch.ones(1, 2, 1)), attend(torch.ones(1, 2, 1))))
    assert report.diagnosis == "accuses-healthy-code" and first.does in report.message and first.why in report.message
    report = check("13.1", lambda attend: torch.equal(attend(torch.ones(1, 2, 1)), attend(torch.ones(1, 2, 1))))
    assert report.diagnosis == "accuses-healthy-code" and "adds up in another order" in report.message


def test_the_line_that_accuses_is_told():
    def accuses(scores_of):
        q = torch.ones(1, 1, 1, 4)
        assert scores_of(q, q).item() == 2, "no"

    report = check("13.2", accuses)
    assert report.diagnosis == "accuses-healthy-code" and "`assert scores_of(q, q).item() == 2" in report.message


def test_parameters_may_be_written_into_but_are_put_back():
    @torch.no_grad()
    def writes(attention):
        attention.out_proj.weight.mul_(2)
        return EXERCISES["13.5"].reference(attention)

    @torch.no_grad()
    def writes_and_puts_back(attention):
        attention.out_proj.weight.mul_(2)
        try:
            return EXERCISES["13.5"].reference(attention)
        finally:
            attention.out_proj.weight.div_(2)

    assert check("13.5", writes).diagnosis == "parameters-changed"
    assert check("13.5", writes_and_puts_back).status == "correct"


PAGE = """# 13.0 judge

# Suspects

```python suspect base
def double(x):
    return x + x
```

## base
it adds x to itself
> that is twice x
"""


def suspects_of(text, tmp_path, monkeypatch):
    module = types.ModuleType("exercises.judge")
    module.__file__, module.shown = str(tmp_path / "judge.py"), lambda model: "It differs"
    monkeypatch.setitem(sys.modules, module.__name__, module)
    (tmp_path / "judge.md").write_text(PAGE + text, encoding="utf-8")
    return Suspects(types.SimpleNamespace(__module__=module.__name__))


def test_a_suspect_is_the_base_an_edit_or_code_of_its_own(tmp_path, monkeypatch):
    suspects = suspects_of(
        """
## triple · shown
it adds x twice
- `x + x` → `x + x + x`

## calls · shown
it adds x once more in each call
```python suspect
calls = []

def model(x):
    calls.append(0)
    return double(x) + len(calls) * x
```

## subtracted · shown
it subtracts x once more in each call
- `double(x) +` → `double(x) -`, of calls

## drawn · shown
it adds a number
- `lambda x: double(x) + numbers("a")`
""",
        tmp_path,
        monkeypatch,
    )
    assert [truth.broken for truth in suspects.truths] == [False, True, True, True, True]
    models = [suspects.suspect(number).model() for number in (1, 2, 3, 4)]
    assert [[model(10), model(10)] for model in models] == [[20, 20], [30, 30], [30, 40], [10, 0]]
    assert suspects.suspect(3).model()(10) == 30  # its calls are its own
    drawn = [suspects.suspect(5).model(run)(10) for run in (0, 0, 1)]
    assert drawn[0] == drawn[1] != drawn[2]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("## a · shown\n- `x + x` → `x`", "a suspect has a clause"),
        ("## a\nit returns x\n- `x + x` → `x`", "either a reason after > or what shows it"),
        ("## a · shown\nit returns x\n> x\n- `x + x` → `x`", "either a reason after > or what shows it"),
        ("## a · shown\nit returns x\n- `x + y` → `x`", "an edit fits one place, but `x . y` stands 0 times"),
        ("## a · shown\nit returns x\n- `x` → `y`, of b", "no code stands below a heading 'b' above"),
        ("## a · show\nit returns x\n- `x + x` → `x`", "name 'show' is not defined"),
        ("## a · shown\nit returns x\n- `lambda x: x +`", "SyntaxError: invalid syntax, in `lambda x: x .`"),
    ],
)
def test_a_slip_among_suspects_is_refused_with_its_line(text, message, tmp_path, monkeypatch):
    with pytest.raises(PageError, match=message) as slip:
        suspects_of(f"\n{text}\n", tmp_path, monkeypatch)
    assert slip.value.line in (14, 16)  # the heading or the code
