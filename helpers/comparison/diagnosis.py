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


def first_parting(found, tolerance):
    for call, other, before, _, b, size in found:
        if size is not None and size > allowed(b, tolerance) and (call.name or not before):
            return Parting(call, other, before, size)
    return None


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
    scope, other = (sides[0].scope, sides[1].scope) if parting.before else (mine, theirs)
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


def random_numbers(mine, again):
    """A guess if a run of one model differs from another with the same input: dropout, or something else by chance."""
    for one, other in zip(mine, again, strict=False):
        if one.name != other.name:
            break
        for a, b in ((one.input, other.input), (one.output, other.output)):
            if a is not None and b is not None and size_of_difference(a, b) > 0:
                return one
    return None
