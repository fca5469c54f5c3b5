"""Train the story model of notebook 08, 09 or 10, test it on fresh stories, and write it to data/stories.

    python -m tools.train_stories                 seeds 0, 1 and 2, one after another; prints how each went
    python -m tools.train_stories --seed 1        one of them
    python -m tools.train_stories --seed 0 --write    also write the parameters and the curve
    python -m tools.train_stories --positions rotary  with other positions, for notebook 09: rotary or alibi
    python -m tools.train_stories --positions today   the decoder of notebook 10, rotary and with fewer keys

First random strings that repeat, until they are read back; then stories. A model is accepted only if its first choice
is right in at least 95 % of every kind of word that has to be read back, in each of three sets of fresh stories. On one
thread, so that the same machine gives the same parameters; other processors round differently.
"""

import argparse
import hashlib
import json
import random
import sys
import time

import torch
from safetensors.torch import save

from models import distances, stories, story_model, story_today
from models.story_model import learn_stories, learn_to_repeat, read

ENOUGH = 0.95
FRESH = (1001, 1002, 1003)  # seeds for test stories, which no training run uses
ROUNDED = 4
STEPS, EVERY = 800, 50  # training steps on stories, and steps between two printed lines
POSITIONS = ("table", *distances.ATTENTION, "today")


def reading(model, seed):
    """Evaluate a model on 512 fresh stories."""
    return read(model, stories.batch(random.Random(seed), 512))


def rounded(numbers):
    return {kind: round(number, ROUNDED) for kind, number in numbers.items()}


def untrained(positions, seed):
    """Return notebook 08's model, with a table of positions, one of notebook 09's models, or notebook 10's."""
    if positions in distances.ATTENTION:
        return distances.new_model(positions, seed)
    return (story_today if positions == "today" else story_model).new_model(seed)


def trained(model, seed):
    """Train a model and return its record, with the curve; print a line for each point of the curve."""
    curve, begin = [], time.process_time()
    for step, loss in learn_to_repeat(model, seed):
        if step % EVERY == 0:
            print(f"seed {seed}, strings {step}: loss {loss:.3f}, {time.process_time() - begin:.0f} s", flush=True)
    print(f"seed {seed}, strings {step}: loss {loss:.3f}: they are read back", flush=True)
    strings = step
    for step, _ in learn_stories(model, seed, STEPS):
        if step % EVERY == 0 or step in (1, STEPS):
            found = reading(model, FRESH[0])
            curve.append({"step": step, "losses": rounded(found.losses), "right": rounded(found.right)})
            right = " ".join(f"{kind} {found.right[kind]:.3f}" for kind in stories.READ_BACK)
            took = time.process_time() - begin
            print(
                f"seed {seed}, stories {step}: loss {found.losses['all']:.3f}, right: {right}, {took:.0f} s", flush=True
            )
    return {"seed": seed, "strings": strings, "curve": curve, "seconds": round(time.process_time() - begin)}


def accepted(model):
    """Return whether the model reads back well enough, and print how well."""
    lowest = 1.0
    for seed in FRESH:
        right = reading(model, seed).right
        print(f"stories of seed {seed}: " + ", ".join(f"{kind} {right[kind]:.2%}" for kind in stories.READ_BACK))
        lowest = min(lowest, *(right[kind] for kind in stories.READ_BACK))
    return lowest >= ENOUGH


def files_of(positions):
    """Return the paths of the parameters and of the curve."""
    if positions == "table":
        return story_model.FILE, story_model.FILE.with_name("curve.json")
    file = story_today.FILE if positions == "today" else distances.file_of(positions)
    return file, file.with_suffix(".json")


def write(model, record, file, curve):
    """Write the parameters as float16, and next to them the curve and the sha256."""
    file.parent.mkdir(parents=True, exist_ok=True)
    content = save({name: tensor.half().contiguous() for name, tensor in model.state_dict().items()})
    file.write_bytes(content)
    record["sha256"] = hashlib.sha256(content).hexdigest()
    curve.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    print(f"{file}: {len(content):,} bytes, sha256 {record['sha256']}: put it where the model is loaded")


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, action="append", help="0, 1 and 2 if none is given")
    parser.add_argument("--positions", choices=POSITIONS, default="table", help="(%(default)s)")
    parser.add_argument("--write", action="store_true", help="write the model, if it is accepted")
    options = parser.parse_args(words)
    torch.set_num_threads(1)
    fine = True
    for seed in options.seed or (0, 1, 2):
        model = untrained(options.positions, seed)
        record = trained(model, seed)
        model.load_state_dict({name: tensor.half().float() for name, tensor in model.state_dict().items()})
        good = accepted(model)  # with the parameters rounded as in the file
        print(f"seed {seed}: {'accepted' if good else 'not accepted'}, {record['seconds']} s", flush=True)
        if good and options.write:
            write(model, record, *files_of(options.positions))
        fine = fine and good
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
