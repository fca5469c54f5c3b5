"""From a learner's code to a verdict, in a fixed order: the first thing that is said is the first to mend.

1. it raised  2. wrong type, shape, dtype, or a changed input  3. a known misconception
4. a property that every right answer has  5. the smallest failing example
"""

import inspect
from dataclasses import dataclass, replace
from functools import cache

from helpers.checks import errors, evidence
from helpers.checks.attempts import borrowed, in_another_order, is_stub
from helpers.checks.catalogue import Case
from helpers.checks.comparing import alike, close, plain, same_shapes, tensors, wrong_dtype, wrong_shape, wrong_type
from helpers.checks.running import Fault, StillRunning, run, run_known, usual_modes
from helpers.checks.writing import argument, describe, ended, equation, inline, listed, rounded, table
from torch import Tensor
from torch.nn import Module


@dataclass(frozen=True)
class Verdict:
    """A status, perhaps a diagnosis, and the parts of the answer: (kind, text) in reading order."""

    status: str
    parts: tuple
    diagnosis: str = None


def verdict(exercise, attempt):
    """Find out what an attempt is.

    Errors: none; whatever the attempt does becomes a Verdict
    Source: notebook 00
    """
    refused = _refuse(exercise, attempt)
    if refused:
        return refused
    with usual_modes():
        runs = _runs(exercise, attempt)
        found = (_raised(exercise, runs) or _malformed(exercise, attempt, runs)
                 or _wrong_numbers(exercise, attempt, runs)
                 or _failed_experiment(exercise, attempt, required=True) or _shared(exercise, attempt)
                 or _correct(exercise, runs))
        return _with_print(exercise, _with_notes(exercise, found, attempt), runs)


# ---------------------------------------------------------------- before anything runs

def _refuse(exercise, attempt):
    """The attempt is not something that can be run, or nothing has been written yet."""
    if is_stub(attempt):
        return Verdict("not attempted", (
            ("say", f"{exercise.signature} should give {exercise.gives}."),
            ("next", f"Write its body, run its cell, then run this one again. About {exercise.minutes} minutes; "
                     f'stuck? hint("{exercise.id}")')))
    kind = "class" if exercise.is_class else "function"
    if exercise.is_class != isinstance(attempt, type) or not callable(attempt):
        got = describe(attempt)
        if callable(attempt) and not hasattr(attempt, "shape") and not isinstance(attempt, Module):
            start = f"class {exercise.name}(nn.Module):" if exercise.is_class else f"def {exercise.signature}:"
            return Verdict("error", (("say", f"A {kind} is asked for, got {got}."),
                                     ("next", f"Begin with `{start}`.")))
        return Verdict("error", (
            ("say", f"check needs the {kind} itself, got {got}."),
            ("next", f'Write check("{exercise.id}", {exercise.name}), without brackets after the name.')))
    return _wrong_signature(exercise, attempt)


def _wrong_signature(exercise, attempt):
    """The attempt cannot be called with the exercise's arguments."""
    try:
        signature = inspect.signature(attempt)
    except (TypeError, ValueError):
        return None
    if not _binds(signature, exercise.arguments):
        return Verdict("error", (
            ("say", f"{exercise.name} is called as {exercise.signature}; yours takes {signature}."),
            ("next", "Give it these arguments, in this order." + (
                " In a method, self comes first." if exercise.is_class else ""))))
    optional = _optional(exercise)
    if not _binds(signature, exercise.arguments[:len(exercise.arguments) - len(optional)]):
        return Verdict("error", (
            ("say", f"{exercise.name} may be called without {' and '.join(optional)}; yours needs it: it takes "
                    f"{signature}."),
            ("next", f"Begin with `def {exercise.signature}:`.")))
    return None


def _binds(signature, arguments):
    try:
        signature.bind(*arguments)
    except TypeError:
        return False
    return True


def _optional(exercise):
    """The arguments that the exercise's signature gives a default to: they come last."""
    return [name for name in exercise.arguments if f"{name}=" in exercise.signature]


