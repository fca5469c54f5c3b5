"""Wrong tests for exercise 13.6, each with the diagnosis that it must get."""

import torch
from torch import nn

from feedback.bank import WrongAnswers
from helpers.suspicions import assert_modes

wrong = WrongAnswers()


def drawn(B=5000, T=2, C=2):
    return torch.randn(1, T, C).expand(B, T, C)


def alike(a, b):
    return torch.allclose(a, b, rtol=0, atol=1e-4)


def cycle(module, x):
    """Two calls in evaluation, two in training, and two in evaluation again."""
    outs = [module.eval()(x), module(x)]
    module.train()
    outs += [module(x), module(x)]
    module.eval()
    return [*outs, module(x), module(x)]


def evaluations_agree(outs):
    return all(alike(outs[0], outs[i]) for i in (1, 4, 5))


def mean_is_kept(outs, tolerance=0.06):
    return bool(((outs[2] + outs[3]).mean(0) / 2 - outs[0][0]).abs().max() < tolerance)


@wrong("evaluation-only")
def evaluates_twice(module):
    x = torch.randn(8, 3, 4)
    module.eval()
    return torch.allclose(module(x), module(x), atol=1e-4)


@wrong("always-none")
def runs_and_says_nothing(module):
    outs = cycle(module, drawn())
    alike(outs[0], outs[1])
    mean_is_kept(outs)


@wrong("always-none")
def only_flags(module):
    return not module.eval().training and module.train().training


@wrong("turned-around")
def true_for_a_bug(module):
    x = drawn()
    outs, more = cycle(module, x), cycle(module, x)
    fine = evaluations_agree(outs) and evaluations_agree(more) and mean_is_kept(outs) and mean_is_kept(more)
    return not (fine and alike(outs[0], more[0]) and not alike(*outs[2:4]) and not alike(*more[2:4]))


@wrong("never-switched")
def without_modes(module):
    x = drawn()
    assert alike(module(x), module(x))


@wrong("never-back")
def evaluation_then_training(module):
    outs = cycle(module, drawn())[:4]
    return alike(outs[0], outs[1]) and not alike(outs[2], outs[3]) and mean_is_kept(outs)


@wrong("never-back")
def evaluation_then_one_call(module):
    outs = cycle(module, drawn())[:3]
    assert alike(outs[0], outs[1])
    assert not alike(outs[1], outs[2])


@wrong("mean-not-compared")
def helper(module):
    """Without `draws` it leaves out the mean; here with one more round."""
    x = drawn()
    for _ in range(2):
        assert_modes(module, x)
        outs = cycle(module, x)
        assert evaluations_agree(outs) and not alike(outs[2], outs[3])


@wrong("training-once")
def one_call_in_training(module):
    x = drawn()
    outs, more = cycle(module, x), cycle(module, x)
    for each in (outs, more):
        assert evaluations_agree([outs[0], *each[1:]])
        assert not alike(each[0], each[2])
        assert mean_is_kept(each)


@wrong("lets-a-bug-pass")
def one_call_each_time(module):
    x = drawn()
    outs, more = cycle(module, x), cycle(module, x)
    for each in (outs, more):
        assert evaluations_agree([outs[0], *each[1:]])
        assert mean_is_kept(each)
    assert not alike(outs[2], more[2])


@wrong("total-mean")
def one_mean(module):
    x = drawn()
    outs, more = cycle(module, x), cycle(module, x)
    for each in (outs, more):
        assert evaluations_agree([outs[0], *each[1:]])
        assert not alike(each[2], each[3])
        assert abs(each[2].mean() / each[0].mean() - 1) < 0.05


@wrong("zeros-expected")
def counts_zeros(module):
    x = drawn()
    outs, more = cycle(module, x), cycle(module, x)
    for each in (outs, more):
        assert evaluations_agree([outs[0], *each[1:]])
        assert (each[2] == 0).sum() > 0 and not alike(each[2], each[3])
        assert mean_is_kept(each)


@wrong("seed-expected")
def the_same_seed(module):
    x = drawn()
    outs, more = cycle(module, x), cycle(module, x)
    for each in (outs, more):
        assert evaluations_agree([outs[0], *each[1:]]) and not alike(each[2], each[3]) and mean_is_kept(each)
    seeded = []
    for _ in range(2):
        torch.manual_seed(5)
        seeded.append(module.train()(x))
    assert alike(*seeded)


@wrong("probability-assumed")
def a_half(module):
    x = drawn()
    outs, more = cycle(module, x), cycle(module, x)
    for each in (outs, more):
        assert evaluations_agree([outs[0], *each[1:]]) and not alike(each[2], each[3]) and mean_is_kept(each)
        assert abs((each[2] > 1.05 * each[0]).float().mean() - 0.5) < 0.05


@wrong("too-few-draws")
def mean_of_ten(module):
    x = torch.randn(4, 3, 5)
    still = module.eval()(x)
    module.train()
    mean = sum(module(x) for _ in range(10)) / 10
    assert (mean - still).abs().max() < 0.05
    assert alike(module.eval()(x), still)


@wrong("rounding-accused")
def to_the_bit(module):
    x = drawn()
    outs, more = cycle(module, x), cycle(module, x)
    for each in (outs, more):
        assert torch.equal(each[0], each[1]) and torch.equal(each[4], each[0])
        assert evaluations_agree([outs[0], *each[1:]]) and not alike(each[2], each[3]) and mean_is_kept(each)


@wrong("tolerance-too-large")
def off_by_a_fifth(module):
    x = drawn()
    outs, more = cycle(module, x), cycle(module, x)
    for each in (outs, more):
        assert evaluations_agree([outs[0], *each[1:]]) and not alike(each[2], each[3]) and mean_is_kept(each, 0.22)


@wrong("accuses-healthy-code")
def looks_for_a_layer(module):
    return any(isinstance(layer, nn.Dropout) for layer in module.modules())


@wrong("returns-something-else")
def the_mean(module):
    return module.train()(drawn()).mean()


@wrong()
def probability_of_its_layer(module):
    (layer,) = [each for each in module.modules() if isinstance(each, nn.Dropout)]
    assert layer.p <= 0.5


@wrong("right-only-sometimes")
def the_mean_now_and_then(module):
    x = drawn()
    outs, more = cycle(module, x), cycle(module, x)
    for each in (outs, more):
        assert evaluations_agree([outs[0], *each[1:]]) and not alike(each[2], each[3])
    assert torch.rand(()) < 0.5 or (mean_is_kept(outs) and mean_is_kept(more))
