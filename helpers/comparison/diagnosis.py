"""Where two runs part first, and what that looks like."""

from dataclasses import dataclass

import torch

from helpers.comparison.attention import by_attention
from helpers.comparison.guess import Guess
from helpers.comparison.numbers import close, relation, size_of_difference
from helpers.comparison.parameters import by_bias, by_parameters, by_settings
from helpers.comparison.recording import Call, tensors_in
from helpers.comparison.steps import by_activation, by_norm, by_source, by_sum


@dataclass
class Parting:
    """The first module, in the order in which those of mine run, that gets (before) or gives something else."""

    mine: Call
    theirs: Call
    before: bool
    difference: float


@dataclass
class Side:
    """What one model had computed when it parted from the other.

    target is what differs; `scope` is the call in which that was computed, `done` the calls in it that were over,
    `known` their outputs and what the scope got, `tables` rows of parameters that no module has read;
    finish is a layer that was applied to the target, where what it got cannot be seen.
    """

    target: torch.Tensor
    scope: Call
    done: list
    known: list
    tables: list
    finish: torch.nn.Module | None = None


def events(calls, others, pairs):
    """Everything that can be compared, in order: (call, their call, whether it is what they got, a, b)."""
    there = {call.place: call for call in others}
    found = []
    for call in calls:
        other = there.get((pairs.get(call.name), call.number))
        if other is None or (other.children and not call.children and call.given is None):
            continue
        if call.input is not None and other.input is not None:
            found.append((call.start, call, other, True, call.input, other.input))
        if call.output is not None and other.output is not None:
            found.append((call.end, call, other, False, call.output, other.output))
    return [event[1:] for event in sorted(found, key=lambda event: event[0])]


def differences(calls, others, pairs):
    """The events with the size of each difference."""
    return [(*event, size_of_difference(*event[-2:])) for event in events(calls, others, pairs)]


def allowed(b, tolerance):
    """Differences of up to the tolerance are rounding, times the largest number where that is above 1."""
    finite = b[b.isfinite()] if b.is_floating_point() else b
    return tolerance * max(1.0, float(finite.abs().max()) if finite.numel() and b.is_floating_point() else 1.0)


def first_parting(found, tolerance):
    for call, other, before, a, b, size in found:
        if size is not None and size > allowed(b, tolerance) and (call.name or not before):
            return Parting(call, other, before, size)
    return None


def guess(parting, runs, pairs, parameters, tolerance):
    """What the parting looks like, or None: nothing is said that does not explain the numbers of both sides."""
    mine, theirs = parting.mine, parting.theirs
    a, b = (mine.input, theirs.input) if parting.before else (mine.output, theirs.output)
    if not a.is_floating_point():
        return _of_whole_numbers(a, b)
    largest = allowed(b, 1.0)
    within = max(2e-6 * largest, min(tolerance * largest, parting.difference / 100))
    hidden = not parting.before and (mine.given is None or theirs.given is None)
    sides, pool = _sides(parting, hidden, runs, pairs, within)
    scope, other = (sides[0].scope, sides[1].scope) if parting.before else (mine, theirs)
    norms, moved = _norms(sides, pairs), lambda label, x: _is_moved(label, x, mine, sides[0].scope, runs[0], within)
    causes = [
        lambda: by_parameters(scope, other, parameters, within),
        lambda: by_bias(mine, theirs, within) if not parting.before else None,
        lambda: by_settings(scope, other, within),
        lambda: by_norm(mine, theirs, within) if not parting.before else None,
        lambda: by_activation(sides, pool, within) if not hidden else None,
        lambda: by_source(sides, within) if not hidden else None,
        lambda: by_sum(sides, pool, norms, moved, within) if not hidden else None,
        lambda: by_attention(sides, within),
        lambda: relation(a, b, within),
    ]
    return next((found for cause in causes if (found := cause()) is not None), None)


def _is_moved(label, x, call, scope, run, within):
    """Whether a norm of mine gets a sum without x, and x is added after it, or computed only then."""
    if not is_norm(call):
        return False
    name = f"{scope.name}.{label}".strip(".")
    if any(c.name == name and c.start > call.start for c in run):
        return True
    after = [scope.output, *(c.input for c in run if c.start > call.end)]
    return any(y is not None and close(y, call.output + x, within) for y in after)


