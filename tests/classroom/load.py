"""A class of simulated learners on one hub, while things die: what it costs, and that nothing that was saved is lost.

    python -m tests.classroom.load --learners 20

starts a hub on loopback, lets all learners log in, start JupyterLab and work in notebooks 02 and 03 at the same time,
up to the fifth exercise or, with --whole, to the ends, when they close one before they open the next. Meanwhile it
kills a kernel, a server and the hub, and starts the hub again. It ends with a table and with a list of what was lost,
which must be empty. `--proxy COMMAND` takes another proxy than the tests', such as the one that classroom/hub.md
installs. tests/classroom/test_hub.py runs a small class.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import psutil

from tests.classroom.hub import PYTHON_PROXY, Hub, runs
from tests.classroom.learner import PATIENCE, Learner

PARTS = {"02_single_head_attention.ipynb": 3, "03_causal_masking.ipynb": 2}  # exercises, and all cells above them
WHOLE = dict.fromkeys(PARTS)  # from the first cell to the last
HUB_DOWN = 5  # seconds without a hub
COURSE = "attention-by-hand"  # a learner's copy, in their home
MB = 1e6


class Class:
    """The learners, what is done to them, and what was seen."""

    def __init__(self, hub, names, notebooks=PARTS):
        self.hub = hub
        self.learners = [Learner(hub, name, notebooks) for name in names]
        self.memory = {}  # {learner: {"server" or "kernels": bytes}}
        self.seconds = {}  # {learner: of a core, by the processes that are measured}
        self.survived = False  # every server that ran when the hub was killed still ran when it was back
        self.while_down = 0  # checks that were answered without a hub

    def run(self, seconds=2 * PATIENCE):
        """Let everybody work, and disturb them: a kernel, a server and the hub die while some have much left to do."""
        until = time.monotonic() + seconds
        for learner in self.learners:
            learner.start()
        first, second, third = self.learners[:3]
        self.when_checked(first, 1)
        self.hub.kernels(first.name)[0].kill()
        self.when_checked(second, 1)
        self.kill_server(second)
        self.when_checked(third, 2)
        self.kill_hub()
        for learner in self.learners:
            learner.join(timeout=max(0, until - time.monotonic()))
        self.measure()

    def when_checked(self, learner, count):
        while len(learner.checked) < count:
            if not learner.is_alive():
                raise RuntimeError(f"{learner.name} gave up: {learner.failure}")
            time.sleep(0.1)

    def kill_server(self, learner):
        server = self.hub.servers()[learner.name]
        server.kill()
        while runs(server, "jupyterhub.singleuser"):  # a process takes a moment to die
            time.sleep(0.01)

    def kill_hub(self):
        before = {name: process.pid for name, process in self.hub.servers().items()}
        checked = self.checked()
        self.hub.kill()
        time.sleep(HUB_DOWN)
        self.while_down = self.checked() - checked
        self.hub.start()
        after = {name: process.pid for name, process in self.hub.servers().items()}
        self.survived = before.items() <= after.items()

    def checked(self):
        return sum(len(learner.checked) for learner in self.learners)

    def measure(self):
        for name, server in self.hub.servers().items():
            kernels = self.hub.kernels(name)
            self.memory[name] = {"server": own_memory([server]), "kernels": own_memory(kernels), "count": len(kernels)}
            self.seconds[name] = sum(sum(process.cpu_times()[:2]) for process in [server, *kernels])

    def lost(self):
        """One sentence for each thing that was saved or checked and is not there."""
        return [sentence for learner in self.learners for sentence in self.lost_by(learner)]

    def lost_by(self, learner):
        if learner.failure or learner.is_alive():
            yield f"{learner.name} did not finish: {learner.failure or 'still at work'}"
        mine = self.hub.homes / learner.name / COURSE
        for path, text in learner.saved.items():
            found = code_of(json.loads((mine / path).read_text(encoding="utf-8")))
            if found not in (code_of(json.loads(text)), code_of(json.loads(learner.tried[path]))):
                yield f"{learner.name}: {path} is not as it was saved last"
        progress = json.loads((mine / "data" / "progress.json").read_text(encoding="utf-8"))
        for exercise in set(learner.checked):
            if progress.get(exercise, {}).get("status") != "correct":
                yield f"{learner.name}: exercise {exercise} is not in the progress file"
        lines = [
            json.loads(line) for line in (mine / "data" / "attempts.jsonl").read_text(encoding="utf-8").splitlines()
        ]
        attempts = Counter(line["exercise"] for line in lines if "exercise" in line)
        if set(learner.checked) - set(attempts) or attempts.total() > learner.sent:
            seen = f"{len(learner.checked)} cards of {learner.sent} checks"
            yield f"{learner.name}: {attempts.total()} attempts on file, but {seen}"
        for leftover in [*(mine / "data").glob("*.part"), *(mine / "data").glob("*.unreadable-*")]:
            yield f"{learner.name}: {leftover.name} was left over"

    def table(self):
        """What the class did and what it took, as text."""
        everyone = self.learners
        rows = {
            "learners": f"{len(everyone)} on {psutil.cpu_count()} cores, {psutil.virtual_memory().total / 1e9:.0f} GB",
            "exercises checked": f"{self.checked()}, at least {min(len(set(x.checked)) for x in everyone)} each",
            "checks while the hub was down": f"{self.while_down} in {HUB_DOWN} s",
            "log in, s": spread([learner.times.get("login", 0) for learner in everyone]),
            "start until JupyterLab opens, s": spread([learner.times.get("start", 0) for learner in everyone]),
            "server, MB": spread([found["server"] / MB for found in self.memory.values()]),
            "each kernel, MB": spread(
                [found["kernels"] / MB / found["count"] for found in self.memory.values() if found["count"]]
            ),
            "learner, MB": spread([(found["server"] + found["kernels"]) / MB for found in self.memory.values()]),
            "learner, seconds of a core": spread(list(self.seconds.values())),
            "interruptions": ", ".join(
                f"{n} x {why}" for why, n in Counter(w for x in everyone for w in x.interruptions).items()
            ),
            "servers survived the hub": "yes" if self.survived else "NO",
            "lost": "; ".join(self.lost()) or "nothing",
        }
        return "\n".join(f"{what:<32} {value}" for what, value in rows.items())


def own_memory(processes):
    """Bytes, with memory that several processes share divided among them (PSS) where the system can tell."""
    return sum(getattr(process.memory_full_info(), "pss", process.memory_info().rss) for process in processes)


def code_of(notebook):
    """{cell: code}, and how often the notebook was saved."""
    return notebook["metadata"].get("saves"), {cell["id"]: "".join(cell["source"]) for cell in notebook["cells"]}


def spread(values):
    return f"{statistics.median(values):.1f} (median), {max(values):.1f} (most)" if values else "none"


def main(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--learners", type=int, default=20, metavar="N", help="how many, at least 3 (unset: 20)")
    parser.add_argument("--whole", action="store_true", help="run both notebooks to their ends, not five exercises")
    parser.add_argument("--minutes", type=float, default=60, metavar="N", help="after which to count (unset: 60)")
    parser.add_argument("--proxy", default=PYTHON_PROXY, metavar="COMMAND", help="the proxy to start")
    options = parser.parse_args(words)
    names = [f"learner{number:02}" for number in range(options.learners)]
    with tempfile.TemporaryDirectory() as folder:
        hub = Hub(Path(folder), names, options.proxy)
        try:
            hub.start()
            began = time.monotonic()
            a_class = Class(hub, names, WHOLE if options.whole else PARTS)
            a_class.run(60 * options.minutes)
            print(a_class.table())
            print(f"{'all of it, s':<32} {time.monotonic() - began:.0f}")
            return 1 if a_class.lost() or not a_class.survived else 0
        finally:
            hub.stop()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