# ---------------------------------------------------------------- running everything once

def _runs(exercise, attempt):
    """One run for each probe; code that did not come back is not tried again."""
    runs = []
    for probe in exercise.probes:
        runs.append(run(exercise.call, attempt, probe.args))
        if isinstance(runs[-1].error, StillRunning):
            break
    return runs


@cache
def _expected(exercise):
    runs = [run_known(exercise.call, exercise.solution, probe.args) for probe in exercise.probes]
    for record in runs:
        if record.error:
            raise record.error  # nothing is kept of a solution that failed
    return [record.value for record in runs]


@cache
def _known(exercise, code, index):
    """What the code of a known misconception does on one probe."""
    return _essence(exercise, run_known(exercise.call, code, exercise.probes[index].args))


def _essence(exercise, record):
    return record if record.error else replace(record, value=exercise.essence(record.args, record.value))


def _as_expected(exercise, probe, args, value, expected):
    return close(exercise.essence(args, value), exercise.essence(args, expected), probe)


def _required(exercise, runs):
    """(probe, run, expected) for the probes that a right answer must pass."""
    expected = _expected(exercise)
    return [(p, r, e) for p, r, e in zip(exercise.probes, runs, expected, strict=False) if not p.advice]


# ---------------------------------------------------------------- 1. it raised

def _raised(exercise, runs):
    for probe, record, _ in _required(exercise, runs):
        if record.error is None:
            continue
        if isinstance(record.error, StillRunning):
            return Verdict("error", (
                ("say", "Your code was still running after 5 seconds, and was stopped."),
                ("think", "Is there a loop whose condition never becomes false?")), "never-ends")
        if isinstance(record.error, Fault):
            return Verdict("wrong", (("say", record.error.sentence),), record.error.diagnosis)
        if isinstance(record.error, NotImplementedError) and not str(record.error):
            return Verdict("not attempted", (("say", "It still raises NotImplementedError."),))
        return _explain(exercise, probe, record, runs)
    return None


def _explain(exercise, probe, record, runs):
    """An exception, said again: where, on what, and what it means here."""
    named = _match(exercise, runs)
    where = f" at your {record.line}" if record.line else ""
    given = _told(exercise, probe.args, record.error)
    parts = [("say", f"It raised {errors.first_line(record.error)}{where}."), ("numbers", given)]
    if named:
        parts += [("say", named.means), ("think", named.think)]
    else:
        parts += [("think", errors.meaning(record.error, _one_axis_more(exercise, runs, probe)) or
                   "Print the shapes just before that line, and compare them with the ones above.")]
    return Verdict("error", tuple(parts), named.id if named else None)


def _one_axis_more(exercise, runs, stopped):
    """Whether the code gave right numbers with fewer axes, and stops with more of them."""
    before = [probe for probe, record, right in _required(exercise, runs)
              if record.error is None and _as_expected(exercise, probe, probe.args, record.value, right)]
    return any(_axes(probe) < _axes(stopped) for probe in before)


def _axes(probe):
    return max((x.dim() for x in probe.args if isinstance(x, Tensor)), default=0)


def _told(exercise, args, error=None):
    """What the learner's code was given, with its dtypes where the error speaks of them."""
    if exercise.told:
        return exercise.told(args)
    dtypes = errors.speaks_of_dtypes(error)
    given = ", ".join(argument(name, value, dtypes)
                      for name, value in zip(exercise.named_inputs, args, strict=False))
    return f"It was called with {given}."


# ---------------------------------------------------------------- 2. type, shape, dtype, changed inputs

def _malformed(exercise, attempt, runs):
    for probe, record, expected in _required(exercise, runs):
        fault = (wrong_type(exercise, record.value, expected)
                 or wrong_shape(exercise, record.value, expected, probe.args)
                 or wrong_dtype(exercise, record.value, expected, probe.args))
        if fault:
            named = _match(exercise, runs)
            if named:
                return _misconception(named, _wrong_before(exercise, attempt, runs, named, probe) or fault[1])
            return Verdict("wrong", (("say", fault[1]), ("think", fault[2])), fault[0])
        if record.changed:
            return _changed(exercise, attempt, runs, record)
    return None


