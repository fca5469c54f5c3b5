"""The museum of notebook 13: layers, most of them with a bug that was really shipped.

    show(1, 2)                              their promises and their code
    examine({"future": my_test}, 1, 2)      which tests complain about which exhibits
    training(1, 2)                          their training curves
    verdict({1: "future", 2: "healthy"})    judge exhibits; an accusation names the test that proves it
    score()                                 the score so far; a false accusation costs a point

    exhibits.md    the exhibits, their promises and what is known about each; exhibits.py reads and shows them
    exhibit        one exhibit, and the forms in which tests take it
    findings       results of tests      verdicts    cards and score
    curves         losses, from tools/museum_curves.py

The exhibits are short reconstructions written for the course, not the original code.
"""

from exercises.museum.exhibits import EXHIBITS, show, three_curves, training
from exercises.museum.findings import examine
from exercises.museum.verdicts import score, verdict

__all__ = ["EXHIBITS", "examine", "score", "show", "three_curves", "training", "verdict"]
