"""Exercises 13.1 to 13.6, which judge a learner's tests: guarantees about their suspects, and the cards' priorities."""

import copy
import sys
import types

import pytest
import torch

from exercises import EXERCISES, check
from exercises.n13_the_museum_of_bugs.suspects import A_BUG, NOTHING, Suspects, judged
from feedback.page import PageError

JUDGES = [id for id in EXERCISES if id.startswith("13.") and EXERCISES[id].returns == ("verdict",)]
BANKS = {id: sys.modules[EXERCISES[id].reference.__module__].SUSPECTS for id in JUDGES}


def inputs(id, suspect, B, T):
    """Return the arguments of several legal calls, with values of about size 1."""
    ids, x = torch.randint(50, (B, T)), torch.randn(B, T, 3)
    lengths = torch.randint(1, T + 1, (B, 1))
    return {
        "13.1": lambda: [(x,), (torch.randn(B, T, 1),), (torch.zeros(B, T, 5),)],
        "13.2": lambda: [(torch.randn(B, 2, T, D), torch.randn(B, 2, 4, D)) for D in (2, 65, 127, 128)],
        "13.3": lambda: [(ids, torch.arange(T) < lengths), (ids, torch.arange(T) >= T - lengths), (0 * ids, ids >= 0)],
        "13.4": lambda: [(ids,), (ids, None), (0 * ids,)],
        "13.5": lambda: [(torch.randn(B, T, suspect.q_proj.in_features),)],
        "13.6": lambda: [(x,), (0 * x,), (torch.ones(B, T, 1),)],
    }[id]()


@pytest.mark.parametrize("id", JUDGES)
def test_legal_calls_return_finite_float32_twice_the_same_and_write_into_nothing(id):
    for number, truth in enumerate(BANKS[id].truths, start=1):
        suspect = BANKS[id].suspect(number).model()
        stays = id != "13.6" or not truth.broken
        suspect.eval() if id == "13.6" else suspect.train()
        for sizes in ((1, 1), (2, 1), (1, 9), (3, 32), (5, 2)):
            for args in inputs(id, suspect, *sizes):
                call_twice(id, truth.id, suspect, args, stays)


def call_twice(id, name, suspect, args, stays):
    given = copy.deepcopy(args)
    out, again = suspect(*args), suspect(*args)
    out, again = (each if isinstance(each, tuple) else (each,) for each in (out, again))
    assert all(torch.equal(a, b) for a, b in zip(args, given, strict=True) if a is not None), name
    for a, b in zip(out, again, strict=True):
        if isinstance(a, torch.Tensor) and id != "13.4" or a is out[0]:
            assert a.dtype == torch.float32 and a.isfinite().all(), name
            assert not stays or (a - b).abs().max() <= 1e-5, name


@pytest.mark.parametrize("id", JUDGES)
def test_suspects_look_alike(id):
    looks = set()
    for number in range(1, 1 + len(BANKS[id].truths)):
        suspect = BANKS[id].suspect(number).model()
        names = {name for name in vars(suspect) if name != "num_heads"}
        children = {name for name, _ in suspect.named_children()} if id != "13.6" else set()
        looks.add((type(suspect), frozenset(names), frozenset(children)))
        assert id in ("13.5", "13.6") or repr(suspect) in ("Model()", "Writer()")
    assert len(looks) == 1, looks


@pytest.mark.parametrize("id", JUDGES)
def test_the_reference_is_right_at_three_random_states_more(id):
    for number, truth in enumerate(BANKS[id].truths, start=1):
        said = {judged(EXERCISES[id].reference, BANKS[id].suspect(number, run)) for run in (1, 2, 3)}
        assert said == {A_BUG if truth.broken else NOTHING}, truth.id


def test_a_card_shows_the_same_numbers_twice():
    cards = set()
    for seed in (1, 2):
        torch.manual_seed(seed)
        cards.add(check("13.6", lambda module: None, record=False).message)
    assert len(cards) == 1 and "draws in training" in cards.pop()


@pytest.mark.parametrize("id", JUDGES)
def test_what_a_broken_one_is_shown_by_differs(id):
    for number, truth in enumerate(BANKS[id].truths, start=1):
        if not truth.broken:
            continue
        with torch.no_grad():
            told = truth.shows(BANKS[id].suspect(number).model())
        assert told[0].isupper() and not told.endswith("."), told
        numbers = [part.strip("[],;") for part in told.replace(",", " ").split() if "." in part and "-" not in part[1:]]
        alike_is_the_bug = "calls in training give" in told
        assert len(set(numbers)) > 1 or alike_is_the_bug, told


def test_an_exception_comes_first_and_an_accusation_names_the_healthy_suspect():
    first = BANKS["13.1"].truths[0]

    def raises(attend):
        if attend(torch.ones(1, 2, 1)).sum() is not None:
            raise ZeroDivisionError("mine")

    report = check("13.1", raises)
    assert report.status == "error" and "ZeroDivisionError: mine, at your line" in report.message
    report = check("13.1", lambda attend: not torch.equal(attend(torch.ones(1, 2, 1)), attend(torch.ones(1, 2, 1))))
    assert report.diagnosis == "accuses-healthy-code" and first.does in report.message and first.why in report.message


