"""How the scripts become one module."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import explorers
from explorers.modules import joined

SCRIPTS = Path(explorers.__file__).parent
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="no node on the search path")


def write(folder, **scripts):
    for name, text in scripts.items():
        (folder / f"{name}.js").write_text(text, encoding="utf-8")
    return folder


def run(folder, code, module):
    """What `code` evaluates to, where `it` is the module."""
    (folder / "joined.mjs").write_text(module, encoding="utf-8")
    script = f"import * as it from './joined.mjs'; console.log(JSON.stringify({code}))"
    node = subprocess.run(
        ["node", "--input-type=module", "-e", script],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=600,
    )
    assert node.returncode == 0, node.stderr
    return json.loads(node.stdout)


@needs_node
def test_files_may_use_the_same_names_for_different_things(tmp_path):
    write(
        tmp_path,
        low="const x = 1;\nexport const low = () => x;\n",
        middle='import { low } from "./low.js";\nconst x = 10;\nexport function middle() { return x + low(); }\n',
        top='import {\n  middle as second,\n} from "./middle.js";\nimport { low as first } from "./low.js";\n'
        "const [x, low, middle] = [100, 0, 0];\nexport const all = () => [x, low, middle, first(), second()];\n"
        "export default { x };\n",
    )
    assert run(tmp_path, "[it.all(), it.default]", joined("top.js", tmp_path)) == [[100, 0, 0, 1, 11], {"x": 100}]


@needs_node
def test_a_file_that_several_import_runs_once(tmp_path):
    write(
        tmp_path,
        counter="let count = 0;\nexport const next = () => ++count;\n",
        left='import { next } from "./counter.js";\nexport const left = next();\n',
        right='import { next } from "./counter.js";\nexport const right = next();\n',
        top='import { left } from "./left.js";\nimport { right } from "./right.js";\nexport default [left, right];\n',
    )
    assert run(tmp_path, "it.default", joined("top.js", tmp_path)) == [1, 2]


@pytest.mark.parametrize(
    "line",
    [
        'import * as all from "./low.js";',
        'import "./low.js";',
        'import low from "./low.js";',
        "import { low } from './low.js';",
        'import { low } from "https://example.org/low.js";',
    ],
)
def test_another_form_of_import_is_refused(tmp_path, line):
    write(tmp_path, low="export const low = 1;\n", top=f"{line}\nexport default {{}};\n")
    with pytest.raises(ValueError, match=r"top.js must import and .* in one form, got .import .*write import \{ name"):
        joined("top.js", tmp_path)


@pytest.mark.parametrize(
    "line",
    [
        "export { low };",
        "export default low;",
        "export let low = 1;",
        'export * from "./x.js";',
    ],
)
def test_another_form_of_export_is_refused(tmp_path, line):
    write(tmp_path, low=f"{line}\n", top='import { low } from "./low.js";\n')
    with pytest.raises(ValueError, match="low.js must import and export in one form, got .export "):
        joined("top.js", tmp_path)


def test_files_that_import_each_other_are_refused(tmp_path):
    write(tmp_path, a='import { b } from "./b.js";\nexport const a = 1;\n', b='import { a } from "./a.js";\n')
    with pytest.raises(ValueError, match="got a -> b -> a; move what they share"):
        joined("a.js", tmp_path)


@needs_node
@pytest.mark.parametrize("name", explorers.__all__)
def test_every_explorer_is_one_module_that_imports_nothing(tmp_path, name):
    module = joined(f"{name}.js")
    assert run(tmp_path, "[typeof it.default.render, 'render' in it]", module) == ["function", False]
    assert not any(line.startswith("import") for line in module.splitlines())


@pytest.mark.browser
@needs_node
def test_the_unit_tests_of_the_scripts_pass():
    node = subprocess.run(
        ["node", "--test", "--test-reporter=tap"],
        cwd=SCRIPTS,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=600,
    )
    assert node.returncode == 0, node.stdout[-4000:] + node.stderr[-2000:]
    assert int(re.search(r"^# pass (\d+)$", node.stdout, re.MULTILINE)[1]) > 0
