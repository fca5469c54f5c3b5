"""The first line of every notebook: one seed, one device, one way to print a tensor."""

import os

import torch


def setup(seed=123):
    """Make this notebook's numbers the printed ones; returns the device to compute on.

    Units:  tensors print with 4 decimals and no scientific notation
    Errors: ValueError if the environment variable COURSE_DEVICE names no device of this machine
    Source: notebook 00
    """
    torch.manual_seed(seed)
    torch.set_printoptions(precision=4, sci_mode=False, linewidth=100)
    return pick_device()


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
        raise ValueError(f"COURSE_DEVICE must name a device of this machine, got {wanted!r}; "
                         "unset it, or try COURSE_DEVICE=cpu") from None
