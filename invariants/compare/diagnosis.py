"""What the first difference looks like: causes are tried, and only one that explains the numbers is told.

First come facts, which can be read in the two models: parameters and settings. Then what forward may do, computed
again from what is known. At last what fits the numbers with a factor or in another order. Where two causes of the same
rank explain the numbers, neither is told.
"""

from invariants.compare.attention import by_attention
from invariants.compare.guess import Guess
from invariants.compare.numbers import close, relation
from invariants.compare.parameters import by_bias, by_parameters, by_settings
from invariants.compare.places import differences, largest_of
from invariants.compare.sides import both_sides, is_norm, norms_of
from invariants.compare.steps import by_activation, by_norm
from invariants.compare.sums import by_source, by_sum

ROUNDING = 2e-6  # relative to the largest number, in float32
LASTING = ("parameter", "roles", "dtype")  # kinds that no other step makes up for


def guess(parting, certain, runs, pairs, parameters):
    """What the parting, an Event, looks like, or None: nothing is said that does not explain the numbers.

    certain: whether the numbers of theirs at this place repair what comes later; else another step may make up for a
    factor or for another order, and only what none can make up for is told
    """
    mine, theirs, a, b = parting.mine, parting.theirs, parting.a, parting.b
    if not a.is_floating_point():
        return _of_whole_numbers(a, b)
    within = ROUNDING * max(1.0, largest_of(b))
    if parting.size < 10 * within:
        return None  # what is that small is explained by too much
    hidden = not parting.before and (mine.given is None or theirs.given is None)
    sides, pool = both_sides(parting, hidden, runs, pairs, within)
    scope, other = (sides[0].scope, sides[1].scope) if parting.before or mine.given is None else (mine, theirs)

    def moved(label, x):
        return _is_moved(label, x, mine, sides[0].scope, runs[0], within)

    facts = [lambda: by_parameters(scope, other, parameters, within), lambda: by_settings(scope, other, within)]
    steps, fits = [lambda: by_attention(sides, within)], [lambda: relation(a, b, within)]
    if not parting.before:
        steps += [lambda: by_bias(mine, theirs, within), lambda: by_norm(mine, theirs, within)]
    if not hidden:
        steps += [lambda: by_activation(sides, pool, within), lambda: by_source(sides, within)]
        fits += [lambda: by_sum(sides, pool, norms_of(sides), moved, within)]
    for causes in (facts[:1], facts[1:], steps, fits):
        found = [found for cause in causes if (found := cause()) is not None]
        if found or not certain:
            one = len({each.kind for each in found}) == 1
            return found[0] if one and (certain or mine.given is None or found[0].kind in LASTING) else None
    return None


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
    """Positions count up, ids do not."""
    if a.shape != b.shape:
        return None
    by, steps = (a.long() - b.long()).unique().tolist(), b.long().diff(dim=-1).unique().tolist()
    if len(by) != 1:
        return None
    kind, what = ("positions", "an offset of the positions") if steps == [1] else ("ids", "an offset of the ids")
    return Guess(kind, what, f"{by[0]:+d}", "0")


def first_by_chance(run, again):
    """The first call of a model that another run with the same input changes: dropout, or something else by chance."""
    same = {call.name: call.name for call in run}
    return next((event.mine for event in differences(run, again, same) if event.size), None)
