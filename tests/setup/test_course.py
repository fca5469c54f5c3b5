"""course.py as users see it: started as a program, in a copy of the course that is set up in a moment.

In such a copy, pip, JupyterLab, pytest, uv, models/pretrained.py and tools/study.py are fakes, which record how they
were called; where it matters, the real programs run. No test needs a network.
"""

import ast
import json
import os
import shutil
import socket
import subprocess
import sys
import zipfile
from pathlib import Path

import pip
import pytest

from tests.setup.copies import ENDLESS, FAKE, PROJECT, imported
from tools.study import IS_OPEN

pytestmark = pytest.mark.install


@pytest.fixture
def module(course):
    return imported(course.folder / "course.py")


def assert_one_sentence(process, *words, lines=1):
    """Assert that the process failed with this many lines on stderr, which contain all the words."""
    assert process.returncode == 1
    assert len(process.err.strip().splitlines()) == lines, process.err
    assert all(word in process.err for word in words), process.err


# ---- the learner's own copies


def test_without_copies_jupyterlab_is_not_opened(ready_course):
    process = ready_course.run(FAKE_TOOLS="sys.exit('study/ could not be written')")
    assert_one_sentence(process, "study/ could not be written")
    assert not ready_course.calls("jupyterlab")


def test_what_is_open_already_is_not_opened_again_and_its_own_port_is_not_called_taken(ready_course):
    ready_course.run()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        process = ready_course.run("--port", str(taken.getsockname()[1]), FAKE_TOOLS=f"sys.exit({IS_OPEN})")
    assert process.returncode == 0 and process.err == "" and len(ready_course.calls("jupyterlab")) == 1


@pytest.mark.parametrize("words, code", [(["update"], 1), (["reset", "03", "05"], 0)])
def test_changing_the_copies_hands_the_words_on(ready_course, words, code):
    assert ready_course.run(*words, FAKE_TOOLS=f"sys.exit({code})").returncode == code
    assert [call["words"] for call in ready_course.calls("tools")] == [words]
    assert not ready_course.calls("models") and not ready_course.calls("jupyterlab")  # MiniLM is not downloaded, either


def test_what_instructors_use_is_told_where_it_was_called(ready_course):
    package = ready_course.folder / "tools" / "slides"
    package.mkdir()
    said = "import os, sys; print(os.environ['COURSE_CALLED_FROM'], os.environ['COURSE_PROGRESS'], sys.argv[1:])"
    (package / "__main__.py").write_text(said, encoding="utf-8")
    process = ready_course.run("slides", "week-1", "--without-notes")
    assert f"{ready_course.folder} memory {['week-1', '--without-notes']}" in process.out
    assert process.returncode == 0 and not ready_course.calls("models")
    assert any("latex2mathml" in str(call) for call in ready_course.calls("pip"))


# ---- setting up


def test_first_start_installs_and_opens_the_learners_first_notebook(ready_course):
    process = ready_course.run("--no-browser")
    assert process.returncode == 0 and "The set-up is complete." in process.out, process.err
    [install] = ready_course.calls("pip")
    assert install["words"][0] == "install" and named_files(install) == ["requirements.txt", "requirements.lock"]
    assert [call["words"] for call in ready_course.calls("tools")] == [["open"]]
    [lab] = ready_course.calls("jupyterlab")
    assert f"--ServerApp.root_dir={ready_course.folder}" in lab["words"] and "--no-browser" in lab["words"]
    assert "--LabApp.default_url=/lab/tree/study/00_start_here.ipynb" in lab["words"]
    assert not [word for word in lab["words"] if "user_settings_dir" in word]  # keeps the learner's own settings
    options = dict(word.split("=", 1) for word in lab["words"] if "=" in word)
    own = ready_course.folder / ".venv" / "share" / "jupyter" / "lab"
    assert Path(options["--LabApp.workspaces_dir"]) == own / "workspaces"
    assert (own / "settings" / "overrides.json").exists()
    assert (ready_course.folder / ".venv" / "etc" / "ipython" / "startup" / "new_kernel.py").exists()
    [folder] = json.loads(options["--ServerApp.tornado_settings"])["static_custom_path"]
    assert (Path(folder) / "custom.css").exists()


def named_files(call):
    """Return the requirement files that pip was given, as paths relative to the course's folder."""
    paths = [Path(word) for word in call["words"] if Path(word).name.startswith("requirements")]
    return ["/".join(path.parts[-2:]) if path.parent.name == "classroom" else path.name for path in paths]


