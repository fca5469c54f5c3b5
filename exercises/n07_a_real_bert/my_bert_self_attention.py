"""MyBertSelfAttention: the reference, how it is called, and test cases."""

import math
from dataclasses import replace

import torch
from torch import nn

from exercises.common import heads, modules, properties
from exercises.common.attention import multi_head_from
from exercises.common.inputs import AXES, CAUSAL, B, H, S, T, normal
from feedback import ContractViolation, ModuleRunner
from feedback.page_exercise import exercise
from helpers.bert import BertConfig
from helpers.heads import merge_heads, split_heads


class MyBertSelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.num_heads = config.num_attention_heads
        self.query = nn.Linear(config.hidden_size, config.hidden_size)
        self.key = nn.Linear(config.hidden_size, config.hidden_size)
        self.value = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, x, mask=None):
        q = split_heads(self.query(x), self.num_heads)  # (B, H, T, D)
        k = split_heads(self.key(x), self.num_heads)
        v = split_heads(self.value(x), self.num_heads)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))  # (B, H, T, T)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = scores.softmax(dim=-1)
        return merge_heads(weights @ v), weights


LAYERS = ("query", "key", "value")


def assemble(**steps):
    """Build an answer with these steps replaced; there is no output layer."""
    attend = multi_head_from(**steps)

    class Wrong(modules.Assembled):
        def __init__(self, config, layers=()):
            super().__init__(LAYERS, config.hidden_size, layers)
            self.num_heads = config.num_attention_heads

        def forward(self, x, mask=None):
            return attend(x, x, (self.query, self.key, self.value, nn.Identity()), self.num_heads, mask)

    return Wrong


ASKED = modules.Layers(
    LAYERS,
    "nn.Linear(config.hidden_size, config.hidden_size)",
    "`hidden_size` = {} features to {}",
    bias=True,
    alone=True,
)


def run_bert_self_attention(attempt, x, query, key, value, num_heads, *mask):
    """Build the learner's module, copy the parameters of three layers into its own, and apply it to x in evaluation.

    Shapes: x (B, T, C), mask broadcastable to (B, H, T, T)
    Errors: ContractViolation if the module lacks something that the exercise names
    Source: notebook 07
    """
    module = built(attempt, (query, key, value), num_heads)
    torch.default_generator.manual_seed(torch.initial_seed())  # the same dropout, if any, for all answers
    tells_modes_apart = mask and mask[0] is not None and mask[0].dim() == 2  # true of a few masks, including the first
    untouched = mask[0].clone() if tells_modes_apart and not issubclass(attempt, modules.Assembled) else None
    result = apply(module, x, *mask)
    if untouched is not None:
        require_mask_in_both_modes(module, result, x, num_heads, untouched)
    return result


def require_mask_in_both_modes(module, result, x, num_heads, mask):
    """Check that a mask is used in both modes or in neither; other mistakes are found elsewhere.

    Errors: ContractViolation if it is used in one mode only
    """
    shape = (x.size(0), num_heads, x.size(1), x.size(1))
    try:
        reads = [
            bool((weights.nan_to_num(1.0) * ~mask).abs().max() > 1e-4) and weights.shape == shape
            for _, weights in (result, apply(module.train(), x, mask))
        ]
    except Exception:
        return
    if reads == [True, False]:
        raise ContractViolation(
            "mask-only-in-training",
            "The mask is used in training only: in evaluation, after module.eval(), hidden keys "
            "are read. Take it out of `if self.training`; only dropout depends on the mode.",
        )
    if reads == [False, True]:
        raise ContractViolation(
            "mask-only-in-evaluation",
            "The mask is used in evaluation only: in training, after module.train(), hidden keys "
            "are read. It belongs to both; only dropout depends on the mode.",
        )


def built(attempt, layers, num_heads):
    """Build a module with these parameters, in their dtype and in evaluation mode."""
    config = BertConfig(hidden_size=layers[0].in_features, num_attention_heads=num_heads)
    if issubclass(attempt, modules.Assembled):
        return attempt(config, layers).eval()
    modules.require_methods(attempt, "config", "x, mask=None")
    module = attempt(config)
    modules.fill(module, attempt, ASKED, [layer.weight for layer in layers], [layer.bias for layer in layers])
    return modules.in_dtype(module, layers[0].weight.dtype).eval()


def apply(module, x, *mask):
    """Apply the module, with the mask by name if forward has an argument `mask`, else by position; or without one."""
    if mask and modules.takes(type(module).forward, 2, "mask"):
        return module(x, mask=mask[0])
    return module(x, *mask)


def situation(args):
    x, num_heads, mask = args[0], args[4], args[5:]
    given = "without a mask"
    if mask:
        given = "with mask=None" if mask[0] is None else f"with a mask of shape {tuple(mask[0].shape)}"
    return modules.was_built({"hidden_size": x.size(-1), "num_attention_heads": num_heads}, x, f" {given}")


THREE_LAYERS = heads.random_layers(heads.C, 214)[:3]


def ask(attempt, x, context, layers):
    return run_bert_self_attention(attempt, x, *layers[:3], H)


EXERCISE = exercise(
    MyBertSelfAttention,
    assemble=assemble,
    **properties.OUT_AND_WEIGHTS,
    runner=ModuleRunner(run_bert_self_attention, ("x", *LAYERS, "num_attention_heads", "mask"), situation),
    axis_names=AXES | heads.SIZES,
    stage_of=lambda args: heads.is_masked(args[5] if len(args) > 5 else None),
    cases=tuple(replace(case, args=modules.only_read(case.args)) for case in heads.self_attention_cases(layers=3)),
    minimal_inputs=tuple(map(modules.only_read, heads.small_arguments(layers=3))),
    square=("mask",),
    error_meanings=(
        (
            r"modified by an inplace operation.*which is output \d+ of (\w+?)(?:Backward\d*)?,",
            "{0} made a tensor that its gradient needs, and a later line changed it in place, by +=, /=, "
            "`x[...] = ...` or a method that ends in _. Which one? Let it make a new tensor.",
        ),
    ),
    properties=(
        properties.FINITE,
        properties.POSITIVE,
        replace(properties.ROWS, hint=f"{properties.ROWS.hint} (Dropout that does not follow model.eval() does.)"),
        properties.HIDDEN,
    ),
    behavioral_tests=(
        *heads.behavioral_tests(ask, MyBertSelfAttention, self_attention=True),
        *modules.trainable(
            lambda attempt: built(attempt, THREE_LAYERS, H),
            MyBertSelfAttention,
            LAYERS,
            (normal(B, T, heads.C, seed=217), CAUSAL),
            (normal(B, S, heads.C, seed=218),),
            apply,
        ),
    ),
)
