"""`python course.py equal FOLDER...` lists which submitted answers are the same code."""

import ast
import json
import sys
from collections import defaultdict
from pathlib import Path

from tools import ROOT, Parser, run
from tools.classroom.records import DAMAGE, LIMIT, count, files_of, homes, names_of, printable, require_folders

DEFINITIONS = (ast.FunctionDef, ast.ClassDef)
OURS = ("helpers", "exercises")  # packages with finished answers


# ---- normalized code


def normalized(definition):
    """Return the code of a definition without comments, docstrings, annotations and the names that it introduces."""
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
    """Yield (name, code) for what a source defines or imports from OURS; nothing if it is not valid Python."""
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
    """Return {(exercise, code)} of a student's answers, except for cells in `given`."""
    return {
        (names[name], code)
        for path in files_of(home, [])
        for source in sources(path) - given
        for name, code in definitions(source)
        if name in names
    }


def sources(path):
    """Return the set of sources in a file: a notebook's code cells, or an answer that passed."""
    is_kept = path.suffix == ".py" and path.parent.name == "answers"
    try:
        if not (is_kept or path.suffix == ".ipynb") or path.stat().st_size > LIMIT:
            return set()
        text = path.read_text(encoding="utf-8")
        if is_kept:
            return {text}
        return {"".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"}
    except (OSError, *DAMAGE):
        print(f"{printable(path)} cannot be read: skipped.", file=sys.stderr)
        return set()


# ---- the list


def groups(submitted, known):
    """Yield (exercise, [(what the code is equal to, the students)]) for code that is known or was handed in twice."""
    for id in known:
        by_code = defaultdict(list)
        for student, mine in sorted(submitted.items()):
            for code in (code for its, code in mine if its == id):
                by_code[code].append(student)
        found = [(code if code.startswith("import ") else known[id].get(code), who) for code, who in by_code.items()]
        found = sorted((where or "each other", who) for where, who in found if where or len(who) > 1)
        if found:
            yield id, found


def finished(exercises, solution):
    """Return {exercise: {code: where the course has it}}."""
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

    given = {source for path in COURSE.contents.folder.glob("*.ipynb") for source in sources(path)}
    names = {exercise.name: id for id, exercise in EXERCISES.items()}
    found = homes(folders)
    submitted = {name: answers(home, names, given) for name, home in zip(names_of(found), found, strict=True)}
    handed_in = sum(len({id for id, _ in mine}) for mine in submitted.values())
    print(f"{count(len(submitted), 'submission')}, {count(handed_in, 'answer')}")
    for id, alike in groups(submitted, finished(EXERCISES, COURSE.solution_source)):
        print(f"\n{id} {EXERCISES[id].name}")
        for where, students in alike:
            print(f"  {where}: {', '.join(students)}")


def main(words):
    return run(show, parse_options(words).folders)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
