"""A table of set-up failures and their fixes, shared by course.py and the docs.

`python setup_failures.py` writes docs/setup_failures.md.
"""

# Like course.py: the standard library only, and no syntax newer than Python 3.6.
import os
import platform
import re
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent
PAGE = ROOT / "docs" / "setup_failures.md"
INSTALL_PYTHON = "install Python 3.12 from https://www.python.org/downloads/ and run `{} course.py`".format(
    "py -3.12" if os.name == "nt" else "python3.12"
)

# Unindented: substrings of an error message, mostly numbers and names, since systems translate their sentences; `...`
# matches anything within a line. Indented: what the message means and what to do. The first entry that matches counts.
TABLE = r"""
SSL module is not available | ssl module in Python is not available | No module named '_ssl'
DLL load failed while importing _ssl
    This Python does not find its own OpenSSL, and the network is not the cause: if it is conda's, start the course
    from the Anaconda Prompt or after `conda activate`; otherwise {install}.
[WinError 193] | os error 193) | incompatible architecture
    A file is for another kind of processor than this Python: delete .venv, install the 64-bit Python made for this
    computer (on a Mac with Apple silicon not the Intel one) from https://www.python.org/downloads/, and run the course
    with it.
static TLS block
    A library was loaded too late for the memory that Linux sets aside for threads when a program starts (this TLS is
    not encryption): set LD_PRELOAD to the .so file named in the message and run the same command again in that
    terminal.
SIGILL | Illegal instruction | 0xC000001D | 0xc000001d | -1073741795 | code 132 | status 132
    The processor lacks instructions that PyTorch needs, such as AVX2; in a notebook, the kernel just dies: in a
    virtual machine, pass the host's processor through; otherwise use another computer or Colab.
Application Control | [WinError 4551] | [WinError 1260] | 0x800711C7 | 0xc0e90002
    A policy of this computer (your school's or company's, or Smart App Control) forbids a program file, and the course
    cannot change that: ask whoever manages the computer, or use another one or Colab.
[WinError 1455] | [Errno 12] | SIGKILL | Out of memory | MemoryError | bad_alloc | Killed | code 137 | status 137
not enough memory
    The computer ran out of memory, not of disk space: close other programs and run the same command again, with
    PIP_NO_CACHE_DIR=1 set and, on Linux, COURSE_TORCH=cpu for the smaller build of PyTorch.
[WinError 1114] | [WinError 126] | [WinError 127] | DLL load failed
    Windows could not load a library, because another one that it needs is missing or too old: install the current
    Microsoft Visual C++ Redistributable (x64) from https://aka.ms/vs/17/release/vc_redist.x64.exe, open a new terminal
    and run the same command again. If the file is fbgemm.dll, PyTorch 2.4.0 is at fault: take 2.4.1 or newer. If the
    message says that a policy blocks the file, ask whoever manages the computer.
OMP: Error #15 | libiomp5
    Two copies of one library (OpenMP) were loaded, usually because packages of conda and of pip share an environment:
    use the course's own .venv, which `python course.py` makes. KMP_DUPLICATE_LIB_OK=TRUE only hides this, at the risk
    of wrong results.
compiled using NumPy 1.x | _ARRAY_API | numpy.dtype size changed | Numpy is not available
numpy.core.multiarray failed | module compiled against
    PyTorch and NumPy do not fit together: delete .venv and run `python course.py`, which installs versions that do; in
    an environment of your own, install `"numpy<2"` or a newer PyTorch, then restart the kernel.
GLIBC_ | GLIBCXX_ | CXXABI_
    This Linux is too old for PyTorch, which needs the version of the C library that the message names: use a newer
    release, a container of one, or Colab; do not replace the C library by hand.
cannot enable executable stack
    This system refuses libraries that want executable memory (SELinux, or a new glibc), as some builds of PyTorch do:
    delete .venv and run `python course.py`, which installs another build. File permissions are not the cause.
undefined symbol | cannot open shared object file | Library not loaded | partially initialized module 'torch'
    Something else has taken the place of a part of PyTorch: unset LD_LIBRARY_PATH and PYTHONPATH, rename any torch.py
    of your own, delete .venv and run `python course.py`.
[Errno 28] | os error 28) | [WinError 112] | os error 112) | No space left | [Errno 122] | [Errno 69] | quota exceeded
    The disk is full: the set-up needs about 1.5 GB (5.5 GB with the CUDA build of PyTorch) in {root} and, while it
    downloads, 0.4 GB (3 GB) in {temporary}; free some and run the same command again.
Long Path | [WinError 206] | os error 206)
    A path is too long for Windows: move the course's folder to a shorter one, such as C:\attention-by-hand, and run
    the same command again.
os error 396) | [WinError 396] | os error 389) | [WinError 389] | os error 362) | [WinError 362] | cloud operation
    The course is in a folder that OneDrive syncs, and OneDrive refuses some files: move it to a folder that is not
    synced (the desktop often is) and run the same command again.
[WinError 5] | os error 5) | [WinError 32] | os error 32) | [WinError 225] | [Errno 22]....whl
[Errno 13]...pip-unpack | [Errno 2]...pip-unpack
    Another program (an antivirus program, OneDrive, a JupyterLab that still runs) holds a file or has removed it:
    close JupyterLab and run the same command again. If that does not help, exclude the course's folder from scanning
    or ask whoever manages the computer; you need not be an administrator.
history.sqlite | disk I/O error | database is locked | [Errno 37] | [Errno 116]
    The home folder is on a network drive, which does not suit one of Jupyter's files, but the notebooks run all the
    same: to be rid of the message, set IPYTHONDIR and JUPYTER_RUNTIME_DIR to folders on a local disk.
[Errno ...jupyter/runtime | [Errno ...jupyter\\runtime | [Errno ...Library/Jupyter | [Errno ....local/share/jupyter
[Errno ...Roaming\\jupyter | [Errno .../.jupyter | [Errno .../.ipython
    A folder of Jupyter's cannot be written, often because it was made with sudo: give it back to your account or
    remove it, or set JUPYTER_RUNTIME_DIR to a folder of your own; never start Jupyter with sudo.
[Errno 13] | os error 13) | [Errno 30] | os error 30) | [Errno 1]
    A file or folder cannot be written: copy the course to a folder of your own and run it there, without sudo; on
    Windows, first close every JupyterLab that runs from it.
externally-managed-environment | externally managed
    This Python is reserved for the operating system: run `python3 course.py`, which installs everything into an
    environment of its own, .venv. Do not force it.
may have moved due to redirects
    Python from the Microsoft Store keeps a private copy of AppData: move the course to a folder outside AppData, or
    {install}.
Fatal error in launcher | bad interpreter | No Python at | executable at | pyvenv.cfg | No module named 'encodings'
failed to create process | Broken virtual environment | no Python executable was found
    The environment points to a folder or a Python that is gone, because one of them was moved, renamed or replaced:
    delete the folder .venv and run `python course.py`, which makes it again.
ensurepip | No module named 'venv' | No module named venv
    This Python lacks the module ensurepip or venv, which is needed to make .venv: on Debian or Ubuntu run `sudo apt
    install {venv}`, elsewhere {install}; without the rights to do so, install uv, which needs neither.
No interpreter found
    uv finds no Python of the version named in the message, and cannot download it: set UV_PYTHON_DOWNLOADS=automatic
    or install that Python, or set COURSE_INSTALLER=pip, which uses the Python that runs course.py.
Microsoft Store | App Execution Aliases | xcode-select | xcrun: error | command not found: python
python...command not found | 'python' is not recognized
    `python` starts no Python here: try `py course.py` on Windows, `python3 course.py` elsewhere; if that does not work
    either, install Python 3.12 from https://www.python.org/downloads/ (on Windows, tick "Add python.exe to PATH"),
    open a new terminal and try again.
OfflineModeIsEnabled | HF_HUB_OFFLINE | outgoing traffic has been disabled
    The variable HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE forbids all requests to the model hub: unset both and run
    `python course.py fetch`.
Invalid credentials | 401 Client Error | 401 Unauthorized | RepositoryNotFoundError
    The model hub refuses the request, usually because of an old token on this computer, although the model needs none:
    unset HF_TOKEN, run `hf auth logout`, and try again.
429 Client Error | 429 Too Many
    There were too many requests from this network, as when a class starts at the same time: wait some minutes, or copy
    data/cache/minilm from another computer and let COURSE_MINILM name the copy.
cache-system uses symlinks
    This is only a note: everything works, and there is nothing to do.
DO NOT MATCH THE HASHES | Hash mismatch | BadZipFile | not a zip file | Error -3 while decompressing | Bad CRC-32
invalid package format
    A download arrived incomplete or changed, because of a bad line or a filter; nothing is wrong with the course: run
    the same command again with PIP_NO_CACHE_DIR=1 (with uv, UV_NO_CACHE=1) and, if that does not help, on another
    network.
not yet valid | certificate has expired | NotValidYet | certificate: Expired | verification time
    A certificate is not valid at this computer's date: set the date and the time and run the same command again; if
    they are right, use another network.
Hostname mismatch | NotValidForName | failed: 403 | 403 Forbidden | 403 Client Error | SSLEOFError | handshake eof
    The network blocks this server or answers in its place (the certificates on this computer are not the cause): open
    a browser, where a page to log in may appear, use a proxy that may pass (HTTPS_PROXY), or use another network.
urlopen error [SSL
    This Python does not know who issued the server's certificate: with Python from python.org on a Mac, run "Install
    Certificates.command" in the folder Python 3.x of Applications; elsewhere, a company's network or an antivirus
    program may have put in a certificate of its own, and SSL_CERT_FILE must name a file with its root certificate.
CERTIFICATE_VERIFY_FAILED | SSLCertVerificationError | invalid peer certificate | local issuer | signed certificate
    Something between this computer and the internet (a company's or school's network, an antivirus program) replaces
    certificates with its own: ask for a file with its root certificate, let PIP_CERT (with uv, SSL_CERT_FILE) name
    that file, and run the same command again; or use another network.
failed: 407 | 407 Proxy | proxy authorization | HTTP 407
    The proxy asks for a name and a password: put them into HTTPS_PROXY, as in `http://name:password@host:port`, with
    special characters percent-encoded (@ is %40), or ask whoever runs the network for a way without them.
ProxyError | WRONG_VERSION_NUMBER | SOCKS | InvalidProxyURL | tunnel error | check_hostname requires
    A proxy is set that does not work: check HTTPS_PROXY, HTTP_PROXY and `pip config list`. Its address begins with
    `http://`, even in HTTPS_PROXY; if you need no proxy, unset it.
getaddrinfo | NameResolutionError | dns error | failed to lookup address | [Errno -2] | [Errno -3] | [Errno 8] nodename
Could not resolve host
    The server's name could not be looked up, because the network is down, or a VPN or its name server (DNS) is in the
    way: connect and run the same command again. What is installed already works without a network.
ReadTimeoutError | TimeoutError | timed out | IncompleteRead | incomplete-download | [WinError 10060]
error decoding response body
    The network is too slow, or broke off during a large file: run the same command again, on a better network if you
    can, with PIP_DEFAULT_TIMEOUT=120 (with uv, UV_HTTP_TIMEOUT=300) set; what was downloaded is kept. On Linux,
    COURSE_TORCH=cpu downloads 0.4 GB instead of 3.
ConnectionError | ConnectionReset | Max retries | SSLError | error sending request | LocalEntryNotFoundError
RemoteDisconnected | HTTP 000 | couldn't connect to | [Errno 101]
error 500 | error 502 | error 503 | 500 Server | 502 Server | 503 Server | 504 Server
    The network is down or the server does not answer: check the connection (and the proxy, if you need one) and run
    the same command again; what was downloaded is kept.
No matching distribution | no version | no wheels with | for the current platform | Failed to build | Visual C++ 14
requires a different Python | Cannot install on Python | metadata-generation-failed | not a supported wheel | ld-linux
    There is no build of a package for this Python ({python}): PyTorch needs a 64-bit Python 3.10 to 3.13 on Windows,
    on Linux with glibc (unlike Alpine), or on a Mac with Apple silicon and macOS 14 (for Intel Macs, 2.2.2 was the
    last release). If yours is none of these, {install}, or use Colab. If it is, either the network
    failed, as a line further up may say, or the package index lacks the file (see `pip config list`).
No module named 'torch' | No module named torch | requires the ipykernel package | ipykernel_launcher
    The notebook runs in another Python than the course's: choose the one in the course's folder .venv (in VS Code,
    Select Kernel at the top right, then Python Environments), or open JupyterLab with `python course.py`, which makes
    .venv. Install nothing into the other one; `import sys; sys.executable` in a cell shows which one it is.
already in use | [Errno 98] | [Errno 48] | [WinError 10048] | no available port | Permission to listen on port
    Another program, often an earlier JupyterLab, uses this port, and JupyterLab takes the next free one: open the
    address that it prints now, with its token, and not an old tab. With --port, choose another number or stop that
    program.
_xsrf | ERR_CONNECTION_REFUSED
    This tab belongs to a JupyterLab that has stopped: run `python course.py` and open the address that it prints, with
    its token.
No web browser found | could not locate runnable browser | server-...-open.html | xdg-open | ERR_ACCESS_DENIED
    JupyterLab runs, but no browser could be opened, or the browser (one from a snap package) may not read Jupyter's
    file: copy the http address that JupyterLab prints, with its token, into a browser on this computer.
Uncaught SyntaxError | Uncaught TypeError | Uncaught ReferenceError
    The page stays blank because the browser is too old for JupyterLab: update it, or use a current Chrome, Edge,
    Firefox or Safari.
MIME type
    The page stays blank because Windows takes .js files for plain text: set "Content Type" under
    `HKEY_CLASSES_ROOT\.js` in the registry to text/javascript, then reload the page with Ctrl+F5.
WebSocket | ws://localhost | wss://
    The page loads, but a proxy, an antivirus program or a browser extension blocks its live connection, so that no
    kernel answers: exclude localhost and 127.0.0.1 from it, or try a private window.
Error displaying widget | Failed to load model class
    An interactive view has lost its other half: save, reload the page, and choose Kernel, Restart Kernel and Run All
    Cells; if that does not help, open JupyterLab with `python course.py`.
DeadKernelError | kernel appears to have died
    To see why, run `.venv/bin/python -c "import torch"` (on Windows, `.venv\Scripts\python`) in a terminal and look
    for its message here; if there is none, the computer ran out of memory.
"""
FAILURES = [
    (re.split(r" \| |\n", signs.strip()), " ".join(sentence.split()))
    for signs, sentence in re.findall(r"((?:\S.*\n)+)((?:    .*\n)+)", TABLE)
]
HEADING = """# When the set-up fails

*Made from the table in [`setup_failures.py`](../setup_failures.py) by `python setup_failures.py`.*

`python course.py` explains most of these failures itself. Search this page for a number, a name or a few words of the
message that you see; `...` stands for anything within a line. Where several fit, the first counts: the cause is often
not in the last line.

| The message contains | What it means, and what to do |
|---|---|
"""


