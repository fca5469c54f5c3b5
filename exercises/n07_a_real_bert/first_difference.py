"""first_difference: the reference, its steps and test cases; the page next to it says the rest."""

import contextlib
import math

import torch
from torch import nn
from torch.nn.modules import module as all_modules

from exercises.common.inputs import normal
from feedback import BehavioralTest, ContractViolation, FunctionRunner, Property, TestCase
from feedback.format import describe, sentence
from feedback.paged import exercise


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


# What is tried with a learner's first_difference itself: are hooks and modes afterwards as they were before?


HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
EVERYWHERE = ("_global_forward_hooks", "_global_forward_pre_hooks")
X = torch.tensor([[1.0, 2.0]])


CANNOT_RUN = "this child cannot run"


class Raises(Step):
    def forward(self, z):
        raise RuntimeError(CANNOT_RUN)


def mixed(times=2):
    """A model in training with a part in evaluation, and one the other way around; they differ if times is not 2."""
    mine = Chain(a=Step(2), drop=nn.Dropout(0.5), b=Chain(inner=nn.Dropout(0.5), outer=Step(1, 1)))
    theirs = Chain(a=Step(times), drop=nn.Dropout(0.5), b=Chain(inner=nn.Dropout(0.5), outer=Step(1, 1)))
    mine.train().b.eval()
    theirs.eval().b.inner.train()
    return mine, theirs


def marks(model):
    """What must be afterwards as it was before: which hooks there are, and what each module has and is."""
    return [
        (id(part), set(vars(part)), [list(getattr(part, name).values()) for name in HOOKS], vars(part).get("forward"))
        for part in model.modules()
    ]


def global_hooks():
    return [list(getattr(all_modules, name).values()) for name in EVERYWHERE]


def left_behind(attempt, mine, theirs):
    before, everywhere = [marks(model) for model in (mine, theirs)], global_hooks()
    with contextlib.suppress(Exception):
        attempt(mine, theirs, X)
    found = [marks(model) for model in (mine, theirs)] != before or global_hooks() != everywhere
    for name, hooks in zip(EVERYWHERE, everywhere, strict=True):  # or the next runs would hear them
        current = getattr(all_modules, name)
        for key in [key for key, hook in current.items() if hook not in hooks]:
            del current[key]
    return found


def leaves_hooks(attempt):
    if left_behind(attempt, *mixed()) or left_behind(attempt, *mixed(3)):
        return (
            "The names are right, but afterwards the modules are not as they were: hooks, replaced parts or new "
            "attributes are left."
        )
    return None


def leaves_hooks_after_an_exception(attempt):
    for raising in (0, 1):
        models = [Chain(**steps(a=2, b=3)), Chain(**steps(a=2, b=3))]
        models[raising].b = Raises()
        if left_behind(attempt, *models):
            return (
                "The names are right, but when a child raised an exception, hooks, replaced parts or new "
                "attributes were left on the modules."
            )
    return None


def swallows_exceptions(attempt):
    for raising in (0, 1):
        models = [Chain(**steps(a=2, b=3)), Chain(**steps(a=2, b=3))]
        models[raising].b = Raises()
        try:
            said = attempt(*models, X)
        except Exception as error:
            if isinstance(error, RuntimeError) and str(error) == CANNOT_RUN:
                continue
            did = f"raised another one, {type(error).__name__}"
        else:
            did = f"returned {said!r}, as if the models had been compared"
        return (
            f"The names are right, but when child b raised an exception, your code {did}. The exception itself must "
            "reach whoever called it, and say why one of the models cannot run."
        )
    return None


def removes_other_hooks(attempt):
    mine, theirs = mixed()
    mine.a.register_forward_hook(do_nothing)
    theirs.a.register_forward_hook(do_nothing)
    attempt(mine, theirs, X)
    if all(do_nothing in model.a._forward_hooks.values() for model in (mine, theirs)):
        return None
    return "A hook that somebody else had registered on a child is gone afterwards."


