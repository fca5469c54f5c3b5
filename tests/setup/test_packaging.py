"""The requirements, their lock, environment.yml, pyproject.toml and course.py agree; no file names one machine."""

import os
import re

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.setup.copies import PROJECT, course_files
from tools import lock

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10, where pytest depends on tomli
    import tomli as tomllib

# Assembled from pieces, so that this file does not contain what it searches for.
HOMES = "|".join(["root", "work", "home/[a-z][^/ ]*", "Users/[A-Za-z][^/ ]*"])
HOME_PATH = re.compile(rf"(?<![\w.~-])/(?:{HOMES})/|\b[A-Z]:\\+Users\\")


def read(name):
    return (PROJECT / name).read_text(encoding="utf-8")


def requirements(lines):
    found = [Requirement(line) for line in lines if line.strip() and not line.startswith("#")]
    return {canonicalize_name(requirement.name): requirement for requirement in found}


def pins(name):
    return requirements(read(name).splitlines())


RANGED = ("requirements.txt", "requirements-test.txt")  # pyproject.toml has version ranges for these
PINS = {name: pins(name) for name in (*RANGED, "classroom/requirements.txt", "classroom/requirements-grading.txt")}


def settings():
    return tomllib.loads(read("pyproject.toml"))


def ranges(name):
    project = settings()["project"]
    return requirements(project["dependencies"] if name == RANGED[0] else project["optional-dependencies"]["test"])


def locked():
    """Return the lines of requirements.lock; a package whose version depends on Python or the system has several."""
    return [Requirement(line) for line in read("requirements.lock").splitlines() if not line.startswith("#")]


def version_of(pin):
    return next(iter(pin.specifier)).version


def is_exact(pin):
    return [part.operator for part in pin.specifier] == ["=="] and "*" not in version_of(pin)


def test_every_pin_is_exact_and_a_package_is_pinned_once():
    assert all(is_exact(pin) for named in PINS.values() for pin in named.values())
    assert len(set().union(*PINS.values())) == sum(map(len, PINS.values()))


def test_pins_are_within_their_ranges():
    for name in RANGED:
        assert set(PINS[name]) == set(ranges(name))
        for package, pin in PINS[name].items():
            assert ranges(name)[package].specifier.contains(version_of(pin)), package


# ---- the lock

SYSTEMS = [
    {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix", "platform_machine": "x86_64"},
    {"sys_platform": "darwin", "platform_system": "Darwin", "os_name": "posix", "platform_machine": "arm64"},
    {"sys_platform": "win32", "platform_system": "Windows", "os_name": "nt", "platform_machine": "AMD64"},
]


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system["sys_platform"])
def test_the_lock_has_one_version_of_a_package(system):
    """It has one for each Python and system, and contains all packages that are pinned by name, except for PyTorch."""
    for python in ("3.10", "3.11", "3.12", "3.13"):
        here = {
            **system,
            "python_version": python,
            "python_full_version": f"{python}.9",
            "platform_python_implementation": "CPython",
            "implementation_name": "cpython",
        }
        found = {canonicalize_name(pin.name): pin for pin in applying(locked(), here)}
        assert len(found) == len(applying(locked(), here)) and all(map(is_exact, found.values())), python
        wanted = [pin for pins in PINS.values() for pin in applying(pins.values(), here) if pin.name != "torch"]
        for pin in wanted:
            assert version_of(found[canonicalize_name(pin.name)]) == version_of(pin), (python, pin)


def applying(pins, here):
    return [pin for pin in pins if pin.marker is None or pin.marker.evaluate(here)]


def test_the_lock_leaves_pytorch_to_its_own_index():
    """Each build of PyTorch depends on packages of its own. The lock also works with any package index."""
    assert not [pin.name for pin in locked() if re.match("torch|triton|nvidia|cuda", pin.name)]
    assert "://" not in read("requirements.lock") and "--" not in read("requirements.lock")


# ---- facts that several files repeat


def test_the_oldest_python_is_the_same_everywhere():
    assert settings()["project"]["requires-python"] == f">={lock.OLDEST_PYTHON}"
    assert f"\nOLDEST_PYTHON = ({lock.OLDEST_PYTHON.replace('.', ', ')})\n" in read("course.py")


def test_environment_is_python_pip_and_the_requirements():
    """Binder and conda get PyTorch's small build, from the index that course.py uses where there is no NVIDIA GPU."""
    listed = yaml.safe_load(read("environment.yml"))["dependencies"]
    index = re.search(r'^CPU_INDEX = "(.*)"$', read("course.py"), re.MULTILINE)[1]
    assert re.fullmatch(r"python=3\.1[0-3]", listed[0])
    assert listed[1:] == ["pip", {"pip": [f"--extra-index-url {index}", "-r requirements.txt", "-c requirements.lock"]}]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no permission to execute a file")
@pytest.mark.parametrize("name", ["postBuild", ".ci/run"])
def test_scripts_can_be_executed(name):
    assert read(name).startswith("#!/usr/bin/env bash\n") and os.access(PROJECT / name, os.X_OK)


@pytest.mark.slow
def test_no_file_names_a_folder_of_one_machine():
    found = []
    for path in course_files():
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            if HOME_PATH.search(line):
                found.append(f"{path.relative_to(PROJECT)}:{number}: {line.strip()[:100]}")
    assert not found, "\n".join(found)


OF_CODE = re.compile(r"^ *```.*?^ *```|`[^`]*`", re.MULTILINE | re.DOTALL)
PAGES = ("README.md", "CONTRIBUTING.md", "data/README.md", "feedback/README.md")


def test_no_link_of_a_page_is_dead():
    """As far as one can tell without a network: linked files exist, and no address is a placeholder."""
    for path in (*(PROJECT / name for name in PAGES), *(PROJECT / "docs").glob("*.md")):
        for target in re.findall(r"\]\(([^)#]+)", OF_CODE.sub("", path.read_text(encoding="utf-8"))):
            exists = "://" in target or (path.parent / target).exists()
            assert exists and "your_name" not in target, f"{path.relative_to(PROJECT)}: {target}"
