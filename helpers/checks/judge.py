"""From a learner's code to a verdict, in a fixed order: the first thing that is said is the first to mend.

1. it raised  2. wrong type, shape, dtype, or a changed input  3. a known misconception
4. a property that every right answer has  5. the smallest failing example
"""

import ast
import dis
import inspect
import linecache
import textwrap
from dataclasses import dataclass
from functools import cache

import torch

from helpers.checks import errors, evidence
from helpers.checks.catalogue import Case
from helpers.checks.running import Fault, StillRunning, run, run_known

AXES = {2: "B", 3: "H", 5: "T", 7: "S", 11: "D", 13: "Dv"}  # distinct primes: a size tells its axis


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
    runs = _runs(exercise, attempt)
    found = (_raised(exercise, runs) or _malformed(exercise, runs) or _wrong_numbers(exercise, attempt, runs)
             or _failed_experiment(exercise, attempt, required=True) or _correct(exercise, runs))
    return _with_print(_with_borrowed(found, attempt), runs)


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
        got = _describe(attempt)
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
    try:
        signature.bind(*exercise.arguments)
    except TypeError:
        return Verdict("error", (
            ("say", f"{exercise.name} is called as {exercise.signature}; yours takes {signature}."),
            ("next", "Give it these arguments, in this order." + (
                " In a method, self comes first." if exercise.is_class else ""))))
    names = list(signature.parameters)[:len(exercise.arguments)]
    if set(names) == set(exercise.arguments) and names != list(exercise.arguments):
        return Verdict("error", (
            ("say", f"{exercise.name} is called as {exercise.signature}; your arguments stand in another order: "
                    f"{signature}."),
            ("next", "Exchange them in the line with `def`.")))
    return None


def is_stub(attempt):
    """Whether a function or class still has the empty body that it had in the notebook."""
    if isinstance(attempt, type):
        methods = [m for m in vars(attempt).values() if inspect.isfunction(m)]
        return all(is_stub(m) for m in methods)
    if not inspect.isfunction(attempt) or attempt.__name__ == "<lambda>":
        return False
    body = _body(attempt)
    if body is not None:
        return all(_is_empty(statement) for statement in body)
    return _compiles_to_nothing(attempt)


def _body(function):
    """The statements of a function, or None where its source is not at hand."""
    try:
        linecache.checkcache(function.__code__.co_filename)
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return None
    first = tree.body[0]
    return first.body if isinstance(first, (ast.FunctionDef, ast.AsyncFunctionDef)) else None


def _is_empty(statement):
    """A docstring, `...`, `pass`, `raise NotImplementedError` or `super().__init__()`."""
    text = ast.unparse(statement)
    constant = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return (constant or text in ("pass", "super().__init__()") or text.startswith("raise NotImplementedError"))


def _compiles_to_nothing(function):
    """Without source: byte code that only returns None, unless the place of that None shows a written `return`."""
    steps = [step for step in dis.get_instructions(function) if step.opname not in ("RESUME", "NOP")]
    does_something = {step.opname for step in steps} - {"LOAD_CONST", "RETURN_VALUE", "RETURN_CONST"}
    if does_something or steps[0].argval is not None:
        return False
    positions = getattr(steps[0], "positions", None)  # Python 3.11 and newer
    start, end = (positions.col_offset or 0, positions.end_col_offset or 0) if positions else (0, 0)
    written = end - start == len("return") or end - start == len("None") and start % 4 != 0  # `pass` starts a line
    return not written


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
    return run_known(exercise.call, code, exercise.probes[index].args)


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
        return _explain(exercise, probe, record, _match(exercise, runs))
    return None


def _explain(exercise, probe, record, named):
    """An exception, said again: where, on what, and what it means here."""
    where = f" at your {record.line}" if record.line else ""
    parts = [("say", f"It raised {errors.first_line(record.error)}{where}."),
             ("numbers", exercise.told(probe.args) if exercise.told else _told(exercise, probe.args))]
    if named:
        parts += [("say", named.means), ("think", named.think)]
    else:
        parts += [("think", errors.meaning(record.error) or
                   "Print the shapes just before that line, and compare them with the ones above.")]
    return Verdict("error", tuple(parts), named.id if named else None)


def _told(exercise, args):
    """What the learner's code was given."""
    given = ", ".join(_argument(name, value) for name, value in zip(exercise.named_inputs, args, strict=False))
    return f"It was called with {given}."


