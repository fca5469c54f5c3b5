"""Wrong tests for exercise 13.1, each with the diagnosis that it must get."""

import torch
import torch.nn.functional as F

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


@wrong("always-none")
def forgets_to_return(attend):
    x = torch.randn(3, 15, 4)
    for t in range(1, 15):
        torch.allclose(attend(x[:, :t]), attend(x)[:, :t], atol=1e-4)


@wrong("always-none")
def only_looks_at_shapes(attend):
    x = torch.randn(3, 15, 4)
    return attend(x).shape == x.shape


@wrong("always-none")
def changes_what_it_compares_with(attend):
    x = torch.randn(2, 12, 4)
    for t in range(1, 12):
        other = x
        other[:, t:] += 1
        assert torch.allclose(attend(other)[:, :t], attend(x)[:, :t], atol=1e-4)


@wrong("turned-around")
def tells_whether_it_sees(attend):
    x = torch.randn(2, 12, 4)
    out = attend(x)
    return any(not torch.allclose(attend(x[:, :t]), out[:, :t], atol=1e-4) for t in range(1, 12))


@wrong("accuses-all")
def compares_what_comes_later_too(attend):
    x = torch.randn(2, 12, 4)
    other = x.clone()
    other[:, 6:] = 1
    assert torch.allclose(attend(other), attend(x), atol=1e-4)


@wrong("accuses-all")
def compares_the_changed_position(attend):
    x = torch.randn(2, 12, 4)
    for j in range(12):
        other = x.clone()
        other[:, j:] += 1
        if (attend(other) - attend(x))[:, : j + 1].abs().max() > 1e-4:
            return False
    return True


@wrong("never-shorter")
def adds_noise_to_all_that_follows(attend):
    x = torch.randn(3, 14, 5)
    out = attend(x)
    for j in range(1, 14):
        y = x.clone()
        y[:, j:] += torch.randn(3, 14 - j, 5)
        assert (attend(y)[:, :j] - out[:, :j]).abs().max() < 1e-4


@wrong("never-shorter")
def sets_each_input_to_another(attend):
    x = torch.randn(2, 10, 4)
    for j in range(1, 10):
        y = x.clone()
        y[:, j] = torch.randn(2, 4)
        if not torch.allclose(attend(y)[:, :j], attend(x)[:, :j], atol=1e-4):
            return False
    return True


@wrong("last-input-only")
def drops_the_last(attend):
    x = torch.randn(2, 15, 4)
    return torch.allclose(attend(x[:, :-1]), attend(x)[:, :-1], atol=1e-4)


@wrong("last-input-only")
def replaces_the_last(attend):
    x = torch.randn(2, 12, 4)
    y = torch.cat([x[:, :-1], torch.randn(2, 1, 4)], dim=1)
    assert torch.allclose(attend(y)[:, :-1], attend(x)[:, :-1], atol=1e-4)


@wrong("one-cut")
def halves(attend):
    x = torch.randn(2, 12, 4)
    return torch.allclose(attend(x[:, :6]), attend(x)[:, :6], atol=1e-4)


@wrong("one-cut")
def cuts_at_four(attend):
    x = torch.randn(2, 12, 4)
    return torch.allclose(attend(x[:, :4]), attend(x)[:, :4], atol=1e-4)


@wrong("short-texts-only")
def of_six(attend):
    x = torch.randn(4, 5, 4)
    return all(torch.allclose(attend(x[:, :t]), attend(x)[:, :t], atol=1e-4) for t in range(1, 5))


@wrong("short-texts-only")
def all_lengths_to_eight(attend):
    for n in range(2, 9):
        x = torch.randn(2, n, 4)
        assert all(torch.allclose(attend(x[:, :t]), attend(x)[:, :t], atol=1e-4) for t in range(1, n))


