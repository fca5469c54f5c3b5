"""Sentences about what pronouns read."""

from exercises.common.pronouns import referents
from feedback.format import number

ENOUGH = 0.9


def worst_pronoun(case):
    """(row, its position, that of its noun) of the pronoun whose noun gets the least."""
    pairs = referents(case.args[0])
    row = min(range(len(pairs)), key=lambda at: float(case.actual[at, pairs[at][1]].nan_to_num(-1)))
    return row, *pairs[row]


def what_a_pronoun_reads(case):
    """What the worst pronoun of a sentence puts on its noun, and on what it reads instead."""
    words = case.args[0].split()
    row, pronoun, noun = worst_pronoun(case)
    weights = case.actual[row]
    told = f'"{words[pronoun]}" puts {number(weights[noun])} of its weight on "{words[noun]}"'
    others = [at for at in range(len(words)) if at != noun]
    most = max(others, key=lambda at: float(weights[at]))
    word = "itself" if most == pronoun else f'"{words[most]}"'
    return f"{told}, and {number(weights[most])} on {word}; at least {ENOUGH} should be on the noun it stands for"


def not_finite(case):
    if case.actual.isfinite().all():
        return None
    return f'In "{case.args[0]}", the weights are not finite: your entries are too large, or hold inf or NaN.'


def not_its_noun(case):
    row, _, noun = worst_pronoun(case)
    if case.actual[row, noun] >= ENOUGH:
        return None
    return f'In "{case.args[0]}", {what_a_pronoun_reads(case)}.'
