"""`python course.py equal FOLDER...` lists which submitted answers are the same code."""

import ast
import json
import os
import sys
from collections import defaultdict
from pathlib import Path

from tools import Parser, run
from tools.classroom.records import LIMIT, count, distinguishing, is_searched, printable, require_folders

ROOT = Path(__file__).resolve().parents[2]
DEFINITIONS = (ast.FunctionDef, ast.ClassDef)
OURS = ("helpers", "exercises")  # packages with finished answers


# ---- code without what can be changed and stays the same


def normalized(definition):
    """The code of a function or class, without comments, docstrings, annotations and the names that it chooses."""
    tree = ast.parse(ast.unparse(definition))
    chosen = {}
    for node in ast.walk(tree):
        if isinstance(node, DEFINITIONS):
            chosen.setdefault(node.name, len(chosen))
            if ast.get_docstring(node) is not None:
                node.body[:1] = [] if node.body[1:] else [ast.Pass()]
        if isinstance(node, ast.arg):
            chosen.setdefault(node.arg, len(chosen))
            node.annotation = None
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            chosen.setdefault(node.id, len(chosen))
        elif isinstance(node, ast.FunctionDef):
            node.returns = None
    for node in ast.walk(tree):
        for field in ("name", "arg", "id"):
            if not isinstance(node, ast.keyword) and getattr(node, field, None) in chosen:
                setattr(node, field, str(chosen[getattr(node, field)]))
    return ast.dump(tree)


def definitions(source):
    """(name, code) of what a text defines or imports from OURS; nothing where Python cannot read it."""
    try:
        for node in ast.parse(source).body:
            if isinstance(node, DEFINITIONS):
                yield node.name, normalized(node)
            elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in OURS:
                yield from ((each.asname or each.name, f"import from {node.module}") for each in node.names)
    except (SyntaxError, ValueError, RecursionError):
        return


# ---- submissions


def answers(home, names, given):
    """{exercise: the codes of a student's answers}, without the cells that are given."""
    found = defaultdict(set)
    for place, folders, files in os.walk(home):
        folders[:] = filter(is_searched, folders)
        for path in (Path(place, file) for file in files):
            for source in set(sources(path)) - given:
                for name, code in definitions(source):
                    if name in names:
                        found[names[name]].add(code)
    return found


def sources(path):
    """The code of a notebook's cells, or of an answer that passed."""
    is_kept = path.suffix == ".py" and path.parent.name == "answers"
    try:
        if not (is_kept or path.suffix == ".ipynb") or not path.is_file() or path.stat().st_size > LIMIT:
            return []
        text = path.read_text(encoding="utf-8")
        return [text] if is_kept else list(map("".join, code_cells(json.loads(text))))
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        print(f"{printable(path)} cannot be read: skipped.", file=sys.stderr)
        return []


def code_cells(notebook):
    return [cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "code"]


# ---- the list


def groups(submitted, known):
    """For each exercise (what the code is equal to or '', the students), where it is known or handed in twice."""
    by_code = defaultdict(lambda: defaultdict(list))
    for student, mine in submitted.items():
        for id, codes in mine.items():
            for code in codes:
                by_code[id][code].append(student)
    for id in known:
        found = [(label(code, known[id]), sorted(who)) for code, who in by_code[id].items()]
        found = sorted(group for group in found if group[0] or len(group[1]) > 1)
        if found:
            yield id, found


def label(code, known):
    return code if code.startswith("import from ") else known.get(code, "")


def finished(exercises, solution):
    """{exercise: {code: where the course has it}}"""
    helpers = {}
    for path in sorted((ROOT / "helpers").rglob("*.py")):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        helpers |= {code: f"{module}.{name}" for name, code in definitions(path.read_text(encoding="utf-8"))}
    return {
        id: helpers | {code: "the reference" for name, code in definitions(solution(exercise)) if name == exercise.name}
        for id, exercise in exercises.items()
    }


def parse_options(words):
    parser = Parser(
        "equal",
        description="List, by exercise, which submitted answers are the same code as the reference, as a function of "
        "helpers, or as each other's. Names, comments, docstrings and annotations make no difference.",
        epilog="Each folder directly below FOLDER is one student; its notebooks and kept answers are only read. A "
        "short answer may be the same because there are few ways to write it.",
    )
    parser.add_argument("folders", nargs="+", metavar="FOLDER", type=Path)
    return parser.parse_args(words)


def show(folders):
    require_folders(folders)
    from exercises import COURSE, EXERCISES  # slow to import

    published = sorted(COURSE.contents.folder.glob("*.ipynb"))
    given = {source for path in published for source in sources(path)}
    names = {exercise.name: id for id, exercise in EXERCISES.items()}
    homes = sorted(home for folder in folders for home in folder.iterdir() if home.is_dir() and is_searched(home.name))
    submitted = {name: answers(home, names, given) for name, home in zip(distinguishing(homes), homes, strict=True)}
    print(f"{count(len(homes), 'submission')}, {count(sum(map(len, submitted.values())), 'answer')}")
    for id, found in groups(submitted, finished(EXERCISES, COURSE.solution_source)):
        print(f"\n{id} {EXERCISES[id].name}")
        for where, students in found:
            print(f"  {where or 'each other'}: {', '.join(students)}")


def main(words):
    return run(show, parse_options(words).folders)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