@wrong("sums-compared")
def means_of_features(attend):
    x = torch.randn(2, 12, 4)
    out = attend(x).mean(-1)
    return all(torch.allclose(attend(x[:, :t]).mean(-1), out[:, :t], atol=1e-4) for t in range(1, 12))


@wrong("one-output-compared")
def first_output(attend):
    x = torch.randn(2, 12, 4)
    return all(torch.allclose(attend(x[:, :t])[:, 0], attend(x)[:, 0], atol=1e-4) for t in range(1, 12))


@wrong("one-feature-compared")
def feature_0(attend):
    x = torch.randn(2, 12, 4)
    return all(torch.allclose(attend(x[:, :t])[..., 0], attend(x)[:, :t, 0], atol=1e-4) for t in range(1, 12))


@wrong("rounding-accused")
def equal_to_the_bit(attend):
    x = torch.randn(2, 12, 4)
    return all(torch.equal(attend(x[:, :t]), attend(x)[:, :t]) for t in range(1, 12))


@wrong("accuses-healthy-code")
def allclose_as_it_is(attend):
    x = torch.randn(2, 12, 4)
    return all(torch.allclose(attend(x[:, :t]), attend(x)[:, :t]) for t in range(1, 12))


@wrong("tolerance-too-large")
def within_a_tenth(attend):
    x = torch.randn(2, 12, 4)
    return all(torch.allclose(attend(x[:, :t]), attend(x)[:, :t], atol=0.03) for t in range(1, 12))


@wrong("gradients-asked")
def jacobian(attend):
    x = torch.randn(1, 12, 4, requires_grad=True)
    out = attend(x)
    if not out.requires_grad:
        return True
    for t in range(11):
        x.grad = None
        out[0, t].sum().backward(retain_graph=True)
        if x.grad[0, t + 1 :].abs().max() > 0:
            return False
    return True


@wrong()
def backward_without_asking(attend):
    x = torch.randn(1, 12, 4, requires_grad=True)
    attend(x)[0, 3].sum().backward()
    assert not x.grad[0, 4:].any()


@wrong("not-finite")
def infinities(attend):
    x = torch.randn(2, 12, 4)
    for t in range(1, 12):
        y = x.clone()
        y[:, t:] = float("inf")
        assert torch.allclose(attend(y)[:, :t], attend(x)[:, :t], atol=1e-4)


@wrong("right-only-sometimes")
def some_places_at_random(attend):
    x = torch.randn(2, 12, 4)
    places = torch.randint(1, 12, (14,)).tolist()
    return all(torch.allclose(attend(x[:, :t]), attend(x)[:, :t], atol=1e-4) for t in places)


@wrong("right-only-sometimes")
def one_place_at_random(attend):
    x = torch.randn(2, 12, 4)
    t = int(torch.randint(1, 12, ()))
    return torch.allclose(attend(x[:, :t]), attend(x)[:, :t], atol=1e-4)


@wrong("returns-something-else")
def returns_a_tensor(attend):
    x = torch.randn(2, 12, 4)
    return (attend(x[:, :6]) - attend(x)[:, :6]).abs().max() < 1e-4


@wrong("returns-something-else")
def returns_what_it_found(attend):
    x = torch.randn(2, 12, 4)
    return [t for t in range(1, 12) if (attend(x[:, :t]) - attend(x)[:, :t]).abs().max() > 1e-4]


@wrong()
def raises_another_exception(attend):
    x = torch.randn(2, 12, 4)
    if F.mse_loss(attend(x[:, :6]), attend(x)[:, :6]) > 1e-8:
        raise ValueError("it sees the future")


@wrong("tolerance-too-large")
def with_small_changes_of_one_feature(attend):
    x = torch.randn(2, 12, 4)
    for t in range(1, 12):
        y = x.clone()
        y[:, t:, 0] += 0.01
        if (attend(y) - attend(x))[:, :t].abs().max() > 1e-4 or (attend(x[:, :t]) - attend(x)[:, :t]).abs().max() > 0.1:
            return False
    return True
