"""Joining the scripts into one module."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import explorers
from explorers.modules import joined

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="no node on the search path")


def write(folder, **scripts):
    for name, text in scripts.items():
        (folder / f"{name}.js").write_text(text, encoding="utf-8")
    return folder


def node(folder, *arguments):
    """Run node, and return what it prints."""
    ran = subprocess.run(
        ["node", *arguments], cwd=folder, capture_output=True, text=True, encoding="utf-8", timeout=600
    )
    assert ran.returncode == 0, ran.stdout[-4000:] + ran.stderr[-2000:]
    return ran.stdout


def run(folder, code, module):
    """Evaluate `code` in node, where `it` is the module."""
    (folder / "joined.mjs").write_text(module, encoding="utf-8")
    script = f"import * as it from './joined.mjs'; console.log(JSON.stringify({code}))"
    return json.loads(node(folder, "--input-type=module", "-e", script))


@needs_node
def test_files_may_use_the_same_names_for_different_things_and_run_once(tmp_path):
    write(
        tmp_path,
        counter="let x = 0;\nexport const next = () => ++x;\n",
        left='import { next } from "./counter.js";\nconst x = 10;\nexport function left() { return x + next(); }\n',
        right='import { next } from "./counter.js";\nconst x = 20;\nexport const right = () => x + next();\n',
        top='import {\n  left as second,\n} from "./left.js";\nimport { right as left } from "./right.js";\n'
        "const x = 100;\nexport const all = () => [x, left(), second()];\nexport default { x };\n",
    )
    assert run(tmp_path, "[it.all(), it.default]", joined("top.js", tmp_path)) == [[100, 21, 12], {"x": 100}]


FORM = "low.js must import and export in one form, got "


@pytest.mark.parametrize(
    "low, top, message",
    [
        (
            "export const low = 1;",
            "import low from './low.js';",
            "top.js must import .* got .import low.*write import ",
        ),
        ("export const low = 1;", 'import "./low.js";', "top.js must import and export in one form, got .import "),
        ("export let low = 1;", 'import { low } from "./low.js";', FORM),
        ("export default low;", 'import { low } from "./low.js";', FORM),
        ('import { top } from "./top.js";', 'import { low } from "./low.js";', "got top -> low -> top; move what they"),
    ],
)
def test_another_form_and_a_circle_are_refused(tmp_path, low, top, message):
    write(tmp_path, low=f"{low}\n", top=f"{top}\nexport default {{}};\n")
    with pytest.raises(ValueError, match=message):
        joined("top.js", tmp_path)


@pytest.mark.browser
@needs_node
def test_the_unit_tests_of_the_scripts_pass():
    said = node(Path(explorers.__file__).parent, "--test", "--test-reporter=tap")
    assert int(re.search(r"^# pass (\d+)$", said, re.MULTILINE)[1]) > 0
