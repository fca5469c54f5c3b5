"""Write the prose of the notebooks as plain text, one paragraph a line: the text that notebook 08 learns from.

    python -m tools.record.prose data/text/course.txt

Headings, code, tables, displayed formulas, HTML and the line of links at the top are left out; of a link the words
stay, and of code within a sentence what it says. The file that comes with the course is frozen, so that the trained
model fits it: whoever writes it again also trains the model again, with `python -m tools.train_text --write`.
"""

import json
import re
import sys
from pathlib import Path

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
LEFT_OUT = re.compile(r"^#|^\||^\*(core|deeper)\b|minutes with the exercises")  # lines that are no prose


def plain(source):
    """The paragraphs of a text cell."""
    source = re.sub(r"```.*?```|\$\$.*?\$\$|<!--.*?-->", "", source, flags=re.DOTALL)
    for lines in re.split(r"\n\s*\n|\n(?=(?:\d+\.|-) )", source):
        words = " ".join(line.strip() for line in lines.split("\n") if not LEFT_OUT.search(line.strip()))
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", words)  # of a link, the words
        words = re.sub(r"</?(?:code|details|div|summary)[^>]*>|\*\*|[`$]|^(?:\d+\.|-) ", "", words)
        words = re.sub(r"(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)", "", words)  # emphasis
        if words.strip():
            yield re.sub(r"\s+", " ", words).strip()


def main(target):
    paragraphs = []
    for notebook in sorted(NOTEBOOKS.glob("*.ipynb")):
        for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] == "markdown":
                paragraphs += plain("".join(cell["source"]))
    Path(target).parent.mkdir(parents=True, exist_ok=True)
    paragraphs = list(dict.fromkeys(paragraphs))  # what is said twice counts once
    Path(target).write_text("\n".join(paragraphs) + "\n", encoding="utf-8")
    print(f"{target}: {len(paragraphs)} paragraphs, {sum(len(p.encode()) + 1 for p in paragraphs):,} bytes")


if __name__ == "__main__":
    main(*sys.argv[1:])
