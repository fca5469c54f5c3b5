"""first_difference: the reference, small models to try it on, and tests that it leaves models unchanged."""

import contextlib

import torch
from torch import nn
from torch.nn.modules import module as all_modules

from exercises.common.inputs import normal
from feedback import BehavioralTest, ContractViolation, FunctionRunner, Property, TestCase
from feedback.format import describe, sentence
from feedback.page_exercise import exercise


def first_difference(mine, theirs, x):
    def outputs_of_children(model):
        outputs, modes = {}, {module: module.training for module in model.modules()}

        def keep(name):
            def hook(child, inputs, output):
                outputs[name] = output.clone()  # a later step may change it in place

            return hook

        hooks = [child.register_forward_hook(keep(name)) for name, child in model.named_children()]
        try:
            model.eval()
            with torch.no_grad():
                model(x.clone())  # a child may work in place
        finally:
            for hook in hooks:
                hook.remove()
            for module, mode in modes.items():
                module.training = mode
        return outputs

    one, other = outputs_of_children(mine), outputs_of_children(theirs)
    for name in one:  # in the order of execution
        if not (one[name] - other[name]).abs().max() <= 1e-4:  # NaN differs, too: no comparison with it is true
            return name
    return None


class Name(list):
    """A name or None, as a list, which the engine can compare; it is shown as it was returned."""

    def __repr__(self):
        return repr(self[0])


def call(attempt, mine, theirs, x):
    """Return the name that the attempt returns, or None.

    Errors: ContractViolation if it is something else
    """
    name = attempt(mine, theirs, x)
    if name is not None and not isinstance(name, str):
        raise ContractViolation(
            "returns-wrong-type",
            f"Your code returned {describe(name)}; the name of a child, as a str, was expected, or None.",
        )
    return Name([name])


def both_names(case):
    name, right = (repr(answer[0]) for answer in (case.actual, case.expected))
    return f"your code says {name}, and {right} is right"


# ---------------------------------------------------------------- models whose children can be followed by hand


class Step(nn.Module):
    """times * z + plus; each is one number, or one for each feature."""

    def __init__(self, times=1.0, plus=0.0):
        super().__init__()
        self.times, self.plus = (nn.Parameter(torch.as_tensor(value).float()) for value in (times, plus))

    def forward(self, z):
        return self.times * z + self.plus

    def __repr__(self):
        if self.times.dim() or self.plus.dim():
            return "a step"
        times, plus = self.times.item(), self.plus.item()
        first = {1.0: "z", 0.0: "0"}.get(times, f"{times:.7g}z")
        return first + (f" {'+' if plus > 0 else '-'} {abs(plus):.7g}" if plus else "")


class Raises(Step):
    def forward(self, z):
        raise RuntimeError(CANNOT_RUN)


class Chain(nn.Module):
    """Runs its children one after another, in the order `run`, or by default in the order of registration.

    how    how(x, *children), if given, computes the output instead
    """

    def __init__(self, run=(), how=None, **children):
        super().__init__()
        for name, child in children.items():
            self.add_module(name, child)
        self.run, self.how = run or tuple(children), how or in_turn

    def forward(self, x):
        return self.how(x, *(getattr(self, name) for name in self.run))

    def __repr__(self):
        return "(" + ", ".join(f"{name}: {getattr(self, name)!r}" for name in self.run) + ")"


def in_turn(x, *children):
    for child in children:
        x = child(x)
    return x


def summed(x, *children):
    return sum(child(x) for child in children)


def adding_in_place(x, a, b, c):
    """Add the second child's output in place to the first child's."""
    hidden = a(x)
    hidden += b(x)
    return c(hidden)


CANNOT_RUN = "this child cannot run"
ABC = {"a": 2, "b": (1, 1), "c": 3}
OTHER_B = ABC | {"b": (1, 1.5)}


def steps(**terms):
    """Return {name: Step} from (times, plus), or times alone."""
    return {name: Step(*term) if isinstance(term, tuple) else Step(term) for name, term in terms.items()}


def two(mine, theirs, **options):
    """Return two models made of these steps."""
    return tuple(Chain(**options, **steps(**terms)) for terms in (mine, theirs))


def each(model, *values):
    """Return model(value) for each of two values."""
    return tuple(model(value) for value in values)


def one_number(at, by):
    """Return 40 numbers, all 0 except for one."""
    return by * (torch.arange(40) == at)


# ---------------------------------------------------------------- behavioral tests: models must stay unchanged

HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
EVERYWHERE = (all_modules._global_forward_hooks, all_modules._global_forward_pre_hooks)
ROW = torch.tensor([[1.0, 2.0]])


def mixed():
    """Yield two pairs of a model in training with a part in evaluation, and the reverse; the second pair differs."""
    for times in (2, 3):
        mine, theirs = (
            Chain(a=Step(first), drop=nn.Dropout(0.5), b=Chain(inner=nn.Dropout(0.5), outer=Step(1, 1)))
            for first in (2, times)
        )
        mine.train().b.eval()
        theirs.eval().b.inner.train()
        yield mine, theirs


