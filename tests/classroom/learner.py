"""A learner who works through a hub as a browser does: by HTTP with cookies, and by a WebSocket to the kernel.

The learner opens notebooks of their own copy, runs the cells from top to bottom, writes the course's solution into each
exercise, and saves after every check. When the connection, the kernel or the server dies, they do what a person does:
open the page again, start the server if it is down, and run the cells above again if their variables are gone.
"""

import json
import struct
import threading
import time
import uuid

import requests
import websocket

from exercises import COURSE, EXERCISES
from feedback.notebooks import exercise_of
from tests.classroom.hub import PASSWORD

PATIENCE = 600  # seconds until a step must have ended, on a machine that does much else
ALIVE = "a_learner_was_here = True"


class Interrupted(Exception):
    """The connection, the kernel or the server is gone."""


class Learner(threading.Thread):
    """Works on the notebooks {name: number of exercises after which to stop}, or None for all of it."""

    def __init__(self, hub, name, notebooks):
        super().__init__(name=name, daemon=True)
        self.hub, self.notebooks = hub, notebooks
        self.http = requests.Session()
        self.http.trust_env = False  # no proxy of this machine is asked for loopback
        self.times = {}  # {"login", "start"}: seconds
        self.sent, self.checked = 0, []  # checks that were sent; the exercises whose card arrived
        self.saved, self.tried = {}, {}  # {notebook: the content that the server confirmed; ... that was sent last}
        self.interruptions, self.failure = [], None

    def run(self):
        try:
            self.timed("login", self.log_in)
            self.timed("start", self.start_server)
            for name, stop in self.notebooks.items():
                Page(self, name, stop).work()
        except Exception as error:
            self.failure = f"{type(error).__name__}: {error}"

    def timed(self, what, act):
        began = time.monotonic()
        act()
        self.times[what] = time.monotonic() - began

    def log_in(self):
        self.ask("GET", "/hub/login")
        form = {"username": self.name, "password": PASSWORD, "_xsrf": self.token("/hub/")}
        answer = self.ask("POST", "/hub/login", data=form, allow_redirects=False)
        if answer.status_code != 302:
            raise PermissionError(f"the hub did not let {self.name} in: {answer.status_code}")

    def start_server(self):
        """Start the server unless it runs, and open JupyterLab, which sets the cookies of the server."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            try:
                page = self.ask("GET", f"/user/{self.name}/lab")
                if page.ok and f"/user/{self.name}/lab" in page.url:
                    return
                token = {"X-XSRFToken": self.token("/hub/")}
                # Refused after an error page, which brings a token for nobody; the next page brings a right one.
                self.ask("POST", f"/hub/api/users/{self.name}/server", headers=token, json={})
            except requests.RequestException:
                pass  # the proxy is being started again
            time.sleep(0.5)
        raise TimeoutError(f"{self.name} has no server after {PATIENCE} s")

    def api(self, method, path, **options):
        """Errors: Interrupted"""
        try:
            token = {"X-XSRFToken": self.token(f"/user/{self.name}/")}
            answer = self.ask(method, f"/user/{self.name}/api/{path}", headers=token, allow_redirects=False, **options)
        except requests.RequestException as error:
            raise Interrupted(type(error).__name__) from error
        if answer.status_code not in (200, 201, 204):
            raise Interrupted(f"{method} {path.split('/')[0]}: {answer.status_code}")
        return answer.json() if answer.content else None

    def ask(self, method, path, **options):
        return self.http.request(method, self.hub.url + path, timeout=PATIENCE, **options)

    def token(self, path):
        return next((c.value for c in self.http.cookies if c.name == "_xsrf" and c.path == path), "")

    def connect(self, kernel):
        url = f"{self.hub.url}/user/{self.name}/api/kernels/{kernel}/channels"
        cookies = requests.cookies.get_cookie_header(self.http.cookies, requests.Request("GET", url).prepare())
        try:
            return websocket.create_connection(url.replace("http", "ws", 1), cookie=cookies, timeout=PATIENCE)
        except (OSError, websocket.WebSocketException) as error:
            raise Interrupted(type(error).__name__) from error


class Page:
    """One notebook, open in the browser of a learner."""

    def __init__(self, learner, name, stop):
        self.learner, self.path, self.stop = learner, f"study/{name}", stop
        self.socket, self.content = None, None

    def work(self):
        done = False
        while not done:
            try:
                if self.stop is None:
                    self.close_others()
                done = self.run_cells()
            except Interrupted as interruption:
                self.learner.interruptions.append(str(interruption))
                self.learner.start_server()

    def run_cells(self):
        """Open the notebook and run what has not run in this kernel yet; returns True at the end."""
        fresh = self.open()
        if fresh or self.content is None:
            self.content = self.learner.api("GET", f"contents/{self.path}")["content"]
            self.position = 0
        cells = [cell for cell in self.content["cells"] if cell["cell_type"] == "code"]
        solved = 0
        for number, cell in enumerate(cells):
            exercise = exercise_of(cell)
            if exercise:
                cell["source"] = COURSE.solution_source(EXERCISES[exercise])
            is_check = cell["source"].startswith("check(")
            solved += is_check
            if number >= self.position:
                self.learner.sent += is_check
                cell["outputs"] = self.execute(cell["source"])
                self.position = number + 1
                if is_check:
                    self.learner.checked.append(verdict(cell))
                    self.save()
            if solved == self.stop:
                break
        self.save()
        return True

    def open(self):
        """Connect to the notebook's kernel; returns whether that is a new one, without variables."""
        model = {"path": self.path, "name": "", "type": "notebook", "kernel": {"name": "python3"}}
        self.socket = self.learner.connect(self.learner.api("POST", "sessions", json=model)["kernel"]["id"])
        fresh = self.is_fresh()
        self.execute(ALIVE)
        return fresh

    def is_fresh(self):
        """Whether the kernel has no variables. One that starts again may lose its first output: it is asked again."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            for output in self.execute("print('a_learner_was_here' in globals())"):
                return output["text"].strip() == "False"
            time.sleep(0.5)
        raise TimeoutError(f"{self.path}: the kernel showed nothing for {PATIENCE} s")

    def close_others(self):
        """What *File → Close and Shut Down Notebook* does: their kernels end."""
        for session in self.learner.api("GET", "sessions"):
            if session["path"] != self.path:
                self.learner.api("DELETE", f"sessions/{session['id']}")

    def save(self):
        """Save, with a number in the notebook's metadata that says how often that was."""
        count = self.content["metadata"].get("saves", 0) + 1
        self.content["metadata"]["saves"] = count
        text = json.dumps(self.content)
        self.learner.tried[self.path] = text
        model = {"type": "notebook", "format": "json", "content": json.loads(text)}
        self.learner.api("PUT", f"contents/{self.path}", json=model)
        self.learner.saved[self.path] = text

    def execute(self, code):
        """Run code in the kernel; returns what it showed. Errors: Interrupted; RuntimeError if the code raises"""
        header = {"msg_id": uuid.uuid4().hex, "msg_type": "execute_request", "session": self.learner.name}
        header.update(username=self.learner.name, version="5.3", date="")
        content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}
        message = {"header": header, "parent_header": {}, "metadata": {}, "content": content, "channel": "shell"}
        try:
            self.socket.send(json.dumps(message))
            return self.outputs(header["msg_id"])
        except (OSError, websocket.WebSocketException) as error:
            raise Interrupted(type(error).__name__) from error

    def outputs(self, request):
        """Everything shown until the kernel has done this request and is idle."""
        found, until = [], time.monotonic() + PATIENCE
        while time.monotonic() < until:
            frame = self.socket.recv()
            if not frame:
                raise Interrupted("closed")
            answer = message_of(frame)
            kind, content = answer["msg_type"], answer["content"]
            if kind == "status" and content["execution_state"] in ("restarting", "dead"):
                raise Interrupted("the kernel died")
            if answer["parent_header"].get("msg_id") != request:
                continue
            if kind == "error":
                raise RuntimeError(f"{self.path}: {content['ename']}: {content['evalue']}")
            if kind == "status" and content["execution_state"] == "idle":
                return found
            if kind == "stream":
                found.append({"output_type": kind, **content})
            elif kind in ("display_data", "execute_result"):
                content.pop("transient", None)
                found.append({"output_type": kind, **content})
        raise TimeoutError(f"{self.path}: a cell ran for more than {PATIENCE} s")


def message_of(frame):
    """The message in a frame of the WebSocket: text, or binary where a widget's buffers follow it."""
    if isinstance(frame, bytes):
        count, start, end = struct.unpack_from("!3I", frame)  # of the parts, and where the first two of them begin
        frame = frame[start : end if count > 1 else None]
    return json.loads(frame)


def verdict(cell):
    """The exercise that a check is about. Errors: AssertionError if the card does not say that the solution is right"""
    exercise = cell["source"].split('"')[1]
    [card] = [output["data"]["text/plain"] for output in cell["outputs"] if "data" in output]
    assert card.startswith("✓"), card
    return exercise
