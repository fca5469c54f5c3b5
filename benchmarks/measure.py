"""Measurements: median times of implementations that take turns, and the peak memory of a step."""

import re
import statistics
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import torch

MEGABYTE = 2**20


def forward(module, x):
    with torch.no_grad():
        module(x)


def seconds(step, module, x):
    """How long one step takes, until the device has really finished."""
    if x.is_cuda:
        torch.cuda.synchronize()
    start = time.perf_counter()
    step(module, x)
    if x.is_cuda:
        torch.cuda.synchronize()
    return time.perf_counter() - start


def medians(step, modules, x, budget):
    """The median time of each module; they take turns until the budget in seconds is spent, at least 5 times."""
    spans = {name: [] for name in modules}
    names, end = list(modules), time.perf_counter() + budget
    for module in modules.values():
        step(module, x)  # a warm-up
    while len(spans[names[-1]]) < 5 or time.perf_counter() < end:
        for name in names:
            spans[name].append(seconds(step, modules[name], x))
        names = names[1:] + names[:1]
    return {name: statistics.median(found) for name, found in spans.items()}


def peak_on_gpu(step, module, x, forget):
    """The memory in MB that one step needs beyond what was there before, gradients included.

    A warm-up step loads what is loaded only once, and `forget()` drops its gradients.
    """
    step(module, x)
    forget()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    step(module, x)
    return (torch.cuda.max_memory_allocated() - before) / MEGABYTE


def in_a_fresh_process(function, *given):
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *given).result()


def peak_in_this_process(step, module, x, small):
    """The same on a CPU, for a fresh process; 0 if the system does not report it."""
    step(module, small)  # loads what is loaded only once
    before = largest_memory()
    step(module, x)
    return largest_memory() - before


def largest_memory():
    """The most memory in MB that this process has held so far; on Linux, its parent's memory does not count."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(re.search(r"VmHWM:\s+(\d+) kB", status.read_text())[1]) / 1024
    try:
        import resource
    except ImportError:  # Windows
        return 0.0
    unit = 1 if sys.platform == "darwin" else 1024  # bytes there, kilobytes elsewhere
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / MEGABYTE
