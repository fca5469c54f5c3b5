"""Where two models part, and what that looks like: `compare(mine, theirs, x)`.

It goes on where exercise 7.3 ends: `first_difference` names the first child whose output differs; `compare` goes
down into the children, and tries causes until one explains the numbers of both sides.

    1. record both runs     recording    what each module got and gave
                            operations   what torch's functions computed, also where no module stands
    2. pair the modules     pairing      which module is which, and which stand alone
    3. find the place       places       the first difference that matters, and what follows from it
    4. try causes there     diagnosis    the order in which they are tried
                            parameters   a parameter of one module
                            attention    everything between the input and merged heads, with
                                         sites (where a model attends), heads (how they are made) and masks
                            steps        an activation, a norm
                            sums         what is added, what is read
                            sides        what each of the two had computed by then
                            numbers      scaled, turned, rounded, in another order
    5. say it               report       Comparison, and the table
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
    """Run both models on the same inputs, and say where they part first, by how much, and what it looks like.

    Both run in evaluation mode. What comes back is printed as text, and a cell shows it as a card.

    Where the outputs are equal, up to rounding in their dtype, nothing is a difference. Where they are not, a cause is
    told only if the numbers of both sides show it; they are read from the calls of torch's functions, so that it does
    not matter which modules there are, and what they are called. Of two causes, the first is told, or none.

    mapping: {name of a module of mine: name of theirs}, where names, parameters and shapes do not tell
    their_call: how to run theirs, if not by theirs(*inputs, **options), such as
            lambda model, x, mask: model(x, src_mask=~mask)
    Units:  the tolerance is that of any number; where an output has numbers above 20, it grows with them
    Errors: TypeError or ValueError if an argument makes no sense; what a model raises reaches the caller
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
    """A guess if a second run of one model gives other numbers before the two part, or where they do."""
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
        row = rows.pop(place, [event.mine.name, event.theirs.name, None, None])  # in the order in which they end
        row[2 if event.before else 3] = event.size
        rows[place] = row
    return tuple(Row(*row) for row in rows.values())


def _require(mine, theirs, inputs, options, mapping, tolerance):
    """Arguments that make sense, or one sentence that says what does not."""
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
