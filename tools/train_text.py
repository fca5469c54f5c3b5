"""Train the text model of notebook 08 on the course's own prose, and write it to data/text.

    python -m tools.train_text            prints how the training goes, without dropout and with it
    python -m tools.train_text --write    also write the curves, and the parameters that read the held-out part best

The text is data/text/course.txt, of which every tenth paragraph is held out. On one thread, so that the same machine
gives the same parameters; other processors round differently.
"""

import argparse
import copy
import math
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context

import torch

from helpers.decoder import Decoder, token_losses
from models.text_model import CONFIG, FILE, MERGES, Tokens, learn_merges, parts, random_windows, windows
from models.training import train
from tools.train_stories import EVERY, ROUNDED, write

STEPS = {0.0: 600, CONFIG.dropout: 900}  # {dropout: steps}; without dropout, overfitting starts sooner
SEED = 0


@torch.no_grad()
def bits_per_byte(model, rows, bytes_per_token):
    model.eval()
    bits = token_losses(model(rows)[0], rows).double().mean().item() / math.log(2)
    model.train()
    return bits / bytes_per_token


def trained(dropout, ids, rows):
    """Return the model at its best on the held-out part, and its curve; print a line for each point of the curve."""
    torch.set_num_threads(1)
    torch.manual_seed(SEED)  # for the parameters and for dropout
    model = Decoder(replace(CONFIG, dropout=dropout))
    best, curve, begin = None, [], time.process_time()
    for step, _ in train(model, random_windows(ids, SEED), STEPS[dropout], learning_rate=3e-3, final=0.05):
        if step % EVERY and step != 1:
            continue
        point = {part: round(bits_per_byte(model, *pieces), ROUNDED) for part, pieces in rows.items()}
        curve.append({"step": step, **point})
        took = time.process_time() - begin
        print(f"dropout {dropout}, step {step}: bits per byte {point}, {took:.0f} s", flush=True)
        if point["held_out"] == min(earlier["held_out"] for earlier in curve):
            best = copy.deepcopy(model)
    return best, curve


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the model and the curves")
    options = parser.parse_args(words)
    training, held_out = parts()
    tokens = Tokens(learn_merges(training, MERGES))
    ids, held_out_ids = (torch.tensor(tokens.encode(text)) for text in (training, held_out))
    asked = windows(held_out_ids)
    rows = {  # as many rows of the training part as of the held-out part
        "training": (windows(ids)[: len(asked)], len(training.encode()) / len(ids)),
        "held_out": (asked, len(held_out.encode()) / len(held_out_ids)),
    }
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as processes:
        found = list(processes.map(partial(trained, ids=ids, rows=rows), STEPS))
    if options.write:
        curves = {str(dropout): curve for dropout, (_, curve) in zip(STEPS, found, strict=True)}
        write(found[-1][0], {"seed": SEED, "curves": curves}, FILE, FILE.with_name("curve.json"))


if __name__ == "__main__":
    main()