def test_next_start_calls_no_pip_and_keeps_what_was_left_open_and_changed_requirements_are_installed(ready_course):
    ready_course.run()
    [workspace] = (ready_course.folder / ".venv" / "share" / "jupyter" / "lab" / "workspaces").iterdir()
    workspace.write_text("{}", encoding="utf-8")
    assert ready_course.run().returncode == 0 and workspace.read_text(encoding="utf-8") == "{}"
    assert len(ready_course.calls("pip")) == 1 and len(ready_course.calls("jupyterlab")) == 2
    (ready_course.folder / "requirements.txt").write_text("# something else\n", encoding="utf-8")
    ready_course.run()
    assert len(ready_course.calls("pip")) == 2


def test_what_only_tests_need_is_installed_when_tests_are_run_and_then_kept(ready_course):
    ready_course.run()
    for words in (["test"], ["test"], []):
        assert ready_course.run(*words).returncode == 0
    assert [named_files(call) for call in ready_course.calls("pip")] == [
        ["requirements.txt", "requirements.lock"],
        ["requirements.txt", "requirements-test.txt", "classroom/requirements.txt", "requirements.lock"],
    ]


def test_interrupted_then_continued_with_the_real_venv_and_pip(ready_course, press_ctrl_c):
    process = ready_course.start(FAKE_PIP="import time; time.sleep(600)")
    pip_process = ready_course.wait_for("pip")
    press_ctrl_c(process)
    _, error = process.communicate(timeout=ENDLESS)
    assert process.returncode == 130
    assert error.strip() == "Interrupted. Run the same command again to continue."
    with pytest.raises(ProcessLookupError):
        os.kill(pip_process, 0)
    torch = "import types; zeros = lambda size: types.SimpleNamespace(numpy=lambda: None)"
    files = {"torch.py": torch, "numpy.py": "", "matplotlib/font_manager.py": ""}
    files["jupyterlab/__main__.py"] = "print('JupyterLab is open')"
    require_package(ready_course.folder, "jupyterlab", files)
    process = ready_course.run(simulate=SPACE.format(1e12), PIP_FIND_LINKS=str(ready_course.folder), PIP_NO_INDEX="1")
    assert process.returncode == 0, process.err
    assert "The folder .venv is incomplete: making it again." in process.out and "JupyterLab is open" in process.out
    assert not (ready_course.packages() / "pytest").exists()


