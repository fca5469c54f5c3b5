"""requirements.txt, environment.yml, pyproject.toml, README.md and .ci/run say the same; no file knows one machine."""

import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10, where pytest brings this one
    import tomli as tomllib

PROJECT = Path(__file__).resolve().parent.parent
# Assembled from pieces, so that this file does not hold what it looks for.
HOMES = "|".join(["root", "work", "home/[a-z][^/ ]*", "Users/[A-Za-z][^/ ]*"])
HOME_PATH = re.compile(rf"(?<![\w.~-])/(?:{HOMES})/|\b[A-Z]:\\+Users\\")


def read(name):
    return (PROJECT / name).read_text(encoding="utf-8")


def requirements(lines):
    found = [Requirement(line) for line in lines if line.strip() and not line.startswith("#")]
    return {canonicalize_name(requirement.name): requirement for requirement in found}


def pins():
    return requirements(read("requirements.txt").splitlines())


def settings():
    return tomllib.loads(read("pyproject.toml"))


def ranges():
    project = settings()["project"]
    return requirements(project["dependencies"] + project["optional-dependencies"]["test"])


def version_of(pin):
    return next(iter(pin.specifier)).version


@pytest.mark.parametrize("name", pins())
def test_a_pin_is_exact_and_within_its_range(name):
    pin = pins()[name]
    assert [part.operator for part in pin.specifier] == ["=="] and "*" not in version_of(pin)
    assert name in ranges(), f"{name} is pinned in requirements.txt, but pyproject.toml does not name it"
    assert ranges()[name].specifier.contains(version_of(pin))


def test_every_range_has_a_pin():
    assert set(ranges()) == set(pins())


def test_torch():
    assert version_of(pins()["torch"]) == "2.13.0"
    assert "2.4.0" in ranges()["torch"].specifier and "2.3.1" not in ranges()["torch"].specifier


def test_the_oldest_python_is_the_same_everywhere():
    assert settings()["project"]["requires-python"] == ">=3.10"
    assert "\nOLDEST_PYTHON = (3, 10)\n" in read("course.py")


def test_environment_is_python_pip_and_the_requirements():
    """Binder and conda get PyTorch's small build, from the index that course.py uses where there is no NVIDIA GPU."""
    listed = yaml.safe_load(read("environment.yml"))["dependencies"]
    index = re.search(r'^CPU_INDEX = "(.*)"$', read("course.py"), re.MULTILINE)[1]
    assert re.fullmatch(r"python=3\.1[0-3]", listed[0])
    assert listed[1:] == ["pip", {"pip": [f"--extra-index-url {index}", "-r requirements.txt"]}]


def test_binder_fetches_minilm_when_it_builds():
    assert "python -m helpers.pretrained" in read("postBuild") and read("postBuild").startswith("#!/usr/bin/env bash\n")
    assert os.name == "nt" or os.access(PROJECT / "postBuild", os.X_OK)


def test_every_package_is_listed():
    found = {path.parent.relative_to(PROJECT).as_posix().replace("/", ".")
             for path in (PROJECT / "helpers").rglob("*.py")}
    assert set(settings()["tool"]["setuptools"]["packages"]) == found


@pytest.mark.parametrize("command", ["python course.py", "python course.py test", "python course.py fetch"])
def test_the_readme_gives_the_commands(command):
    assert re.search(rf"\b{re.escape(command)}\s*(`|#|$)", read("README.md"), re.MULTILINE)


def test_the_workflow_runs_the_two_commands_on_every_system():
    job = yaml.safe_load(read(".github/workflows/tests.yml"))["jobs"]["test"]
    matrix, steps = job["strategy"]["matrix"], "\n".join(step.get("run", "") for step in job["steps"])
    assert {name.split("-")[0] for name in matrix["os"]} == {"ubuntu", "macos", "windows"}
    assert f">={matrix['python'][0]}" == settings()["project"]["requires-python"]
    assert f"Python {matrix['python'][0]} to {matrix['python'][-1]}" in " ".join(read("README.md").split())
    for command in ("python course.py", "python course.py test"):
        assert re.search(rf"^{command}( --[\w -]+)?( &)?$", steps, re.MULTILINE), command


def test_ci_runs_what_a_learner_runs():
    assert re.search(r"^(exec )?python3? course\.py test\b", read(".ci/run"), re.MULTILINE)
    assert os.name == "nt" or os.access(PROJECT / ".ci" / "run", os.X_OK)


def course_files():
    listing = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=PROJECT,
                             capture_output=True, encoding="utf-8")
    if listing.returncode != 0:
        pytest.skip("this is no git checkout, so what belongs to the course is not known")
    return [PROJECT / name for name in listing.stdout.split("\0") if name and (PROJECT / name).is_file()]


def test_no_file_names_a_folder_of_one_machine():
    found = []
    for path in course_files():
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            if HOME_PATH.search(line):
                found.append(f"{path.relative_to(PROJECT)}:{number}: {line.strip()[:100]}")
    assert not found, "\n".join(found)


@pytest.mark.parametrize("folder", ["root", "work", "home/ada", "Users/ada"])
def test_such_a_folder_would_be_found(folder):
    assert HOME_PATH.search(f'File "/{folder}/course/helpers/masks.py", line 3')
    assert not HOME_PATH.search(f"https://example.org/{folder}/page")
