"""Train a decoder: models from a seed, a loop for all that notebook 08 trains, and loading trained parameters."""

import hashlib
import math

import torch

from helpers import require
from helpers.decoder import token_losses


def seeded(seed, make):
    """Make a new model from a seed; the global random state does not change.

    Shapes: make, a function without arguments -> what it returns
    Source: notebook 08
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return make()


def train(model, batches, steps, learning_rate=4e-3, final=0.1):
    """Take one step of AdamW for each batch, and yield the loss after each.

    The learning rate rises for 50 steps, then falls along a cosine to `final` times its peak.

    Shapes: batches yields (ids, counted): ids (B, T); counted (B, T - 1), bool, which predictions count, or None for
            all -> yields (step, loss): steps from 1, the loss of the batch in nats
    Errors: ValueError if steps is below 1
    Source: Loshchilov and Hutter 2019; notebook 08
    """
    require.sizes(steps=steps)
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate, betas=(0.9, 0.95), weight_decay=0.01)
    model.train()
    for step, (ids, counted) in zip(range(1, steps + 1), batches, strict=False):
        cosine = 0.5 + 0.5 * math.cos(math.pi * step / steps)  # from 1 to 0
        for group in optimizer.param_groups:
            group["lr"] = learning_rate * min(step / 50, final + (1 - final) * cosine)
        losses = token_losses(model(ids)[0], ids)
        loss = losses.mean() if counted is None else losses[counted].mean()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        yield step, loss.item()
    model.eval()


def load_trained(model, file, sha256, name):
    """Load the trained parameters that come with the course into a model, after verifying their file.

    Shapes: -> the model, in evaluation mode
    Errors: FileNotFoundError if the file is missing; ValueError if it is not the one that was trained
    Source: notebook 08
    """
    if not file.is_file():
        raise FileNotFoundError(f"{name} is not here: {file} is missing; it is part of the course's files")
    content = file.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    if digest != sha256:
        raise ValueError(
            f"{file} must have a sha256 that begins with {sha256[:12]}, got {digest[:12]} in {len(content):,} bytes; "
            "put back the course's own file"
        )
    from safetensors.torch import load as tensors

    model.load_state_dict(tensors(content))  # float16 in the file, float32 here
    return model.eval()
