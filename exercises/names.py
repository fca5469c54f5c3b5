"""What the code and the headings of every page may use: sentences about the learner's numbers."""

from exercises.common.explainers import *  # noqa: F403
