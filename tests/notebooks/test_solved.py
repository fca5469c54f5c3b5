"""With all exercises solved by the solutions that learners are shown, every notebook gives the saved outputs.

Each call of `yours` must return the answer in the notebook, not the course's own. The notebook runs on one thread
(nbval's run uses all cores) and rounds like a CPU without vector instructions; notebooks that ask for the best device
get a simulated GPU.
"""

from importlib.util import find_spec

import pytest

from exercises import COURSE, EXERCISES
from feedback.notebooks import exercise_of
from helpers.heads import EMPTY_ROWS_GIVE_ZEROS
from tests.minilm import require_minilm, uses_minilm
from tests.notebooks.common import PATHS, ROOT, execute, read, tags
from tools.save_notebooks import comparable

DEPENDS_ON_ANSWERS = {"progress", "end-progress"}
DEPENDS_ON_PYTORCH = set() if EMPTY_ROWS_GIVE_ZEROS else {"empty-sdpa"}  # nan before PyTorch 2.5, as its text says
if not find_spec("torch.nn.attention.flex_attention"):  # added in PyTorch 2.5, as the first of these cells says
    DEPENDS_ON_PYTORCH |= {"flex-define", "flex-run"}
USUAL = "03_causal_masking"  # always run; it uses the simulated GPU
RELEASE = pytest.mark.release  # enough, since nbval compares outputs, and each exercise's page tests its solution
OWN_ANSWERS = """import exercises

def own_answer(id, *attempt, yours=exercises.yours):
    used = yours(id, *attempt)
    assert used is not exercises.reference(id), id
    return used

exercises.yours = own_answer
"""
SIMULATED_GPU = f"""import sys
sys.path.insert(0, {str(ROOT)!r})
from tests.unit.fake_gpu import FakeGpu
FakeGpu().__enter__()
"""


@pytest.fixture
def another_machine(path, tmp_path, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setenv("MKL_NUM_THREADS", "1")
    monkeypatch.setenv("ATEN_CPU_CAPABILITY", "default")  # for PyTorch's own sums and normal random numbers
    monkeypatch.setenv("MKL_CBWR", "AVX2")  # for MKL's matrix products
    if not picks_device(read(path)):
        return
    startup = tmp_path / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "simulated_gpu.py").write_text(SIMULATED_GPU, encoding="utf-8")
    monkeypatch.setenv("COURSE_DEVICE", "cuda")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))


def picks_device(notebook):
    return any(cell.id == "setup" and "notebook.setup()" in cell.source for cell in notebook.cells)


def solve(notebook):
    """Replace every stub with the solution that learners are shown; return the notebook."""
    for cell in notebook.cells:
        if exercise_of(cell):
            cell.source = COURSE.solution_source(EXERCISES[exercise_of(cell)])
        if cell.id == "setup":
            cell.source = OWN_ANSWERS + cell.source
    return notebook


@pytest.mark.notebook
@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [path if path.stem == USUAL else pytest.param(path, marks=RELEASE) for path in PATHS],
    ids=lambda path: path.stem,
)
def test_solved_it_gives_the_saved_outputs_on_another_machine(path, another_machine):
    if uses_minilm(path):
        require_minilm()
    saved, solved = read(path), execute(solve(read(path)), path.parent)
    checks = 0
    for before, after in zip(saved.cells, solved.cells, strict=True):
        if after.cell_type != "code" or after.id in DEPENDS_ON_ANSWERS | DEPENDS_ON_PYTORCH:
            continue
        if after.source.startswith("check("):
            checks += 1
            assert after.outputs[0].data["text/plain"].startswith("✓"), after.outputs[0].data["text/plain"]
        else:
            assert comparable(after.outputs) == comparable(before.outputs), f"{path.stem}/{after.id}"
    setup = next(cell for cell in solved.cells if cell.id == "setup")
    assert setup.outputs[0].text == ("device: cuda:0\n" if picks_device(saved) else "device: cpu\n")
    assert checks == sum(exercise_of(cell) is not None for cell in saved.cells)
    assert not any("wrong-on-purpose" in tags(cell) and "✓" in str(cell.outputs) for cell in solved.cells)
