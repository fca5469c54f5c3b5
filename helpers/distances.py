"""The story model without a table of positions: its attention knows distances, by rotary positions or by ALiBi.

Nothing else differs from notebook 08's model: same parameters at the start, same training, same stories.
"""

import sys
from dataclasses import replace

import torch

from helpers import story_model
from helpers.biases import alibi_bias, biased_attention
from helpers.decoder import Decoder
from helpers.heads import MultiHeadAttention, merge_heads
from helpers.masks import causal_mask
from helpers.rotary import rotate_pairs
from helpers.training import load_trained

SHA256 = {
    "rotary": "a7e4ffd65533a9117d10aa2c321b88d782146902cdeb7a6e187f636d16d3e2f2",
    "alibi": "aaa47967f27f8aa6d94e646392aa33f689c9a4023daa334e71d6c8bc6a556ab6",
}


class RotaryAttention(MultiHeadAttention):
    """Multi-head attention with rotary positions in pairs; the queries are the last T of S positions.

    NB: the decoder's cache keeps keys as they are projected, so all of them are turned in each step; `rotary_step`
    turns each key once.

    Shapes: as `MultiHeadAttention`
    Units:  turn may be replaced by `rotate_halves`, if the weights are reordered; base may be raised for longer texts
    Source: Su et al. 2021; notebook 09
    """

    turn, base = staticmethod(rotate_pairs), 10000.0

    def attend(self, q, k, v, *options):
        T, S = q.size(-2), k.size(-2)
        positions = torch.arange(S, device=k.device)
        q, k = self.turn(q, positions[S - T :], self.base), self.turn(k, positions, self.base)
        return super().attend(q, k, v, *options)


class AlibiAttention(MultiHeadAttention):
    """Multi-head attention with ALiBi's bias; the queries are the last T of S positions.

    Shapes: as `MultiHeadAttention`; the weights are always computed
    Source: Press et al. 2022; notebook 09
    """

    def attend(self, q, k, v, mask=None, causal=False, need_weights=False, head_mask=None):
        T, S = q.size(-2), k.size(-2)
        if causal:
            past = causal_mask(T, q.device)
            mask = past if mask is None else mask & past
        out, weights = biased_attention(q, k, v, alibi_bias(self.num_heads, T, S, q.device), mask)
        if head_mask is not None:
            out = out * head_mask[:, None, None]  # (..., H, T, D) * (H, 1, 1)
        return self.out_proj(merge_heads(out)), weights if need_weights else None


ATTENTION = {"rotary": RotaryAttention, "alibi": AlibiAttention}


class DistanceDecoder(Decoder):
    """A decoder whose positions are in its attention: it has no table, and no last position.

    From the same random numbers it begins with the same parameters as `Decoder`, but for the table.

    Shapes: as `Decoder`
    Errors: as `Decoder`; ValueError if the positions are neither "rotary" nor "alibi"
    Source: notebook 09
    """

    def __init__(self, config, positions):
        if positions not in ATTENTION:
            raise ValueError(f'positions must be "rotary" or "alibi", got {positions!r}')
        super().__init__(config)
        del self.positions
        self.config = replace(config, context_length=sys.maxsize)
        for block in self.blocks:
            drawn = block.attention.state_dict()
            block.attention = ATTENTION[positions](config.d_model, config.num_heads, config.dropout)
            block.attention.load_state_dict(drawn)

    def _embed(self, ids, past, real):
        return self.tokens(ids.long())


def new_model(positions, seed):
    """An untrained story model with other positions; the global random numbers stay as they were.

    Shapes: -> DistanceDecoder
    Source: notebook 09
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return DistanceDecoder(story_model.CONFIG, positions)


def file_of(positions):
    """Where the parameters of the trained model are.

    Source: notebook 09
    """
    return story_model.FILE.with_name(f"{positions}.safetensors")


def load(positions):
    """The story model as it was trained with other positions, after verifying its file.

    Errors: FileNotFoundError if the file is missing; ValueError if it is not the one that was trained, or the
            positions are neither "rotary" nor "alibi"
    Source: notebook 09; `python -m tools.train_stories --positions rotary`
    """
    model = new_model(positions, seed=0)
    return load_trained(model, file_of(positions), SHA256[positions], "the story model")
