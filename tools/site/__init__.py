"""The course as a website: `python course.py site` builds it from the saved notebooks.

    __main__   the command: build, and serve
    prepare    a page for each notebook: what Sphinx gets to read
    exercises  an exercise and a prediction as a page shows them
    live       explorers in a page: their scripts, their numbers, the picture that stays where nothing runs
    states     the numbers of a notebook's explorers, computed as the notebook does

What a page looks like is in the folder site: Sphinx's conf.py, the home page, a style sheet and a script.
"""
