"""Diagnose the first difference: try causes in order, and name one only if it explains the numbers.

Parameters come first, since they can be read from the models. Then come the steps of forward: attention, norms and
activations; last, a factor, a sum or another order. If causes of different kinds fit in the same round, none is named.
"""

import itertools
from dataclasses import replace
from functools import partial

import torch

from invariants.compare.attention import by_attention
from invariants.compare.numbers import Guess, close, relation, same, size_of_difference
from invariants.compare.operations import Operation
from invariants.compare.parameters import by_bias, by_parameters
from invariants.compare.places import CANNOT_RUN, differences, largest_of
from invariants.compare.sides import both_sides
from invariants.compare.steps import by_activation, by_norm
from invariants.compare.sums import by_sum

ROUNDING = 2e-6  # relative to the largest number, in float32


def guess(parting, certain, runs, pairs, parameters):
    """Return a Guess that explains the numbers of the Event where the models first differ, or None.

    certain: whether putting the numbers of theirs here repairs everything later; if not, another step may cancel the
    difference, and only parameters and attention are tried
    """
    mine, theirs, a, b = parting.mine, parting.theirs, parting.a, parting.in_mine
    if not a.is_floating_point():
        return _of_whole_numbers(a, b)
    within = ROUNDING * max(1.0, largest_of(b))
    if parting.size < 10 * within:
        return None  # too many causes would explain a difference this small
    sides, pool = both_sides(parting, runs, pairs, within)
    times = [call.start if parting.before else call.end for call in (mine, theirs)]
    found = (
        by_runs(runs, pairs, within)
        or by_parameters(*(side.scope for side in sides), parameters, within, [run[0] for run in runs])
        or _tried(by_attention, runs, times, parting)
    )
    if found or not certain:
        return found
    place = f"what `{mine.name}` {'gets first' if parting.before else 'gives'}"
    ends = [_end(run, side.target, time) for run, side, time in zip(runs, sides, times, strict=True)]
    normed, got = _tried(by_norm, ends, place, partial(_uses, runs, times), within) or (None, None)
    moved = partial(_is_moved, mine, sides[0].scope, runs[0], within)
    if got is not None:
        sides, moved = [replace(side, target=x) for side, x in zip(sides, got, strict=True)], lambda label, x: False
    added = by_bias(a, b, [run[0].module for run in runs], within)
    steps = (lambda: added or normed, lambda: by_activation(sides, pool, within))
    fits = (lambda: relation(a, b, within), lambda: by_sum(sides, pool, moved, within))
    for causes in (steps, fits):
        found = [found for cause in causes if (found := cause()) is not None]
        if found:
            return found[0] if len({each.kind for each in found}) == 1 else None
    return None


def _tried(cause, *args):
    """Call a cause, and return None if the shapes of the tensors do not fit it."""
    try:
        return cause(*args)
    except CANNOT_RUN:
        return None


def by_runs(runs, pairs, within):
    """Return a Guess if mine runs a module again where theirs, given the same input, runs the next one."""
    there, ours = {call.name for call in runs[1]}, {call.name for call in runs[0]}
    idle = [call for call in runs[1] if call.name not in pairs.values() and call.name not in ours]
    known = {(call.name, call.number) for call in runs[1]}
    again = [c for c in runs[0] if c.number and c.name in there and (pairs.get(c.name), c.number) not in known]
    for one, other in itertools.product(again, idle):
        given = size_of_difference(one.input, other.input)
        if given is not None and given <= within:
            return Guess("roles", "which module runs", f"`{one.name}` again", f"`{other.name}`")
    return None


def _end(run, target, time):
    """Return the last operation that gave the target, or a placeholder for an input."""
    found = (x for x in reversed(run.operations) if x.time < time and same(x.value, target))
    return next(found, Operation("", target, [], True))


def _uses(runs, times, vector):
    """Count the operations on each side that, after these times, read this vector as a constant."""
    read = [
        [source.value for one in run.operations if one.time > time for source in one.sources if not source.live]
        for run, time in zip(runs, times, strict=True)
    ]
    return [sum(close(x, vector, 1e-6) for x in each) for each in read]


def _is_moved(call, scope, run, within, label, x):
    """Whether mine adds x only after its norm, or computes it only then."""
    if not any("norm" in name.lower() for name in (type(call.module).__name__, call.name)):
        return False
    name = f"{scope.name}.{label}".strip(".")
    if any(c.name == name and c.start > call.start for c in run):
        return True
    after = [scope.output, *(c.input for c in run if c.start > call.end)]
    return any(y is not None and close(y, call.output + x, within) for y in after)


def _of_whole_numbers(a, b):
    """Return a Guess for integers: positions if they count up, ids otherwise."""
    if a.shape != b.shape:
        return None
    if not torch.equal(a, b) and torch.equal(a, b.max() + b.min() - b):
        return Guess("positions", "the order of the positions", "reversed", "in place")
    by, steps = (a.long() - b.long()).unique().tolist(), b.long().diff(dim=-1).unique().tolist()
    if len(by) != 1:
        return None
    kind, what = ("positions", "an offset of the positions") if steps == [1] else ("ids", "an offset of the ids")
    return Guess(kind, what, f"{by[0]:+d}", "0")


def first_by_chance(run, again):
    """The first call whose numbers change when the model runs again on the same input, as with dropout."""
    same = {call.name: call.name for call in run}
    return next((event.mine for event in differences(run, again, same) if event.size), None)
