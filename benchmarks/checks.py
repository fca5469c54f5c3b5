"""How long a check takes.

    python -m benchmarks.checks            all answers in the banks, exercise by exercise
    python -m benchmarks.checks 5.5 3.6    the answers of these exercises

Times are by the clock, in milliseconds. `first` is the first check of an exercise in this process, which computes what
the reference and the misconceptions do, and remembers it; the others are of answers that were checked once before.
"""

import argparse
import os
import random
import statistics
import sys
import time

from exercises import EXERCISES, check


def answers_of(id):
    """All answers in an exercise's banks, in random order."""
    banks = EXERCISES[id].banks()
    answers = [answer.code for answer in (*banks.right, *banks.wrong, *banks.two_mistakes)]
    return random.Random(0).sample(answers, len(answers))


def milliseconds(id, answer):
    started = time.perf_counter()
    check(id, answer)
    return 1000 * (time.perf_counter() - started)


def row(id, firsts, times):
    of_95_percent = statistics.quantiles(times, n=20, method="inclusive")[-1]
    numbers = statistics.median(firsts), statistics.median(times), of_95_percent, max(times)
    return f"{id:<8} {len(times):7} " + " ".join(f"{number:8.0f}" for number in numbers)


def main(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("exercises", nargs="*", help="their numbers (unset: all)", metavar="N.M")
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
    print("exercise answers    first   median  95th p.     most", flush=True)
    everything = []
    for id in wanted:
        times = [milliseconds(id, answer) for answer in answers[id]]
        everything += times
        print(row(id, [firsts[id]], times), flush=True)
    print(row("all", firsts.values(), everything))


if __name__ == "__main__":
    main(sys.argv[1:])