def _argument(name, value):
    if isinstance(value, torch.Tensor):
        return f"{name} of shape {tuple(value.shape)}"
    text = repr(value)
    return f"{name} = {text if len(text) < 60 else text[:57] + '...'}"


# ---------------------------------------------------------------- 2. type, shape, dtype, changed inputs

def _malformed(exercise, runs):
    for _, record, expected in _required(exercise, runs):
        fault = (_wrong_type(exercise, record.value, expected) or _wrong_shape(exercise, record.value, expected)
                 or _wrong_dtype(exercise, record.value, expected))
        if fault:
            named = _match(exercise, runs)
            if named:
                return _misconception(named, fault[1])
            return Verdict("wrong", (("say", fault[1]), ("think", fault[2])), fault[0])
        if record.changed:
            names = " and ".join(exercise.named_inputs[i] for i in record.changed)
            return Verdict("wrong", (
                ("say", f"Your code changed its input {names}. Whoever calls it still needs it as it was."),
                ("think", "x -= ..., x /= ..., x[...] = ... and methods that end in _ (masked_fill_) write into x "
                          "itself. Write x = x - ... instead, or start with x.clone().")), "changes-input")
    return None


def _wrong_type(exercise, value, expected):
    wanted = _wanted(exercise, expected)
    if value is None:
        return ("returns-none", f"Your code returned None; {wanted} was expected.",
                "Does every path end with `return`?")
    if isinstance(expected, tuple):
        if not isinstance(value, tuple):
            return ("returns-one" if isinstance(value, torch.Tensor) else "returns-wrong-type",
                    f"Your code returned {_describe(value)}; {wanted} was expected.",
                    f"End with `return {', '.join(exercise.returns)}`.")
        if len(value) != len(expected):
            return ("returns-wrong-type", f"Your code returned {len(value)} things; {wanted} was expected.",
                    f"End with `return {', '.join(exercise.returns)}`.")
        for name, item in zip(exercise.returns, value, strict=True):
            if not isinstance(item, torch.Tensor) or item.layout != torch.strided:
                return ("returns-wrong-type", f"{name} is {_describe(item)}; a tensor was expected.",
                        "Keep the numbers in torch tensors all the way.")
    elif not isinstance(value, torch.Tensor) or value.layout != torch.strided:
        return ("returns-wrong-type", f"Your code returned {_describe(value)}; {wanted} was expected.",
                "Keep the numbers in torch tensors all the way, and return the result alone.")
    return None


def _wanted(exercise, expected):
    if isinstance(expected, tuple):
        return f"the pair ({', '.join(exercise.returns)})"
    return f"one tensor, {exercise.returns[0]},"


def _tensors(exercise, value, expected):
    if isinstance(expected, tuple):
        return list(zip(exercise.returns, value, expected, strict=True))
    return [(exercise.returns[0], value, expected)]


def _wrong_shape(exercise, value, expected):
    for name, got, right in _tensors(exercise, value, expected):
        if got.shape != right.shape:
            return ("wrong-shape", f"{name} should have shape {_axes(exercise, right.shape)}, "
                                   f"got {_axes(exercise, got.shape)}.",
                    "Write the shape behind each line as a comment, and find the first that surprises you.")
    return None


def _axes(exercise, shape):
    """A shape with its axes named: (2, 5, 7) = (B, T, S); without names where none is known."""
    names = {**AXES, **exercise.sizes}
    if not len(shape):
        return "() (a single number)"
    if not any(names.get(size) for size in shape):
        return f"{tuple(shape)}"
    letters = ", ".join(names.get(size) or str(size) for size in shape)
    return f"{tuple(shape)} = ({letters}{',' if len(shape) == 1 else ''})"


def _wrong_dtype(exercise, value, expected):
    for name, got, right in _tensors(exercise, value, expected):
        if got.dtype != right.dtype:
            short = str(right.dtype).replace("torch.", "")
            mend = ("Compare (==, <, >=) to get True and False, or end with .bool()." if short == "bool" else
                    f"The input was {short}: did a new tensor bring in another dtype? "
                    "Make it with dtype=x.dtype, or with zeros_like.")
            return ("wrong-dtype", f"{name} should be {right.dtype}, got {got.dtype}.", mend)
        if got.device != right.device:
            return ("wrong-device", f"{name} should be on {right.device} like the input, got {got.device}.",
                    "Make new tensors with device=x.device.")
    return None


