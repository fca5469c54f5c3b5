"""The instructor's guide: what it says of the notebooks, and its index of mistakes.

plans      the plans of classroom/guide.md: their sections, and the minutes, times and polls that follow from them
index      classroom/index.md: from what is on a student's screen to the question to ask
__main__   `python -m tools.guide` brings both up to date
"""