def _wrong_before(exercise, attempt, runs, named, stop=None):
    """What a known mistake did to the numbers, as far as the probe `stop`; '' where it did nothing."""
    for probe, record, expected in _required(exercise, runs):
        if probe is stop or record.error or not same_shapes(record.value, expected):
            return ""
        if not _as_expected(exercise, probe, probe.args, record.value, expected):
            return _in_numbers(exercise, attempt, named, Case(probe.args, plain(expected), plain(record.value)))
    return ""


def _changed(exercise, attempt, runs, record):
    names = " and ".join(exercise.named_inputs[i] for i in record.changed)
    said = f"Your code changed its input {names}. Whoever calls it still needs it as it was."
    kinds = {type(record.args[i]) for i in record.changed}
    layers = any(issubclass(kind, Module) for kind in kinds)
    named = None if layers else _match(exercise, runs)  # a changed layer is the mistake itself
    if named:
        found = _misconception(named, _wrong_before(exercise, attempt, runs, named))
        return replace(found, parts=(*found.parts, ("say", f"Besides: {said[0].lower()}{said[1:]}")))
    if dict in kinds:
        think = ("d[key] = ..., setdefault, update and pop write into the dict d itself; d.get(key, other) and d[key] "
                 "only look.")
    elif kinds & {list, set}:
        think = ("pop, remove, add, append and sort change the collection itself; sorted(...), list(...) and set(...) "
                 "make a new one.")
    elif layers:
        think = "Apply the layer, and leave its weight and bias alone: they are to be used again."
    else:
        think = ("x += ..., x -= ..., x[...] = ... and methods that end in _ (masked_fill_) write into x itself. Make "
                 "a new tensor instead (x = x - ..., or return x + ...), or start with x.clone().")
    return Verdict("wrong", (("say", said), ("think", think)), "changes-input")


# ---------------------------------------------------------------- 3. a known misconception

def _wrong_numbers(exercise, attempt, runs):
    for probe, record, expected in _required(exercise, runs):
        if _as_expected(exercise, probe, probe.args, record.value, expected):
            continue
        case = Case(probe.args, plain(expected), plain(record.value), exercise.returns)
        named = _match(exercise, runs) or _match_failing(exercise, runs)
        if named:
            return _misconception(named, _in_numbers(exercise, attempt, named, case))
        return (_failed_experiment(exercise, attempt, early=True) or _not_repeatable(exercise, attempt, probe, record)
                or _broken_law(exercise, attempt, runs) or _failed_experiment(exercise, attempt)
                or _smallest(exercise, attempt, probe, case))
    return None


def _not_repeatable(exercise, attempt, probe, record):
    """Where something is random that must not be, laws and experiments tell nothing."""
    if exercise.by_chance or isinstance(record.value, list):
        return None
    once, again = plain(record.value), plain(run(exercise.call, attempt, probe.args, seed=1).value)
    if not same_shapes(again, once) or close(again, once, probe, equal_nan=True):
        return None
    moved = max(float((a.double() - b.double()).abs().max()) for _, a, b in tensors(exercise, again, once))
    twice = "Built and called" if exercise.is_class else "Called"
    return Verdict("wrong", (
        ("say", f"{twice} twice with the same numbers, your code gives two different results; they differ by up to "
                f"{evidence.number(moved)}."),
        ("think", "Nothing here is random: is there a dropout, or a layer of its own with random numbers? Or is "
                  "something kept from an earlier call?")), "not-repeatable")


def _misconception(named, numbers):
    return Verdict("wrong", (("say", named.means), ("numbers", numbers), ("think", named.think)), named.id)


def _in_numbers(exercise, attempt, named, case):
    """What the mistake does: on an input small enough to follow by hand, where there is one."""
    tell = named.evidence or evidence.entry
    for small in _failing(exercise, attempt):
        given = listed([equation(name, value) for name, value in
                        zip(exercise.named_inputs, small.args, strict=False)])
        told = tell(small)
        if told and len(given) < 150:
            return f"With {given}: {ended(told)}"
    told = tell(case) or evidence.entry(case)
    return ended(told[0].upper() + told[1:])