def is_norm(call):
    return "norm" in type(call.module).__name__.lower() or "norm" in call.name.lower()


def _of_whole_numbers(a, b):
    try:
        by = (a.long() - b.long()).unique().tolist()
    except RuntimeError:
        return None
    if len(by) == 1 and by != [0]:
        return Guess("positions", "positions that are off", f"{by[0]:+d}", "0")
    return None


def random_numbers(mine, again):
    """A guess if a run of one model differs from another with the same input: dropout, or something else by chance."""
    for one, other in zip(mine, again, strict=False):
        if one.name != other.name:
            break
        for a, b in ((one.input, other.input), (one.output, other.output)):
            if a is not None and b is not None and a.shape == b.shape and not torch.equal(a, b):
                if not (a.isnan() & b.isnan()).any():
                    return one
    return None


# ---------------------------------------------------------------- the two sides


def _sides(parting, hidden, runs, pairs, within):
    """Both sides, and the tensors that either knows, those of mine first: until here, what both compute agrees."""
    back = {other: name for name, other in pairs.items()}
    mine = _side(parting.mine, parting.before, hidden, runs[0], None)
    theirs = _side(parting.theirs, parting.before, hidden, runs[1], back)
    prefix = mine.scope.name + "." if mine.scope.name else ""
    pool = list(mine.known)
    for label, x in theirs.known:
        if not any(y.shape == x.shape and size_of_difference(x, y) <= within for _, y in mine.known):
            pool.append((f"their {label}" if label in ("x", "x2", "x3") else label.replace(prefix, "", 1), x))
    return (mine, theirs), pool


def _side(call, before, hidden, run, names):
    target, finish, scope, now = call.output, None, call, call.end
    if before or hidden:
        scope, now = call.parent, call.start
    if before or (hidden and call.given is not None):
        target = call.input
    elif hidden:
        finish = call.module  # what it got cannot be seen
    while scope.parent is not None and before and any(_is(x, target) for x in _floats(scope)):
        now, scope = scope.start, scope.parent  # it came from further outside
    done = sorted((c for c in scope.descendants() if -1 < c.end < now), key=lambda c: c.end)
    known = [(("x", "x2", "x3")[i], x) for i, x in enumerate(_floats(scope)[:3])]
    for c in done:
        if c.input is not None and c.input.is_floating_point():
            known.append((f"input of {_label(c, scope, names)}", c.input))
        if c.output is not None:
            known.append((_label(c, scope, names), c.output))
    known = _once(known)
    return Side(target, scope, done, known, _tables(scope, run, target), finish)


def _once(known):
    """Each tensor under its first name."""
    found = []
    for label, x in known:
        if not any(_is(x, other) for _, other in found):
            found.append((label, x))
    return found


def _is(x, target):
    return x is not None and x.shape == target.shape and torch.equal(x, target)


def _floats(call):
    return [x for x in tensors_in(call.given) if x.is_floating_point()]


def _label(call, scope, names):
    name = call.name if names is None else names.get(call.name, call.name)
    name = name.removeprefix(scope.name + ".") if names is None else name
    return name + (f", run {call.number + 1}" if call.number else "")


def _tables(scope, run, target):
    """Rows of the parameters that no module has read, from several positions on."""
    ran = {call.name for call in run}
    if target.dim() < 2:
        return []
    T, C = target.shape[-2:]
    rows = []
    for name, table in scope.module.named_parameters():
        inside = name.rpartition(".")[0]
        full = f"{scope.name}.{inside}".strip(".")
        if table.dim() == 2 and table.size(1) == C and (not inside or full not in ran):
            for start in range(min(3, len(table) - T + 1)):
                rows.append((f"rows of {name} from {start}", table.detach()[start : start + T]))
    return rows


def _norms(sides, pairs):
    """Under which names the outputs of norms are known."""
    back = {other: name for name, other in pairs.items()}
    prefix = sides[0].scope.name + "." if sides[0].scope.name else ""
    ours = {_label(c, sides[0].scope, None) for c in sides[0].done if is_norm(c)}
    others = {_label(c, sides[1].scope, back).removeprefix(prefix) for c in sides[1].done if is_norm(c)}
    return ours | others
