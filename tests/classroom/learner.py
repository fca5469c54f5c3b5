"""A simulated learner, who uses a hub as a browser does: HTTP with cookies, and a WebSocket to the kernel."""

import json
import time
import uuid

import requests
import websocket

from tests.classroom.accounts import PASSWORD

PATIENCE = 600  # seconds for one step, on a busy machine
NOTEBOOK = "study/00_start_here.ipynb"


class Learner:
    def __init__(self, hub, name):
        self.hub, self.name, self.socket = hub, name, None
        self.http = requests.Session()
        self.http.trust_env = False  # use no proxy for loopback addresses

    def log_in(self):
        self.ask("GET", "/hub/login")
        form = {"username": self.name, "password": PASSWORD, "_xsrf": self.token("/hub/")}
        answer = self.ask("POST", "/hub/login", data=form, allow_redirects=False)
        if answer.status_code != 302:
            raise PermissionError(f"the hub did not let {self.name} in: {answer.status_code}")

    def start_server(self):
        """Start the server, and open JupyterLab, which sets the cookies of the server."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            page = self.ask("GET", f"/user/{self.name}/lab")
            if page.ok and f"/user/{self.name}/lab" in page.url:
                return
            token = {"X-XSRFToken": self.token("/hub/")}
            # Refused after an error page, whose token belongs to no user; the next page has a valid one.
            self.ask("POST", f"/hub/api/users/{self.name}/server", headers=token, json={})
            time.sleep(0.5)
        raise TimeoutError(f"{self.name} has no server after {PATIENCE} s")

    def open_notebook(self):
        """Start the notebook's kernel and connect to it."""
        model = {"path": NOTEBOOK, "name": "", "type": "notebook", "kernel": {"name": "python3"}}
        token = {"X-XSRFToken": self.token(f"/user/{self.name}/")}
        answer = self.ask("POST", f"/user/{self.name}/api/sessions", headers=token, json=model)
        answer.raise_for_status()
        url = f"{self.hub.url}/user/{self.name}/api/kernels/{answer.json()['kernel']['id']}/channels"
        cookies = requests.cookies.get_cookie_header(self.http.cookies, requests.Request("GET", url).prepare())
        self.socket = websocket.create_connection(url.replace("http", "ws", 1), cookie=cookies, timeout=PATIENCE)

    def ask(self, method, path, **options):
        return self.http.request(method, self.hub.url + path, timeout=PATIENCE, **options)

    def token(self, path):
        return next((c.value for c in self.http.cookies if c.name == "_xsrf" and c.path == path), "")

    def says(self, code):
        """Run code in this learner's kernel until it prints something; return that. A new kernel may lose output."""
        until = time.monotonic() + PATIENCE
        while not (said := self.execute(code)) and time.monotonic() < until:
            time.sleep(0.5)
        return said

    def execute(self, code):
        """Run code in the kernel and return what it printed. Errors: RuntimeError if the code raises"""
        header = {"msg_id": uuid.uuid4().hex, "msg_type": "execute_request", "session": self.name}
        header.update(username=self.name, version="5.3", date="")
        content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}
        message = {"header": header, "parent_header": {}, "metadata": {}, "content": content, "channel": "shell"}
        self.socket.send(json.dumps(message))
        said = ""
        while True:
            answer = json.loads(self.socket.recv())
            kind, content = answer["msg_type"], answer["content"]
            if answer["parent_header"].get("msg_id") != header["msg_id"]:
                continue
            if kind == "error":
                raise RuntimeError(f"{content['ename']}: {content['evalue']}")
            if kind == "stream":
                said += content["text"]
            elif kind == "status" and content["execution_state"] == "idle":
                return said
