"""What is tried with a learner's first_difference itself: are hooks and modes afterwards as they were before?"""

import contextlib

import torch
from torch import nn
from torch.nn.modules import module as all_modules

from exercises.e7_3_first_difference.models import Chain, Step, steps
from feedback import BehavioralTest

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
