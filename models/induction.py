"""Induction heads: strings that repeat, scores that recognize the heads that read them back, and models to train.

When a random string repeats, one rule predicts it: find the token's previous occurrence, and take what followed it.
That takes two layers. A head of the first writes into each position which token came just before it; a head of the
second, an induction head, looks for the position into which its own token was written.
"""

from typing import NamedTuple

import torch

from helpers import require
from helpers.decoder import Decoder, DecoderConfig, token_losses
from models.training import seeded, train

VOCAB_SIZE, LENGTH = 64, 64
SHORTEST, LONGEST = 8, 40  # the strings' lengths vary: with a single length, a model could learn a fixed distance


class Point(NamedTuple):
    """What a model can do after some steps, on strings that it was not trained on.

    Shapes: loss in nats and accuracy, where a token has to be read back; previous and induction (layers, H), the mean
            scores of each head
    """

    step: int
    loss: float
    right: float
    previous: torch.Tensor
    induction: torch.Tensor


def repeated_strings(generator, size, length, shortest, longest, vocab_size, first=0):
    """Random strings of distinct tokens, each repeated until the row is full: all but the first copy can be predicted.

    Shapes: -> ids (size, length), from `first` to `vocab_size` - 1; counted (size, length - 1), bool, True where
            the next token has to be read back
    Units:  each row's string has a length drawn uniformly from `shortest` to `longest`
    Errors: ValueError if there are fewer tokens than the longest string needs
    Source: Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits"; notebook 08
    """
    require.sizes(size=size, length=length, shortest=shortest)
    if not shortest <= longest <= vocab_size - first:
        raise ValueError(
            f"strings of {shortest} to {longest} distinct tokens need at least as many tokens, got {vocab_size - first}"
        )
    tokens = first + torch.rand(size, vocab_size - first, generator=generator).argsort(dim=-1)  # permutations
    distance = torch.randint(shortest, longest + 1, (size, 1), generator=generator)
    positions = torch.arange(length)
    return tokens.gather(1, positions % distance), positions[1:] >= distance


def previous_token_scores(weights):
    """How much each head attends to the previous token.

    Shapes: weights (..., H, T, T) -> (..., H), the mean of the weights from t to t - 1
    Source: Elhage et al. 2021; notebook 08
    """
    return weights.diagonal(offset=-1, dim1=-2, dim2=-1).mean(dim=-1)


def induction_scores(weights, ids):
    """How much each head attends to the position right after the token's previous occurrence.

    Shapes: weights (H, T, T), ids (T,) -> (H,), the mean over all positions whose token occurred before
    Errors: ValueError if no token occurs twice
    Source: Olsson et al. 2022, "In-context Learning and Induction Heads"; notebook 08
    """
    same = (ids[:, None] == ids).tril(-1)  # (T, T): the earlier occurrences of each token
    again = same.any(dim=-1)
    if not again.any():
        raise ValueError("at least one token must occur twice, got ids that are all different")
    positions = torch.arange(len(ids), device=ids.device)
    after = (same * positions).amax(dim=-1)[again] + 1  # one after the latest occurrence
    return weights[:, again, after].mean(dim=-1)


def attention_only(num_layers, seed):
    """Make an untrained model for strings, with attention and no feed-forward networks.

    Shapes: -> Decoder
    Source: notebook 08
    """
    return seeded(seed, lambda: Decoder(DecoderConfig(VOCAB_SIZE, LENGTH, num_layers=num_layers, d_ff=0)))


def strings(seed, shortest=SHORTEST, longest=LONGEST, size=32, vocab_size=VOCAB_SIZE, first=0):
    """Generate endless batches of repeated strings.

    Shapes: -> yields (ids (size, 64), counted (size, 63))
    Source: notebook 08
    """
    generator = torch.Generator().manual_seed(seed)
    while True:
        yield repeated_strings(generator, size, LENGTH, shortest, longest, vocab_size, first)


@torch.no_grad()
def examine(model, step=0, seed=99, shortest=SHORTEST, longest=LONGEST, head_mask=None):
    """Measure what a model does with 64 strings, and what its heads attend to.

    Shapes: head_mask (layers, H), 0 silences a head -> Point
    Source: notebook 08
    """
    ids, counted = next(strings(seed, shortest, longest, size=64))
    logits, weights = model.look(ids, head_mask=head_mask)
    right = logits[:, :-1].argmax(dim=-1) == ids[:, 1:]
    previous = [previous_token_scores(layer).mean(dim=0) for layer in weights]  # (B, H) -> (H,)
    induction = [torch.stack([induction_scores(*row) for row in zip(layer, ids, strict=True)]) for layer in weights]
    return Point(
        step,
        token_losses(logits, ids)[counted].mean().item(),
        right[counted].float().mean().item(),
        torch.stack(previous),
        torch.stack([layer.mean(dim=0) for layer in induction]),
    )


def grow(model, seed, steps=500, every=25, shortest=SHORTEST, longest=LONGEST):
    """Train a model on strings, and examine its heads before the first step and every few steps.

    Shapes: -> yields Point
    Source: notebook 08
    """
    yield examine(model, shortest=shortest, longest=longest)
    for step, _ in train(model, strings(seed, shortest, longest), steps, final=1.0):
        if step % every == 0:
            model.eval()
            yield examine(model, step, shortest=shortest, longest=longest)
            model.train()
