"""Set up and open the course "Attention by Hand".

  python course.py               set up (the first time only), then open JupyterLab at the first notebook
  python course.py test [...]    set up, then run every test; what follows goes to pytest,
                                 such as `-k masks`, or the files to run instead of all
  python course.py fetch         set up, then fetch the model MiniLM, or verify that it is there; the other
                                 commands do so too, but go on without it where it cannot be fetched
  python course.py benchmark     set up, then time the course's multi-head attention beside other people's;
                                 installs transformers into .venv to compare with it
  python course.py save [...]    for maintainers: set up, then run notebooks from top to bottom and save
                                 them with their outputs; 02 means notebooks/02_*.ipynb, nothing means all
  python course.py badges        for maintainers: write the address in pyproject.toml into all launch badges
  python course.py versions      for maintainers: try the oldest, the newest and Colab's packages, each in
                                 an environment of its own, gigabytes large

Everything is installed into the folder .venv beside this file. To begin again from nothing, delete it.

environment variables:
  COURSE_TORCH=cpu|default       which build of PyTorch to install on Linux: `cpu` is the small one without
                                 CUDA, `default` is the package index's own (gigabytes, for NVIDIA GPUs);
                                 unset: `default` where there is an NVIDIA GPU, else `cpu`
  COURSE_DEVICE=cpu|cuda         the device that notebooks 02 to 05 compute on; unset: an NVIDIA GPU where there
                                 is one, else the CPU
  COURSE_MINILM=FOLDER           where MiniLM's two files are, if not in data/cache/minilm: the folder is
                                 read, never written
"""

# An old Python must be able to read this file and say that it is too old: no syntax newer than Python 3.6.
import argparse
import collections
import contextlib
import errno
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
import tempfile
import time
import urllib.request
from pathlib import Path

OLDEST_PYTHON = (3, 10)
INSTALL_PYTHON = "install Python 3.12 from https://www.python.org/downloads/ and run `{} course.py`".format(
    "py -3.12" if os.name == "nt" else "python3.12")
ROOT = Path(__file__).resolve().parent
REQUIREMENTS = ROOT / "requirements.txt"
FIRST_NOTEBOOK = "notebooks/00_start_here.ipynb"
LOCK = ROOT / ".venv.lock"
ENVIRONMENT = ROOT / ".venv"
PYTHON = ENVIRONMENT / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
LOG = ENVIRONMENT / "course-set-up.log"
STAMP = ENVIRONMENT / "course-stamp.txt"  # for which requirements .venv is complete, or that it is not
UNFINISHED = "unfinished\n"
MINILM = {"model.safetensors": 90868376, "vocab.txt": 231508}  # bytes; helpers/pretrained.py knows their contents
PATIENT = 30  # seconds until a host must have begun to answer
LONGEST_ROOT = 65  # characters, on Windows
HURRIED = 2.5  # the same where somebody waits for JupyterLab, perhaps without a network: twice this at most
CAPTURED = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "encoding": "utf-8", "errors": "replace"}

CPU_INDEX = "https://download.pytorch.org/whl/cpu"
# What pip is told for a build of PyTorch, and the gigabytes that the whole set-up takes with it (measured).
Build = collections.namedtuple("Build", "pip_arguments download disk")
SMALL = Build([], 0.4, 1.5)
LARGE = Build([], 3.0, 5.5)


class Problem(Exception):
    """Something that the user can mend; its text says what it is and how to mend it."""


def say(text):
    show_passing("")
    print(text, flush=True)


def show_passing(text):
    """On a terminal, show a line that the next one overwrites; elsewhere show nothing."""
    if sys.stdout.isatty():
        width = shutil.get_terminal_size().columns - 1
        print("\r" + text[:width].ljust(width), end="\r", flush=True)


# ---- the set-up, step by step

