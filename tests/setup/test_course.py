"""course.py as its users see it: started as a program, in a copy of the course that is set up in moments.

The .venv of such a copy holds fakes of pip, JupyterLab and pytest, which write down how they were called, and so are
models/pretrained.py, tools/study.py and uv; where it matters, the real programs run. No test needs a network.
"""

import ast
import json
import os
import shutil
import signal
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
    """It ended with one line of complaint, or with one and what the system said, that hold all the words."""
    assert process.returncode == 1
    assert len(process.err.strip().splitlines()) == lines, process.err
    assert all(word in process.err for word in words), process.err


# ---- the learner's own copies


def test_without_copies_jupyterlab_is_not_opened(ready_course):
    process = ready_course.run(FAKE_TOOLS="sys.exit('study/ could not be written')")
    assert_one_sentence(process, "study/ could not be written")
    assert not ready_course.calls("jupyterlab")


def test_what_is_open_already_is_not_opened_again(ready_course):
    process = ready_course.run(FAKE_TOOLS=f"sys.exit({IS_OPEN})")
    assert process.returncode == 0 and not ready_course.calls("jupyterlab")


def test_its_own_port_is_not_called_taken(ready_course):
    ready_course.run()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        process = ready_course.run("--port", str(taken.getsockname()[1]), FAKE_TOOLS=f"sys.exit({IS_OPEN})")
    assert process.returncode == 0 and process.err == ""


def test_of_two_starts_at_the_same_time_one_opens_it_and_the_other_says_where(ready_course):
    first = ready_course.start(FAKE_JUPYTERLAB="import time; time.sleep(600)")
    try:
        ready_course.wait_for("jupyterlab")
        looked_twice = "open('calls.txt').read().count('\"open\"') > 2"  # after it was asked once by the first start
        second = ready_course.run(FAKE_TOOLS=f"sys.exit({IS_OPEN} * ({looked_twice}))")
        assert second.returncode == 0 and len(ready_course.calls("jupyterlab")) == 1
    finally:
        first.terminate()
        first.communicate(timeout=ENDLESS)


@pytest.mark.parametrize("words", [["update"], ["reset", "03", "05"]])
@pytest.mark.parametrize("code", [0, 1])
def test_changing_the_copies_hands_the_words_on(ready_course, words, code):
    assert ready_course.run(*words, FAKE_TOOLS=f"sys.exit({code})").returncode == code
    assert [call["words"] for call in ready_course.calls("tools")] == [words]
    assert not ready_course.calls("models") and not ready_course.calls("jupyterlab")  # nor is MiniLM downloaded


@pytest.mark.parametrize("command, module", [("class", "classroom"), ("slides", "slides"), ("handout", "handout")])
def test_what_instructors_use_is_told_where_it_was_called(ready_course, command, module):
    package = ready_course.folder / "tools" / module
    package.mkdir()
    (package / "__main__.py").write_text("import os, sys; print(os.environ['COURSE_CALLED_FROM'], sys.argv[1:])")
    process = ready_course.run(command, "shared", "--names")
    assert f"{ready_course.folder} {['shared', '--names']}" in process.out
    assert process.returncode == 0 and not ready_course.calls("models")
    assert any("latex2mathml" in str(call) for call in ready_course.calls("pip")) == (command == "slides")


# ---- JupyterLab


def test_jupyterlab_is_arranged_without_touching_the_learners_settings(ready_course):
    ready_course.run()
    [lab] = ready_course.calls("jupyterlab")
    options = dict(word.split("=", 1) for word in lab["words"] if "=" in word)
    own = ready_course.folder / ".venv" / "share" / "jupyter" / "lab"
    assert Path(options["--LabApp.workspaces_dir"]) == own / "workspaces"
    assert (own / "settings" / "overrides.json").exists()
    assert (ready_course.folder / ".venv" / "etc" / "ipython" / "startup" / "new_kernel.py").exists()
    [folder] = json.loads(options["--ServerApp.tornado_settings"])["static_custom_path"]
    assert (Path(folder) / "custom.css").exists()
    assert not [word for word in lab["words"] if "user_settings_dir" in word]


