"""Run by each new kernel: what it says where a notebook is gone on with, and Python has just started.

`course.py` copies it into the environment. What it defines would be among the notebook's own names.
"""


def _undefined(shell, kind, error, trace, tb_offset=None):
    if error.name in ("check", "hint", "predict", "progress", "reference", "solution", "yours"):
        print(f"Python has just started and does not know {error.name} yet: choose Run → Run All Above Selected Cell.")
    else:
        shell.showtraceback((kind, error, trace), running_compiled_code=True)


get_ipython().set_custom_exc((NameError,), _undefined)  # noqa: F821  importing `exercises` puts another in its place
del _undefined
