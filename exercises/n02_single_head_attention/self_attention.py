"""SelfAttention: the reference, its steps and test cases; the page next to it says the rest."""

import math

import torch
from torch import nn

from exercises.common import modules, properties
from exercises.common.attention import attention_from, project
from exercises.common.inputs import AXES, DV, B, D, S, T, normal
from exercises.n02_single_head_attention.queries_and_keys import stage_of
from feedback import BehavioralTest, ModuleRunner, TestCase
from feedback.page_exercise import exercise


class SelfAttention(nn.Module):
    """Each position of x attends to every position of x.

    Shapes: x (B, T, C) -> out (B, T, D), weights (B, T, T), with C = d_in and D = d_out
    """

    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        weights = scores.softmax(dim=-1)
        return weights @ v, weights


attend = attention_from()


def module_from(project=project, attend=None, **steps):
    """Build a module with the three layers; `attend(q, k, v)` replaces the steps of attention."""
    attend = attend or attention_from(**steps)

    class Assembled(nn.Module):
        def __init__(self, d_in, d_out):
            super().__init__()
            for name in modules.PROJECTIONS:
                setattr(self, name, modules.Blank(d_in, d_out, bias=False))

        def forward(self, x):
            return attend(*project(x, x, self.W_query, self.W_key, self.W_value))

    return Assembled


def run_self_attention(attempt, x, *weights):
    """Build the learner's module, copy known weights into its projections, and apply it to x.

    Shapes: x (B, T, C), weights three times (D, C)
    Errors: ContractViolation if the module lacks something that the exercise names
    """
    return modules.in_dtype(built(attempt, *weights), x.dtype)(x)


def built(attempt, *weights):
    """Build the learner's module with these weights in its projections."""
    d_out, d_in = weights[0].shape
    modules.require_methods(attempt)
    module = attempt(d_in, d_out)
    modules.fill_projections(module, attempt, weights)
    return module


def describe(args):
    x, weight = args[:2]
    return modules.was_built({"d_in": weight.size(1), "d_out": weight.size(0)}, x)


WEIGHTS = tuple(normal(DV, D, seed=30 + i) / 2 for i in range(3))

EXERCISE = exercise(
    SelfAttention,
    assemble=module_from,
    **properties.OUT_AND_WEIGHTS,
    runner=ModuleRunner(run_self_attention, ("x", *(f"{name}.weight" for name in modules.PROJECTIONS)), describe),
    axis_names=AXES | {11: "C", 13: "D", 17: "C", 19: "D"},
    cases=(
        TestCase("a batch", (normal(B, T, D, seed=33), *WEIGHTS)),
        TestCase("a longer sequence", (normal(B, S, D, seed=34), *WEIGHTS)),
        TestCase("one item", (normal(1, T, D, seed=35), *WEIGHTS)),
        TestCase("float64", (normal(B, T, D, seed=36).double(), *WEIGHTS)),
        TestCase(
            "d_in = 17, d_out = 19", (normal(B, T, 17, seed=37), *(normal(19, 17, seed=38 + i) / 2.5 for i in range(3)))
        ),
    ),
    minimal_inputs=((torch.tensor([[[1.0], [2.0]]]), *torch.tensor([[[1.0]], [[0.5]], [[3.0]]])),),
    stage_of=stage_of,
    properties=(properties.FINITE, properties.POSITIVE, properties.ROWS),
    behavioral_tests=(
        modules.made_in_forward(lambda attempt: built(attempt, *WEIGHTS), normal(B, T, D, seed=33)),
        BehavioralTest(
            "another-mode",
            lambda attempt: modules.changes_with_the_mode(built(attempt, *WEIGHTS), normal(B, T, D, seed=46)),
            "Nothing here depends on the mode: what is done only `if self.training`?",
            required=True,
            while_doing="in evaluation,",
        ),
        *modules.trainable(
            lambda attempt: built(attempt, *WEIGHTS),
            SelfAttention,
            modules.PROJECTIONS,
            (normal(B, T, D, seed=44),),
            (normal(B, S, D, seed=45),),
        ),
    ),
)