def test_what_the_learner_left_open_is_kept(ready_course):
    ready_course.run()
    [workspace] = (ready_course.folder / ".venv" / "share" / "jupyter" / "lab" / "workspaces").iterdir()
    workspace.write_text("{}", encoding="utf-8")
    ready_course.run()
    assert workspace.read_text(encoding="utf-8") == "{}"


# ---- setting up


def test_first_start_installs_and_opens_the_learners_first_notebook(ready_course):
    process = ready_course.run("--no-browser")
    assert process.returncode == 0, process.err
    [install] = ready_course.calls("pip")
    assert install["words"][0] == "install" and named_files(install) == ["requirements.txt", "requirements.lock"]
    [lab] = ready_course.calls("jupyterlab")
    assert f"--ServerApp.root_dir={ready_course.folder}" in lab["words"]
    assert "--LabApp.default_url=/lab/tree/study/00_start_here.ipynb" in lab["words"]
    assert [call["words"] for call in ready_course.calls("tools")] == [["open"]]
    assert "--no-browser" in lab["words"]
    assert "The set-up is complete." in process.out


def named_files(call):
    """The files of requirements that pip was given, as paths from the course's folder."""
    paths = [Path(word) for word in call["words"] if Path(word).name.startswith("requirements")]
    return ["/".join(path.parts[-2:]) if path.parent.name == "classroom" else path.name for path in paths]


def test_next_start_calls_no_pip_and_changed_requirements_do(ready_course):
    ready_course.run()
    assert ready_course.run().returncode == 0
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


