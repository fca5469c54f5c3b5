"""Write the pages that Sphinx reads: the saved notebooks, those of site/, and some of docs/.

A page has everything that its notebook has, except for what works only in Jupyter: the cell that finds the course, and
progress. What gives an answer away is folded, and so is what is folded in the notebook.
"""

import re
from html import escape
from pathlib import Path

import nbformat

import explorers
from exercises import COURSE, EXERCISES
from exercises.notebooks import FIRST_PART, NOTEBOOKS, PARTS
from feedback.notebooks import LABEL, exercise_of, prediction_of, statements
from feedback.progress import duration
from models import stories, story_model
from tools import ROOT, badges
from tools.site import live, states
from tools.site.exercises import RUN_IT, TRIED, card, prediction, raw, trial

PAGES = ROOT / "site"
ZIP = "attention-by-hand.zip"  # the course as a zip, next to the pages
DOCS = ("accessibility", "field_guide", "ideas", "setting_up", "setup_failures", "your_own_model")  # of docs/
WRITING = "next_token.js"  # the view on the home page, which also comes first among all views
OPENING = (  # the story on the home page begins with this, and may go on about any of the three people
    "In Lima Mia loves beans. Mia wears white scarves. In Quito Ray craves soup. Ray builds black boats. "
    "In Paris Ida likes eggs. Ida rides blue bikes."
)

IN_JUPYTER = re.compile(r"\A.*?(?=^# )", re.DOTALL | re.MULTILINE)  # above the title: badge, links to notebooks
CELL_LINK = re.compile(r"\[([^][]+)\]\((\w+)\.ipynb#cell-id=([\w-]+)\)")
FILE_LINK = re.compile(r"\[([^][]+)\]\(\.\./([^()]+)\)")
GUIDE_LINK = re.compile(r"\[([^][]+)\]\((#[^()]+)\)")
HTML_LINK = re.compile(r'href="(\w+)\.ipynb(?:#cell-id=([\w-]+))?"')
HEADING = re.compile(r'<span id="(cell-[\w-]+)"></span>\n\n#{1,2} (?:\d+\. )?(.+)')
PROGRESS = re.compile(r'^progress\("\d+"\)$', re.MULTILINE)
IN_JUPYTER_ONLY = ("start", "progress-text", "progress")  # ids of cells
HIDDEN = {"input": "source_hidden", "output": "outputs_hidden"}  # myst-nb's and Jupyter's names for hidden parts
SETUP = {"code_prompt_show": "Show what is imported", "code_prompt_hide": "Hide what is imported"}


def source(folder, place):
    """Write all that Sphinx reads into a folder; return {name of a page: its description}.

    `place` has the owner, repository and branch of the course, as returned by tools.badges.home.
    """
    files, shown = live.Files(), []
    for entry in NOTEBOOKS:
        print(f"  {entry.name}", flush=True)
        page = prepared(nbformat.read(ROOT / "notebooks" / entry.file, as_version=4), entry, place, files)
        nbformat.write(page, folder / entry.file)
        shown += [(entry, *view) for view in views_of(page)]
    parts = {**facts_of_course(), **home(files), **ways_in(place)}
    parts |= {"views": views(shown), "teaching": teaching(place)}
    for path in PAGES.glob("*.md"):
        page = re.sub(r"\{\{ (\w+) \}\}", lambda name: parts[name[1]], path.read_text(encoding="utf-8"))
        (folder / path.name).write_text(page, encoding="utf-8")
    for name in DOCS:
        page = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
        (folder / f"{name}.md").write_text(linked(page, place), encoding="utf-8")
    files.write(folder)
    return {Path(entry.file).stem: entry.question for entry in NOTEBOOKS}


# ---- the page of a notebook


def prepared(notebook, entry, place, files):
    """Return the page of a notebook, as a notebook in which nothing is to be executed."""
    alive = states.explorers_of(notebook)
    cells = [cell for cell in notebook.cells if cell.id not in IN_JUPYTER_ONLY]
    cells = [cell for cell in cells if not PROGRESS.fullmatch(cell.source.strip())]
    checks = {exercise.check["id"] for exercise in statements(cells).values()}  # left out; stubs become cards
    pages, shown = [], {id for _, page, id in CELL_LINK.findall(ideas()) if f"{page}.ipynb" == entry.file}
    for cell in cells:
        if cell.id in shown:
            pages.append(nbformat.v4.new_markdown_cell(f'<div id="cell-{cell.id}"></div>', id=f"{cell.id}-anchor"))
        if cell.cell_type == "markdown":
            pages.append(text(cell, entry, place))
        elif id := exercise_of(cell):
            pages.append(markdown(cell, card(id, cell.source)))
        elif id := prediction_of(cell):
            pages.append(markdown(cell, f"{anchor(cell)}\n\n{raw(prediction(id, files))}"))
        elif cell.id not in checks:
            pages.append(code(cell, alive.get(cell.id, []), f"{entry.number}-{cell.id}", files))
    return nbformat.v4.new_notebook(cells=pages, metadata=notebook.metadata)


