"""What is to be tidied in the exercises: `python tools/audit.py 5.3 2.4`, or all without a word.

For each exercise: variants of a misconception that do the same as another, misconceptions that no answer of the bank
meets, and how long checks take, in process time.
"""

import os
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
os.environ["COURSE_PROGRESS"] = "memory"

from exercises import EXERCISES, check  # noqa: E402  the path comes first
from feedback import audit, bank  # noqa: E402


def milliseconds(id, answers):
    """(median, 95th percentile) of the process time of checking these answers."""
    times = []
    for answer in answers:
        start = time.process_time()
        check(id, answer)
        times.append(1000 * (time.process_time() - start))
    return statistics.median(times), statistics.quantiles(times, n=20)[-1]


def main(ids):
    for id in ids or EXERCISES:
        exercise = EXERCISES[id]
        folder = EXERCISES.module_of(id).removesuffix(".exercise")
        right, wrong = bank.read(folder, "right"), bank.read(folder, "wrong")
        variants = sum(1 for _ in audit.variants(exercise))
        check(id, exercise.reference)
        median, high = milliseconds(id, [a for a, d in (*right, *wrong) if d != "never-ends"])
        print(
            f"{id} {exercise.name}: {len(exercise.misconceptions)} misconceptions, {variants} variants, "
            f"{len(right)} right and {len(wrong)} wrong answers, {median:.0f} ms (95 %: {high:.0f} ms)"
        )
        met = {diagnosis for _, diagnosis in wrong}
        for line in audit.redundant(exercise):
            print(f"    redundant: {line}")
        for line in audit.taken_for_another(exercise):
            print(f"    taken for another: {line}")
        for misconception in exercise.misconceptions:
            if misconception.id not in met:
                print(f"    without an answer in the bank: {misconception.id}")


if __name__ == "__main__":
    main(sys.argv[1:])