def test_a_failed_installation_is_not_taken_for_done(ready_course):
    assert ready_course.run(FAKE_PIP="sys.exit(1)").returncode == 1
    assert not ready_course.stamp.exists()
    assert not ready_course.calls("jupyterlab")


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
    """Put a wheel with these files into the folder, and ask for it in requirements.txt."""
    with zipfile.ZipFile(folder / f"{name}-1-py3-none-any.whl", "w") as wheel:
        for path, code in files.items():
            wheel.writestr(path, code)
        wheel.writestr(f"{name}-1.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
        wheel.writestr(f"{name}-1.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{name}-1.dist-info/RECORD", "")
    (folder / "requirements.txt").write_text(f"{name}==1\n", encoding="utf-8")


def test_a_flaw_of_the_environment_is_recognized(ready_course, module):
    assert module.flaw_of_environment() is None
    shutil.rmtree(ready_course.packages() / "pip")
    assert module.flaw_of_environment() == "is incomplete"
    module.PYTHON.unlink()
    module.PYTHON.write_text("no program", encoding="utf-8")
    assert module.environment_version() is None
    assert module.flaw_of_environment() == "has no Python that runs"


def test_a_moved_environment_is_made_again(ready_course, use_uv):
    ready_course.run()
    shutil.copytree(ready_course.folder / ".venv", ready_course.folder / "ready", symlinks=True)
    old, new = str(ready_course.folder), str(ready_course.folder.parent / "moved")
    ready_course.stamp.write_text(ready_course.stamp.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    process = ready_course.run(simulate=SPACE.format(1e12), **use_uv)
    assert process.returncode == 0, process.err
    assert f"The folder .venv was moved here from {Path(new, '.venv')}: making it again." in process.out
    assert ready_course.run(**use_uv).returncode == 0 and len(ready_course.calls("jupyterlab")) == 3


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


def test_a_crashed_set_up_does_not_block_the_next(ready_course):
    process = ready_course.start(FAKE_PIP="import time; time.sleep(600)")
    pip_process = ready_course.wait_for("pip")
    process.kill()
    process.communicate()
    os.kill(pip_process, signal.SIGTERM)
    assert not ready_course.stamp.exists()
    ready_course.stamp.write_text("other requirements", encoding="utf-8")  # it would be made again otherwise
    assert ready_course.run().returncode == 0


@pytest.mark.parametrize(
    "line, shown",
    [
        ("  Downloading torch-2.13.0-cp312-cp312-manylinux_2_28_x86_64.whl (526.1 MB)", "  torch, 526 MB\n"),
        (
            "  Downloading https://host/whl/cpu/torch-2.13.0%2Bcpu-cp312-cp312-linux_x86_64.whl (191.8 MB)",
            "  torch, 191 MB\n",
        ),
        ("  Using cached jupyterlab-4.6.6-py3-none-any.whl (17.3 MB)", "  jupyterlab, 17 MB\n"),
        ("  Downloading six-1.17.0-py2.py3-none-any.whl (11 kB)", ""),
        ("Downloading torch (182.4MiB)", "  torch, 182 MB\n"),  # this one is uv's
        ("Installing collected packages: six, torch", "  unpacking 2 packages, which may take some minutes\n"),
    ],
)
def test_progress_of_the_installers(module, capsys, line, shown):
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


@pytest.mark.parametrize(
    "variable, value, said",
    [
        ("COURSE_TORCH", "gpu", "COURSE_TORCH must be cpu or default, got 'gpu'"),
        ("COURSE_INSTALLER", "conda", "COURSE_INSTALLER must be pip, got 'conda'"),
    ],
)
def test_an_unknown_choice_is_refused(ready_course, variable, value, said):
    assert_one_sentence(ready_course.run(**{variable: value}), said, "change it or unset it")
    assert not ready_course.calls("pip") and ready_course.stamp.exists()


# ---- uv


@pytest.fixture
def use_uv(ready_course):
    """Put a fake uv on the PATH; returns the variables to run course.py with. It makes .venv with the fakes in it."""
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


def test_uv_needs_no_venv_module(ready_course, use_uv):
    shutil.move(ready_course.folder / ".venv", ready_course.folder / "ready")
    assert ready_course.run(simulate=SPACE.format(1e12) + "\nsys.modules['venv'] = None", **use_uv).returncode == 0


def test_uv_is_left_alone_where_it_is_too_old_or_not_wanted(ready_course, use_uv):
    ready_course.run(**{**use_uv, "COURSE_INSTALLER": "pip"})
    assert not ready_course.calls("uv") and len(ready_course.calls("pip")) == 1
    ready_course.stamp.write_text("other requirements", encoding="utf-8")
    ready_course.run(**use_uv, FAKE_UV="if '--help' in sys.argv: sys.exit('unexpected argument --torch-backend')")
    assert len(ready_course.calls("pip")) == 2


@pytest.mark.parametrize(
    "said, explained",
    [
        ("error: Failed to fetch: `x`\n  Caused by: error sending request for url", "The network is down"),
        ("  Because there is no version of torch==2.13.0 and you require", "There is no build of a package for"),
        ("error: failed to write\n  Caused by: No space left on device (os error 28)", "The disk is full"),
    ],
)
def test_what_uv_said_is_explained(ready_course, use_uv, said, explained):
    process = ready_course.run(**use_uv, FAKE_UV=f"if '--help' not in sys.argv: print({said!r}); sys.exit(2)")
    assert process.returncode == 1
    assert process.err.startswith(explained) and "COURSE_INSTALLER=pip installs with pip instead of uv" in process.err


# ---- what can go wrong

SPACE = "import shutil, types; shutil.disk_usage = lambda path: types.SimpleNamespace(free={})"
OLD_PYTHON = "Python 3.10 or newer is needed, this is 3.{}.18: install Python 3.12 from https://www.python.org"


def test_a_python_that_is_too_old(course):
    process = course.run(simulate="sys.version_info = (3, 8, 18, 'final', 0)")
    assert_one_sentence(process, OLD_PYTHON.format(8), "course.py`")


def test_old_pythons_can_read_the_file(course):
    ast.parse((PROJECT / "course.py").read_text(encoding="utf-8"), feature_version=(3, 6))
    for minor in range(6, 10):  # those that happen to be here
        old = shutil.which(f"python3.{minor}")
        if old and subprocess.run([old, "-c", ""], capture_output=True).returncode == 0:
            process = subprocess.run([old, "course.py"], cwd=course.folder, capture_output=True, text=True)
            assert process.stderr.startswith("Python 3.10 or newer is needed, this is 3."), process.stderr


@pytest.mark.parametrize("missing", ["venv", "ensurepip"])
def test_python_without_venv(course, missing):
    process = course.run(simulate=f"sys.modules['{missing}'] = None")
    assert_one_sentence(process, "lacks the module ensurepip or venv", "sudo apt install python3.", "-venv`")
    assert not (course.folder / ".venv").exists()


@pytest.mark.parametrize("retries", ["1", "0"])
def test_the_network_is_down_with_the_real_pip(ready_course, retries):
    """Told not to try again, pip would not say what is wrong with the network."""
    shutil.rmtree(ready_course.packages() / "pip")
    (ready_course.packages() / "real.pth").write_text(str(Path(pip.__file__).parent.parent), encoding="utf-8")
    (ready_course.folder / "requirements.txt").write_text("no-such-package-anywhere==1.0\n", encoding="utf-8")
    process = ready_course.run(PIP_RETRIES=retries, PIP_QUIET="2")
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


def test_of_what_nobody_knows_the_last_errors_are_shown(ready_course):
    process = ready_course.run(FAKE_PIP="print('ERROR: first'); sys.exit('ERROR: the wheel has a hole')")
    assert process.err.startswith("The set-up failed: fix what is reported below")
    assert "  ERROR: first\n  ERROR: the wheel has a hole\n" in process.err


@pytest.mark.parametrize(
    "fails, explained",
    [
        ("raise OSError('[WinError 1114] Error loading c10.dll')", "Windows could not load a library, because another"),
        ("raise OSError('libgomp.so.1: cannot allocate memory in static TLS block')", "A library was loaded too late"),
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


@pytest.mark.parametrize(
    "said, explained",
    [
        ("Error: [Errno 28] No space left on device", "The disk is full"),
        ("Error: no such luck", "The set-up failed: fix what is reported below"),
    ],
)
def test_what_venv_said_is_explained(course, said, explained):
    (course.folder / "venv.py").write_text(f"if __name__ == '__main__': exit({said!r})", encoding="utf-8")
    process = course.run(simulate=SPACE.format(1e12), PYTHONPATH=str(course.folder))
    assert process.returncode == 1
    assert process.err.startswith(explained) and f"\n  {said}\n" in process.err


def test_too_little_space(course):
    process = course.run(simulate=SPACE.format(1e9))
    assert_one_sentence(process, "Not enough disk space: the set-up needs about", str(course.folder), "1.0 GB are free")
    assert not (course.folder / ".venv").exists()


def test_the_disk_fills_up_under_the_set_up(ready_course):
    simulate = "import pathlib\ndef full(*_, **__): raise OSError(28, 'No space left on device')\n"
    process = ready_course.run(simulate=simulate + "pathlib.Path.write_text = full")
    assert_one_sentence(process, "The disk is full: the set-up needs about 1.5 GB", lines=2)


def test_a_folder_that_is_not_writable(course):
    simulate = (
        "import builtins\ndef refuse(name, *_, **__):\n    raise PermissionError(13, 'Permission denied', str(name))\n"
    )
    process = course.run(simulate=simulate + "builtins.open = refuse")
    assert_one_sentence(process, str(course.folder), "cannot be written: copy the course", "Permission denied", lines=2)


def test_a_port_that_is_taken(ready_course):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        process = ready_course.run("--port", str(port))
    assert_one_sentence(process, f"Port {port} is taken", "--port")
    assert not ready_course.calls("pip")
    assert ready_course.run("--port", str(port)).returncode == 0
    assert f"--ServerApp.port={port}" in ready_course.calls("jupyterlab")[0]["words"]


@pytest.mark.parametrize(
    "words, complaint",
    [
        (["foo"], "There is no command 'foo': `python course.py --help` lists"),
        (["udpate"], "There is no command 'udpate' (did you mean 'update'?): `python course.py --help` lists"),
        (["--no-brwser"], "unrecognized arguments: --no-brwser"),
        (["fetch", "vocab.txt"], "fetch takes no options, got vocab.txt"),
        (["--port", "eight"], "invalid int value: 'eight'"),
        (["--port", "70000"], "Port 70000 is taken or not allowed"),
    ],
)
def test_words_that_mean_nothing(ready_course, words, complaint):
    assert_one_sentence(ready_course.run(*words), complaint)
    assert not ready_course.calls("pip")


# ---- test, benchmark and save


@pytest.mark.parametrize("installed", [True, False])
def test_the_benchmark_runs_with_and_without_what_it_compares_with(ready_course, installed):
    (ready_course.folder / "benchmarks").mkdir()
    (ready_course.folder / "benchmarks" / "attention.py").write_text(FAKE, encoding="utf-8")
    ready_course.run()
    process = ready_course.run("benchmark", "--quick", FAKE_PIP=f"sys.exit({0 if installed else 1})")
    assert process.returncode == 0
    wanted = f"-r{ready_course.folder / 'benchmarks' / 'requirements.txt'}"
    assert wanted in ready_course.calls("pip")[-1]["words"]
    assert [call["words"] for call in ready_course.calls("benchmarks")] == [["--quick"]]


def test_the_tests_are_run_apart_from_the_learners_progress(ready_course):
    process = ready_course.run("test", "-k", "masks", FAKE_PYTEST="sys.exit(5)", COURSE_PROGRESS="mine.json")
    assert process.returncode == 5
    [call] = ready_course.calls("pytest")
    assert call["words"][:3] == ["exercises", "tests", "notebooks"]
    assert call["words"][-4:] == ["-m", "not release", "-k", "masks"]
    assert "--nbval" in call["words"]
    assert call["progress"] == "memory"


def test_quick_tests_leave_out_what_is_marked_as_slow(ready_course):
    ready_course.run("test", "--quick", "-x")
    [call] = ready_course.calls("pytest")
    left_out = "not browser and not notebook and not install and not slow and not release"
    assert call["words"][-3:] == ["-m", left_out, "-x"]


def test_all_tests_are_run_before_a_release(ready_course):
    ready_course.run("test", "--all")
    [call] = ready_course.calls("pytest")
    assert call["words"][:3] == ["exercises", "tests", "notebooks"] and not {"-m", "--all"} & {*call["words"]}


@pytest.mark.parametrize("name", ["tests", "tests/test_masks.py", "tests/test_masks.py::test_shape"])
def test_named_files_are_run_instead_of_all(ready_course, name):
    (ready_course.folder / "tests" / "test_masks.py").touch()
    ready_course.run("test", name)
    words = ready_course.calls("pytest")[0]["words"]
    assert words[0] == "--nbval" and words[-1] == name


@pytest.mark.parametrize(
    "command, name", [("save", "save_notebooks"), ("badges", "badges"), ("lock", "lock")]
)
def test_maintainers_commands_hand_their_words_on(ready_course, command, name):
    code = "import sys; print('called with', sys.argv[1:]); sys.exit(4)"
    (ready_course.folder / "tools" / f"{name}.py").write_text(code, encoding="utf-8")
    process = ready_course.run(command, "02", "03")
    assert process.returncode == 4 and "called with ['02', '03']" in process.out