def require_package(folder, name, files):
    """Put a wheel with these files into the folder, and require it in requirements.txt."""
    with zipfile.ZipFile(folder / f"{name}-1-py3-none-any.whl", "w") as wheel:
        for path, code in files.items():
            wheel.writestr(path, code)
        wheel.writestr(f"{name}-1.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
        wheel.writestr(f"{name}-1.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{name}-1.dist-info/RECORD", "")
    (folder / "requirements.txt").write_text(f"{name}==1\n", encoding="utf-8")


def test_a_flaw_of_the_environment_is_recognized(ready_course, module):
    assert module.flaw_of_environment() is None
    ready_course.stamp.write_text("requirements\n/elsewhere/.venv\n", encoding="utf-8")
    assert module.flaw_of_environment() == "was moved here from /elsewhere/.venv"
    shutil.rmtree(ready_course.packages() / "pip")
    assert module.flaw_of_environment() == "is incomplete"
    module.PYTHON.unlink()
    module.PYTHON.write_text("no program", encoding="utf-8")
    assert module.environment_version() is None
    assert module.flaw_of_environment() == "has no Python that runs"


def test_without_a_browser_the_address_is_to_be_copied(ready_course):
    broken = "import webbrowser\ndef get(): raise webbrowser.Error('could not locate runnable browser')\n"
    said = "No browser was found: copy the address"
    assert said in ready_course.run(simulate=broken + "webbrowser.get = get").out
    assert said not in ready_course.run("--no-browser", simulate=broken + "webbrowser.get = get").out


def test_two_set_ups_at_once_install_once(ready_course):
    first = ready_course.start(FAKE_PIP="import time\nwhile not Path('go').exists(): time.sleep(0.05)")
    ready_course.wait_for("pip")
    second = ready_course.start()
    assert next(line for line in second.stdout if "Another set-up is running in this folder" in line)
    (ready_course.folder / "go").touch()
    for process in (first, second):
        process.communicate(timeout=ENDLESS)
        assert process.returncode == 0
    assert len(ready_course.calls("pip")) == 1 and len(ready_course.calls("jupyterlab")) == 2


def test_progress_of_the_installers(module, capsys):
    wheel = "torch-2.13.0%2Bcpu-cp312-cp312-linux_x86_64.whl"
    for line, shown in {
        "  Downloading torch-2.13.0-cp312-cp312-manylinux_2_28_x86_64.whl (526.1 MB)": "  torch, 526 MB\n",
        f"  Downloading https://host/whl/cpu/{wheel} (191.8 MB)": "  torch, 191 MB\n",
        "  Using cached jupyterlab-4.6.6-py3-none-any.whl (17.3 MB)": "  jupyterlab, 17 MB\n",
        "  Downloading six-1.17.0-py2.py3-none-any.whl (11 kB)": "",
        "Downloading torch (182.4MiB)": "  torch, 182 MB\n",  # uv's format
        "Installing collected packages: six, torch": "  unpacking 2 packages, which may take some minutes\n",
    }.items():
        module.show_progress(line + "\n")
        assert capsys.readouterr().out == shown


# ---- which build of PyTorch


@pytest.mark.parametrize(
    "has_gpu, chosen, reachable, expected",
    [
        (False, "cpu", True, ["--extra-index-url", "https://download.pytorch.org/whl/cpu"]),
        (True, "cpu", True, ["--extra-index-url", "https://download.pytorch.org/whl/cpu"]),
        (True, "", True, []),
        (False, "cpu", False, []),
        (False, "default", True, []),
    ],
)
def test_choice_of_the_build(module, monkeypatch, capsys, has_gpu, chosen, reachable, expected):
    def open_address(address, timeout):
        if not reachable:
            raise OSError("no route to host")
        return open(os.devnull, encoding="utf-8")

    monkeypatch.setattr(module.sys, "platform", "linux")
    monkeypatch.setattr(module, "runs", lambda *command: has_gpu)
    monkeypatch.setattr(module, "uv", lambda: None)
    monkeypatch.setattr(module.urllib.request, "urlopen", open_address)
    monkeypatch.setenv("COURSE_TORCH", chosen)
    arguments, _, otherwise = module.choose_torch()
    assert arguments == expected
    assert ("is not reachable" in capsys.readouterr().out) == (not reachable)
    assert ("3 and 5.5 GB if" in otherwise) == (not reachable)


def test_an_unknown_choice_is_refused(ready_course):
    process = ready_course.run(COURSE_TORCH="gpu")
    assert_one_sentence(process, "COURSE_TORCH must be cpu or default, got 'gpu'", "change it or unset it")
    assert not ready_course.calls("pip") and ready_course.stamp.exists()


# ---- uv


@pytest.fixture
def use_uv(ready_course):
    """Make a fake uv, which makes a .venv with the fakes; return environment variables so that course.py finds it."""
    if os.name == "nt":
        pytest.skip("the fake uv is a script with a #! line, which Windows does not run")
    folder = ready_course.folder / "uv"
    folder.mkdir()
    make_venv = (
        "if sys.argv[1] == 'venv':\n    import shutil\n"
        "    shutil.copytree('ready', sys.argv[-1], symlinks=True, dirs_exist_ok=True)\n"
    )
    (folder / "uv").write_text(f"#!{sys.executable}\n{FAKE}{make_venv}", encoding="utf-8")
    (folder / "uv").chmod(0o755)
    return {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "COURSE_INSTALLER": ""}


def test_uv_makes_the_environment_and_installs(ready_course, use_uv):
    shutil.move(ready_course.folder / ".venv", ready_course.folder / "ready")
    process = ready_course.run(simulate=SPACE.format(1e12), **use_uv)
    assert process.returncode == 0, process.err
    check, *calls = [call["words"] for call in ready_course.calls("uv") if "--help" not in call["words"]]
    assert check[0] == "venv" and "--seed" in check and Path(check[-1]).name == ".venv"
    [install] = calls
    assert install[:4] == ["pip", "install", "--python", str(ready_course.python())]
    assert named_files({"words": install}) == ["requirements.txt", "requirements.lock"]
    assert not ready_course.calls("pip") and len(ready_course.calls("jupyterlab")) == 1


def test_uv_is_left_alone_where_it_is_too_old_or_not_wanted(ready_course, use_uv):
    ready_course.run(**{**use_uv, "COURSE_INSTALLER": "pip"})
    assert not ready_course.calls("uv") and len(ready_course.calls("pip")) == 1
    ready_course.stamp.write_text("other requirements", encoding="utf-8")
    ready_course.run(**use_uv, FAKE_UV="if '--help' in sys.argv: sys.exit('unexpected argument --torch-backend')")
    assert len(ready_course.calls("pip")) == 2


def test_what_uv_said_is_explained(ready_course, use_uv):
    said = "error: Failed to fetch: `x`\n  Caused by: error sending request for url"
    process = ready_course.run(**use_uv, FAKE_UV=f"if '--help' not in sys.argv: print({said!r}); sys.exit(2)")
    assert process.returncode == 1 and process.err.startswith("The network is down")
    assert "COURSE_INSTALLER=pip installs with pip instead of uv" in process.err


# ---- what can go wrong

SPACE = "import shutil, types; shutil.disk_usage = lambda path: types.SimpleNamespace(free={})"
OLD_PYTHON = "Python 3.10 or newer is needed, this is 3.8.18: install Python 3.12 from https://www.python.org"


@pytest.mark.parametrize(
    "simulate, words",
    [
        ("sys.version_info = (3, 8, 18, 'final', 0)", [OLD_PYTHON, "course.py`"]),
        ("sys.modules['ensurepip'] = None", ["lacks the module ensurepip or venv", "apt install python3.", "-venv`"]),
        (SPACE.format(1e9), ["Not enough disk space: the set-up needs about", "1.0 GB are free"]),
    ],
)
def test_what_is_missing_is_said_before_anything_is_made(course, simulate, words):
    process = course.run(simulate=simulate)
    assert_one_sentence(process, *words)
    assert not (course.folder / ".venv").exists()


def test_old_pythons_can_read_the_files(course):
    for name in ("course.py", "setup_failures.py"):
        ast.parse((PROJECT / name).read_text(encoding="utf-8"), feature_version=(3, 6))
    for minor in range(6, 10):  # the ones installed here
        old = shutil.which(f"python3.{minor}")
        if old and subprocess.run([old, "-c", ""], capture_output=True).returncode == 0:
            process = subprocess.run([old, "course.py"], cwd=course.folder, capture_output=True, text=True)
            assert process.stderr.startswith("Python 3.10 or newer is needed, this is 3."), process.stderr


def test_the_network_is_down_with_the_real_pip(ready_course):
    """course.py overrides PIP_RETRIES=0, with which pip would not report what is wrong with the network."""
    shutil.rmtree(ready_course.packages() / "pip")
    (ready_course.packages() / "real.pth").write_text(str(Path(pip.__file__).parent.parent), encoding="utf-8")
    (ready_course.folder / "requirements.txt").write_text("no-such-package-anywhere==1.0\n", encoding="utf-8")
    process = ready_course.run(PIP_RETRIES="0", PIP_QUIET="2", PIP_TIMEOUT="1")
    assert process.returncode == 1
    assert process.err.startswith("The network is down or the server does not answer: check the connection")
    log = ready_course.folder / ".venv" / "course-set-up.log"
    assert str(log) in process.err and "no-such-package-anywhere" in log.read_text(encoding="utf-8")


def test_what_pip_said_is_explained_and_shown(ready_course):
    cause = "WARNING: Retrying after connection broken by 'OSError('Tunnel connection failed: 407 autenticazione')'"
    process = ready_course.run(FAKE_PIP=f'print({cause!r}); sys.exit("ERROR: No matching distribution found for x")')
    assert process.returncode == 1
    sentence, shown, log = process.err.splitlines()
    assert sentence.startswith("The proxy asks for a name and a password: ")
    assert shown == "  " + cause.partition(" ")[2] and log.endswith("course-set-up.log")
    assert not ready_course.stamp.exists() and not ready_course.calls("jupyterlab")  # the set-up does not count as done


def test_of_what_nobody_knows_the_last_errors_are_shown(module, monkeypatch):
    monkeypatch.setattr(module, "uv", lambda: None)
    said = module.explain_failure("ERROR: first\nRetrying\nERROR: the wheel has a hole\n")
    assert said.startswith("The set-up failed: fix what is reported below")
    assert "  ERROR: first\n  ERROR: the wheel has a hole\n" in said


@pytest.mark.parametrize(
    "fails, explained",
    [
        ("import signal; os.kill(os.getpid(), signal.SIGILL)", "The processor lacks instructions that PyTorch needs"),
        ("os._exit(0xC000001D)", "The processor lacks instructions that PyTorch needs"),
        ("raise ImportError('no such luck')", "The set-up failed: fix what is reported below"),
    ],
)
def test_what_was_installed_must_be_importable(ready_course, fails, explained):
    if "0xC" in fails and os.name != "nt" or "SIG" in fails and os.name == "nt":
        pytest.skip("the other system ends a process in this way")
    process = ready_course.run(FAKE_TORCH=fails)
    assert process.returncode == 1 and process.err.startswith(explained), process.err
    assert not ready_course.calls("jupyterlab")
    process = ready_course.run()
    assert process.returncode == 0 and "making it again" not in process.out


def test_what_venv_said_is_explained(course):
    said = "Error: [Errno 28] No space left on device"
    (course.folder / "venv.py").write_text(f"if __name__ == '__main__': exit({said!r})", encoding="utf-8")
    process = course.run(simulate=SPACE.format(1e12), PYTHONPATH=str(course.folder))
    assert process.returncode == 1
    assert process.err.startswith("The disk is full") and f"\n  {said}\n" in process.err


@pytest.mark.parametrize(
    "opened, error, words",
    [
        (
            "pathlib.Path.write_text",
            "28, 'No space left on device'",
            ["The disk is full: the set-up needs about 1.5 GB"],
        ),
        (
            "builtins.open",
            "13, 'Permission denied', 'course'",
            ["cannot be written: copy the course", "denied: 'course'"],
        ),
    ],
)
def test_what_the_system_refuses_is_explained(ready_course, opened, error, words):
    simulate = f"import builtins, pathlib\ndef refuse(*_, **__): raise OSError({error})\n{opened} = refuse"
    assert_one_sentence(ready_course.run(simulate=simulate), *words, lines=2)


def test_a_port_that_is_taken(ready_course):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        process = ready_course.run("--port", str(port))
    assert_one_sentence(process, f"Port {port} is taken", "--port")
    assert not ready_course.calls("pip")
    assert ready_course.run("--port", str(port)).returncode == 0
    assert f"--ServerApp.port={port}" in ready_course.calls("jupyterlab")[0]["words"]


def test_words_that_mean_nothing(module, monkeypatch, capsys):
    monkeypatch.setattr(module.signal, "signal", lambda *_: None)
    for words, complaint in {
        "foo": "There is no command 'foo': `python course.py --help` lists",
        "udpate": "There is no command 'udpate' (did you mean 'update'?): `python course.py --help` lists",
        "--no-brwser": "unrecognized arguments: --no-brwser",
        "fetch vocab.txt": "fetch takes no options, got vocab.txt",
        "--port eight": "invalid int value: 'eight'",
        "--port 70000": "Port 70000 is taken or not allowed",
    }.items():
        assert module.main(words.split()) == 1
        said = capsys.readouterr().err
        assert complaint in said and len(said.splitlines()) == 1
    assert not module.ENVIRONMENT.exists()


# ---- test and benchmark


def test_the_benchmark_runs_even_without_what_it_compares_with(ready_course):
    (ready_course.folder / "benchmarks").mkdir()
    (ready_course.folder / "benchmarks" / "attention.py").write_text(FAKE, encoding="utf-8")
    ready_course.run()
    assert ready_course.run("benchmark", "--quick", FAKE_PIP="sys.exit(1)").returncode == 0
    wanted = f"-r{ready_course.folder / 'benchmarks' / 'requirements.txt'}"
    assert wanted in ready_course.calls("pip")[-1]["words"]
    assert [call["words"] for call in ready_course.calls("benchmarks")] == [["--quick"]]


def test_the_tests_are_run_apart_from_the_learners_progress(ready_course):
    process = ready_course.run("test", "-k", "masks", FAKE_PYTEST="sys.exit(5)", COURSE_PROGRESS="mine.json")
    [call] = ready_course.calls("pytest")
    assert process.returncode == 5 and call["progress"] == "memory" and call["words"][-2:] == ["-k", "masks"]


def test_which_tests_are_run(module, monkeypatch):
    monkeypatch.setattr(module, "set_up", lambda files: None)
    monkeypatch.setattr(module, "hand_over", lambda command, **variables: command[3:])
    (module.ROOT / "tests" / "test_masks.py").touch()
    usual, quick, whole = (module.run_tests(words.split()) for words in ("-x", "--quick -x", "--all -x"))
    left_out = "not browser and not notebook and not install and not slow and not release"
    assert usual[:3] == whole[:3] == ["exercises", "tests", "notebooks"] and quick[2] == "notebooks/00_start_here.ipynb"
    assert usual[-3:] == ["-m", "not release", "-x"] and quick[-3:] == ["-m", left_out, "-x"]
    assert "--nbval" in usual and not {"-m", "--all"} & {*whole}
    for name in ("tests", "tests/test_masks.py", "tests/test_masks.py::test_shape"):
        words = module.run_tests([name])
        assert words[0] == "--nbval" and words[-1] == name and "-m" not in words  # instead of all tests