def one_raises():
    """Yield two pairs of models in training, in which first one and then the other has a child that raises."""
    for raising in (0, 1):
        models = two({"a": 2, "b": 3}, {"a": 2, "b": 3})
        models[raising].b = Raises()
        yield models


def marks(model):
    """Return the identity, the attribute names, the hooks and a replaced forward of each module."""
    return [
        (id(part), set(vars(part)), [list(getattr(part, name).values()) for name in HOOKS], vars(part).get("forward"))
        for part in model.modules()
    ]


def left_behind(attempt, mine, theirs):
    before, everywhere = [marks(model) for model in (mine, theirs)], [dict(hooks) for hooks in EVERYWHERE]
    with contextlib.suppress(Exception):
        attempt(mine, theirs, ROW)
    found = [marks(model) for model in (mine, theirs)] != before or [dict(hooks) for hooks in EVERYWHERE] != everywhere
    for hooks, earlier in zip(EVERYWHERE, everywhere, strict=True):
        hooks.clear()  # otherwise, they would be called in the next runs
        hooks.update(earlier)
    return found


def leaves(what, pairs):
    """Return a test that finds hooks and other changes left behind on pairs of models."""
    sentence = f"The names are right, but {what} left on the modules."
    return lambda attempt: sentence if any(left_behind(attempt, *models) for models in pairs()) else None


def changes_modes(when, pairs):
    """Return a test that each part of pairs of models is in its original mode again."""

    def test(attempt):
        for models in pairs():
            before = [{name: part.training for name, part in model.named_modules()} for model in models]
            with contextlib.suppress(Exception):
                attempt(*models, ROW)
            for who, model, modes in zip(("mine", "theirs"), models, before, strict=True):
                for name, part in model.named_modules():
                    if part.training != modes[name]:
                        was, now = ("training" if mode else "evaluation" for mode in (modes[name], part.training))
                        return (
                            f"The names are right, but {when}the mode of {f'{who}.{name}' if name else who} was {was} "
                            f"before, and is {now} afterwards."
                        )
        return None

    return test


def swallows_exceptions(attempt):
    for models in one_raises():
        try:
            did = f"returned {attempt(*models, ROW)!r}, as if the models had been compared"
        except Exception as error:
            if isinstance(error, RuntimeError) and str(error) == CANNOT_RUN:
                continue
            did = f"raised another one, {type(error).__name__}"
        return (
            f"The names are right, but when child b raised an exception, your code {did}. The exception itself must "
            "reach whoever called it, and say why one of the models cannot run."
        )
    return None


def removes_other_hooks(attempt):
    models = next(mixed())
    handles = [model.a.register_forward_hook(lambda module, inputs, output: None) for model in models]
    attempt(*models, ROW)
    if all(handle.id in model.a._forward_hooks for model, handle in zip(models, handles, strict=True)):
        return None
    return "A hook that somebody else had registered on a child is gone afterwards."


def changes_buffers(attempt):
    models = [Chain(a=Step(2), norm=nn.BatchNorm1d(2)).train() for _ in range(2)]
    attempt(*models, torch.tensor([[1.0, 2.0], [3.0, 5.0]]))
    if all(int(model.norm.num_batches_tracked) == 0 for model in models):
        return None
    return "`nn.BatchNorm1d` has counted a batch: somewhere your code runs a module in training mode."


MIXED = "called with models whose parts are in different modes,"
RAISES = "called with a model whose child raises an exception,"
IN_FINALLY = "try: ... finally: what is in `finally` runs in any case. {} there{}."
TESTS = (  # (id, test, hint, situation)
    (
        "hooks-left",
        leaves("afterwards hooks, replaced parts or new attributes are", mixed),
        "`register_forward_hook` returns a handle: keep all of them, and call `handle.remove()` at the end. Keep "
        "outputs in a dict of your own, not on the modules.",
        MIXED,
    ),
    (
        "modes-changed",
        changes_modes("", mixed),
        "A part may be in evaluation while the rest trains. Remember the mode of every module in "
        "`model.modules()`, and set `module.training` back, one by one.",
        MIXED,
    ),
    (
        "hooks-left-after-an-exception",
        leaves("when a child raised an exception, hooks, replaced parts or new attributes were", one_raises),
        IN_FINALLY.format("Remove the hooks", ""),
        RAISES,
    ),
    (
        "modes-changed-after-an-exception",
        changes_modes("when a child raised an exception, ", one_raises),
        IN_FINALLY.format("Put the modes back", ", too"),
        RAISES,
    ),
    (
        "exception-swallowed",
        swallows_exceptions,
        "try: ... finally: without `except` cleans up, and lets the exception through.",
        RAISES,
    ),
    (
        "other-hooks-removed",
        removes_other_hooks,
        "Remove your own hooks only: the handle that `register_forward_hook` returns has `.remove()`.",
        "called with models that have hooks of their own,",
    ),
    (
        "run-in-training",
        changes_buffers,
        "`model.eval()` comes before the first run.",
        "called with `nn.BatchNorm1d` among the children,",
    ),
)

