"""Small language models to train, with what trains them."""

from dataclasses import dataclass

import torch
from torch import nn

from exercises.common.inputs import normal

WIDTH = 3


class Model(nn.Module):
    """Logits from the mean of all tokens so far; in evaluation it gives half of what it gives in training."""

    def __init__(self, seed, vocabulary, times):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, WIDTH, dtype=torch.float64)
        self.out = nn.Linear(WIDTH, vocabulary, dtype=torch.float64)
        for i, parameter in enumerate(self.parameters()):
            parameter.data = times * normal(*parameter.shape, seed=seed + i, dtype=torch.float64)

    def forward(self, ids):
        x = self.tokens(ids)  # (B, T, C)
        mean = x.cumsum(dim=1) / torch.arange(1, ids.size(1) + 1, device=x.device)[:, None]
        return self.out(mean) * (1.0 if self.training else 0.5)


class Table(nn.Module):
    """A table with the logits after each token: small enough to follow by hand."""

    def __init__(self, rows):
        super().__init__()
        self.rows = nn.Parameter(torch.tensor(rows, dtype=torch.float64))

    def forward(self, ids):
        return self.rows[ids]


@dataclass(frozen=True)
class Setting:
    """What is trained, and how.

    rows      the table of a `Table`; without it a `Model` is built, from the seed
    times     how large the parameters of a `Model` are: at 1 the gradients' norm is below 1, at 5 it is above
    old       whether gradients of an earlier backward are there
    training  the mode of the model
    """

    seed: int = 0
    vocabulary: int = 11
    optimizer: str = "SGD"
    rows: tuple = ()
    times: float = 1.0
    old: bool = False
    training: bool = True

    def __deepcopy__(self, memo):
        return self  # a learner's code never gets it

    def model(self):
        model = Table(self.rows) if self.rows else Model(self.seed, self.vocabulary, self.times)
        if self.old:
            for parameter in model.parameters():
                parameter.grad = torch.full_like(parameter, 0.25)
        return model.train(self.training)

    def optimizer_of(self, model):
        make = {
            "SGD": lambda parameters: torch.optim.SGD(parameters, lr=1.0),
            "SGD with momentum": lambda parameters: torch.optim.SGD(parameters, lr=0.5, momentum=0.9),
            "Adam": lambda parameters: torch.optim.Adam(parameters, lr=0.1),
        }
        return make[self.optimizer](model.parameters())

    def __repr__(self):
        what = f"a table of logits, {[list(row) for row in self.rows]}," if self.rows else "a small model"
        left = ", with gradients of an earlier backward in it" if self.old else ""
        mode = "" if self.training else ", in evaluation mode"
        return f"{what} and {self.optimizer}{left}{mode}"


def parameters_of(model):
    """All parameters in one row."""
    return torch.cat([parameter.detach().flatten() for parameter in model.parameters()])
