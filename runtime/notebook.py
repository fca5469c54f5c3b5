"""Code that the notebooks share: seed, device and printing, the example sentence, and measurements."""

import csv
import os
import time
from contextlib import contextmanager
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import nn

DATA = Path(__file__).parents[1] / "data"


def setup(seed=123, device=None):
    """Set the seed and the format of printed tensors; print and return the device to compute on.

    Units:  tensors print with 4 decimals and no scientific notation; device None picks one, as `pick_device` does
    Errors: ValueError if the environment variable COURSE_DEVICE names no device of this machine
    Source: notebook 00
    """
    torch.manual_seed(seed)
    torch.set_printoptions(precision=4, sci_mode=False, linewidth=100)
    device = pick_device() if device is None else torch.device(device)
    print(f"device: {device}")
    return device


def pick_device():
    """The device named by COURSE_DEVICE, else a CUDA GPU, else the CPU.

    Errors: ValueError if COURSE_DEVICE names no device of this machine
    Source: notebook 00
    """
    wanted = os.environ.get("COURSE_DEVICE")
    if not wanted:
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        return torch.zeros(1, device=wanted).device
    except (RuntimeError, AssertionError):
        raise ValueError(
            f"COURSE_DEVICE must name a device of this machine, got {wanted!r}; unset it, or try COURSE_DEVICE=cpu"
        ) from None


class Dropout(nn.Dropout):
    """nn.Dropout with the same random draws in every PyTorch and on every machine: those of `torch.rand` on the CPU.

    Shapes: x (...) -> (...)
    Units:  p is the probability that a number becomes 0
    Source: notebook 04; the recipe is that of nn.Dropout on the CPU in PyTorch 2.13
    """

    def forward(self, x):
        if not self.training:
            return x
        keep = torch.rand(x.shape, dtype=torch.float64, device="cpu") < 1 - self.p
        return x * keep.to(x.device) / (1 - self.p)


def example_sentence():
    """The six words "Your journey starts with one step", and a vector of three numbers for each.

    Shapes: -> words, a list of 6; x (6, 3)
    Errors: FileNotFoundError or ValueError if data/journey.csv is missing or damaged
    Source: Raschka, Build a Large Language Model (From Scratch), 2024, chapter 3; data/README.md
    """
    path, fix = DATA / "journey.csv", "it belongs to the course: copy it from there again"
    try:
        with open(path, encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        return [row["word"] for row in rows], torch.tensor([[float(row[f"x{i}"]) for i in (1, 2, 3)] for row in rows])
    except FileNotFoundError:
        raise FileNotFoundError(f"{path} is missing; {fix}") from None
    except (KeyError, TypeError, ValueError):
        raise ValueError(
            f"{path} must have the columns word, x1, x2, x3, with numbers in the last three; {fix}"
        ) from None


def reference_outputs(name):
    """Load what another implementation computed: its weights under its own names; inputs, masks, outputs.

    Shapes: -> weights {name: tensor}, case {"input.x": tensor, ...}; for "ports/labml" B = 2, T = 5, C = 24, H = 3,
            for "bert/plain" B = 2, T = 7, C = 48, H = 4
    Errors: FileNotFoundError names what was recorded
    Source: data/README.md says whose code computed them
    """
    path = DATA / f"{name}.safetensors"
    if not path.exists():
        known = sorted(file.relative_to(DATA).with_suffix("").as_posix() for file in DATA.glob("[!c]*/*.safetensors"))
        raise FileNotFoundError(f"there are no reference outputs {name!r}, only {', '.join(known)}")
    tensors = load_file(path)
    weights = {name.removeprefix("state."): t for name, t in tensors.items() if name.startswith("state.")}
    return weights, {name: t for name, t in tensors.items() if not name.startswith("state.")}


def milliseconds(function, times=7):
    """How long a call takes on one thread of the CPU: the shortest of several, after a warm-up.

    The shortest, and one thread, because whatever else runs on the machine can only make a call slower, and it slows
    down calls on several threads most.

    Units:  milliseconds
    Source: notebook 02
    """
    with one_thread():
        function()
        return 1000 * min(_seconds(function) for _ in range(times))


@contextmanager
def one_thread():
    """Compute on one thread of the CPU: several threads spend more time waiting for each other on small tensors.

    Source: notebook 02
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _seconds(function):
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def megabytes_kept(forward):
    """The memory that a forward pass keeps for the backward pass: tensors that autograd saves, each storage once.

    Units:  MB, 2**20 bytes
    Source: notebooks 05 and 12
    """
    sizes = {}

    def note(tensor):
        storage = tensor.untyped_storage()
        sizes[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        out = forward()  # kept alive while counting, so that no address is reused
    del out
    return sum(sizes.values()) / 2**20
