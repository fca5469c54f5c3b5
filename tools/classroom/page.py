"""The numbers as a single HTML file: without scripts, and without a request to any host."""

import base64
import hashlib
import re
import time
from html import escape
from pathlib import Path

from feedback.markup import with_code
from tools.classroom.records import count

STYLE = (Path(__file__).with_name("style.css")).read_text(encoding="utf-8") + "".join(
    f".w{width}{{width:{width}%}}" for width in range(101)
)
MARKS = {True: "✓", False: "…", None: ""}
SHOWN = 15  # misconceptions that are not folded
PRIVACY = (
    "Whoever can open the folder of this page can read it. It was made from the files progress.json and attempts.jsonl "
    "of each student, which hold times, exercises, verdicts and choices, and neither names nor code. A small class can "
    "still be recognized in small numbers: think before you project or share the page, and use it to decide what to "
    "talk about, not to grade."
)
NAMED = " Because of --names it shows the names of folders: do not project it."


def html(summary, complaints, names, every=None):
    """The whole page; `every` is in seconds, for a page that loads itself again."""
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    refresh = f'<meta http-equiv="refresh" content="{every:g}">' if every else ""
    sections = [stuck(summary, names), mistakes(summary, unfolded=every), heat_map(summary), polls(summary)]
    if names:
        sections.insert(3, people(summary))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
{refresh}<title>The class</title>
<style>{STYLE}</style>
</head>
<body>
<main>
<h1>The class</h1>
{header(summary)}
{"".join(sections)}</main>
<footer>{unread(complaints, names)}<p>{PRIVACY}{NAMED if names else ""}</p></footer>
</body>
</html>
"""


def header(summary):
    when = time.strftime("%Y-%m-%d, %H:%M:%S", time.localtime(summary.now))
    return f'<p><b>{summary}</b> <span class="soft">· written {when}</span></p>\n'


def section(title, about, *content):
    return f"<section>\n<h2>{title}</h2>\n<p class='soft'>{about}</p>\n{''.join(content)}\n</section>\n"


def table(label, heads, rows, numbers=()):
    """A table that scrolls by itself where it is wider than the window; the columns `numbers` hold numbers."""
    css = [' class="number"' if i in numbers else "" for i in range(len(heads))]
    head = "".join(f'<th scope="col"{kind}>{word}</th>' for kind, word in zip(css, heads, strict=True))
    body = "".join(
        f'<tr><th scope="row"{css[0]}>{first}</th>'
        + "".join(f"<td{kind}>{cell}</td>" for kind, cell in zip(css[1:], others, strict=True))
        + "</tr>\n"
        for first, *others in rows
    )
    content = f"<table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>"
    return scrolling(label, content)


def scrolling(label, content):
    return f'<div class="wide" tabindex="0" role="region" aria-label="{label}">{content}</div>'


# ---- what is solved


def heat_map(summary):
    if not summary.tried:
        return section("Solved", "Nobody has tried an exercise yet.")
    by_notebook = {}
    for row in summary.tried:
        by_notebook.setdefault(row.exercise.notebook, []).append(row)
    columns = max(map(len, by_notebook.values()))
    head = "".join(f'<th scope="col">exercise {i + 1}</th>' for i in range(columns))
    body = "".join(
        f'<tr><th scope="row">{escape(summary.notebooks[number])}</th>{"".join(map(cell, rows))}</tr>\n'
        for number, rows in by_notebook.items()
    )
    table = (
        f'<table class="map"><thead><tr><th scope="col" class="row">notebook</th>{head}</tr></thead>\n'
        f"<tbody>{body}</tbody></table>"
    )
    key = ("not tried yet", "below 25%", "25% to 49%", "50% to 74%", "75% to 99%", "100%")
    legend = "".join(f'<li class="h{i}">{words}</li>' for i, words in enumerate(key))
    about = "The share of all students who have solved each exercise. The stronger the color, the more. "
    about += "Notebooks in which nobody has tried an exercise are left out."
    return section("Solved", about, f'<ul class="key">{legend}</ul>', scrolling("Solved exercises", table))


def cell(row):
    said = f"{row.solved:,} of {row.students:,} solved" if heat(row) else "not tried yet"
    trying = f"<small>{row.trying:,} trying</small>" if row.trying else ""
    return (
        f'<td class="h{heat(row)}">{row.exercise.id} {breakable(row.exercise.name)}'
        f"<strong>{row.share}%</strong><small>{said}</small>{trying}</td>"
    )


def heat(row):
    return min(5, 1 + row.share // 25) if row.solved or row.trying else 0


def breakable(name):
    """A name in Python, which may break after an underscore and before a capital."""
    return re.sub(r"(_)(?=.)|(?<=[a-z])(?=[A-Z])", r"\1<wbr>", escape(name))


def people(summary):
    """Names x exercises."""
    ids = [row.exercise.id for row in summary.tried]
    rows = ([escape(name), *(MARKS[mine.get(id)] for id in ids)] for name, mine in summary.people.items())
    about = "✓ solved, … tried. With --csv, a file holds the same."
    return section("By name", about, table("By name", ["folder", *ids], rows))


# ---- who is stuck


def stuck(summary, names):
    rows = [row for row in summary.rows if row.stuck]
    about = (
        "Students who have worked on an unsolved exercise for longer than its minutes: from their first attempt to "
        "their last, or until now if nothing came after it. Pauses of more than 30 minutes do not count."
    )
    if not rows:
        return section("Stuck", "Nobody has worked on an unsolved exercise for longer than its minutes.")
    rows.sort(key=lambda row: -len(row.stuck))
    heads = ["exercise", "planned", "students", "longest", "what they were told last, most often"]
    heads += ["folders"] * names
    found = (stuck_row(row)[: len(heads)] for row in rows)
    return section("Stuck", about, table("Students who are stuck", heads, found, (1, 2, 3)))


def stuck_row(row):
    told = [each.mistake for each in row.stuck if each.mistake]
    most = with_code(max(told, key=told.count)[0]) if told else "no known misconception"
    who = ", ".join(f"{escape(each.name)} ({each.minutes}&nbsp;min)" for each in row.stuck)
    times = (f"{row.exercise.minutes} min", f"{len(row.stuck):,}", f"{row.stuck[0].minutes:,} min")
    return title(row.exercise), *times, most, who


# ---- which misconceptions


def mistakes(summary, unfolded):
    if not summary.mistakes:
        return section("Misconceptions", "None was seen yet.")
    about = (
        "The most frequent first, counted by students. “Still” is how many of them have not solved the exercise since, "
        "and met it in their last attempt. Attempts that failed without a diagnosis come last."
    )
    first, rest = summary.mistakes[:SHOWN], summary.mistakes[SHOWN:]
    parts = [mistake_table("The most frequent misconceptions", first, summary)]
    if rest:
        folded = mistake_table("The other misconceptions", rest, summary)
        opening = "<details open>" if unfolded else "<details>"  # a page that loads itself again would fold it
        parts.append(f"{opening}<summary>{count(len(rest), 'more misconception')}</summary>{folded}</details>")
    return section("Misconceptions", about, *parts)


def mistake_table(label, found, summary):
    heads = ("students", "still", "attempts", "exercise", "what the code does", "what to ask")
    rows = (
        (
            f"<b>{each.students:,}</b>{bar(100 * each.students / summary.students)}",
            *(f"{each.still:,}", f"{each.attempts:,}"),
            *(title(each.exercise), with_code(each.means), with_code(each.ask)),
        )
        for each in found
    )
    return table(label, heads, rows, range(3))


# ---- what was predicted


def polls(summary):
    if not summary.polls:
        return section("Predictions", "Nobody has made a prediction yet.")
    about = "What students chose first, before they saw the output. ✓ marks the right answer."
    return section("Predictions", about, *map(poll_table, summary.polls))


def poll_table(poll):
    rows = []
    for letter, chosen in poll.chosen.items():
        right = " <b>✓ right</b>" if letter == poll.prediction.right else ""
        answer, share = with_code(poll.prediction.answers[letter]), 100 * chosen / poll.total
        rows.append((f"({letter}) {answer}{right}", f"{chosen:,} of {poll.total:,}", f"{round(share)}%{bar(share)}"))
    head = f"<h3>{escape(poll.id)}: {with_code(poll.prediction.question)}</h3>\n"
    return f'{head}<div class="poll">{table(poll.id, ("answer", "students", "share"), rows, (1,))}</div>\n'


# ---- pieces


def unread(complaints, names):
    """Files that could not be read; their paths may hold names."""
    if not complaints:
        return ""
    what = f"{count(len(complaints), 'file or folder')} could not be read as a whole"
    if not names:
        return f"<p>{what}: the terminal names them.</p>"
    return f"<p>{what}:</p><ul>{''.join(f'<li>{escape(each)}</li>' for each in complaints)}</ul>"


def title(exercise):
    return f"{exercise.id}&nbsp;{breakable(exercise.name)}"


def bar(share):
    """The number is always written next to it."""
    return f'<div class="bar"><div class="w{round(share)}"></div></div>'
