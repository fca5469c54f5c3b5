"""The finished functions of `helpers` pass the checks of the exercises that lead to them.

A check compares numbers, shapes and dtypes on many inputs, fully masked rows and huge scores among them, and asks for
gradients. What a function does beyond its exercise is tested with its module.
"""

from functools import partialmethod

import pytest

from exercises import check
from helpers import (
    attention,
    bert,
    decoder,
    embeddings,
    grouped,
    heads,
    latent,
    long_attention,
    masks,
    norms,
    online,
    pages,
    relative_positions,
    tiled,
    windows,
)
from models import induction


class WithWeights(heads.MultiHeadAttention):
    """Exercise 5.5 asks for the weights in each call, which the explicit path gives."""

    forward = partialmethod(heads.MultiHeadAttention.forward, need_weights=True)


class Fused(WithWeights):
    """The output of the fused path in evaluation; in training, it would drop other weights than are returned."""

    def forward(self, x, context=None, mask=None):
        out, weights = super().forward(x, context, mask)
        return out if self.training else heads.MultiHeadAttention.forward(self, x, context, mask)[0], weights


class Attention(bert.BertSelfAttention):
    """Exercise 7.1 has no cache."""

    def forward(self, x, mask=None):
        return super().forward(x, mask=mask)[:2]


FINISHED = {
    "1.2": embeddings.embed,
    "1.3": embeddings.sinusoidal_positions,
    "1.4": embeddings.add_positions,
    "2.4": attention.dot_product_attention,
    "2.5": attention.SelfAttention,
    "3.1": masks.causal_mask,
    "3.2": masks.mask_by_renormalizing,
    "3.3": masks.mask_by_filling,
    "3.4": masks.padding_mask,
    "3.5": masks.masked_softmax,
    "4.3": attention.CausalAttention,
    "5.1": heads.split_heads,
    "5.2": heads.merge_heads,
    "5.5": WithWeights,
    "5.5 fused": Fused,
    "7.1": Attention,
    "8.1": decoder.next_token_loss,
    "8.2": decoder.DecoderBlock,
    "8.3": decoder.sample,
    "8.4": decoder.generate,
    "8.5": induction.induction_scores,
    "8.6": decoder.keep_top_p,
    "9.1": relative_positions.rotate_pairs,
    "9.2": relative_positions.rotate_halves,
    "9.3": relative_positions.pairs_to_halves,
    "9.4": relative_positions.rotary_step,
    "9.5": relative_positions.alibi_bias,
    "10.1": grouped.grouped_attention,
    "10.2": grouped.pool_heads,
    "10.3": norms.rms_norm,
    "10.4": latent.absorbed_attention,
    "11.1": windows.window_mask,
    "11.2": windows.rolling_step,
    "11.3": long_attention.sink_weights,
    "11.4": long_attention.capped_scores,
    "11.5": pages.read_pages,
    "12.1": online.merge,
    "12.2": tiled.tiled_attention,
    "12.3": tiled.tiled_backward,
}


@pytest.mark.parametrize("name", FINISHED)
def test_a_finished_function_passes_the_check_of_its_exercise(name):
    report = check(name.split()[0], FINISHED[name], record=False)
    assert report.status == "correct", report.message