def do_nothing(module, inputs, output):
    return None


def changes_modes(attempt):
    return changes_modes_of(mixed(), attempt) or changes_modes_of(mixed(3), attempt)


def changes_modes_of(models, attempt):
    before = [{name: part.training for name, part in model.named_modules()} for model in models]
    attempt(*models, X)
    for who, model, modes in zip(("mine", "theirs"), models, before, strict=True):
        for name, part in model.named_modules():
            if part.training != modes[name]:
                was, now = ("training" if mode else "evaluation" for mode in (modes[name], part.training))
                return (
                    f"The names are right, but the mode of {f'{who}.{name}' if name else who} was {was} before, and is "
                    f"{now} afterwards."
                )
    return None


def changes_modes_after_an_exception(attempt):
    for raising in (0, 1):
        models = [Chain(**steps(a=2, b=3)).train() for _ in range(2)]
        models[raising].b = Raises()
        with contextlib.suppress(Exception):
            attempt(*models, X)
        if not all(part.training for model in models for part in model.modules()):
            return (
                "The names are right, but when a child raised an exception, a module that was in training was left in "
                "evaluation."
            )
    return None


def changes_buffers(attempt):
    models = [Chain(a=Step(2), norm=nn.BatchNorm1d(2)).train() for _ in range(2)]
    x = torch.tensor([[1.0, 2.0], [3.0, 5.0]])
    attempt(*models, x)
    if all(int(model.norm.num_batches_tracked) == 0 for model in models):
        return None
    return "`nn.BatchNorm1d` has counted a batch: somewhere your code runs a module in training mode."


def required(id, test, hint, while_doing):
    return BehavioralTest(id, test, hint, required=True, while_doing=while_doing)


TESTS = (
    required(
        "hooks-left",
        leaves_hooks,
        "`register_forward_hook` returns a handle: keep all of them, and call `handle.remove()` at the end. Keep "
        "outputs in a dict of your own, not on the modules.",
        "called with models whose parts are in different modes,",
    ),
    required(
        "modes-changed",
        changes_modes,
        "A part may be in evaluation while the rest trains. Remember the mode of every module in "
        "`model.modules()`, and set `module.training` back, one by one.",
        "called with models whose parts are in different modes,",
    ),
    required(
        "hooks-left-after-an-exception",
        leaves_hooks_after_an_exception,
        "try: ... finally: what is in `finally` runs in any case. Remove the hooks there.",
        "called with a model whose child raises an exception,",
    ),
    required(
        "modes-changed-after-an-exception",
        changes_modes_after_an_exception,
        "try: ... finally: what is in `finally` runs in any case. Put the modes back there, too.",
        "called with a model whose child raises an exception,",
    ),
    required(
        "exception-swallowed",
        swallows_exceptions,
        "try: ... finally: without `except` cleans up, and lets the exception through.",
        "called with a model whose child raises an exception,",
    ),
    required(
        "other-hooks-removed",
        removes_other_hooks,
        "Remove your own hooks only: the handle that `register_forward_hook` returns has `.remove()`.",
        "called with models that have hooks of their own,",
    ),
    required(
        "run-in-training",
        changes_buffers,
        "`model.eval()` comes before the first run.",
        "called with `nn.BatchNorm1d` among the children,",
    ),
)


# Small models to compare: their children are steps that can be followed by hand.


class Step(nn.Module):
    """times * z + plus; each is a number, or one for each feature."""

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


class Chain(nn.Module):
    """Children that are run one after another, in the order `run`; without it as they were registered."""

    def __init__(self, run=(), **children):
        super().__init__()
        for name, child in children.items():
            self.add_module(name, child)
        self.run = run or tuple(children)

    def forward(self, x):
        for name in self.run:
            x = getattr(self, name)(x)
        return x

    def __repr__(self):
        return "(" + ", ".join(f"{name}: {getattr(self, name)!r}" for name in self.run) + ")"


