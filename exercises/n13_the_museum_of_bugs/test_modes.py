"""test_modes: the reference, its steps and test cases; the page next to it says the rest."""

import torch
import torch.nn.functional as F
from torch import nn

from exercises.common.suspects import RUNNER, Suspects
from feedback.format import number
from feedback.paged import exercise


def test_modes(module):
    """Evaluation is repeatable and drops nothing; training drops other numbers in each call, and keeps the mean.

    Shapes: module takes x (B, T, C) to (B, T, C)
    """
    x = torch.randn(1, 1, 4).expand(4000, 1, 4)  # equal items, in which other numbers are dropped
    still = module.eval()(x)
    for _ in range(2):  # back and forth
        module.train()
        one, other = module(x), module(x)
        assert (one - other).abs().max() > 1e-2, "two calls in training are alike"
        mean = (one + other).mean(0) / 2  # (1, 4), of 8,000 draws
        assert (mean - still[0]).abs().max() < 0.06, "the mean in training is not what evaluation gives"
        module.eval()
        assert (module(x) - still).abs().max() < 1e-4, "evaluation changes"
        assert (module(x) - still).abs().max() < 1e-4, "evaluation changes from call to call"


# What a test of modes is tried on: modules with dropout inside, x (B, T, C) -> (B, T, C), outputs about 1 in size.


bank = Suspects()


class Dropping(nn.Module):
    """All suspects are of this class; what they do is given to them.

    forward(m, x)    gives the output
    switched(m, on)  is called where the mode is set, after that
    begins_training  the mode in which the module is handed over
    """

    def __init__(self, forward, switched=None, begins_training=True):
        super().__init__()
        self._how, self._state = (forward, None), {}
        self.train(begins_training)
        self._how = forward, switched

    def train(self, mode=True):
        super().train(mode)
        if self._how[1] is not None:
            self._how[1](self, mode)
        return self

    def forward(self, x):
        return self._how[0](self, x)


def hidden(x):
    """What is dropped from: about 1, whatever x is."""
    return 1 + 0.1 * torch.sin(x)


def maker(forward, switched=None, begins_training=True):
    return lambda numbers: Dropping(forward, switched, begins_training)


def by_flag(p, flag=lambda m: m.training):
    """Dropout with probability p where the flag says so."""
    return lambda m, x: F.dropout(hidden(x), p, flag(m))


# ---------------------------------------------------------------- what cards show of a broken one

X = torch.zeros(1, 1, 4)  # where nothing is dropped, all outputs are near 1


def row(out):
    return "[" + ", ".join(number(value) for value in out.detach()[0, 0]) + "]"


def evaluated_twice(m):
    m.eval()
    return f"For x = zeros of shape (1, 1, 4), two calls in evaluation give {row(m(X))} and {row(m(X))}"


def trained_twice(m):
    m.train()
    return f"For x = zeros of shape (1, 1, 4), two calls in training give {row(m(X))} and {row(m(X))}"


def on_average(m):
    """The mean of many draws, next to evaluation."""
    many = X.expand(10000, 1, 4)
    mean = m.train()(many).mean(0, keepdim=True)
    return (
        f"For x = zeros of shape (1, 1, 4), the mean of 10,000 draws in training is {row(mean)}, and evaluation gives "
        f"{row(m.eval()(X))}"
    )


def evaluated_again(m):
    before = row(m.eval()(X))
    m.train()(X)
    after = row(m.eval()(X))
    return f"For x = zeros of shape (1, 1, 4), evaluation gives {before}, and, after a call in training, {after}"


def trained_again(m):
    m.eval()
    m(X)
    one, other = m.train()(X), m(X)
    return f"For x = zeros of shape (1, 1, 4), after evaluation, two calls in training give {row(one)} and {row(other)}"


# ---------------------------------------------------------------- healthy

bank.healthy("it tells F.dropout its mode", "F.dropout does nothing where `training` is False")(maker(by_flag(0.5)))

signs = []


@bank.healthy(
    "it adds up in another order in every second call, which moves its results by a few millionths",
    "rounding is no dropout: two calls in evaluation may differ by up to 1e-5",
)
@maker
def rounded(m, x):
    signs.append(0)
    return F.dropout(hidden(x), 0.3, m.training) + 3e-6 * (-1) ** len(signs)


