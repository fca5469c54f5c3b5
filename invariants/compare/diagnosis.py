"""What the first difference looks like: causes are tried, and only one that explains the numbers is told.

First come parameters, which can be read in the two models. Then what forward does, as the numbers show it: attention,
norms, activations. At last what fits with a factor or in another order. Where two causes of the same rank explain the
numbers, neither is told.
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
    """What the parting, an Event, looks like, or None: nothing is said that does not explain the numbers.

    certain: whether the numbers of theirs at this place repair what comes later; else another step may make up for it,
    and only parameters and attention are told
    """
    mine, theirs, a, b = parting.mine, parting.theirs, parting.a, parting.in_mine
    if not a.is_floating_point():
        return _of_whole_numbers(a, b)
    within = ROUNDING * max(1.0, largest_of(b))
    if parting.size < 10 * within:
        return None  # what is that small is explained by too much
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
    """What a cause gives, or None where the shapes of the tensors do not let it be tried."""
    try:
        return cause(*args)
    except CANNOT_RUN:
        return None


def by_runs(runs, pairs, within):
    """A guess if mine runs a module again where theirs runs the next one: both got the same."""
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
    """The last operation that gave the target, or one that stands for an input."""
    found = (x for x in reversed(run.operations) if x.time < time and same(x.value, target))
    return next(found, Operation("", target, [], True))


def _uses(runs, times, vector):
    """How many operations of each side, after these times, read a vector that does not depend on the input."""
    read = [
        [source.value for one in run.operations if one.time > time for source in one.sources if not source.live]
        for run, time in zip(runs, times, strict=True)
    ]
    return [sum(close(x, vector, 1e-6) for x in each) for each in read]


def _is_moved(call, scope, run, within, label, x):
    """Whether a norm of mine gets a sum without x, and x is added after it, or computed only then."""
    if not any("norm" in name.lower() for name in (type(call.module).__name__, call.name)):
        return False
    name = f"{scope.name}.{label}".strip(".")
    if any(c.name == name and c.start > call.start for c in run):
        return True
    after = [scope.output, *(c.input for c in run if c.start > call.end)]
    return any(y is not None and close(y, call.output + x, within) for y in after)


def _of_whole_numbers(a, b):
    """Positions count up, ids do not."""
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
    """The first call of a model that another run with the same input changes: dropout, or something else by chance."""
    same = {call.name: call.name for call in run}
    return next((event.mine for event in differences(run, again, same) if event.size), None)
