"""What JupyterLab says where a notebook cannot be saved, as on a full disk."""

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SAVE = "() => window.jupyterapp.shell.currentWidget.context.save().catch(() => {})"  # as autosave does
FILE = "**/api/contents/test.ipynb*"
FULL = '{"message": "Unexpected error while saving file: test.ipynb [Errno 28] No space left on device"}'


def test_an_autosave_that_fails_says_so_once_until_something_is_saved_or_somebody_asks_again(open_notebook):
    notebook = open_notebook(["1"])
    page, message = notebook.page, notebook.page.locator(".jp-Dialog", has_text="File Save Error")

    def read():
        message.wait_for()
        assert "No space left on device" in message.inner_text()
        message.locator("button").last.click()
        message.wait_for(state="detached")

    def refuse(route):
        route.fulfill(status=500, body=FULL) if route.request.method == "PUT" else route.continue_()

    page.wait_for_function("window.jupyterapp?.shell.currentWidget?.context.isReady")
    page.route(FILE, refuse)
    page.evaluate(SAVE)
    read()
    page.evaluate(SAVE)
    page.wait_for_timeout(300)
    assert message.count() == 0
    notebook.command("docmanager:save")
    read()
    page.unroute(FILE)
    page.evaluate(SAVE)
    page.route(FILE, refuse)
    page.evaluate(SAVE)
    read()
    page.unroute(FILE)
    notebook.take_problems()  # the browser notes each answer that was an error
