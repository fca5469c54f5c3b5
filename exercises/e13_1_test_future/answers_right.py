"""Right tests for exercise 13.1, in many styles: the checker must accept all of them."""

import torch

from feedback.bank import RightAnswers
from helpers.suspicions import assert_causal

right = RightAnswers()


@right
def helper(attend):
    assert_causal(attend, torch.randn(3, 9, 5))


@right
def returns_a_bool(attend):
    x = torch.rand(1, 16, 3)
    out = attend(x)
    return all(torch.allclose(attend(x[:, :n]), out[:, :n], atol=1e-4) for n in range(1, 17))


@right
def with_assert_close(attend):
    with torch.no_grad():
        x = torch.randn(2, 10, 6)
        whole = attend(x)
        for n in reversed(range(1, 10)):
            torch.testing.assert_close(attend(x[:, :n]), whole[:, :n], rtol=1e-4, atol=1e-4)


@right
def shorter_and_other_numbers(attend):
    x = torch.randn(4, 11, 7)
    before = attend(x)
    for j in range(1, 11):
        other = x.clone()
        other[:, j:] += torch.randn(4, 11 - j, 7)
        if (attend(other)[:, :j] - before[:, :j]).abs().max() > 5e-4:
            return False
        if (attend(x[:, :j]) - before[:, :j]).abs().max() > 5e-4:
            return False
    return None


@right
def grows_one_input_at_a_time(attend):
    x = torch.randn(1, 20, 8)
    last = attend(x[:, :1])
    for n in range(2, 21):
        now = attend(x[:, :n])
        assert ((now[:, :-1] - last).abs() < 3e-4).all(), n
        last = now


@right
def only_the_newest_output_of_each_beginning(attend):
    x = 0.5 * torch.randn(2, 13, 2)
    newest = torch.stack([attend(x[:, : t + 1])[:, t] for t in range(13)], dim=1)
    return bool(torch.isclose(newest, attend(x), rtol=0, atol=2e-4).all())


@right
def one_feature_and_one_item(attend):
    torch.manual_seed(3)
    x = torch.randn(1, 9, 1)
    whole = attend(x)
    return max((attend(x[:, :t]) - whole[:, :t]).abs().max().item() for t in range(1, 9)) < 9e-4


@right
def followed_by_large_numbers(attend):
    x = torch.randn(2, 9, 4)
    for t in range(1, 9):
        alone = attend(x[:, :t])
        for more in (100 * torch.randn(2, 9, 4), torch.zeros(2, 1, 4)):
            if not torch.allclose(attend(torch.cat([x[:, :t], more], 1))[:, :t], alone, atol=1e-4, rtol=1e-4):
                raise AssertionError("it sees the future")
    return True


@right
def the_difference_of_all_pairs_of_lengths(attend):
    x = torch.randn(1, 10, 3)
    outs = [attend(x[:, :t]) for t in range(1, 11)]
    return not any((a - b[:, : a.size(1)]).norm() > 1e-3 for i, a in enumerate(outs) for b in outs[i + 1 :])


@right
def in_steps_with_a_generator_of_its_own(attend):
    own = torch.Generator().manual_seed(17)
    x = torch.randn(5, 12, 4, generator=own)
    out = attend(x.clone()).detach()
    bad = [t for t in range(1, 12) if (attend(x[:, :t].clone()).detach() - out[:, :t]).abs().amax() >= 1e-4]
    assert bad == []
