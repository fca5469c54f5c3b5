"""Record data/next_token.gif, the README's picture of notebook 00's view in which a small model writes.

    python -m tools.record.readme_picture

This needs Chromium or Chrome, which tools/browser.py finds, and Pillow, on which Matplotlib depends.
"""

import io
import os
import shutil
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

import explorers
from models import stories, story_model
from tools import ROOT
from tools.browser import ARGUMENTS, find_browser
from tools.site import live

STORY = (
    "In Lima Mia loves beans. Mia wears white scarves. In Quito Ray craves soup. Ray builds black boats. "
    "In Paris Ida likes eggs. Ida rides blue bikes. In Quito"
)
PAGE = """<!doctype html>
<html data-theme="light"><meta charset="utf-8">
<style>
* { box-sizing: border-box; }
body { width: 800px; margin: 0; padding: 14px 18px; background: #ffffff; font-family: "DejaVu Sans", sans-serif;
       border: 2px solid #b6bcc6; }
h1 { margin: 2px 4px 10px; color: #1b2a41; font-size: 17px; font-weight: 600; }
.abh > .abh-help, .abh .abh-further:not(.abh-heads), .abh .abh-readout { display: none !important; }
</style>
<style>%s</style>
<body><h1></h1>%s<script src="live.js"></script></body></html>"""
SECONDS = {"long": 3.2, "short": 1.2, "key": 0.16}


def film_next_token(browser, folder):
    """Use the view as on the course's website, as a reader would, and take a picture after each step."""
    files = live.Files()
    view = explorers.next_token(story_model.load(), stories.WORDS, stories.encode(STORY))
    (folder / "page.html").write_text(
        PAGE % (explorers.base.STYLE.read_text(encoding="utf-8"), live.explorer(view, "story", files)), encoding="utf-8"
    )
    files.write(folder)
    shutil.copy(ROOT / "site" / "static" / "live.js", folder)
    page = browser.new_page(viewport={"width": 840, "height": 700}, device_scale_factor=1.25)
    page.goto((folder / "page.html").as_uri())
    page.get_by_role("button", name="Start again").wait_for()
    frames, times = [], []

    def show(seconds, title=None):
        if title:
            page.evaluate("title => { document.querySelector('h1').textContent = title; }", title)
        page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        frames.append(Image.open(io.BytesIO(page.locator("body").screenshot())).convert("RGB"))
        times.append(int(1000 * SECONDS[seconds]))

    use = page.get_by_role("checkbox", name="use layer 0, head 3")
    show("long", "Who is in Quito? A head reads it, and the model expects “Ray”.")
    use.uncheck()
    show("long", "Without one of its eight heads, it no longer knows.")
    use.check()
    for _ in range(2):
        page.get_by_role("button", name="Remove the last word").click()
    show("short", "Now a question that the story leaves open ...")
    field = page.get_by_role("combobox")
    for end in range(1, len("Mia craves") + 1):
        field.fill("Mia craves"[:end])
        show("key")
    field.press("Enter")
    show("long", "... and it is sure of a wrong answer: “craves” was followed by “soup”.")
    write_film(ROOT / "data" / "next_token.gif", frames, times)


def write_film(path, frames, times):
    """Write the frames with one palette for all, so that only what changes is stored."""
    together = Image.new("RGB", (frames[0].width, sum(frame.height for frame in frames[:2])))
    for number, frame in enumerate(frames[:2]):
        together.paste(frame, (0, number * frames[0].height))
    palette = together.quantize(colors=200, method=Image.Quantize.MEDIANCUT)
    first, *others = (frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames)
    first.save(path, save_all=True, append_images=others, duration=times, loop=0, optimize=True)
    print(f"{path.relative_to(ROOT)}: {len(frames)} frames, {path.stat().st_size / 1000:.0f} KB")


def main():
    os.environ["COURSE_PROGRESS"] = "memory"
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=list(ARGUMENTS))
        film_next_token(browser, Path(folder))
        browser.close()


if __name__ == "__main__":
    main()