def _describe(value):
    if isinstance(value, torch.Tensor):
        return f"a tensor of shape {tuple(value.shape)}"
    if hasattr(value, "shape"):
        return f"a {type(value).__name__} of shape {tuple(value.shape)}"
    if isinstance(value, (list, tuple)):
        return f"a {type(value).__name__} of {len(value)}"
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if isinstance(value, torch.nn.Module):
        return f"a module, {type(value).__name__}(...)"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return repr(value)
    if inspect.isroutine(value):
        return f"the function {getattr(value, '__name__', '')}".strip()
    return "None" if value is None else f"{type(value).__name__} {repr(value)[:40]}"


# ---------------------------------------------------------------- 3. a known misconception

def _wrong_numbers(exercise, attempt, runs):
    for probe, record, expected in _required(exercise, runs):
        if _close(record.value, expected, probe):
            continue
        case = Case(probe.args, _plain(expected), _plain(record.value))
        named = _match(exercise, runs) or _match_here(exercise, runs, exercise.probes.index(probe))
        if named:
            return _misconception(named, _in_numbers(exercise, attempt, named, case))
        return (_broken_law(exercise, attempt, runs) or _failed_experiment(exercise, attempt)
                or _smallest(exercise, attempt, probe, case))
    return None


def _misconception(named, numbers):
    return Verdict("wrong", (("say", named.means), ("numbers", numbers), ("think", named.think)), named.id)


def _in_numbers(exercise, attempt, named, case):
    """What the mistake does: on an input small enough to follow by hand, where there is one."""
    tell = named.evidence or evidence.entry
    for small in _failing(exercise, attempt):
        given = " and ".join(f"{name} = {_inline(value)}" for name, value in
                             zip(exercise.named_inputs, small.args, strict=False))
        if len(given) < 150:
            return f"With {given}: {_ended(tell(small))}"
    return _ended(tell(case)[0].upper() + tell(case)[1:])


def _failing(exercise, attempt):
    """The small cases on which the attempt is wrong, the smallest first."""
    probe = exercise.probes[0]
    for args in exercise.small:
        expected = run(exercise.call, exercise.solution, args).value
        record = run(exercise.call, attempt, args)
        if record.error is None and _same_shapes(record.value, expected) and not _close(record.value, expected, probe):
            yield Case(args, _plain(expected), _plain(record.value))


def _same_shapes(got, expected):
    got, expected = (x if isinstance(x, tuple) else (x,) for x in (got, expected))
    return len(got) == len(expected) and all(
        isinstance(a, torch.Tensor) and a.shape == b.shape for a, b in zip(got, expected, strict=True))


def _plain(value):
    """Without gradients, so that numbers can be taken out."""
    if isinstance(value, tuple):
        return tuple(_plain(item) for item in value)
    return value.detach() if isinstance(value, torch.Tensor) else value


def _inline(value):
    """A small tensor on one line: [[0, 1], [0.5, 2]]."""
    if not isinstance(value, torch.Tensor):
        return str(value)
    if value.dim():
        return "[" + ", ".join(_inline(v) for v in value) + "]"
    return f"{value.item():.4g}" if value.is_floating_point() else str(value.item())


def _ended(text):
    return text if text.endswith(".") else text + "."


def _match(exercise, runs):
    """The misconception that does the same as the learner's code on every probe."""
    if len(runs) < len(exercise.probes):
        return None
    return next((m for m in exercise.misconceptions for code in m.codes
                 if all(_does_the_same(exercise, runs, code, i) for i in range(len(runs)))), None)


def _match_here(exercise, runs, index):
    """The one misconception that does the same on the first probe that fails, if there is just one."""
    found = [m for m in exercise.misconceptions
             if any(_does_the_same(exercise, runs, code, index) for code in m.codes)]
    return found[0] if len(found) == 1 else None


def _does_the_same(exercise, runs, code, index):
    return _alike(runs[index], _known(exercise, code, index), exercise.probes[index])


def _alike(a, b, probe):
    """Whether two runs ended the same way."""
    if a.error is not None or b.error is not None:
        return type(a.error) is type(b.error) and str(a.error) == str(b.error)
    return _close(a.value, b.value, probe, equal_nan=True)


def _close(got, expected, probe, equal_nan=False):
    if isinstance(expected, tuple):
        return (isinstance(got, tuple) and len(got) == len(expected)
                and all(_close(a, b, probe, equal_nan) for a, b in zip(got, expected, strict=True)))
    if not isinstance(expected, torch.Tensor) or not isinstance(got, torch.Tensor):
        return type(got) is type(expected) and got == expected
    if any(getattr(got, name) != getattr(expected, name) for name in ("layout", "shape", "dtype", "device")):
        return False
    return torch.allclose(got.detach(), expected.detach(), rtol=probe.rtol, atol=probe.atol, equal_nan=equal_nan)


