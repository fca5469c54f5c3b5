"""How long a check takes, alone or next to other processes that check answers too, as on the server of a class.

    python -m benchmarks.checks                      all answers in the banks, exercise by exercise
    python -m benchmarks.checks 5.5 3.6              the answers of these exercises
    python -m benchmarks.checks --others 8 5.5 3.6   the same next to eight other processes

Times are by the clock, in milliseconds. `first` is the first check of an exercise in this process, which computes what
the reference and the misconceptions do, and remembers it; the others are of answers that were checked once before.
"""

import argparse
import multiprocessing
import os
import random
import statistics
import sys
import time

from exercises import EXERCISES, check


def answers_of(id):
    """All answers in the banks of an exercise, in random order."""
    banks = EXERCISES[id].banks()
    answers = [answer.code for answer in (*banks.right, *banks.wrong, *banks.two_mistakes)]
    return random.Random(0).sample(answers, len(answers))


def milliseconds(id, answer):
    started = time.perf_counter()
    check(id, answer)
    return 1000 * (time.perf_counter() - started)


def keep_checking(seed, ready):
    """What the other processes do: check answers to all exercises, in random order, until they are ended."""
    everything = [(id, answer) for id in EXERCISES for answer in answers_of(id)]
    draw = random.Random(seed)
    ready.set()
    while True:
        check(*draw.choice(everything))


def start_others(count):
    """Processes that check all the time, once they do."""
    spawn, others = multiprocessing.get_context("spawn"), []
    for seed in range(count):
        ready = spawn.Event()
        others.append(spawn.Process(target=keep_checking, args=(seed, ready), daemon=True))
        others[-1].start()
        ready.wait()
    return others


def row(id, firsts, times):
    of_95_percent = statistics.quantiles(times, n=20, method="inclusive")[-1]
    numbers = statistics.median(firsts), statistics.median(times), of_95_percent, max(times)
    return f"{id:<8} {len(times):7} " + " ".join(f"{number:8.0f}" for number in numbers)


def main(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("exercises", nargs="*", help="their numbers (unset: all)", metavar="N.M")
    parser.add_argument("--others", type=int, default=0, metavar="N", help="how many processes check next to this one")
    options = parser.parse_args(words)
    os.environ["COURSE_PROGRESS"] = "memory"  # a measurement is no attempt
    wanted = options.exercises or list(EXERCISES)
    unknown = set(wanted) - set(EXERCISES)
    if unknown:
        parser.error(f"there is no exercise {sorted(unknown)[0]}: the first is {next(iter(EXERCISES))}")
    answers = {id: answers_of(id) for id in wanted}
    firsts = {id: milliseconds(id, answers[id][0]) for id in wanted}
    for id in wanted:
        for answer in answers[id][1:]:
            check(id, answer)
    others = start_others(options.others)
    print("exercise answers    first   median  95th p.     most", flush=True)
    everything = []
    for id in wanted:
        times = [milliseconds(id, answer) for answer in answers[id]]
        everything += times
        print(row(id, [firsts[id]], times), flush=True)
    print(row("all", firsts.values(), everything))
    for other in others:
        other.terminate()


if __name__ == "__main__":
    main(sys.argv[1:])
