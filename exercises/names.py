"""What the code and the headings of every page may use: the explainers that speak of attention, and infinity."""

from exercises.common.explainers import *  # noqa: F403  # its __all__ says what
