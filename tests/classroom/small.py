"""A catalog with three exercises, and functions that write the files of a class."""

import json
from datetime import datetime, timedelta, timezone

from tools.classroom.catalog import Exercise

START = datetime(2024, 11, 22, 9, 0, tzinfo=timezone.utc)
MISTAKES = {
    "stopped": ("The code stops.", "Where?"),
    "upside-down": ("The mask is `upside down` <here>.", "Which triangle?"),
    "no-scale": ("No scale.", "By what?"),
}
CATALOG = {
    "0.1": Exercise("0.1", "row_means", 3, "00", MISTAKES),
    "3.1": Exercise("3.1", "causal_mask", 5, "03", MISTAKES),
    "3.2": Exercise("3.2", "CausalMask", 8, "03", MISTAKES),
}


def after(minutes):
    return START + timedelta(minutes=minutes)


def attempt(minutes, exercise="0.1", verdict="wrong", misconception=None):
    time = after(minutes).isoformat()
    return json.dumps({"time": time, "exercise": exercise, "verdict": verdict, "misconception": misconception})


def choice(minutes, letter, prediction="03.row"):
    return json.dumps({"time": after(minutes).isoformat(), "prediction": prediction, "choice": letter})


def write(folder, *lines):
    """Write a student's file."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "attempts.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
