"""Join several JavaScript modules into one.

anywidget takes the text of a single module, and an explorer must not fetch anything. The scripts are nevertheless
ordinary ES modules that import from one another, so linters, type checkers and node understand them without a build.
This file joins them when the course is imported: each imported file becomes a function with a scope of its own.
"""

import re
from pathlib import Path

HERE = Path(__file__).parent
IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w-]+)\.js";$', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:function|class|const) (\w+))", re.MULTILINE)
LEFT_OVER = re.compile(r"^\s*(?:import|export)\b.*", re.MULTILINE)


def joined(script, folder=HERE):
    """The text of a script, preceded by everything that it imports, directly or indirectly.

    Errors: ValueError for an import or an export in another form, and for circular imports
    """
    files = {}
    _collect(Path(folder) / script, files, ())
    *imported, (_, entry) = files.items()
    return "\n".join([*(_with_its_own_scope(name, text) for name, text in imported), _without_imports(script, entry)])


def _collect(path, files, importing):
    """Add a file to `files` {stem: text}, after all files that it imports."""
    if path.stem in importing:
        raise ValueError(
            f"scripts must not import each other, got {' -> '.join([*importing, path.stem])}; "
            "move what they share to a third file"
        )
    if path.stem in files:
        return
    text = path.read_text(encoding="utf-8")
    for match in IMPORT.finditer(text):
        _collect(path.with_name(match[2] + ".js"), files, (*importing, path.stem))
    files[path.stem] = text


def _with_its_own_scope(name, text):
    exports = ", ".join(EXPORT.findall(text))
    body = _without_imports(f"{name}.js", EXPORT.sub("", text), LEFT_OVER)
    return f"const {_scope(name)} = (() => {{\n{body}\nreturn {{ {exports} }};\n}})();\n"


def _without_imports(script, text, forbidden=re.compile(r"^\s*import\b.*", re.MULTILINE)):
    """The text, with its imports replaced by names from the scopes of the other files."""
    text = IMPORT.sub(lambda match: f"const {{{match[1].replace(' as ', ': ')}}} = {_scope(match[2])};", text)
    if line := forbidden.search(text):
        raise ValueError(
            f"{script} must import and export in one form, got {line[0].strip()!r}; write "
            'import { name } from "./file.js"; or put "export" in front of a function, class or const'
        )
    return text


def _scope(name):
    return f"module_{name.replace('-', '_')}"
