"""Render the numbers as a single HTML file without scripts or network requests."""

import time
from pathlib import Path

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from feedback.markup import with_code
from tools.classroom.records import count

TEMPLATES = Environment(loader=FileSystemLoader(Path(__file__).parent), autoescape=True, trim_blocks=True)
TEMPLATES.filters |= {"code": lambda text: Markup(with_code(text)), "count": count}


def html(summary, complaints, names, every=None):
    """Return the whole page. With `every`, it reloads itself after that many seconds."""
    when = time.strftime("%Y-%m-%d, %H:%M:%S", time.localtime(summary.now))
    stuck = sorted((row for row in summary.rows if row.stuck), key=lambda row: -len(row.stuck))
    given = {"summary": summary, "complaints": complaints, "names": names}
    return TEMPLATES.get_template("page.html.j2").render(given, when=when, stuck=stuck, every=every)