def test_the_line_that_accuses_is_told():
    def accuses(scores_of):
        q = torch.ones(1, 1, 1, 4)
        assert scores_of(q, q).item() == 2, "no"

    report = check("13.2", accuses)
    assert report.diagnosis == "rounding-accused" and "`assert scores_of(q, q).item() == 2" in report.message


def cut_in_two(model):
    """A learner's test with pieces of length 6 at most, and only two of them."""
    ids = torch.randint(50, (2, 12))
    _, past = model(ids[:, :6])
    return torch.allclose(model(ids[:, 6:], past)[0], model(ids)[0][:, 6:], atol=1e-4)


def test_the_example_on_a_card_shows_what_the_card_says():
    report = check("13.4", cut_in_two)
    assert report.diagnosis == "two-pieces" and "In pieces of 2, 2" in report.message


def test_a_card_says_only_what_the_test_really_gave():
    test = lambda attention: torch.equal(attention(torch.ones(2, 3, attention.q_proj.in_features))[0], X)  # noqa: E731
    assert check("13.5", test).diagnosis not in ("scale-of-the-model", "not-scaled", "bias-forgotten")


X = torch.zeros(())


@pytest.mark.parametrize(
    ("id", "test", "words"),
    [
        ("13.2", lambda f: f(torch.ones(5, 16), torch.ones(7, 16)), "q must be (B, H, T, D)"),
        ("13.3", lambda f: f(torch.zeros(2, 3, dtype=torch.long), torch.ones(2, 3).long()), "real is bool"),
        ("13.3", lambda f: f(torch.full((2, 3), 50), torch.ones(2, 3).bool()), "ids are from 0 to 49"),
        ("13.4", lambda f: f(torch.zeros(2, 3, dtype=torch.long), cache=None), "unexpected keyword argument 'cache'"),
        ("13.4", lambda f: f(torch.zeros(2, 3, dtype=torch.long), (1, 2)), "past is None, or what an earlier call"),
        ("13.5", lambda f: f(torch.ones(2, 3, 29)), "x must be (B, T, C)"),
    ],
)
def test_what_does_not_fit_into_a_suspect_is_told_in_its_terms(id, test, words):
    report = check(id, test)
    assert report.diagnosis == "does-not-fit" and words in report.message, report.message


def test_an_exception_of_a_suspect_is_not_taken_for_one_of_the_learner():
    def replaces(attention):
        attention.out_proj = None
        attention(torch.ones(2, 3, attention.q_proj.in_features))

    report = check("13.5", replaces)
    assert report.diagnosis == "suspect-stopped" and "A suspect stopped when your line" in report.message
    report = check("13.5", lambda attention: torch.ones(2) + attention.q_proj.bias)
    assert "bias" in report.message and "mask" not in report.message
    looks = check("13.4", lambda model: model(torch.zeros(1, 3, dtype=torch.long))[1][0])
    assert "A past may be anything" in looks.message


@pytest.mark.parametrize("id", JUDGES)
def test_a_test_that_is_wrong_about_the_first_suspects_is_not_tried_on_the_others(id):
    exercise, tried = EXERCISES[id], []

    def nothing(suspect):
        tried.append(suspect)

    check(id, nothing)
    first = [case for case in exercise.cases if exercise.stage_of(case.args) == 0]
    assert len(tried) <= len(first) + 3 < len(BANKS[id].truths)


def test_parameters_may_be_written_into_but_are_put_back():
    @torch.no_grad()
    def writes_and_puts_back(attention):
        attention.out_proj.weight.mul_(2)
        try:
            return EXERCISES["13.5"].reference(attention)
        finally:
            attention.out_proj.weight.div_(2)

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


@pytest.fixture
def suspects_of(tmp_path, monkeypatch):
    """suspects_of(text): those of the page, and of this text below it."""

    def made(text):
        module = types.ModuleType("exercises.judge")
        module.__file__, module.shown = str(tmp_path / "judge.py"), lambda model: "It differs"
        monkeypatch.setitem(sys.modules, module.__name__, module)
        (tmp_path / "judge.md").write_text(PAGE + text, encoding="utf-8")
        return Suspects(types.SimpleNamespace(__module__=module.__name__), takes=lambda suspect, x: x)

    return made


def test_each_suspect_has_a_state_and_random_numbers_of_its_own(suspects_of):
    suspects = suspects_of("""
## calls · shown
it adds x once more in each call
```python suspect
calls = []

def model(x):
    calls.append(0)
    return double(x) + len(calls) * x
```

## drawn · shown
it adds a number
- `lambda x: double(x) + numbers("a")`
""")
    model, again = (suspects.suspect(2).model() for _ in range(2))
    assert [model(10), model(10), again(10)] == [30, 40, 30]
    drawn = [suspects.suspect(3, run).model()(10) for run in (0, 0, 1)]
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
def test_a_slip_among_suspects_is_refused_with_its_line(text, message, suspects_of):
    with pytest.raises(PageError, match=message) as slip:
        suspects_of(f"\n{text}\n")
    assert slip.value.line in (14, 16)  # the line of the heading or the code
