"""How Sphinx makes the pages. `python course.py site` runs it; tools/site prepares what it reads."""

import sys
from pathlib import Path

from docutils import nodes
from furo.navigation import get_navigation_tree
from latex2mathml.converter import convert
from myst_nb.sphinx_ import HideCodeCellNode

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

project = "Attention by Hand"
author = "The Attention by Hand authors"
copyright = "The Attention by Hand authors. Code: MIT. Text and figures: CC BY 4.0"  # shown in the footer
language = "en"

extensions = ["myst_nb", "sphinx_copybutton"]
nb_execution_mode = "off"
nb_ipywidgets_js = {}  # else every page asks other hosts for the scripts of widgets
nb_render_markdown_format = "myst"  # else the tables of outputs are lines of text
nb_code_prompt_show = "Show the {type}"
nb_code_prompt_hide = "Hide the {type}"
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
html_math_renderer = "mathml"

html_theme = "furo"
html_title = project
html_static_path = ["static", "../explorers/shared.css", "../feedback/buttons.css"]
html_css_files = ["shared.css", "buttons.css", "site.css"]
html_js_files = [("live.js", {"defer": "defer"})]
html_favicon = "static/icon.svg"
templates_path = ["templates"]
html_copy_source = False
html_use_index = False
html_show_sphinx = False
pygments_style, pygments_dark_style = "a11y-high-contrast-light", "a11y-high-contrast-dark"
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#0b5fa5",
        "color-brand-content": "#0b5fa5",
        "color-brand-visited": "#6b3f94",
        "color-foreground-primary": "#1b2a41",
        "color-foreground-secondary": "#485061",
        "color-foreground-muted": "#5b6575",
        "color-api-name": "#0b5fa5",
    },
    "dark_css_variables": {
        "color-brand-primary": "#7fb8e8",
        "color-brand-content": "#7fb8e8",
        "color-brand-visited": "#bd9ae0",
        "color-foreground-primary": "#e6ebf2",
        "color-foreground-secondary": "#c3ccd9",
        "color-foreground-muted": "#a9b4c4",
        "color-background-primary": "#14202f",
        "color-background-secondary": "#0f1925",
        "color-background-hover": "#1d2c40",
        "color-background-border": "#35455a",
        "color-background-item": "#1d2c40",
        "color-code-background": "#0f1925",
        "color-inline-code-background": "#1d2c40",
    },
}


def write_formula(translator, node):
    """A formula as MathML, which browsers draw without any script."""
    display = "block" if isinstance(node, nodes.math_block) else "inline"
    formula = convert(node.astext(), display=display)
    translator.body.append(f'<div class="course-formula">{formula}</div>' if display == "block" else formula)
    raise nodes.SkipNode


def begin_folded(translator, node):
    """A part of a cell that is folded. myst-nb gives the summaries of all of them the same name for screen readers."""
    closed, opened = node["prompt_show"], node["prompt_hide"]
    translator.body.append(
        f'<details class="course-folded {" ".join(node["classes"])}"><summary>'
        f'<span class="course-when-closed">{closed}</span><span class="course-when-open">{opened}</span></summary>'
    )


def end_folded(translator, node):
    translator.body.append("</details>")


def complete_page(app, page, template, context, doctree):
    """The navigation with the sections of every page, and one description of the viewport: the theme has its own."""
    tree = context["toctree"](collapse=False, titles_only=False, maxdepth=2, includehidden=True)
    context.update(furo_navigation_tree=get_navigation_tree(tree), metatags="")


def setup(app):
    app.add_node(HideCodeCellNode, override=True, html=(begin_folded, end_folded))
    app.connect("html-page-context", complete_page, priority=900)  # after the theme
    app.add_html_math_renderer("mathml", inline_renderers=(write_formula, None), block_renderers=(write_formula, None))
