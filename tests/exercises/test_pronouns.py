"""Notebook 02 shows the words and features that exercise 2.6 is judged on."""

from exercises import EXERCISES
from exercises.n02_single_head_attention.pronoun_matrices import NOUNS, PRONOUNS, TABLE, referents
from tests.notebooks.common import PATHS, code_cells


def shown_in_the_notebook():
    cell = next(cell for path in PATHS for cell in code_cells(path) if cell.id == "pronoun-table")
    names = {}
    exec(cell.source, names)
    return names


def test_the_table_of_the_notebook_is_that_of_the_exercise():
    shown = shown_in_the_notebook()
    assert {word: tuple(row) for word, row in shown["features"].items()} == TABLE
    assert set(NOUNS).isdisjoint(PRONOUNS)


def test_all_sentences_keep_what_the_exercise_promises():
    cases = [*EXERCISES["2.6"].cases]
    sentences = [*shown_in_the_notebook()["sentences"], *(case.args[0] for case in cases)]
    for sentence in sentences:
        words = sentence.split()
        assert len(words) <= 10 and referents(sentence), sentence
        for pronoun in set(words) & set(PRONOUNS):
            gender = (0, *PRONOUNS[pronoun][1:])
            assert sum(NOUNS.get(word) == gender for word in words) == 1, (sentence, pronoun)
