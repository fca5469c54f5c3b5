"""Catalogs of misconceptions: how they are written, shared between exercises, and audited."""

from dataclasses import replace

import pytest

from feedback import Misconceptions, audit
from feedback.checker import check
from tests.feedback.sample import EXERCISE, known, over_columns, shares


def assemble(double=lambda x: 2 * x, add=lambda x: x + 1):
    return lambda x: add(double(x))


def test_a_wrong_step_becomes_an_answer():
    steps = Misconceptions(assemble)

    @steps("not-doubled", "Nothing was doubled.", "Times 2.", step="double")
    def same(x):
        return x

    steps.also("not-doubled", double=same, add=same)
    [misconception] = steps
    assert [code(5) for code in misconception.variants] == [6, 5]


def test_several_functions_may_make_one_mistake():
    catalog = Misconceptions()
    catalog("zero", "It is 0.", "It is not.")(lambda x: 0)

    @catalog.also("zero")
    def also_zero(x):
        return x - x

    [misconception] = catalog
    assert [code(3) for code in misconception.variants] == [0, 0] and misconception.variants[1] is also_zero


def test_a_catalog_takes_over_mistakes_of_another_in_its_own_words():
    shared = Misconceptions()
    shared("one", "Not doubled.", "Times 2.", step="double")(lambda x: x)
    shared("other", "Nothing added.", "Plus 1.", step="add")(lambda x: x)
    own = Misconceptions(assemble)
    own.include(shared, "other", hints={"other": "Add 1."})
    [misconception] = own
    assert (misconception.id, misconception.means, misconception.hint) == ("other", "Nothing added.", "Add 1.")
    assert misconception.variants[0](5) == 10


def test_a_catalog_may_explain_what_it_takes_over_in_another_way():
    shared, own = Misconceptions(), Misconceptions()
    shared("zero", "It is 0.", "It is not.", explain=lambda case: "shared")(lambda x: 0)
    own.include(shared, explain=lambda case: "own")
    [misconception] = own
    assert misconception.explain(None) == "own"


def test_an_id_is_registered_once():
    catalog = Misconceptions()
    catalog("one", "a.", "b.")
    with pytest.raises(ValueError, match="use known.also"):
        catalog("one", "a.", "b.")
    with pytest.raises(ValueError, match="registered, got 'two'"):
        catalog.also("two")


def test_steps_without_a_way_to_assemble_them_are_refused():
    catalog = Misconceptions()
    catalog("one", "a.", "b.", step="double")(lambda x: x)
    with pytest.raises(ValueError, match=r"one: wrong steps \(double\) need Misconceptions\(assemble\)"):
        list(catalog)


def with_mistakes(*more):
    catalog = Misconceptions()
    catalog.include(known)
    for id, code in more:
        (catalog.also(id) if id in {m.id for m in known} else catalog(id, "a.", "b."))(code)
    return replace(EXERCISE, misconceptions=catalog)


def test_the_audit_finds_what_is_taken_for_another():
    assert audit.taken_for_another(EXERCISE) == []
    copied = with_mistakes(("copy", lambda x, scale=None: over_columns(x, scale)))
    assert audit.taken_for_another(copied) == ["copy (variant 0) does the same as over-columns"]


def test_the_audit_finds_what_is_not_wrong():
    assert audit.harmless(EXERCISE) == []
    assert audit.harmless(with_mistakes(("right", shares))) == ["right (variant 0)"]


def test_the_audit_finds_redundant_variants():
    assert audit.redundant(EXERCISE) == []
    again = with_mistakes(("over-columns", lambda x, scale=None: over_columns(x, scale)))
    assert audit.redundant(again) == ["over-columns (variant 1 = variant 0)"]


def test_shared_variants_that_do_the_same_here_may_differ_in_another_exercise():
    shared, own = Misconceptions(), Misconceptions()
    shared("over-columns", "a.", "b.")(over_columns)
    shared.also("over-columns")(lambda x, scale=None: over_columns(x, scale))
    own.include(shared)
    assert audit.redundant(replace(EXERCISE, misconceptions=own)) == []
    own.also("over-columns")(lambda x, scale=None: over_columns(x, scale))
    assert audit.redundant(replace(EXERCISE, misconceptions=own)) == [
        "over-columns (variant 2 = variant 0)",
        "over-columns (variant 2 = variant 1)",
    ]


def test_a_first_part_names_a_mistake_only_where_the_other_parts_follow_it():
    by_parts = replace(EXERCISE, judge_first=("shares",))

    def wrong_sums_too(x, scale=None):
        return over_columns(x, scale)[0], shares(x, scale)[1] + 1

    def only_shown(x, scale=None):
        return over_columns(x, scale)[0], shares(x, scale)[1]

    assert check(by_parts, wrong_sums_too).diagnosis == "over-columns"
    assert check(by_parts, only_shown).diagnosis != "over-columns"


def test_what_a_card_shows_is_the_mistake_that_it_names_and_the_other_comes_after_it():
    by_parts = replace(EXERCISE, judge_first=("shares",))

    def wrong_sums_too(x, scale=None):
        return over_columns(x, scale)[0], shares(x, scale)[1] + 100

    message = check(by_parts, wrong_sums_too).message
    assert "of your shares" in message.partition("In numbers: ")[2].partition("\n")[0]
    assert "Besides, there is another mistake in sums: it comes next." in message
    assert "Besides" not in check(by_parts, over_columns).message


def test_two_ways_to_raise_the_same_exception_have_one_fingerprint():
    raising = with_mistakes(("raises", lambda x, scale=None: x + scale[:2]))
    code = raising.misconceptions[-1].variants[0]
    assert audit.same_fingerprint(raising, code, lambda x, scale=None: x - scale[:2])
    assert not audit.same_fingerprint(raising, code, lambda x, scale=None: x + scale[:3])


@pytest.mark.parametrize(
    "steps, words",
    [
        ({"doubel": lambda x: x}, "one: 'doubel' is not a step; the steps are double, add"),
        ({"double": lambda x, y: x}, r"one: the step 'double' is called with \(x\), got a function of \(x, y\)"),
    ],
)
def test_a_step_that_does_not_fit_is_refused(steps, words):
    catalog = Misconceptions(assemble)
    catalog("one", "a.", "b.")
    catalog.also("one", **steps)
    with pytest.raises(ValueError, match=words):
        list(catalog)