def _failing(exercise, attempt):
    """The small cases on which the attempt is wrong, the smallest first."""
    probe = exercise.probes[0]
    for args in exercise.small:
        expected = run(exercise.call, exercise.solution, args).value
        record = run(exercise.call, attempt, args)
        if isinstance(record.error, StillRunning):
            return
        if (record.error is None and same_shapes(record.value, expected)
                and not _as_expected(exercise, probe, args, record.value, expected)):
            yield Case(args, plain(expected), plain(record.value), exercise.returns)


def _match(exercise, runs):
    """The misconception that does the same as the learner's code on every probe."""
    if len(runs) < len(exercise.probes):
        return None
    return next((m for m in exercise.misconceptions for code in m.codes
                 if all(_does_the_same(exercise, runs, code, i) for i in range(len(runs)))), None)


def _match_failing(exercise, runs):
    """The one misconception that does the same wherever the learner's code fails, if there is just one."""
    tried = enumerate(zip(exercise.probes, runs, _expected(exercise), strict=False))
    failing = [i for i, (probe, record, right) in tried
               if not probe.advice and not _as_expected(exercise, probe, probe.args, record.value, right)]
    found = [m for m in exercise.misconceptions
             if any(all(_does_the_same(exercise, runs, code, i) for i in failing) for code in m.codes)]
    return found[0] if len(found) == 1 else None


def _does_the_same(exercise, runs, code, index):
    return alike(_essence(exercise, runs[index]), _known(exercise, code, index), exercise.probes[index])


# ---------------------------------------------------------------- 4. a property

def _broken_law(exercise, attempt, runs):
    """The first law that the numbers break, told on the smallest case that shows it."""
    small = [(case, _side_by_side(exercise, case)) for case in _failing(exercise, attempt)]
    large = [(Case(p.args, plain(e), plain(r.value), exercise.returns), [("numbers", f"It was tried on {p.name}.")])
             for p, r, e in _required(exercise, runs)]
    for law in exercise.laws:
        for case, shown in (*small, *large):
            sentence = law.test(case)
            if sentence:
                return Verdict("wrong", (("say", sentence), ("think", law.think), *shown), law.id)
    return None


def _failed_experiment(exercise, attempt, required=False, early=False):
    for experiment in exercise.experiments:
        if (experiment.required, experiment.early) != (required, early):  # the required ones speak of right numbers
            continue
        record = run(lambda code, test: test(code), attempt, (experiment.test,))
        if record.error is None and record.value:
            return Verdict("wrong", (("say", record.value), ("think", experiment.think)), experiment.id)
        if record.error is not None and required:
            return _stopped_in_experiment(experiment, record)
    return None


def _stopped_in_experiment(experiment, record):
    where = f" at your {record.line}" if record.line else ""
    return Verdict("error", (
        ("say", f"The numbers are right, but {experiment.while_doing} it raised "
                f"{errors.first_line(record.error)}{where}."),
        ("think", errors.meaning(record.error) or experiment.think)))


# ---------------------------------------------------------------- 5. the smallest failing example

def _smallest(exercise, attempt, probe, case):
    """Expected and actual, on an input that is small enough to work through by hand."""
    stuck = ("next", f'hint("{exercise.id}")')
    so_far = ("It is a list, but not the right one" if isinstance(case.expected, list) else
              "The shapes are right, the numbers are not")
    for small in _failing(exercise, attempt):
        return Verdict("wrong", (("say", f"{so_far}. The smallest input on which they differ:"),
                                 *_side_by_side(exercise, small), stuck))
    text = evidence.entry(case)
    return Verdict("wrong", (("say", f"{so_far}; it was tried on {probe.name}."),
                             ("numbers", ended(text[0].upper() + text[1:])), stuck))