class Residual(Chain):
    """What a child gives is added to what it got."""

    def forward(self, x):
        for name in self.run:
            x = x + getattr(self, name)(x)
        return x


class Sum(Chain):
    """Every child gets x, and what they give is added."""

    def forward(self, x):
        return sum(getattr(self, name)(x) for name in self.run)


class AddsInPlace(Chain):
    """The output of the first child is changed in place by what the second gives."""

    def forward(self, x):
        first, second, third = (getattr(self, name) for name in self.run)
        hidden = first(x)
        hidden += second(x)
        return third(hidden)


class Scaled(Chain):
    """After its children the model multiplies by a number of its own."""

    def __init__(self, scale, **children):
        super().__init__(**children)
        self.scale = nn.Parameter(torch.tensor(scale))

    def forward(self, x):
        return self.scale * super().forward(x)


class Negated(Chain):
    """Between its first two children the model does something of its own."""

    def __init__(self, sign, **children):
        super().__init__(**children)
        self.sign = sign

    def forward(self, x):
        first, *others = self.run
        x = self.sign * getattr(self, first)(x)
        for name in others:
            x = getattr(self, name)(x)
        return x


def steps(**terms):
    """Steps by name: (times, plus), or times alone."""
    return {name: Step(*term) if isinstance(term, tuple) else Step(term) for name, term in terms.items()}


def in_training(*models):
    return tuple(model.train() for model in models)


def linear(seed, width, out=None):
    """A layer with reproducible numbers."""
    layer = nn.Linear(width, out or width, device="meta")  # no numbers of its own: they come here
    layer.weight = nn.Parameter(normal(out or width, width, seed=seed))
    layer.bias = nn.Parameter(normal(out or width, seed=seed + 1))
    return layer


def embedding(seed, rows, width):
    return nn.Embedding.from_pretrained(normal(rows, width, seed=seed), freeze=False)


def one_changed(width, at, by):
    """Numbers that are 0 but for one."""
    numbers = torch.zeros(width)
    numbers[at] = by
    return numbers


def told(case):
    """What was said, and what is right."""
    said, right = (repr(answer[0]) for answer in (case.actual, case.expected))
    return f"your code says {said}, and {right} is right"


def prepare(model):
    model.eval()


def watched(model):
    """The modules whose outputs are kept, with their names."""
    return list(model.named_children())


def kept(inputs, output):
    return output.clone()


def names(model, outputs):
    """In which order outputs are compared."""
    return list(outputs)


def differs(one, other):
    return (one - other).abs().max() > 1e-4


def outputs_by_name(model, x, prepare, watched, kept):
    outputs, modes = {}, {module: module.training for module in model.modules()}

    def keep(name):
        def hook(child, inputs, output):
            outputs[name] = kept(inputs, output)

        return hook

    hooks = [child.register_forward_hook(keep(name)) for name, child in watched(model)]
    try:
        prepare(model)
        with torch.no_grad():
            model(x)
    finally:
        for hook in hooks:
            hook.remove()
        for module, mode in modes.items():
            module.training = mode
    return outputs


def assemble(prepare=prepare, watched=watched, kept=kept, names=names, differs=differs):
    """An answer with these steps replaced."""

    def answer(mine, theirs, x):
        one, other = (outputs_by_name(model, x, prepare, watched, kept) for model in (mine, theirs))
        for name in names(mine, one):
            if differs(one[name], other[name]):
                return name
        return None

    return answer


class Answer(list):
    """A name or None, in the form that the engine compares; it is shown as it came."""

    def __repr__(self):
        return repr(self[0])


def call(attempt, mine, theirs, x):
    """What the attempt says: a name or None.

    Errors: ContractViolation if it is something else
    """
    said = attempt(mine, theirs, x)
    if said is not None and not isinstance(said, str):
        raise ContractViolation(
            "returns-wrong-type",
            f"Your code returned {describe(said)}; the name of a child, as a str, was expected, or None.",
        )
    return Answer([said])