def explain(text):
    """Return what a program's message means and the words that show it, or (None, None) if no entry matches."""
    for signs, sentence in FAILURES:
        found = re.search("|".join(".*".join(map(re.escape, sign.split("..."))) for sign in signs), text)
        if found:
            before, after = text[: found.start()].rpartition("\n")[2], text[found.start() :].partition("\n")[0]
            words = " ".join(before.split(" ")[-8:]) + after[:150]  # a line may be very long
            return sentence.format(**this_computer()), words.strip()
    return None, None


def this_computer():
    version = "{}.{}".format(*sys.version_info)
    return {
        "python": f"{version}, {64 if sys.maxsize > 2**32 else 32}-bit, {platform.platform()}",
        "install": INSTALL_PYTHON,
        "venv": f"python{version}-venv",
        "root": ROOT,
        "temporary": tempfile.gettempdir(),
    }


def page():
    """Return the table as Markdown, with its placeholders described rather than filled in for this computer."""
    anywhere = {
        "python": "its version, 32- or 64-bit, and the system",
        "install": "install Python 3.12 from https://www.python.org/downloads/ and run `course.py` with it",
        "venv": "python3.12-venv",
        "root": "the course's folder",
        "temporary": "the folder for temporary files",
    }
    rows = (
        "| {} | {} |".format("<br>".join(f"`{sign}`" for sign in signs), sentence.format(**anywhere))
        for signs, sentence in FAILURES
    )
    return HEADING + "\n".join(rows) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
