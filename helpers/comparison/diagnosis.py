"""Where two runs part first, and what that looks like."""

from dataclasses import dataclass

from helpers.comparison.attention import by_attention
from helpers.comparison.guess import Guess
from helpers.comparison.numbers import close, relation, size_of_difference
from helpers.comparison.parameters import by_bias, by_parameters, by_settings
from helpers.comparison.recording import Call
from helpers.comparison.sides import both_sides, is_norm, labels_of_norms
from helpers.comparison.steps import by_activation, by_norm
from helpers.comparison.sums import by_source, by_sum


@dataclass
class Parting:
    """The first module, in the order in which those of mine run, that gets (before) or gives something else."""

    mine: Call
    theirs: Call
    before: bool
    difference: float


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
    """Differences of up to the tolerance are rounding; of numbers above 20, larger ones are."""
    return max(tolerance, tolerance / 20 * largest_of(b))


def largest_of(b):
    finite = b[b.isfinite()] if b.is_floating_point() else b[:0]
    return float(finite.abs().max()) if finite.numel() else 0.0


def first_parting(found, tolerance, disturbed):
    """The first event with a difference that no later step undoes, or None.

    disturbed(call, before): the calls of mine in a run in which noise is added there. What changes with it, and yet
    agrees with theirs, undoes the difference: a factor may stand in one module of mine and in the next one of theirs.
    """
    resume = 0
    for i, (call, other, before, _, b, size) in enumerate(found):
        if i < resume or size is None or size <= allowed(b, tolerance) or (not call.name and before):
            continue
        after = found[i + 1 :] if call.given is not None else []
        if any(later <= allowed(x, tolerance) for *_, x, later in after):
            changed = {c.place: c for c in disturbed(call, before)}
            undone = [j for j, event in enumerate(after, i + 1) if _undoes(event, changed, tolerance)]
            if undone:
                resume = undone[0]
                continue
        return Parting(call, other, before, size)
    return None


def _undoes(event, changed, tolerance):
    call, _, before, a, b, size = event
    rounding = 2e-6 * max(1.0, largest_of(b))  # a difference that has only become smaller is not undone
    if size > rounding or call.place not in changed:
        return False
    there = changed[call.place].input if before else changed[call.place].output
    return size_of_difference(a, there) > 10 * allowed(b, tolerance)


def guess(parting, runs, pairs, parameters, tolerance):
    """What the parting looks like, or None: nothing is said that does not explain the numbers of both sides."""
    mine, theirs = parting.mine, parting.theirs
    a, b = (mine.input, theirs.input) if parting.before else (mine.output, theirs.output)
    if not a.is_floating_point():
        return _of_whole_numbers(a, b)
    largest = max(1.0, largest_of(b))
    within = max(2e-6 * largest, min(tolerance * largest, parting.difference / 100))
    hidden = not parting.before and (mine.given is None or theirs.given is None)
    sides, pool = both_sides(parting, hidden, runs, pairs, within)
    scope, other = (sides[0].scope, sides[1].scope) if parting.before or mine.given is None else (mine, theirs)
    norms, moved = (
        labels_of_norms(sides, pairs),
        lambda label, x: _is_moved(label, x, mine, sides[0].scope, runs[0], within),
    )
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


def _of_whole_numbers(a, b):
    try:
        by = (a.long() - b.long()).unique().tolist()
    except RuntimeError:
        return None
    if len(by) == 1 and by != [0]:
        return Guess("positions", "positions that are off", f"{by[0]:+d}", "0")
    return None


def random_numbers(run, again):
    """The first call of a model that another run with the same input changes: dropout, or something else by chance."""
    same = {call.name: call.name for call in run}
    return next((call for call, *_, size in differences(run, again, same) if size), None)
