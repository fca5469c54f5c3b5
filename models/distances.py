"""The story model without a table of positions: its attention uses rotary positions or ALiBi.

Nothing else differs from notebook 08's model: the initial parameters, the training and the stories are the same.
"""

import sys
from dataclasses import replace

from helpers.decoder import Decoder
from helpers.relative_positions import ATTENTION
from models import story_model
from models.training import load_trained, seeded

SHA256 = {
    "rotary": "a7e4ffd65533a9117d10aa2c321b88d782146902cdeb7a6e187f636d16d3e2f2",
    "alibi": "aaa47967f27f8aa6d94e646392aa33f689c9a4023daa334e71d6c8bc6a556ab6",
}


class DistanceDecoder(Decoder):
    """A decoder whose positions are in its attention: it has no table, and no maximum length.

    From the same seed, it starts with the same parameters as `Decoder`, except for the table.

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
    """Make an untrained story model with these positions; the global random state does not change.

    Shapes: -> DistanceDecoder
    Source: notebook 09
    """
    return seeded(seed, lambda: DistanceDecoder(story_model.CONFIG, positions))


def file_of(positions):
    """The file with the parameters of the trained model.

    Source: notebook 09
    """
    return story_model.FILE.with_name(f"{positions}.safetensors")


def load(positions):
    """Load the story model that was trained with these positions, after verifying its file.

    Errors: FileNotFoundError if the file is missing; ValueError if it is not the one that was trained, or the
            positions are neither "rotary" nor "alibi"
    Source: notebook 09; `python -m tools.train_stories --positions rotary`
    """
    model = new_model(positions, seed=0)
    return load_trained(model, file_of(positions), SHA256[positions], "the story model")