def _side_by_side(exercise, case):
    """The inputs of a case, then what was expected beside what came."""
    named = list(zip(exercise.named_inputs, case.args, strict=False))
    shown = [("code", f"{name} =\n{table(value)}") for name, value in named if not isinstance(value, Module)]
    layers = ", ".join(equation(name, value) for name, value in named if isinstance(value, Module))
    if layers:
        shown.append(("code", f"layers:\n{layers}"))
    return shown + [("pair", (name, table(right), table(got)))
                    for name, got, right in tensors(exercise, case.got, case.expected)
                    if not close(got, right, exercise.probes[0])]


# ---------------------------------------------------------------- it is right

def _shared(exercise, attempt):
    """A later call changes what an earlier one returned: both are one and the same tensor or list."""
    probe = exercise.probes[0]
    first = run(exercise.call, attempt, probe.args)
    before = plain(first.value)
    run(exercise.call, attempt, _other_numbers(probe.args))
    if close(plain(first.returned), before, probe, equal_nan=True):
        return None
    kind = "list" if isinstance(before, list) else "tensor"
    return Verdict("wrong", (
        ("say", f"A later call changed what an earlier call had returned: both are the same {kind}."),
        ("think", f"Make a new {kind} in each call, inside the function.")), "shared-result")


def _other_numbers(args):
    """Arguments of the same shapes: numbers halved, and as the words in another order."""
    return tuple(_in_reverse(value) for value in args)


def _in_reverse(value):
    if isinstance(value, Tensor) and value.dim():
        return value.flip(-1) / 2 if value.is_floating_point() else value.flip(0)
    if isinstance(value, str):
        return " ".join(reversed(value.split()))
    return _other_numbers(value) if isinstance(value, tuple) else value


def _correct(exercise, runs):
    expected = _expected(exercise)
    parts = [("say", f"Correct on {len(_required(exercise, runs))} inputs. {exercise.after}")]
    for probe, record, right in zip(exercise.probes, runs, expected, strict=False):
        if probe.advice and (record.error or not close(record.value, right, probe)):
            parts.append(("think", f"{probe.advice} {_seen(record, right)}"))
    return Verdict("correct", tuple(parts))


def _seen(record, right):
    """What the code did on an input that a right answer may fail."""
    if record.error:
        return f"Yours raised {errors.first_line(record.error)}."
    if isinstance(right, tuple) or not same_shapes(record.value, right):
        return "Yours is wrong there."
    return f"Yours gives {inline(rounded(record.value))}, and {inline(rounded(right))} is right."


def _with_notes(exercise, found, attempt):
    """Name what wrong code may do without meaning to: read the notebook's variables, swap its arguments."""
    if found.status not in ("wrong", "error") or found.diagnosis in {m.id for m in exercise.misconceptions}:
        return found
    notes = []
    names = [f"{name} = {describe(value)}" for name, value in borrowed(attempt)]
    if names:
        notes.append(f"Your code reads {' and '.join(names)}: that comes from elsewhere in the notebook, not from what "
                     "it is given. Is that meant?")
    if not exercise.is_class and in_another_order(attempt, exercise.arguments):
        notes.append(f"Your arguments stand in another order than in {exercise.signature}. Is that meant?")
    return Verdict(found.status, (*found.parts, *(("think", note) for note in notes)), found.diagnosis)


def _with_print(exercise, found, runs):
    """Show once what the code printed: on the first input that went wrong, or on the first of all."""
    wrong = (record for probe, record, right in _required(exercise, runs)
             if record.error or not _as_expected(exercise, probe, probe.args, record.value, right))
    record = next(wrong, runs[0])
    printed = record.printed.strip()
    if not printed:
        return found
    lines = printed.splitlines()
    cut = "\n".join(line[:100] for line in lines[:8]) + ("\n..." if len(lines) > 8 else "")
    given = _told(exercise, record.args)
    heading = "Your code printed:" if ("numbers", given) in found.parts else f"{given} Your code printed:"
    return Verdict(found.status, (*found.parts, ("code", f"{heading}\n{cut}")), found.diagnosis)
