"""Record data/course.png, the picture in the README: an exercise in JupyterLab with a wrong answer and its card.

    python -m tools.record.readme_picture

needs Chromium or Chrome, which tools/browser.py finds.
"""

import os
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path
from time import sleep

import nbformat
from nbclient import NotebookClient
from playwright.sync_api import sync_playwright

import course
from feedback.notebooks import read, statements
from tools.browser import ARGUMENTS, find_browser

ROOT = Path(__file__).resolve().parents[2]
ANSWER = "def attention_weights(q, k):\n    return (q @ k.transpose(-2, -1)).softmax(dim=-1)"
PORT = 18765


def notebook():
    """The exercise as notebook 02 states it, an answer without the division by √D, and what the course says."""
    stated = statements(read(ROOT / "notebooks" / "02_single_head_attention.ipynb"))["2.3"]
    made = nbformat.v4.new_notebook()
    made.cells = [
        nbformat.v4.new_markdown_cell("above the picture"),  # JupyterLab frames the first cell, which is the active one
        nbformat.v4.new_markdown_cell(stated.task["source"]),
        nbformat.v4.new_code_cell(ANSWER),
        nbformat.v4.new_code_cell(stated.check["source"]),
    ]
    hidden = nbformat.v4.new_code_cell(f"import sys; sys.path.insert(0, {str(ROOT)!r})\nfrom exercises import check")
    run = nbformat.v4.new_notebook(cells=[hidden, *made.cells])
    NotebookClient(run, kernel_name="python3").execute()
    made.metadata = run.metadata
    for number, cell in enumerate(made.cells[2:], start=1):
        cell.execution_count = number
        for output in cell.outputs:
            output.execution_count = number
    return made


def main():
    os.environ["COURSE_PROGRESS"] = "memory"
    with tempfile.TemporaryDirectory() as folder:
        nbformat.write(notebook(), Path(folder) / "exercise.ipynb")
        command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--IdentityProvider.token="]
        layout = course.arrange_lab(Path(folder) / "environment")
        options = [f"--ServerApp.port={PORT}", f"--ServerApp.root_dir={folder}", *layout]
        settings = dict(os.environ, JUPYTERLAB_SETTINGS_DIR=folder)
        server = subprocess.Popen([*command, *options], env=settings)
        try:
            photograph(f"http://127.0.0.1:{PORT}/lab/tree/exercise.ipynb?reset")
        finally:
            server.terminate()
            server.wait()


def photograph(address):
    while True:
        try:
            urllib.request.urlopen(address).close()
            break
        except OSError:
            sleep(0.5)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=list(ARGUMENTS))
        page = browser.new_page(viewport={"width": 1000, "height": 900}, device_scale_factor=1.5)
        page.goto(address)
        page.get_by_text("stuck", exact=False).first.wait_for(timeout=60_000)
        first, last = (page.locator(".jp-Notebook .jp-Cell").nth(i).bounding_box() for i in (1, 3))
        height = last["y"] + last["height"] - first["y"]
        area = {"x": first["x"], "y": first["y"], "width": first["width"], "height": height}
        page.screenshot(path=ROOT / "data" / "course.png", clip=area)
        browser.close()


if __name__ == "__main__":
    main()