def wrong_name(case):
    return sentence(told(case)) if case.actual != case.expected else None


X = normal(3, 40, seed=300)
IDS = torch.tensor([[1, 4, 2], [3, 0, 2]])
SMALL = torch.full((40,), 5e-5)


def models(kind, mine, theirs, **options):
    """Two models of one kind, made of these steps."""
    return kind(**options, **steps(**mine)), kind(**options, **steps(**theirs))


ABC = {"a": 2, "b": (1, 1), "c": 3}
OTHER_B = ABC | {"b": (1, 1.5)}


def with_an_inner_part(plus):
    return Chain(
        embed=embedding(302, 5, 7),
        encoder=Chain(norm=nn.LayerNorm(7), shift=Step(1, plus)),
        head=linear(303, 7, 3),
    )


def with_norm(eps):
    return Chain(run=("dense", "norm", "out"), norm=nn.LayerNorm(5, eps=eps), out=linear(304, 5), dense=linear(305, 5))


def with_unused_row(by):
    table = embedding(306, 6, 7)
    with torch.no_grad():
        table.weight[5] += by
    return Chain(embed=table, head=linear(307, 7))


def with_dropout(times):
    return Chain(a=Step(2), drop=nn.Dropout(0.5), b=Step(times), c=Step(3))


def unused_part(plus, times):
    return Chain(run=("a", "b"), spare=Step(1, plus), a=Step(2), b=Step(times))