# ---------------------------------------------------------------- 4. a property

def _broken_law(exercise, attempt, runs):
    """The first law that the numbers break, told on the smallest case that shows it."""
    small = list(_failing(exercise, attempt))
    large = [Case(p.args, _plain(e), _plain(r.value)) for p, r, e in _required(exercise, runs)]
    for law in exercise.laws:
        for case in (*small, *large):
            sentence = law.test(case)
            if sentence:
                shown = _side_by_side(exercise, case) if any(case is s for s in small) else ()
                return Verdict("wrong", (("say", sentence), ("think", law.think), *shown), law.id)
    return None


def _failed_experiment(exercise, attempt, required=False):
    for experiment in exercise.experiments:
        if required and not experiment.required:
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
    for small in _failing(exercise, attempt):
        return Verdict("wrong", (("say", "The shapes are right, the numbers are not. "
                                         "The smallest input on which they differ:"),
                                 *_side_by_side(exercise, small), stuck))
    text = evidence.entry(case)
    return Verdict("wrong", (("say", f"The shapes are right, the numbers are not; it was tried on {probe.name}."),
                             ("numbers", _ended(text[0].upper() + text[1:])), stuck))


def _side_by_side(exercise, case):
    """The inputs of a case, then what was expected beside what came."""
    shown = [("code", f"{name} =\n{_show(value)}")
             for name, value in zip(exercise.named_inputs, case.args, strict=False)]
    return shown + [("pair", (name, _show(right), _show(got)))
                    for name, got, right in _tensors(exercise, case.got, case.expected)
                    if not _close(got, right, exercise.probes[0])]


def _show(value):
    """A tensor as a table with 4 decimals, without the word tensor."""
    if not isinstance(value, torch.Tensor):
        return str(value)
    value = value.detach()
    if value.dim() == 0:
        return evidence.number(value) if value.is_floating_point() else str(value.item())
    if value.dim() == 1:
        return "[" + ", ".join(_show(v) for v in value) + "]"
    return "[" + ",\n ".join(_show(v).replace("\n", "\n ") for v in value) + "]"


# ---------------------------------------------------------------- it is right

def _correct(exercise, runs):
    expected = _expected(exercise)
    parts = [("say", f"Correct on {len(_required(exercise, runs))} inputs. {exercise.after}")]
    for probe, record, right in zip(exercise.probes, runs, expected, strict=True):
        if probe.advice and (record.error or not _close(record.value, right, probe)):
            seen = (f"raises {errors.first_line(record.error)}" if record.error else
                    f"gives {_inline(_rounded(record.value))}")
            parts.append(("think", f"{probe.advice} Yours {seen}, and {_inline(_rounded(right))} is right."))
    return Verdict("correct", tuple(parts))


def _with_borrowed(found, attempt):
    """Name the notebook's variables that wrong code reads, perhaps without meaning to."""
    if found.status not in ("wrong", "error"):
        return found
    names = [f"{name} = {_describe(value)}" for name, value in _borrowed(attempt)]
    if not names:
        return found
    words = (f"Your code reads {' and '.join(names)}: that comes from elsewhere in the notebook, not from what it is "
             "given. Is that meant?")
    return Verdict(found.status, (*found.parts, ("think", words)), found.diagnosis)


def _borrowed(attempt):
    """The global variables that hold data, and that a function or a class's methods read: [(name, value), ...]."""
    functions = ([m for m in vars(attempt).values() if inspect.isfunction(m)] if isinstance(attempt, type)
                 else [attempt] if inspect.isfunction(attempt) else [])
    read = {step.argval: function.__globals__.get(step.argval) for function in functions
            for step in dis.get_instructions(function) if step.opname == "LOAD_GLOBAL"}
    return [(name, value) for name, value in read.items()
            if isinstance(value, (torch.Tensor, torch.nn.Module, int, float, list, tuple))]


def _rounded(value):
    return (_plain(value) * 1e4).round() / 1e4


def _with_print(found, runs):
    """Show once what the code printed on its first run."""
    printed = runs[0].printed.strip() if runs else ""
    if not printed:
        return found
    lines = printed.splitlines()
    cut = "\n".join(line[:100] for line in lines[:8]) + ("\n..." if len(lines) > 8 else "")
    return Verdict(found.status, (*found.parts, ("code", f"Your code printed:\n{cut}")), found.diagnosis)
