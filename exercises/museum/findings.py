"""The results of tests on exhibits."""

from dataclasses import dataclass
from html import escape

import torch

from exercises.museum.exhibits import of

SILENT, COMPLAINS, NOT_ASKED, RAISES = "silent", "complains", "–", "raises"
TESTS = ("future", "scale", "padding", "cache", "heads", "modes")
TESTS += ("permutation", "dtype", "reference", "gradients", "alone")


@dataclass(frozen=True)
class Findings:
    """A table of tests and exhibits, and the sentences of the tests that complain.

    table    {test: {exhibit: "silent", "complains", "–" if the test does not apply, or "raises"}}
    words    [(exhibit, test, sentence)]
    """

    table: dict
    words: list

    @property
    def numbers(self):
        return list(next(iter(self.table.values()), {}))

    def __repr__(self):
        rows = [["", *map(str, self.numbers)], *([name, *row.values()] for name, row in self.table.items())]
        lines = ["".join(f"{cell:12}" for cell in row).rstrip() for row in rows]
        return "\n".join([*lines, *(f"{number}, {name}: {text}" for number, name, text in self.words)])

    def _repr_mimebundle_(self, include=None, exclude=None):
        head = "".join(f'<th scope="col">exhibit {number}</th>' for number in self.numbers)
        rows = "".join(
            f'<tr><th scope="row">{escape(name)}</th>' + "".join(f"<td>{_marked(cell)}</td>" for cell in row.values())
            for name, row in self.table.items()
        )
        words = "".join(
            f"<li>exhibit {number}, {escape(name)}: {escape(text)}</li>" for number, name, text in self.words
        )
        table = f'\n<table><thead><tr><th scope="col">test</th>{head}</tr></thead><tbody>{rows}</tbody></table>'
        return {"text/html": f"{table}<ul>{words}</ul>" if words else table, "text/plain": repr(self)}


def _marked(cell):
    return f"<b>{cell}</b>" if cell in (COMPLAINS, RAISES) else cell


def examine(tests, *numbers):
    """Run each test on each exhibit. A test complains by returning False or raising AssertionError.

    tests    {"future": a function, ...}, with names from TESTS
    Errors: ValueError if a test has another name, or there is no exhibit with a number
    """
    for name in tests:
        if name not in TESTS:
            raise ValueError(f"a test has one of the names {', '.join(TESTS)}, got {name!r}")
    exhibits, table, words = [of(number) for number in numbers], {name: {} for name in tests}, []
    for exhibit in exhibits:
        for name, test in tests.items():
            asked = exhibit.for_tests().get(name)
            said, text = (NOT_ASKED, "") if asked is None else _ask(test, asked)
            table[name][exhibit.number] = said
            if text:
                words.append((exhibit.number, name, text))
    return Findings(table, words)


def _ask(test, arguments):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        try:
            return (COMPLAINS if test(*arguments) is False else SILENT), ""
        except AssertionError as error:
            return COMPLAINS, _first_line(error)
        except Exception as error:
            return RAISES, f"{type(error).__name__}: {_first_line(error)}"


def _first_line(error):
    return next((line.strip() for line in str(error).splitlines() if line.strip()), "")[:160]
