"""A tiny course that shares nothing with the real one: it has no predictions, and two exercises without tensors."""

from pathlib import Path

from feedback.course import Course
from feedback.notebooks import Contents, Notebook

FOLDER = Path(__file__).parent
NOTEBOOKS = (Notebook("01_drills.ipynb", "drills", minutes=15, core=15, question="How many?"),)
COURSE = Course(__name__, str(FOLDER), Contents(NOTEBOOKS, FOLDER), progress=Path("attempts.jsonl"))
