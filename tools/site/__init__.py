"""The course as a website: `python course.py site` builds it from the saved notebooks.

    __main__   the command: build, and serve
    prepare    the source files for Sphinx, with a page for each notebook
    exercises  exercises and predictions as a page shows them
    live       explorers in a page: their scripts, their numbers, and the picture to show if no script runs
    states     the numbers of a notebook's explorers, computed as in the notebook

The folder site determines the look of a page: Sphinx's conf.py, the home page, a style sheet and a script.
"""
