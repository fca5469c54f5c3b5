"""Slides for a class, made from the notebooks' own cells: one HTML file for each plan of the guide; no network needed.

decks      the slides of a plan, read from classroom/slides.txt
text       shorten texts for a slide, and convert formulas to MathML
build      make a tagged notebook for nbconvert, and a page from it
template/  nbconvert's template, the style, and the script that starts the slides and shows the speaker notes
reveal/    reveal.js 6.0.2, as published on npm: reveal.js and reveal.css
__main__   `python course.py slides`
"""