CASES = (
    TestCase("the second of three children differs", (*models(Chain, ABC, OTHER_B), X)),
    TestCase("no child differs", (*models(Chain, ABC, ABC), X)),
    TestCase("the first child differs", (*models(Chain, ABC, ABC | {"a": 2.5}), X)),
    TestCase(
        "names that are not in the order of the alphabet",
        (*models(Chain, {"z": 2, "a": (1, 1), "m": 3}, {"z": 3, "a": (1, 1), "m": 3}), X),
    ),
    TestCase("the last child differs", (*models(Chain, ABC, ABC | {"c": -3}), X)),
    TestCase(
        "children that run in another order than they were registered",
        (*models(Chain, {"c": 3, "b": (1, 1), "a": 2}, {"c": 4, "b": (1, 2), "a": 2}, run=("a", "b", "c")), X),
    ),
    TestCase(
        "children that were registered in different orders",
        (
            Chain(run=("a", "b", "c"), **steps(b=(1, 1), a=2, c=3)),
            Chain(run=("a", "b", "c"), **steps(c=4, b=(1, 1), a=2)),
            X,
        ),
    ),
    TestCase(
        "a(x) + b(x) against b(x) + a(x)",
        (Sum(run=("a", "b"), **steps(a=2, b=(1, 1))), Sum(run=("b", "a"), **steps(a=2, b=(1, 1))), X),
    ),
    TestCase(
        "a(x) + b(x) + c(x) against the reverse, and one difference",
        (Sum(run=("c", "b", "a"), **steps(**ABC)), Sum(run=("a", "b", "c"), **steps(**OTHER_B)), X),
    ),
    TestCase(
        "differences of 0.00005 in every number", (*models(Chain, {"a": 2, "b": 1}, {"a": (2, SMALL), "b": 1}), X)
    ),
    TestCase(
        "a difference of 0.00002 in one number",
        (*models(Chain, {"a": 2, "b": 1}, {"a": (2, one_changed(40, 5, 2e-5)), "b": 1}), X),
    ),
    TestCase(
        "a difference of 0.0003 in every number",
        (*models(Chain, {"a": 2, "b": 1000}, {"a": (2, 6 * SMALL), "b": 1000}), X),
    ),
    TestCase(
        "one number of 40 that is too small by 0.0003",
        (*models(Chain, {"a": 2, "b": 1000}, {"a": (2, one_changed(40, 17, 3e-4)), "b": 1000}), X),
    ),
    TestCase(
        "one number of 40 that is too large by 0.0003",
        (*models(Chain, {"a": 2, "b": 1000}, {"a": (2, one_changed(40, 11, -3e-4)), "b": 1000}), X),
    ),
    TestCase(
        "a difference of 0.0012 between numbers around 20",
        (*models(Chain, {"a": (1, 20), "b": 2, "c": (1, 1)}, {"a": (1, 20.0012), "b": 2, "c": (1, 3)}), X),
    ),
    TestCase(
        "a difference of 0.0005 between numbers around 100",
        (*models(Chain, {"a": (1, 100), "b": 2}, {"a": (1, 100.0005), "b": 2}), X),
    ),
    TestCase("a difference that the next child undoes", (*models(Chain, ABC | {"c": 0}, OTHER_B | {"c": 0}), X)),
    TestCase("dropout in training, and no difference", (*in_training(with_dropout(1), with_dropout(1)), X)),
    TestCase("dropout in training, and a difference after it", (*in_training(with_dropout(1), with_dropout(2)), X)),
    TestCase(
        "a child that works in place",
        (
            Chain(dense=linear(308, 5), relu=nn.ReLU(inplace=True), out=Step(2)),
            Chain(dense=linear(308, 5), relu=nn.ReLU(inplace=True), out=Step(2.5)),
            normal(3, 5, seed=309),
        ),
    ),
    TestCase(
        "a negative output that differs, before a child that works in place",
        (
            Chain(scale=Step(1, -9), relu=nn.ReLU(inplace=True)),
            Chain(scale=Step(1, -8), relu=nn.ReLU(inplace=True)),
            X,
        ),
    ),
    TestCase("a forward that adds in place", (*models(AddsInPlace, ABC, OTHER_B), X)),
    TestCase("a residual connection around each child", (*models(Residual, ABC, OTHER_B), X)),
    TestCase("a step between two children differs", (Negated(1, **steps(**ABC)), Negated(-1, **steps(**ABC)), X)),
    TestCase("what comes after the children differs", (Scaled(1.0, **steps(**ABC)), Scaled(2.0, **steps(**ABC)), X)),
    TestCase("a child that never runs differs", (unused_part(1, 3), unused_part(2, 3), X)),
    TestCase("a child within a child differs", (with_an_inner_part(0.0), with_an_inner_part(0.5), IDS)),
    TestCase("the eps of a LayerNorm differs", (with_norm(1e-5), with_norm(0.1), normal(3, 5, seed=310))),
    TestCase("a parameter that x does not use differs", (with_unused_row(0), with_unused_row(1), IDS)),
    TestCase(
        "a child that gives NaN in one of the modules",
        (*models(Chain, ABC, ABC | {"b": (1, math.nan)}), X),
        limitation="It has a limit: a child that gives NaN in one of the modules. `nan > 1e-4` is False, and so is "
        "`nan <= 1e-4`: of the two, `not difference <= 1e-4` notices it.",
    ),
)

ONE = torch.tensor([1.0])


def small(mine, theirs):
    return *models(Chain, mine, theirs), ONE


EXERCISE = exercise(
    first_difference,
    assemble=assemble,
    returns=("name",),
    runner=FunctionRunner(call),
    cases=CASES,
    minimal_inputs=(
        small({"a": 2, "b": (1, 1)}, {"a": 2, "b": (1, 2)}),
        small({"a": 2, "b": (1, 1)}, {"a": 2, "b": (1, 1)}),
        small({"a": 2, "b": (1, 1), "c": 3}, {"a": 3, "b": (1, 1), "c": 3}),
        small({"a": 2, "b": (1, 1)}, {"a": 2, "b": (1, 1.00005)}),
        small({"a": 2, "b": (1, 1), "c": 3}, {"a": 2, "b": (1, 1.001), "c": 3}),
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
            wrong_name,
            "Print each child's name when it has run, with the largest difference between its two outputs: which is "
            "the first above 1e-4? (forward decides in which order children run, and what happens between them.)",
        ),
    ),
    behavioral_tests=TESTS,
)
