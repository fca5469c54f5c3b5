"""What known mistakes promise, and what is said where two of them meet."""

from dataclasses import replace

from feedback import Misconception, audit
from feedback.checker import check
from tests.feedback.sample import EXERCISE, KNOWN, over_columns, shares


def with_mistakes(*more):
    """The sample exercise with more known mistakes, (id, code)."""
    return replace(EXERCISE, misconceptions=(*KNOWN, *(Misconception(id, "a.", "b.", (code,)) for id, code in more)))


def with_ways(*ways, shared=0):
    """The sample exercise with these ways to sum over columns."""
    return replace(EXERCISE, misconceptions=(replace(KNOWN[0], variants=ways, shared=shared), *KNOWN[1:]))


def over_columns_again(x, scale=None):
    return over_columns(x, scale)


def test_the_audit_finds_what_is_taken_for_another_harmless_or_redundant():
    assert audit.taken_for_another(EXERCISE) == audit.harmless(EXERCISE) == audit.redundant(EXERCISE) == []
    assert audit.harmless(with_mistakes(("right", shares))) == ["right (variant 0)"]
    assert audit.redundant(with_ways(over_columns, over_columns_again)) == ["over-columns (variant 1 = variant 0)"]
    copied = with_mistakes(("copy", lambda x, scale=None: over_columns(x, scale)))
    assert audit.taken_for_another(copied) == ["copy (variant 0) does the same as over-columns"]


def test_shared_variants_that_do_the_same_here_may_differ_in_another_exercise():
    shared = over_columns, over_columns_again
    assert audit.redundant(with_ways(*shared, shared=2)) == []
    found = audit.redundant(with_ways(*shared, lambda x, scale=None: over_columns(x, scale), shared=2))
    assert found == [f"over-columns (variant 2 = variant {n})" for n in (0, 1)]


def test_what_a_card_shows_is_the_mistake_that_it_names_and_the_other_comes_after_it():
    by_parts = replace(EXERCISE, judge_first=("shares",))

    def wrong_sums_too(x, scale=None):
        return over_columns(x, scale)[0], shares(x, scale)[1] + 100

    message = check(by_parts, wrong_sums_too).message
    assert "of your shares" in message.partition("In numbers: ")[2].partition("\n")[0]
    assert "Besides, there is another mistake in sums: it comes next." in message
    assert "Besides" not in check(by_parts, over_columns).message
    only_shown = check(by_parts, lambda x, scale=None: (over_columns(x, scale)[0], shares(x, scale)[1]))
    assert only_shown.diagnosis != "over-columns", "the other parts must follow it"


def test_two_ways_to_raise_the_same_exception_have_one_fingerprint():
    raising = with_mistakes(("raises", lambda x, scale=None: x + scale[:2]))
    code = raising.misconceptions[-1].variants[0]
    assert audit.same_fingerprint(raising, code, lambda x, scale=None: x - scale[:2])
    assert not audit.same_fingerprint(raising, code, lambda x, scale=None: x + scale[:3])