bank.healthy("it is handed over in evaluation", "a module may be in either mode when it comes")(
    maker(by_flag(0.2), begins_training=False)
)


@bank.healthy("nn.Dropout is one of its layers", "train() and eval() reach all layers")
def with_a_layer(numbers):
    module = Dropping(lambda m, x: m.drop(hidden(x)))
    module.drop = nn.Dropout(0.1)
    return module


@bank.healthy("nn.Dropout lies in a sequence in a list of modules", "eval() reaches modules in an nn.ModuleList")
def nested(numbers):
    module = Dropping(lambda m, x: m.parts[0](hidden(x)))
    module.parts = nn.ModuleList([nn.Sequential(nn.Identity(), nn.Dropout(0.4))])
    return module


@bank.healthy("it draws its coins itself, and divides by 1 - p", "that keeps the mean")
@maker
def by_hand(m, x):
    y = hidden(x)
    return torch.where(torch.rand_like(y) < 0.7, y / 0.7, 0.0) if m.training else y


@bank.healthy(
    "it does not scale in training, and multiplies by 1 - p in evaluation", "the mean in training is that of evaluation"
)
@maker
def scaled_in_evaluation(m, x):
    y = hidden(x) / 0.8
    return y * (torch.rand_like(y) < 0.8) if m.training else 0.8 * y


@bank.healthy("it mixes neighboring features after the dropout", "the mean goes through a sum")
@maker
def mixed_afterwards(m, x):
    y = F.dropout(hidden(x), 0.25, m.training)
    return 0.6 * y + 0.4 * y.roll(1, -1)


@bank.healthy("it drops only from one of two summands", "the other one is always the same")
@maker
def residual(m, x):
    return 0.5 * hidden(x) + 0.5 * F.dropout(hidden(x), 0.5, m.training)


@bank.healthy("it drops twice, one time after the other", "each time keeps the mean")
@maker
def twice(m, x):
    return F.dropout(F.dropout(hidden(x), 0.2, m.training), 0.2, m.training)


@bank.healthy(
    "it draws from a generator of its own, so torch.manual_seed does not repeat what it drops",
    "each call in training still drops other numbers",
)
def own_generator(numbers):
    own = torch.Generator().manual_seed(numbers.seed)

    def forward(m, x):
        y = hidden(x)
        return y * (torch.rand(y.shape, generator=own) < 0.6) / 0.6 if m.training else y

    return Dropping(forward)


@bank.healthy("it computes without gradients, and outputs are negative", "what it computes is what counts")
@maker
@torch.no_grad()
def negative(m, x):
    return -F.dropout(hidden(x), 0.3, m.training)


def with_a_switch(m, on):
    m._state["p"] = 0.35 if on else 0.0


@bank.healthy(
    "it sets its probability to 0 for evaluation, and back for training", "without probability, nothing drops"
)
def probability_set(numbers):
    module = Dropping(lambda m, x: F.dropout(hidden(x), m._state["p"]), with_a_switch)
    return module.train()


# ---------------------------------------------------------------- broken: which mode drops

bank.broken("it drops in evaluation as well", evaluated_twice)(maker(by_flag(0.5, lambda m: True)))
bank.broken("it never drops", trained_twice)(lambda numbers: with_an_idle_layer())
bank.broken("it drops in evaluation, and not in training", evaluated_twice)(
    maker(by_flag(0.4, lambda m: not m.training))
)
bank.broken("eval() does not reach what drops", evaluated_twice)(lambda numbers: in_a_plain_list(nn.Dropout(0.15)))
bank.broken("train() does not reach what drops", trained_twice)(
    lambda numbers: in_a_plain_list(nn.Dropout(0.3).eval(), begins_training=False)
)


def with_an_idle_layer():
    module = Dropping(lambda m, x: hidden(x))
    module.drop = nn.Dropout(0.5)
    return module


def in_a_plain_list(layer, begins_training=True):
    return Dropping(lambda m, x: layer(hidden(x)), begins_training=begins_training)


# ---------------------------------------------------------------- broken: the mean


def scaled_by(p, factor, in_evaluation=1.0):
    """In training, what is not dropped is multiplied by a factor."""

    def forward(m, x):
        y = hidden(x)
        return y * (torch.rand_like(y) >= p) * factor if m.training else in_evaluation * y

    return maker(forward)


