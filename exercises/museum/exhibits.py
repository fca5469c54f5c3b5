"""Read all exhibits from exhibits.md, and show them in a notebook. A section of that page:

## 3                               its number, followed by its promise
learns: next word                  if it promises to read no later token; the others learn missing words
because: ...                       for a healthy one: why it keeps its promise
tests: scale · silent: future      for a broken one: the tests that show this by a complaint, or by having none;
threads: a/b#6                     where it was found; bug and story for its card; symptom, suspicion and remedy for the
                                   field guide
```python exhibit                  its healthy code
- `healthy` → `broken`             an edit that adds its bug
"""

import itertools
import math
import re
from pathlib import Path

import torch
import torch.nn.functional as F
from IPython.display import Markdown, display
from torch import nn

import figures
from exercises.museum.curves import LOSSES, STEPS
from exercises.museum.exhibit import Exhibit
from feedback.page import EDIT, EDITS, KEY, Code, Page, blocks
from feedback.page_exercise import compiled, edited
from helpers.heads import merge_heads, split_heads

PAGE = Page(Path(__file__).with_suffix(".md"), name="museum")
NAMES = {"math": math, "torch": torch, "F": F, "nn": nn, "merge_heads": merge_heads, "split_heads": split_heads}
SEVERAL = ("tests", "silent", "threads")


def _read():
    """Yield each exhibit of the page."""
    found = list(blocks(PAGE.path))
    starts = [i for i, (_, mark, _) in enumerate(found) if mark == "##"]
    for start, end in itertools.pairwise([*starts, len(found)]):
        yield _exhibit(*found[start:end])


def _exhibit(heading, promise, *more):
    code, fields = Code("mistake", 0, block=True), {}
    for line, mark, text in more:
        if mark == "```python exhibit":
            code.line, code.text = line, text
        elif mark == "-" and EDITS.fullmatch(text):
            code.edits = EDIT.findall(text)
        elif not mark and KEY.fullmatch(text):
            fields |= dict(each.split(": ", 1) for each in re.split(r" · (?=\w+: )", text))
        else:
            raise PAGE.fail(line, f"neither a field, nor ```python exhibit, nor `healthy` → `broken`, got {text!r}")
    fields |= {name: tuple(fields[name].split(", ")) for name in SEVERAL if name in fields}
    if unknown := fields.keys() - Exhibit.__dataclass_fields__.keys():
        raise PAGE.fail(heading[0], f"no exhibit has a field {' or '.join(unknown)}")
    source = edited(PAGE, code, code.text)
    make, healthy = (compiled(PAGE, code, text, NAMES, None, PAGE.name) for text in (source, code.text))
    repair = tuple((broken, right) for right, broken in code.edits)
    return Exhibit(int(heading[2]), promise[2], source, make, healthy, repair, **fields)


EXHIBITS = {exhibit.number: exhibit for exhibit in _read()}


def of(number):
    """Return the exhibit with this number.

    Errors: ValueError if there is none
    """
    if isinstance(number, bool) or number not in EXHIBITS:
        raise ValueError(f"the exhibits have the numbers 1 to {len(EXHIBITS)}, got {number!r}")
    return EXHIBITS[number]


def show(*numbers):
    """Show the promise and the code of each of these exhibits."""
    for exhibit in map(of, numbers):
        text = f"**Exhibit {exhibit.number}** promises: {exhibit.promise}"
        display(Markdown(f"{text}\n\n```python\n{exhibit.source}\n```"))


def training(*numbers):
    """Return one figure with the training curves of these exhibits."""
    return figures.lines({f"exhibit {of(n).number}": LOSSES[n] for n in numbers}, STEPS, "step", "loss", "Training")


def three_curves():
    """Return the losses of one healthy and two broken exhibits without their numbers, the lowest last loss first."""
    return sorted((LOSSES[number] for number in (4, 6, 13)), key=lambda losses: losses[-1])
