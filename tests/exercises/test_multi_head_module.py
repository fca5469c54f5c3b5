"""The reference of exercise 5.5 is nn.MultiheadAttention with the same parameters."""

import pytest
import torch
from torch import nn

from exercises import EXERCISES
from exercises.n05_multi_head_attention.multi_head_module import parse, run_multi_head_attention
from models import ports


@pytest.mark.slow
def test_the_reference_agrees_with_pytorchs_module_on_every_case_without_dropout():
    exercise, compared = EXERCISES["5.5"], 0
    for case in exercise.cases:
        given = parse(case.args)
        if given.dropout:
            continue
        (_, T, C), context = given.x.shape, given.x if given.context is None else given.context
        theirs = nn.MultiheadAttention(C, given.num_heads, batch_first=True, dtype=given.x.dtype).eval()
        names = ("q_proj", "k_proj", "v_proj", "out_proj")
        layers = torch.nn.ModuleDict(zip(names, given.layers, strict=True))
        theirs.load_state_dict(ports.from_ours(layers.state_dict(), "torch"))
        blocked = None
        if given.mask is not None:
            blocked = ~given.mask.expand(len(given.x), given.num_heads, T, context.size(1)).flatten(0, 1)
        right = theirs(given.x, context, context, attn_mask=blocked, average_attn_weights=False)
        found = run_multi_head_attention(exercise.reference, *case.args)
        torch.testing.assert_close(found, right, rtol=1e-5, atol=1e-5)
        compared += 1
    assert compared == len(exercise.cases) - 3
