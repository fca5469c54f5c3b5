"""What each model had computed by the first difference."""

from dataclasses import dataclass

import torch

from invariants.compare.numbers import same, size_of_difference
from invariants.compare.operations import tensors_in
from invariants.compare.recording import Call


@dataclass
class Side:
    """What one model had computed by the first difference.

    target: the tensor that differs; scope: the call that computed it; known: the inputs of the scope, and the inputs
    and outputs of the calls in it that had ended; tables: rows of parameters that no module has read
    """

    target: torch.Tensor
    scope: Call
    known: list
    tables: list


def both_sides(parting, runs, pairs, within):
    """Return both sides, and the tensors known to either, those of mine first; what both computed so far agrees."""
    back = {other: name for name, other in pairs.items()}
    mine = _side(parting.mine, parting.before, runs[0], None, pairs)
    theirs = _side(parting.theirs, parting.before, runs[1], back, back)
    prefix = mine.scope.name + "." if mine.scope.name else ""
    pool = list(mine.known)
    for label, x in theirs.known:
        if not any(y.shape == x.shape and size_of_difference(x, y) <= within for _, y in mine.known):
            pool.append((f"their {label}" if label in ("x", "x2", "x3") else label.replace(prefix, "", 1), x))
    return (mine, theirs), pool


def _side(call, before, run, names, paired):
    """Return one Side. The output of a module that contains others is known only if it has a counterpart."""
    target, scope, now = (call.input, call.parent, call.start) if before else (call.output, call, call.end)
    while scope.parent is not None and before and any(same(x, target) for x in _floats(scope)):
        now, scope = scope.start, scope.parent  # the scope only passes its input on
    done = sorted((c for c in scope.descendants() if -1 < c.end < now), key=lambda c: c.end)
    known = [(("x", "x2", "x3")[i], x) for i, x in enumerate(_floats(scope)[:3])]
    for c in done:
        if c.input is not None and c.input.is_floating_point():
            known.append((f"input of {_label(c, scope, names)}", c.input))
        if c.output is not None and not (c.children and c.name not in paired):
            known.append((_label(c, scope, names), c.output))
    known = [(label, x) for i, (label, x) in enumerate(known) if not any(same(x, other) for _, other in known[:i])]
    return Side(target, scope, known, _tables(scope, run, target))


def _floats(call):
    return [x for x in tensors_in(call.given) if x.is_floating_point()]


def _label(call, scope, names):
    name = call.name if names is None else names.get(call.name, call.name)
    name = name.removeprefix(scope.name + ".") if names is None else name
    return name + (f", run {call.number + 1}" if call.number else "")


def _tables(scope, run, target):
    """Rows of the parameters and buffers that no module has read, starting at several positions."""
    ran = {call.name for call in run}
    if target.dim() < 2:
        return []
    T, C = target.shape[-2:]
    rows = []
    for name, table in (*scope.module.named_parameters(), *scope.module.named_buffers()):
        table = table[0] if table.dim() == 3 and len(table) == 1 else table
        inside = name.rpartition(".")[0]
        full = f"{scope.name}.{inside}".strip(".")
        if table.dim() == 2 and table.size(1) == C and (not inside or full not in ran):
            for start in range(min(3, len(table) - T + 1)):
                rows.append((f"rows of {name} from {start}", table.detach()[start : start + T]))
    return rows