# ---------------------------------------------------------------- test cases

X = normal(3, 40, seed=300)


def with_dropout(times):
    return Chain(a=Step(2), drop=nn.Dropout(0.5), b=Step(times), c=Step(3)).train()


def after_a(plus, times):
    """Return two chains that multiply by 2 and by `times`; the second one adds `plus` in between."""
    return two({"a": 2, "b": times}, {"a": (2, plus), "b": times})


CASES = {
    "the second of three children differs": two(ABC, OTHER_B),
    "no child differs": two(ABC, ABC),
    "names that are not in the order of the alphabet": two(
        {"z": 2, "a": (1, 1), "m": 3}, {"z": 3, "a": (1, 1), "m": 3}
    ),
    "children that run in another order than they were registered": two(
        {"c": 3, "b": (1, 1), "a": 2}, {"c": 4, "b": (1, 2), "a": 2}, run=("a", "b", "c")
    ),
    "children that were registered in different orders": two(
        {"b": (1, 1), "a": 2, "c": 3}, {"c": 4, "b": (1, 1), "a": 2}, run=("a", "b", "c")
    ),
    "a(x) + b(x) + c(x) against the reverse, and two differences": (
        Chain(("c", "b", "a"), summed, **steps(**ABC)),
        Chain(("a", "b", "c"), summed, **steps(**OTHER_B | {"a": 4})),
    ),
    "differences of 0.00005 in every number": after_a(torch.full((40,), 5e-5), 1),
    "a difference of 0.00002 in one number": after_a(one_number(5, 2e-5), 1),
    "one number of 40 that is too large by 0.0003": after_a(one_number(11, -3e-4), 1000),
    "a difference of 0.0005 between numbers around 100": two({"a": (1, 100), "b": 2}, {"a": (1, 100.0005), "b": 2}),
    "a difference that the next child undoes": two(ABC | {"c": 0}, OTHER_B | {"c": 0}),
    "dropout in training, and no difference": each(with_dropout, 1, 1),
    "a child that works in place": each(
        lambda times: Chain(scale=Step(2), relu=nn.ReLU(inplace=True), out=Step(times)), 2, 2.5
    ),
    "a negative output that differs, before a child that works in place": each(
        lambda plus: Chain(scale=Step(1, plus), relu=nn.ReLU(inplace=True)), -9, -8
    ),
    "a forward that adds in place": two(ABC, OTHER_B, how=adding_in_place),
    "a step between two children differs": each(
        lambda sign: Chain(how=lambda x, a, b, c: c(b(sign * a(x))), **steps(**ABC)), 1, -1
    ),
    "what comes after the children differs": each(
        lambda times: Chain(how=lambda x, *children: times * in_turn(x, *children), **steps(**ABC)), 1, 2
    ),
    "a child that never runs differs": two(
        {"spare": (1, 1), "a": 2, "b": 3}, {"spare": (1, 2), "a": 2, "b": 3}, run=("a", "b")
    ),
    "a child within a child differs": each(
        lambda plus: Chain(a=Step(2), encoder=Chain(norm=nn.LayerNorm(40), shift=Step(1, plus)), head=Step(3)), 0, 0.5
    ),
    "a parameter that does not matter differs": each(
        lambda times: Chain(a=Step(2), b=Chain(zero=Step(0), times=Step(times)), c=Step(3)), 4, 5
    ),
}


EXERCISE = exercise(
    first_difference,
    explain=both_names,
    returns=("name",),
    runner=FunctionRunner(call),
    cases=tuple(TestCase(name, (*models, X)) for name, models in CASES.items()),
    minimal_inputs=tuple(
        (*two(mine, theirs), torch.tensor([1.0]))
        for mine, theirs in (
            ({"a": 2, "b": (1, 1)}, {"a": 2, "b": (1, 2)}),
            ({"a": 2, "b": (1, 1)}, {"a": 2, "b": (1, 1)}),
            (ABC, ABC | {"a": 3}),
            ({"a": 2, "b": (1, 1)}, {"a": 2, "b": (1, 1.00005)}),
            (ABC, ABC | {"b": (1, 1.001)}),
        )
    ),
    error_meanings=(
        (
            r"^KeyError",
            "No output was kept under this name: the child did not run, or its hook used another name. (A hook made in "
            "a loop looks up the loop's variable only when it runs: by then it is the last name.)",
        ),
    ),
    properties=(
        Property(
            "wrong-name",
            lambda case: sentence(both_names(case)) if case.actual != case.expected else None,
            "Print each child's name when it has run, with the largest difference between its two outputs: which is "
            "the first above 1e-4? (forward decides in which order children run, and what happens between them.)",
        ),
    ),
    behavioral_tests=tuple(
        BehavioralTest(id, test, hint, required=True, while_doing=doing) for id, test, hint, doing in TESTS
    ),
)
