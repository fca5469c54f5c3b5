"""Build the course as a website in the folder _site; `python course.py site` runs this file.

Neither building nor reading it needs the network. The course itself is next to the pages as a zip, so that any server
can host the folder. The address of the published site follows from the one URL in pyproject.toml; as long as that has
its placeholder, the site has no sitemap, no links to GitHub and Colab, and no address of its own.
"""

import functools
import http.server
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from sphinx.application import Sphinx

from exercises.notebooks import NOTEBOOKS
from tools import ROOT, Parser, Problem, badges, run
from tools.site import prepare

SITE = ROOT / "_site"


def build(out, place):
    """Build the site into a new folder, or in place of an older site; every warning of Sphinx is an error.

    Errors: Problem if git or its repository is missing, or if Sphinx reports an error, which it has printed
    """
    with tempfile.TemporaryDirectory() as folder:
        pages, made = Path(folder, "pages"), Path(folder, "site")  # myst-nb leaves a folder next to the site
        pages.mkdir()
        archive = Path(folder, prepare.ZIP)
        pack(ROOT, archive)  # first, since it fails at once without git
        address = "" if badges.unknown(place) else "https://{owner}.github.io/{repository}/".format(**place)
        repository = "" if badges.unknown(place) else badges.address(place)
        context = {"descriptions": prepare.source(pages, place), "address": address, "repository": repository}
        application = Sphinx(
            pages,
            ROOT / "site",
            made,
            Path(folder, "doctrees"),
            "html",
            confoverrides={"html_baseurl": address, "html_context": context},
            status=None,
            warningiserror=True,
        )
        print("  the pages, which takes about a minute", flush=True)
        application.build()
        if application.statuscode:
            raise Problem("The site was not built: correct what Sphinx reports above.")
        shutil.copytree(pages / "_static", made / "_static", dirs_exist_ok=True)
        shutil.move(archive, made)
        add_files(made, address)
        if out.exists():
            shutil.rmtree(out)
        shutil.move(made, out)


def pack(root, path):
    """Write the last commit of the course in the folder `root` as a zip with one folder in it.

    Errors: Problem if git is missing or `root` is not a repository
    """
    command = ["git", "archive", f"--prefix={path.stem}/", f"--output={path}", "HEAD"]
    try:
        (root / ".git").stat()  # git would use a repository around the course
        subprocess.run(command, cwd=root, check=True, stderr=subprocess.PIPE)
    except (OSError, subprocess.CalledProcessError):
        raise Problem(
            f"The website offers the files that git tracks, and git finds no repository in {root}: install git, and "
            "build the site in a clone of the course."
        ) from None


def add_files(out, address):
    """Add the files that the pages link to, except for the zip, and those that a host needs."""
    if address:
        (out / "notebooks").mkdir()
        for entry in NOTEBOOKS:
            shutil.copy(ROOT / "notebooks" / entry.file, out / "notebooks")
    for path in (ROOT / "LICENSE", ROOT / "LICENSES" / "CC-BY-4.0.txt"):
        shutil.copy(path, out)
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    if not address:
        citation = re.sub(r"^repository-code: .*\n", "", citation, flags=re.MULTILINE)
    (out / "CITATION.cff").write_text(citation, encoding="utf-8", newline="\n")
    (out / ".nojekyll").touch()  # otherwise GitHub Pages leaves out folders such as _static
    if address:
        names = sorted({path.name for path in out.glob("*.html")} - {"404.html"})
        pages = "".join(f"<url><loc>{address}{name}</loc></url>\n" for name in names)
        start = '<?xml version="1.0" encoding="utf-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        (out / "sitemap.xml").write_text(f"{start}{pages}</urlset>\n", encoding="utf-8")


def serve(folder, port):
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", port), handler) as server:
        print(f"Open http://127.0.0.1:{server.server_address[1]}/ in a browser. To stop it, press Ctrl-C.", flush=True)
        server.serve_forever()


def make(options):
    start, place = time.monotonic(), badges.home()
    build(SITE, place)
    print(f"The site is in {SITE}, built in {time.monotonic() - start:.0f} s: open index.html in a browser.")
    if badges.unknown(place):
        print(
            f"As the course has no address on GitHub yet, the pages offer it as {prepare.ZIP}, which lies next to them."
        )
    if options.serve:
        serve(SITE, options.port)


def main(words):
    parser = Parser("site", description="Build the course as a website, in the folder _site.")
    parser.add_argument("--serve", action="store_true", help="show the site when it is built")
    parser.add_argument("--port", type=int, default=0, help="of --serve (unset: one that is free)")
    return run(make, parser.parse_args(words))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