def markdown(cell, text):
    return nbformat.v4.new_markdown_cell(text, id=cell.id)


def anchor(cell):
    """Return the target of links to a cell: its id, which stays the same if its heading changes."""
    return f'<span id="cell-{cell.id}"></span>'


def text(cell, entry, place):
    """Return a text cell with core and deeper as labels and with links to pages; add the facts to the first cell."""
    if cell.id == "setup-text":
        cell = folded_text(cell, "When you run it yourself")
    source = cell.source.replace("](../docs/", "](").replace("](#cell-id=", f"]({entry.file}#cell-id=")
    source = CELL_LINK.sub(_to_cell, source)
    source = HTML_LINK.sub(_to_page, LABEL.sub(r'<p class="course-tag course-\1">\1 · \2 min</p>', source))
    if cell.id == "title":
        title, rest = IN_JUPYTER.sub("", source).split("\n", 1)
        return markdown(cell, f"{title}\n\n{facts(entry, place)}\n\n{note(entry)}\n{rest}")
    return markdown(cell, f"{anchor(cell)}\n\n{source}")


def folded_text(cell, summary):
    """Return the cell with everything below its heading and its label folded."""
    heading, label, rest = cell.source.split("\n\n", 2)
    return markdown(cell, f"{heading}\n\n{label}\n\n<details><summary>{summary}</summary>\n\n{rest}\n</details>")


def note(entry):
    """Return a note on what a page is and what it cannot do."""
    first = NOTEBOOKS[0]
    where = f"the first of {len(NOTEBOOKS)} notebooks"
    if entry is not first:
        link = f'<a href="{Path(first.file).stem}.html">{first.name}</a>'
        part = next(name for name, notebooks in PARTS.items() if entry in notebooks)
        where = f"notebook {entry.number}, in the {part} of a course that begins with {link}"
    return (
        '<p class="course-note">Here you read, predict and play; your progress is not kept. To write code and have it '
        f"checked, {RUN_IT}. This is {where}. Where code says <code>yours(...)</code>, the output below it is that of "
        "the course's own function.</p>"
    )


def _to_cell(link):
    label, page, cell = link.groups()
    return f'<a href="{page}.html{"" if cell == "title" else f"#cell-{cell}"}">{label}</a>'


def _to_page(link):
    page, cell = link.groups()
    return f'href="{page}.html{f"#cell-{cell}" if cell and cell != "title" else ""}"'


def facts(entry, place):
    """Return how long a notebook takes, and the ways to run it."""
    inside = [EXERCISES[id] for id in COURSE.contents.belonging(EXERCISES, entry)]
    work = sum(exercise.minutes for exercise in inside)
    several = f"{len(inside)} exercise{'s' if len(inside) > 1 else ''}"
    core = "" if entry.core == entry.minutes else f" The core alone takes {entry.core} minutes."
    core = core if entry.core else " All of it is deeper: nothing in the core needs it."
    if badges.unknown(place):  # alone, a notebook could not find the course
        links = [f'<a class="course-button" href="{ZIP}" download>Get the course</a>']
    else:
        address = badges.COLAB.format(name=entry.file, **place)
        links = [
            f'<a class="course-button" href="{address}">Open in Colab</a>',
            f'<a class="course-button" href="notebooks/{entry.file}" download>Download the notebook</a>',
        ]
    return (
        f'<p class="course-facts">{entry.minutes - work} minutes to read, {work} for {several}.{core}</p>\n'
        f'<p class="course-links">{" ".join(links)}</p>'
    )


def code(cell, alive, name, files):
    """Return a code cell with live explorers and figures as files; imports, hidden code and answers are folded."""
    alive, outputs = list(alive), []
    for number, output in enumerate(cell.outputs):
        html = "".join(output.get("data", {}).get("text/html", ""))
        if states.is_explorer(output) and alive:
            html = live.explorer(alive.pop(0), f"{name}-{number}", files)
        if html and not (PROGRESS.search(cell.source) and output.output_type == "execute_result"):
            html = HTML_LINK.sub(_to_page, live.with_files(html, files))
            outputs.append(nbformat.v4.new_output("display_data", data={"text/html": html}))
        elif not html:
            outputs.append(output)
    hidden, source = cell.metadata.get("jupyter", {}), PROGRESS.sub("", cell.source).rstrip()
    tags = [f"hide-{part}" for part, key in HIDDEN.items() if hidden.get(key)]
    metadata = {"tags": ["hide-cell"], "mystnb": SETUP} if cell.id == "setup" else {"tags": tags}
    return nbformat.v4.new_code_cell(source, outputs=outputs, id=cell.id, metadata=metadata)


