"""Find where two models first differ, and guess the cause: `compare(mine, theirs, x)`.

It continues where exercise 7.3 ends: `first_difference` names the first child whose output differs; `compare` descends
into the children, and tries causes until one explains the numbers of both models.

    1. record both runs     recording    the inputs and outputs of every module
                            operations   the results of torch functions, including those called outside any module
    2. pair the modules     pairing      which modules correspond, and which have no counterpart
    3. find the place       places       the first difference that matters, and what follows from it
    4. try causes there     diagnosis    the order in which they are tried
                            parameters   a parameter of one module
                            attention    everything between the input and merged heads, with
                                         sites (where a model attends), heads (how they are made) and masks
                            steps        an activation, a norm
                            sums         which tensors are added or read
                            sides        what each model had computed by then
                            numbers      one tensor scaled, transposed, rounded or reordered
    5. report it            report       Comparison, and the table
"""

from torch import nn

from invariants.assertions.calling import resting
from invariants.compare.diagnosis import first_by_chance, guess
from invariants.compare.numbers import Guess
from invariants.compare.pairing import architecture, paired, parameter_pairs
from invariants.compare.places import differences, first_parting, what_follows
from invariants.compare.recording import record
from invariants.compare.report import Comparison, Row

__all__ = ["Comparison", "Guess", "compare"]


def compare(mine, theirs, *inputs, mapping=None, tolerance=1e-4, their_call=None, **options):
    """Run both models on the same inputs, and report where they first differ, by how much, and the likely cause.

    Both run in evaluation mode. The result prints as text, and a notebook shows it as a card.

    If the models' outputs are equal up to rounding in their dtype, no difference is reported. Otherwise a cause is
    named only if the numbers of both models show it; they are read from the calls of torch functions, so the kinds and
    names of modules do not matter. If two causes fit, the first one is named, or neither.

    mapping: {name of a module of mine: name of theirs}, where names, parameters and shapes do not tell
    their_call: how to run theirs, if not by theirs(*inputs, **options), such as
            lambda model, x, mask: model(x, src_mask=~mask)
    Units:  the tolerance is absolute, for each number; for outputs with numbers above 20, it grows with them
    Errors: TypeError or ValueError if an argument makes no sense; exceptions of a model reach the caller
    Source: exercise 7.3; notebook 07
    """
    _require(mine, theirs, inputs, options, mapping or {}, tolerance)
    with resting((mine, theirs)):
        calls = record(mine, _plain, inputs, options, inside=True)
        others = record(theirs, their_call or _plain, inputs, options, inside=True)
        pairs = paired(calls, others, mapping or {})
        found = differences(calls, others, pairs)

        def rerun(changes):
            return differences(record(mine, _plain, inputs, options, changes), others, pairs)

        whole = next((event for event in found if not event.mine.name and not event.before), None)
        agree = whole is not None and not whole.differs(tolerance)
        parting, certain = (None, False) if agree else first_parting(found, tolerance, rerun)
        alone, other_architecture = ((), ()), False
        if not agree:
            alone, other_architecture = architecture((mine, theirs), (calls, others), pairs)
        guessed = follows = None
        if parting is not None:
            guessed = _by_chance(parting, mine, theirs, calls, others, their_call, inputs, options)
            if guessed is None and not other_architecture:
                parameters = parameter_pairs(mine, theirs, pairs, others)
                guessed = guess(parting, certain, (calls, others), pairs, parameters)
                follows = what_follows(found, parting, tolerance, rerun) if certain else None
    before = parting is not None and parting.before
    return Comparison(
        name=None if parting is None else parting.mine.name,
        before=before,
        difference=0.0 if parting is None else parting.size,
        guess=guessed,
        rows=_rows(found),
        alone=alone,
        other_architecture=other_architecture,
        tolerance=tolerance,
        follows=follows,
        undone=parting is None and any(event.differs(tolerance) for event in found),
        inside=parting.mine.parent.name if before else "",
    )


def _plain(model, *inputs, **options):
    return model(*inputs, **options)


def _by_chance(parting, mine, theirs, calls, others, their_call, inputs, options):
    """Return a Guess if a rerun of one model gives different numbers at or before the point where the two differ."""
    for i, (model, run, call) in enumerate(((mine, calls, _plain), (theirs, others, their_call or _plain))):
        where, at = first_by_chance(run, record(model, call, inputs, options)), (parting.mine, parting.theirs)[i]
        if where is not None and where.start <= (at.start if parting.before else at.end):
            says = ["the same ones"] * 2
            says[i] = f"other numbers in each run, from `{where.name or 'the model itself'}` on"
            says = [says[0]] * 2 if mine is theirs else says
            return Guess("dropout", "dropout that is left on, or another draw of random numbers", *says)
    return None


def _rows(found):
    rows = {}
    for event in found:
        place = event.mine.place
        row = rows.pop(place, [event.mine.name, event.theirs.name, None, None])  # in the order in which calls end
        row[2 if event.before else 3] = event.size
        rows[place] = row
    return tuple(Row(*row) for row in rows.values())


def _require(mine, theirs, inputs, options, mapping, tolerance):
    """Raise TypeError or ValueError for an argument that makes no sense."""
    for name, model in (("mine", mine), ("theirs", theirs)):
        if not isinstance(model, nn.Module):
            raise TypeError(f"{name} must be an nn.Module, got {type(model).__name__}")
    if not inputs and not options:
        raise ValueError("the models need an input, got none; pass what they are called with: compare(mine, theirs, x)")
    if isinstance(tolerance, bool) or not isinstance(tolerance, (int, float)) or not tolerance > 0:
        raise ValueError(f"tolerance must be a number above 0, got {tolerance!r}")
    for side, model, names in (("mine", mine, mapping.keys()), ("theirs", theirs, mapping.values())):
        known = {name for name, _ in model.named_modules(remove_duplicate=False)}
        for name in names:
            if name not in known and not any(name.startswith(k + ".") and k for k in known):
                some = ", ".join(sorted(known - {""})[:4])
                raise ValueError(f"mapping names {name!r}, which is no module of {side}; it has {some}, ...")
