"""Slides for a class out of the notebooks' own cells: one HTML file for each plan of the guide, which needs no network.

decks      which slides a plan has: classroom/slides.txt, read
text       what of a text is on a slide, and formulas as MathML
build      a tagged notebook for nbconvert, and the page that it becomes
template/  nbconvert's template, the style, and the script that starts the slides and shows the speaker notes
reveal/    reveal.js 6.0.2, as published on npm: reveal.js and reveal.css
__main__   `python course.py slides`
"""