# ---- the other pages


def linked(text, place):
    """Return a text of docs/ with links to pages, and to files of the repository if its address is known."""
    text = CELL_LINK.sub(_to_cell, text.replace("](../notebooks/", "]("))
    text = re.sub(r"\b[\d.]+e-\d+", r'<span style="white-space:nowrap">\g<0></span>', text)  # no break after "1e-"
    if badges.unknown(place):
        return FILE_LINK.sub(r"\1", text)
    return FILE_LINK.sub(rf"[\1]({address_of_files(place)}/\2)", text)


def address_of_files(place):
    return f"{badges.address(place)}/blob/{place['branch']}"


def facts_of_course():
    """Return the numbers that occur in the pages of site/."""
    mistakes = {each.id for exercise in EXERCISES.values() for each in exercise.misconceptions}
    return {
        "exercises": str(len(EXERCISES)),
        "mistakes": f"{len(mistakes):,}",
        "hours": duration(sum(entry.minutes for entry in FIRST_PART)),
        "core": duration(sum(entry.core for entry in FIRST_PART)),
    }


def ways_in(place):
    """Return how to get the course and the guide for instructors: from GitHub if the course has an address there."""
    archive = f'href="{ZIP}" download'
    if badges.unknown(place):
        return {
            "get": f"<a {archive}>Get the course</a>, a zip of 3 MB, unpack it,",
            "guide": f"The whole guide is <code>classroom/guide.md</code> in <a {archive}>the course</a>.",
        }
    repository = escape(badges.address(place))
    return {
        "get": f'<a href="{repository}">Get the course</a>, or <a {archive}>the same as a zip</a>,',
        "guide": f'The whole guide is <a href="{escape(address_of_files(place))}/classroom/guide.md">on GitHub</a>.',
    }


def teaching(place):
    """Return the beginning of the guide for instructors: its purpose and its plans."""
    text = (ROOT / "classroom" / "guide.md").read_text(encoding="utf-8")
    text = text.partition("\n\n")[2].partition("\n## ")[0]
    address = f"{address_of_files(place)}/classroom/guide.md"
    return GUIDE_LINK.sub(r"*\1*" if badges.unknown(place) else rf"[\1]({address}\2)", text)


def home(files):
    """Return the parts of the home page that come from the course."""
    view = explorers.next_token(story_model.load(), stories.WORDS, stories.encode(OPENING))
    view.head = 7  # the last one: without it, the story goes on about Ida
    return {
        "explorer": raw(live.explorer(view, "home", files)),
        "notebooks": contents(),
        "first": Path(NOTEBOOKS[0].file).stem,
        **{f"trial_{id.replace('.', '_')}": raw(trial(id)) for id in TRIED},
    }


def views_of(page):
    """Yield each explorer of a page as (heading, id of the heading's cell, whether it is folded, HTML)."""
    heading = anchored = ""
    for cell in page.cells:
        if cell.cell_type == "markdown" and (found := HEADING.search(cell.source)):
            anchored, heading = found.groups()
        for output in cell.get("outputs", []):
            html = output.get("data", {}).get("text/html", "")
            if 'class="course-live"' in html:
                yield heading, anchored, "hide-output" in cell.metadata.tags, html


def views(shown):
    """Return all explorers, WRITING first, each below its section's heading; fold those that answer a prediction."""
    first, parts = next(view for view in shown if WRITING in view[-1]), []
    for entry, heading, anchored, folded, html in [first, *(view for view in shown if view is not first)]:
        link = f'<a href="{Path(entry.file).stem}.html#{anchored}">{entry.name}</a>'
        if folded and html is not first[-1]:
            html = f"<details><summary>Show the view, which answers a prediction</summary>\n{html}\n</details>"
        parts.append(f"## {heading}\n\n{raw(f'<p>In {link}.</p>{html}')}")
    return "\n\n".join(parts)


def contents():
    """Return a table of the notebooks for each part of the course, below the part's name."""
    return "\n\n".join(f"**The {name}**\n\n{table(notebooks)}" for name, notebooks in PARTS.items())


def ideas():
    """Return the page on the second part's ideas, with links to notebooks in the form that notebooks use."""
    return (ROOT / "docs" / "ideas.md").read_text(encoding="utf-8").replace("](../notebooks/", "](")


def table(notebooks):
    rows = [
        f"| [{entry.name}]({entry.file}) | {entry.question} | {entry.minutes} | {entry.core or '–'} |"
        for entry in notebooks
    ]
    return "\n".join(["| notebook | the question it answers | minutes | core |", "|---|---|---|---|", *rows])
