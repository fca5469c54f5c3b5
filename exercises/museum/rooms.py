"""All exhibits, and how a notebook shows them."""

from IPython.display import Markdown, display

import figures
from exercises.museum import room_1, room_2, room_3, room_4
from exercises.museum.curves import LOSSES, STEPS

ROOMS = (room_1, room_2, room_3, room_4)
EXHIBITS = {exhibit.number: exhibit for room in ROOMS for exhibit in room.EXHIBITS}


def of(number):
    """The exhibit with this number.

    Errors: ValueError if there is none
    """
    if isinstance(number, bool) or number not in EXHIBITS:
        raise ValueError(f"the exhibits have the numbers 1 to {len(EXHIBITS)}, got {number!r}")
    return EXHIBITS[number]


def show(*numbers):
    """The training curves of these exhibits in one figure, then the promise and the code of each."""
    exhibits = [of(number) for number in numbers]
    curves = {f"exhibit {exhibit.number}": LOSSES[exhibit.number] for exhibit in exhibits}
    display(figures.lines(curves, STEPS, "step", "loss", "Training"))
    for exhibit in exhibits:
        text = f"**Exhibit {exhibit.number}** promises: {exhibit.promise}"
        display(Markdown(f"{text}\n\n```python\n{exhibit.source.rstrip()}\n```"))


def three_curves():
    """The losses of one healthy exhibit and of two broken ones, without their numbers, the lowest last loss first."""
    return sorted((LOSSES[number] for number in (4, 6, 13)), key=lambda losses: losses[-1])
