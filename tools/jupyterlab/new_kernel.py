"""Startup code of every kernel: explain a NameError in a notebook that is continued after its kernel was restarted.

`course.py` copies this file into the environment. Its names would be visible in the notebook, so it deletes them.
"""


def _undefined(shell, kind, error, trace, tb_offset=None):
    if error.name in ("check", "hint", "predict", "progress", "reference", "solution", "yours"):
        print(f"Python has just started and does not know {error.name} yet: choose Run → Run All Above Selected Cell.")
    else:
        shell.showtraceback((kind, error, trace), running_compiled_code=True)


get_ipython().set_custom_exc((NameError,), _undefined)  # noqa: F821  importing `exercises` replaces it
del _undefined
