"""Wrong tests for exercise 13.3, each with the diagnosis that it must get."""

import torch

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


def batch(*lengths, T=11):
    real = torch.arange(T).expand(len(lengths), T) < torch.tensor(lengths).view(-1, 1)
    return torch.randint(50, (len(lengths), T)), real


def refilled(ids, real):
    other = ids.clone()
    other[~real] = torch.randint(50, (int((~real).sum()),))
    return other


def moved(model, ids, real):
    return (model(refilled(ids, real), real) - model(ids, real)).abs()


def sides(*lengths):
    ids, real = batch(*lengths)
    return (ids, real), (ids, real.flip(1))


@wrong("right-padding-only")
def on_the_right(model):
    ids, lengths = torch.randint(50, (3, 8)), torch.tensor([3, 8, 5])
    real = torch.arange(8) < lengths[:, None]
    other = torch.where(real, ids, torch.randint(50, (3, 8)))
    assert torch.allclose(model(ids, real)[real], model(other, real)[real], atol=1e-4)


@wrong("always-none")
def asserts_nothing(model):
    for ids, real in sides(3, 8, 11):
        torch.allclose(model(ids, real)[real], model(refilled(ids, real), real)[real], atol=1e-4)


@wrong("always-none")
def changes_in_place_both(model):
    for ids, real in sides(3, 8, 11):
        other = ids
        other[~real] = 0
        assert torch.allclose(model(ids, real)[real], model(other, real)[real], atol=1e-4)


@wrong("turned-around")
def true_for_a_leak(model):
    return any((moved(model, *each)[each[1]] > 1e-4).any().item() for each in sides(3, 8, 11, 1))


@wrong("real-tokens-changed")
def new_ids_everywhere(model):
    ids, real = batch(3, 8, 11)
    return torch.allclose(model(ids, real), model(torch.randint(50, ids.shape), real), atol=1e-4)


@wrong("amount-changed")
def without_its_padding(model):
    ids, real = batch(4, 9, 1, 7, T=9)
    whole = model(ids, real)
    for b, n in enumerate((4, 9, 1, 7)):
        alone = model(ids[b : b + 1, :n], real[b : b + 1, :n])
        if not torch.allclose(whole[b, :n], alone[0], atol=1e-4):
            return False
    return True


@wrong("accuses-healthy-code")
def with_more_padding(model):
    ids, real = batch(3, 8, 11)
    more = torch.nn.functional.pad(ids, (4, 0)), torch.nn.functional.pad(real, (4, 0))
    left = torch.arange(15) >= 15 - real.sum(1, keepdim=True)
    assert torch.allclose(model(ids[2:], real[2:])[0], model(more[0][2:], left[2:])[0, 4:], atol=1e-4)


@wrong("holes")
def random_masks(model):
    for _ in range(3):
        ids, real = torch.randint(50, (6, 12)), torch.rand(6, 12) < 0.5
        real[:, 4] = True
        assert moved(model, ids, real)[real].max() < 1e-4


@wrong("one-padding-token")
def outermost_token(model):
    for (ids, real), at in zip(sides(3, 8, 11, 1), (-1, 0), strict=True):
        other = ids.clone()
        other[:, at] = torch.where(real[:, at], ids[:, at], 49 - ids[:, at])
        assert (model(other, real) - model(ids, real))[real].abs().max() < 1e-4


@wrong("left-padding-only")
def on_the_left(model):
    _, (ids, real) = sides(3, 8, 11, 1)
    assert not (moved(model, ids, real)[real] > 1e-4).any()


@wrong("one-item")
def a_single_text(model):
    for ids, real in sides(5):
        assert moved(model, ids, real)[real].max() < 1e-4


@wrong("one-item-on-the-right")
def a_single_text_on_the_right(model):
    ids, real = batch(5)
    return moved(model, ids, real)[real].max().item() < 1e-4


@wrong("equal-lengths")
def all_of_length_five(model):
    for ids, real in sides(5, 5, 5):
        assert moved(model, ids, real)[real].max() < 1e-4


@wrong("equal-lengths-on-the-right")
def half_of_it_is_padding(model):
    ids = torch.randint(50, (4, 12))
    real = torch.zeros(4, 12, dtype=torch.bool)
    real[:, :6] = True
    assert moved(model, ids, real)[real].max() < 1e-4


@wrong("always-none")
def all_real(model):
    ids, real = batch(11, 11)
    return bool(moved(model, ids, real).max() < 1e-4)


@wrong("padding-compared")
def all_outputs(model):
    for ids, real in sides(3, 8, 11, 1):
        assert moved(model, ids, real).max() < 1e-4


@wrong("one-token-compared")
def first_token(model):
    ids, real = batch(4, 11, 2, 7)
    return bool(moved(model, ids, real)[:, 0].max() < 1e-4)


@wrong("one-token-compared")
def last_real_token(model):
    for ids, real in sides(4, 11, 2, 7):
        last = (real * torch.arange(11)).argmax(1)
        assert moved(model, ids, real)[torch.arange(4), last].max() < 1e-4


@wrong("sums-compared")
def sums_of_features(model):
    for ids, real in sides(3, 8, 11, 1):
        a, b = (model(each, real).sum(-1)[real] for each in (ids, refilled(ids, real)))
        assert torch.allclose(a, b, atol=1e-4)


@wrong("one-feature-compared")
def feature_0(model):
    for ids, real in sides(3, 8, 11, 1):
        assert moved(model, ids, real)[..., 0][real].max() < 1e-4


@wrong("rounding-accused")
def to_the_bit(model):
    for ids, real in sides(3, 8, 11, 1):
        assert torch.equal(model(ids, real)[real], model(refilled(ids, real), real)[real])


@wrong("tolerance-too-large")
def within_a_tenth(model):
    return all(moved(model, ids, real)[real].max().item() < 0.03 for ids, real in sides(3, 8, 11, 1))


@wrong("returns-something-else")
def the_movement(model):
    ids, real = batch(3, 8, 11)
    return moved(model, ids, real)[real].max()


@wrong()
def ids_that_do_not_exist(model):
    ids, real = batch(3, 8, 11)
    assert torch.allclose(model(ids, real)[real], model(ids.masked_fill(~real, 50), real)[real], atol=1e-4)


@wrong("right-only-sometimes")
def a_side_and_a_length_at_random(model):
    ids, real = batch(*torch.randint(1, 12, (2,)).tolist())
    real = real.flip(1) if torch.rand(()) < 0.5 else real
    return bool((moved(model, ids, real) * real[..., None]).max() < 1e-4)