def set_up():
    """Bring .venv to what requirements.txt asks for, and MiniLM to its place; where both are so, do nothing."""
    installed = set_up_environment()
    if not minilm_is_here():
        say("Looking for MiniLM, the trained model of some notebooks: 91 MB, fetched once.")
        fetch_minilm(PATIENT if installed else HURRIED)  # where it fails it says why, and the course goes on


def set_up_environment():
    """Returns whether there was anything to do."""
    if stamp_says(wanted_stamp()):
        return False
    with only_one_set_up():
        if stamp_says(wanted_stamp()):  # by the one that this one waited for
            return False
        build = choose_build()
        make_environment(build)
        install_packages(build)
        quieten_lab()
        runs(str(PYTHON), "-c", "import matplotlib.font_manager")  # its first look at the fonts is slow, and warns
        STAMP.write_text(wanted_stamp(), encoding="utf-8")
        say("The set-up is complete.")
        return True


def wanted_stamp():
    digest = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()
    return f"requirements.txt {digest}, Python {environment_version()}\n"


def stamp_says(text):
    return STAMP.exists() and STAMP.read_text(encoding="utf-8") == text


def environment_version():
    """The version of .venv's Python, such as "3.12"; None where it is missing or does not run."""
    command = [str(PYTHON), "-I", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    try:
        return subprocess.check_output(command, stderr=subprocess.DEVNULL, text=True).strip()
    except (OSError, subprocess.CalledProcessError):
        return None


@contextlib.contextmanager
def only_one_set_up():
    """Wait until no other set-up is at work in this folder, and keep others waiting meanwhile."""
    with open(LOCK, "a", encoding="utf-8") as file:
        if not try_to_lock(file):
            say("Another set-up is at work in this folder: waiting for it to finish.")
            while not try_to_lock(file):
                time.sleep(0.5)
        yield


def try_to_lock(file):
    """Lock the file; the system unlocks it when this process ends, so that a crash keeps nobody waiting."""
    try:
        if os.name == "nt":
            import msvcrt
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:  # other than "locked", this is a file system without locks: go on without one
        return not isinstance(error, (BlockingIOError, PermissionError))
    return True


def choose_build():
    """Prefer PyTorch's small build where there is no NVIDIA GPU; only on Linux is there a choice."""
    has_gpu = os.path.exists("/proc/driver/nvidia") or runs("nvidia-smi")
    wanted = os.environ.get("COURSE_TORCH") or ("default" if has_gpu else "cpu")
    if wanted not in ("cpu", "default"):
        raise Problem(f"COURSE_TORCH must be cpu or default, got {wanted!r}: change it or unset it.")
    if not sys.platform.startswith("linux"):
        return SMALL
    if wanted == "default":
        return LARGE
    with contextlib.suppress(Exception):  # whatever the reason that it does not answer, the plain index will do
        urllib.request.urlopen(CPU_INDEX + "/torch/", timeout=5).close()
        return SMALL._replace(pip_arguments=["--extra-index-url", CPU_INDEX])
    say(f"{CPU_INDEX} is not reachable: going on with the plain package index.\n"
        f"If its PyTorch is the CUDA build, {LARGE.download:g} GB are downloaded and .venv takes {LARGE.disk:g} GB.")
    return SMALL


def runs(*command):
    try:
        return subprocess.call(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) == 0
    except OSError:
        return False


def make_environment(build):
    """Make .venv, unless a sound one is there; one in which an installation was cut short is made anew."""
    if environment_is_sound():
        return
    require_venv()
    require_short_path()
    if ENVIRONMENT.exists():
        say("The folder .venv is unfinished or broken: making it anew.")
        with contextlib.suppress(FileNotFoundError):
            PYTHON.unlink()  # first, so that a removal cut short never leaves a .venv that looks sound
        shutil.rmtree(ENVIRONMENT)
    require_space(build)
    say(f"Making .venv with Python {platform.python_version()}.")
    ENVIRONMENT.mkdir()
    STAMP.write_text(UNFINISHED, encoding="utf-8")
    made = subprocess.run([sys.executable, "-m", "venv", str(ENVIRONMENT)], **CAPTURED)
    if made.returncode != 0:
        LOG.write_text(made.stdout, encoding="utf-8")
        raise Problem(explain_failure(made.stdout))


def environment_is_sound():
    version = environment_version()
    return (version is not None and tuple(map(int, version.split("."))) >= OLDEST_PYTHON
            and not stamp_says(UNFINISHED) and runs(str(PYTHON), "-m", "pip", "--version"))


def install_packages(build):
    say(f"Installing the packages: about {build.download:g} GB to download, {build.disk:g} GB in .venv.")
    STAMP.write_text(UNFINISHED, encoding="utf-8")
    command = [str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check", "--no-input",
               "--requirement", str(REQUIREMENTS), *build.pip_arguments]
    pip = subprocess.Popen(command, env=dict(os.environ, PYTHONUNBUFFERED="1", PYTHONIOENCODING="utf-8"), **CAPTURED)
    with pip, open(LOG, "w", encoding="utf-8") as log:
        try:
            for line in pip.stdout:
                log.write(line)
                show_pip_progress(line)
        except BaseException:  # Ctrl-C, or a disk too full for the log: pip must not go on alone
            pip.kill()
            raise
    if pip.returncode != 0:
        raise Problem(explain_failure(LOG.read_text(encoding="utf-8")))


def quieten_lab():
    """Keep JupyterLab from opening with a question about news, and from asking the network for updates."""
    folder = ENVIRONMENT / "share" / "jupyter" / "lab" / "settings"
    folder.mkdir(parents=True, exist_ok=True)
    settings = {"@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False}}
    (folder / "overrides.json").write_text(json.dumps(settings), encoding="utf-8")


def minilm_is_here():
    """Whether its files have the right sizes, which takes no time; their contents are verified when they are read."""
    folder = ROOT / os.path.expanduser(os.environ.get("COURSE_MINILM") or "data/cache/minilm")
    try:
        return all((folder / name).stat().st_size == size for name, size in MINILM.items())
    except OSError:
        return False


def fetch_minilm(patience):
    """Let .venv's Python fetch and verify it; returns 0 if that went well."""
    command = [str(PYTHON), "-m", "helpers.pretrained", f"--patience={patience}"]
    process = subprocess.Popen(command, cwd=str(ROOT))
    try:
        return process.wait()
    except BaseException:  # Ctrl-C: it must not go on alone
        process.terminate()
        process.wait()
        raise


def show_pip_progress(line):
    """Of pip's many lines, keep the large downloads and the start of unpacking; let the others pass by."""
    download = re.match(r"\s*(?:Downloading|Using cached) (?:\S*/)?(\w+)-([\w.]+)\S* \((\d+)\S* MB\)", line)
    if download and int(download[3]) >= 5:
        say("  {} {}, {} MB".format(*download.groups()))
    elif line.startswith("Installing collected packages:"):
        say(f"  unpacking {line.count(',') + 1} packages, about a minute")
    else:
        show_passing("  " + line.strip())


# ---- what can go wrong, and how to mend it

def require_python():
    if sys.version_info < OLDEST_PYTHON:
        version = ".".join(map(str, sys.version_info[:3]))
        raise Problem(f"Python 3.10 or newer is needed, this is {version}: {INSTALL_PYTHON}.")


def require_venv():
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError as error:
        package = "python{}.{}-venv".format(*sys.version_info[:2])
        raise Problem(f"This Python lacks the module {error.name}, which is needed to make .venv: on Debian or Ubuntu "
                      f"run `sudo apt install {package}`, elsewhere {INSTALL_PYTHON}.") from None


def require_short_path():
    """Windows ends paths at 260 characters, unless told otherwise; PyTorch's reach 192 beyond this folder."""
    if sys.platform == "win32" and len(str(ROOT)) > LONGEST_ROOT and not long_paths_are_on():
        raise Problem(path_is_too_long())


def long_paths_are_on():
    import winreg
    try:
        with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, r"SYSTEM\CurrentControlSet\Control\FileSystem") as key:
            return winreg.QueryValueEx(key, "LongPathsEnabled")[0] == 1
    except OSError:
        return False


def path_is_too_long():
    return (f"The path of this folder has {len(str(ROOT))} characters, too many for Windows ({ROOT}): move the folder "
            "to a shorter path, such as C:\\attention-by-hand, and run the same command again.")


def require_space(build):
    needed, free = build.disk + build.download, shutil.disk_usage(ROOT).free / 1e9
    if free < needed:
        raise Problem(f"Not enough disk space: the set-up needs about {needed:.1f} GB in {ROOT}, and {free:.1f} GB are "
                      "free; free some, or move the course to a larger disk, and run the same command again.")


def require_port(port):
    """Say that a port is taken now, and not after the whole set-up."""
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except (OSError, OverflowError):
        raise Problem(f"Port {port} is taken or not allowed: stop the program that uses it, or choose another port "
                      "with --port.") from None


def disk_is_full():
    return (f"The disk is full: the set-up needs about {SMALL.disk:g} GB ({LARGE.disk:g} GB with the CUDA build of "
            f"PyTorch) in {ROOT} and, while it downloads, {SMALL.download:g} GB ({LARGE.download:g} GB) in "
            f"{tempfile.gettempdir()}; free some and run the same command again.")


def explain_failure(output):
    """What the output of pip or venv means, then its own last words and where to read them all."""
    missing = re.search(r"No matching distribution found for (\S+)", output)
    if re.search(r"No space left|Errno 28\b|not enough space|quota exceeded", output):
        sentence = disk_is_full()
    elif "Long Path" in output:
        sentence = path_is_too_long()
    elif re.search(r"connection (broken|error|refused|reset)|timed out|max retries|name resolution"
                   r"|NewConnection|ProxyError|SSLError|unreachable|IncompleteRead", output, re.IGNORECASE):
        sentence = ("The network is down or the package index does not answer: check the connection (and the proxy, if "
                    "you need one) and run the same command again; pip keeps what it has downloaded.")
    elif missing:
        sentence = (f"pip finds no {missing[1]} for Python {environment_version()} on {platform.platform()}: check the "
                    f"network; if it is well, {INSTALL_PYTHON} (64-bit; on a Mac: Apple silicon, macOS 14 or newer).")
    else:
        sentence = "The set-up failed: mend what is said below and run the same command again."
    last_words = re.findall(r"^Error.{0,200}", output, re.MULTILINE | re.IGNORECASE) or output.splitlines()
    return "\n  ".join([sentence, *last_words[-2:], f"All that was said: {LOG}"])


def explain_os_error(error):
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return disk_is_full()
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return (f"{error.filename or ROOT} cannot be written ({error.strerror}): copy the course to a folder of your "
                "own and run it there; on Windows, first close every JupyterLab that runs from it.")
    return f"The system refused something that is needed ({error}): mend that and run the same command again."


# ---- the commands

def open_lab(words):
    options = parse_options(words)
    command = [str(PYTHON), "-m", "jupyterlab", f"--ServerApp.root_dir={ROOT}",
               f"--LabApp.default_url=/lab/tree/{FIRST_NOTEBOOK}"]
    if options.port is not None:
        require_port(options.port)
        command += [f"--ServerApp.port={options.port}", "--ServerApp.port_retries=0"]
    if options.no_browser:
        command += ["--no-browser"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:  # as in a container; JupyterLab would refuse
        command += ["--allow-root"]
    set_up()
    trust_notebooks()
    say("Opening JupyterLab. To stop it, press Ctrl-C twice here.")
    return hand_over(command)


def trust_notebooks():
    """Let JupyterLab show the saved figures at once; in notebooks that it does not trust it shows only their words."""
    paths = [str(path) for path in (ROOT / "notebooks").glob("*.ipynb")]
    runs(str(PYTHON), "-m", "jupyter", "trust", *paths)  # where it fails, running a cell brings its figure


def parse_options(words):
    parser = argparse.ArgumentParser(
        usage="python course.py [--no-browser] [--port N] | test [...] | fetch | benchmark | save [...] | badges | "
              "versions [...]",
        description=__doc__, allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--no-browser", action="store_true", help="start JupyterLab without opening a browser")
    parser.add_argument("--port", type=int, metavar="N", help="JupyterLab's port (unset: 8888 or the next free)")
    parser.error = refuse_words
    return parser.parse_args(words)


def refuse_words(message):
    raise Problem(f"{message}: `python course.py --help` lists the commands and options.")


def run_tests(words):
    set_up()
    names_files = any(re.search(r"\.(py|ipynb)$|::|[/\\]$", word) for word in words)
    folders = [] if names_files else [name for name in ("tests", "notebooks") if (ROOT / name).is_dir()]
    workers = str(min(os.cpu_count() or 1, 4))
    command = [str(PYTHON), "-m", "pytest", *folders, "--nbval", "--nbval-current-env",
               "--nbval-sanitize-with=tests/sanitize.cfg", "-n", workers, "--dist", "loadfile", *words]
    # Neither read nor change the learner's own progress. Threads that wait give way: the notebooks run beside other
    # tests, and threads that spin meanwhile made some of them take ten times as long.
    return hand_over(command, COURSE_PROGRESS="memory", OMP_WAIT_POLICY="passive")


def fetch_only(words):
    if words:
        refuse_words(f"fetch takes no options, got {words[0]}")
    set_up_environment()
    return fetch_minilm(PATIENT)


def run_benchmark(words):
    set_up_environment()
    peers = str(ROOT / "benchmarks" / "requirements.txt")
    if subprocess.call([str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", peers]):
        say("What to compare with could not be installed: it will be left out.")
    return hand_over([str(PYTHON), "-m", "benchmarks.attention", *words])


def save_notebooks(words):
    set_up()
    return hand_over([str(PYTHON), str(ROOT / "tests" / "save_notebooks.py"), *words])


def write_badges(words):
    if words:
        refuse_words(f"badges takes no options, got {words[0]}")
    set_up_environment()
    return hand_over([str(PYTHON), str(ROOT / "tests" / "badges.py")])


def try_versions(words):
    set_up()
    return hand_over([str(PYTHON), str(ROOT / "tests" / "versions.py"), *words], COURSE_PROGRESS="memory")


def hand_over(command, **variables):
    """Run the command in the course's folder and return its exit code; Ctrl-C is now its business."""
    process = subprocess.Popen(command, cwd=str(ROOT), env=dict(os.environ, **variables))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda number, frame: process.terminate())
    code = process.wait()
    return code if code >= 0 else 128 - code


COMMANDS = {"open": open_lab, "test": run_tests, "fetch": fetch_only, "benchmark": run_benchmark,
            "save": save_notebooks, "badges": write_badges, "versions": try_versions}


def main(words):
    code = 1
    try:
        require_python()
        sys.stdout.reconfigure(errors="replace")  # a path that cannot be shown must not end the set-up
        signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
        command = words.pop(0) if words and not words[0].startswith("-") else "open"
        if command not in COMMANDS:
            refuse_words(f"There is no command {command!r}, only test, fetch, benchmark, save, badges and versions")
        return COMMANDS[command](words)
    except Problem as problem:
        complaint = str(problem)
    except OSError as error:
        complaint = explain_os_error(error)
    except KeyboardInterrupt:
        complaint, code = "\nInterrupted. Run the same command again to continue.", 130
    show_passing("")
    print(complaint, file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
