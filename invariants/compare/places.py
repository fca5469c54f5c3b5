"""Find where two runs first differ, and test that the difference arises there: rerun mine with numbers of theirs."""

from dataclasses import dataclass
from functools import partial

import torch

from invariants.compare.numbers import in_layout_of, same, size_of_difference
from invariants.compare.recording import Call, noisy, with_first

MOST = 4  # how many places at most get numbers of theirs at once
CANNOT_RUN = (RuntimeError, ValueError, TypeError, IndexError, AttributeError, AssertionError)  # a rerun may raise


@dataclass(eq=False)
class Event:
    """A module's input (if before) or output in both runs: a is mine, b is theirs, `size` the largest difference."""

    mine: Call
    theirs: Call
    before: bool
    a: torch.Tensor
    b: torch.Tensor
    size: float | None

    @property
    def key(self):
        return self.mine.place, self.before

    @property
    def in_mine(self):
        """The numbers of theirs in the layout of mine."""
        return in_layout_of(self.b, self.a)

    def differs(self, tolerance):
        return self.size is not None and self.size > max(allowed(x, tolerance) for x in (self.a, self.b))


def differences(calls, others, pairs):
    """Return an Event for everything that can be compared, in the order of mine."""
    there = {call.place: call for call in others}
    found = []
    for call in calls:
        other = there.get((pairs.get(call.name), call.number))
        if other is None:
            continue
        for at, before, a, b in (
            (call.start, True, call.input, other.input),
            (call.end, False, call.output, other.output),
        ):
            if a is not None and b is not None:
                found.append((at, Event(call, other, before, a, b, size_of_difference(a, b))))
    return [event for _, event in sorted(found, key=lambda pair: pair[0])]


def allowed(b, tolerance):
    """Return the largest difference that is rounding: the tolerance, or more for numbers above 20 or half precision."""
    largest = largest_of(b)
    coarse = 4 * torch.finfo(b.dtype).eps * max(1.0, largest) if b.is_floating_point() else 0.0
    return max(tolerance, tolerance / 20 * largest, coarse)


def largest_of(b):
    finite = b[b.isfinite()] if b.is_floating_point() else b[:0]
    return float(finite.abs().max()) if finite.numel() else 0.0


def first_parting(found, tolerance, rerun):
    """Return the first event with a difference that no later step undoes and whether it arises there; or (None, False).

    rerun({key: change}): the events of another run of mine, in which the tensors at these places are changed. With the
    numbers of theirs, later differences must disappear. If they do not, a later step may undo the difference, as when
    mine applies a factor in one module and theirs in the next.
    """
    resume = 0
    for i, event in enumerate(found):
        if i < resume or not event.differs(tolerance) or (not event.mine.name and event.before):
            continue
        fits = event.in_mine.shape == event.a.shape
        try:
            if fits and _is_cause(found, i, tolerance, rerun):
                return event, True
            undone = _undone_at(found, i, tolerance, rerun)
        except CANNOT_RUN:
            return event, False
        if undone is None:
            return event, not fits  # no later step undoes a different shape
        resume = undone
    return None, False


def what_follows(found, event, tolerance, rerun):
    """The name of the next module that differs if this event has the numbers of theirs: (name,), or () for none.

    None if that cannot be known, because nothing comes later or the shapes differ.
    """
    later = {other.key for other in found[found.index(event) + 1 :]}
    if not later or event.in_mine.shape != event.a.shape:
        return None
    again = rerun({event.key: partial(with_first, x=event.in_mine)})
    return tuple(other.mine.name for other in again if other.key in later and other.differs(tolerance))[:1]


def _is_cause(found, i, tolerance, rerun):
    """Whether the numbers of theirs at this event repair the next difference.

    If other differences come in between, as that of the keys after that of the queries, these get numbers of theirs,
    too; this event is the cause only if the repair fails without it.
    """
    places = [found[i]]
    while len(places) <= MOST:
        repaired, failed = _effect(found, places, tolerance, rerun)
        if repaired:
            return len(places) == 1 or not _effect(found, places[1:], tolerance, rerun)[0]
        if failed is None or not failed.differs(tolerance):
            return failed is None and len(places) == 1  # nothing comes after this event
        places.append(failed)
    return False


def _effect(found, places, tolerance, rerun):
    """Return (True, None) if numbers of theirs at these places repair the next event, or (False, it) if they do not."""
    again = {event.key: event for event in rerun({e.key: partial(with_first, x=e.in_mine) for e in places})}
    for event in found[found.index(places[-1]) + 1 :]:
        now = again.get(event.key)
        if now is None or any(same(event.b, place.b) for place in places):
            continue  # this event only passes on the output of these places
        if now.differs(tolerance):
            return False, event
        if event.differs(tolerance):
            return True, None
    return False, None


def _undone_at(found, i, tolerance, rerun):
    """The index of a later event that depends on this one and yet agrees with theirs, or None."""
    if all(event.differs(tolerance) for event in found[i + 1 :]):
        return None
    again = {event.key: event for event in rerun({found[i].key: noisy})}
    for j, event in enumerate(found[i + 1 :], i + 1):
        rounding = 2e-6 * max(1.0, largest_of(event.b))  # a difference that only shrinks is not undone
        if event.size is None or event.size > rounding or event.key not in again:
            continue
        if size_of_difference(event.a, again[event.key].a) > 10 * allowed(event.b, tolerance):
            return j
    return None