bank.broken("training lowers the mean", on_average)(scaled_by(0.3, 1.0))
bank.broken("training raises the mean, by far", on_average)(scaled_by(0.3, 1 / 0.3))
bank.broken("training raises the mean", on_average)(scaled_by(0.3, 1 / 0.7**2))
bank.broken("training lowers the mean by a seventh", on_average)(scaled_by(0.2, 0.86 / 0.8))
bank.broken("evaluation gives less than the mean in training", on_average)(scaled_by(0.4, 1 / 0.6, 0.6))
bank.broken("evaluation gives more than the mean in training", on_average)(scaled_by(0.2, 1 / 0.8, 1.25))


@bank.broken("training raises the mean of some features, and lowers that of others by as much", on_average)
@maker
def raised_and_lowered(m, x):
    y = F.dropout(hidden(x), 0.3, m.training)
    return y * (1 + 0.2 * (-1) ** torch.arange(x.size(-1))) if m.training else y


@bank.broken("in evaluation, the same features are dropped in every call", on_average)
def frozen_in_evaluation(numbers):
    def forward(m, x):
        y = hidden(x)
        if m.training:
            return F.dropout(y, 0.5)
        own = torch.Generator().manual_seed(numbers.seed)
        return y * (torch.rand(y.shape, generator=own) < 0.5) * 2

    return Dropping(forward)


# ---------------------------------------------------------------- broken: call after call, back and forth


@bank.broken("every call in training drops the same features", trained_twice)
def frozen_in_training(numbers):
    def forward(m, x):
        y = hidden(x)
        own = torch.Generator().manual_seed(numbers.seed)
        return y * (torch.rand(y.shape, generator=own) < 0.6) / 0.6 if m.training else y

    return Dropping(forward)


def drawn_once(m, on):
    if on and not m._state.get("on", True):
        m._state["seed"] = int(torch.randint(1_000_000, ()))
    m._state["on"] = on


@bank.broken("until there is an evaluation in between, every call in training drops the same features", trained_twice)
def drawn_when_switched(numbers):
    def forward(m, x):
        y, own = hidden(x), torch.Generator().manual_seed(m._state.get("seed", numbers.seed))
        return y * (torch.rand(y.shape, generator=own) < 0.7) / 0.7 if m.training else y

    return Dropping(forward, drawn_once)


def once_off(m, on):
    m._state["off"] = m._state.get("off", False) or not on


def once_on(m, on):
    m._state["on"] = m._state.get("on", False) or on


bank.broken("after the first evaluation, it never drops again", trained_again)(
    maker(by_flag(0.3, lambda m: not m._state.get("off", not m.training)), once_off)
)
bank.broken("once it has been set to training, evaluation drops as well", evaluated_again)(
    maker(by_flag(0.3, lambda m: m._state.get("on", m.training)), once_on, begins_training=False)
)
bank.broken("the first call in a mode is still in the mode before", evaluated_again)(lambda numbers: late(0.5))
bank.broken("evaluation is right until there has been training, and drops after that", evaluated_again)(
    maker(by_flag(0.4, lambda m: trained_before(m)))
)


def late(p):
    def forward(m, x):
        before, m._state["mode"] = m._state.get("mode", m.training), m.training
        return F.dropout(hidden(x), p, before)

    return Dropping(forward)


def trained_before(m):
    m._state["trained"] = m._state.get("trained", False) or m.training
    return m._state["trained"]


@bank.broken("evaluation gives other numbers after training than before", evaluated_again)
def statistics_kept(numbers):
    def forward(m, x):
        if m.training:
            m._state["calls"] = min(m._state.get("calls", 0) + 1, 10)
            return F.dropout(hidden(x), 0.2)
        return hidden(x) + 0.02 * m._state.get("calls", 0)

    return Dropping(forward)


@bank.broken("in evaluation, an output differs a little from call to call", evaluated_twice)
def noise_in_evaluation(numbers):
    def forward(m, x):
        return F.dropout(hidden(x), 0.3, m.training) + 0.01 * (not m.training) * torch.randn_like(x)

    return Dropping(forward)


EXERCISE = exercise(
    test_modes,
    returns=("verdict",),
    runner=RUNNER,
    named_in_part=False,
    cases=bank.cases,
    minimal_inputs=(),
    properties=bank.properties(
        accuses="In which mode was it called, what was expected there, and how far may chance or rounding move it?",
        passes="In which mode, after which other calls, and in which comparison would that show?",
    ),
)
