"""Names that the code and the headings of every page may use: explainers, which write about the learner's numbers."""

from exercises.common.explainers import *  # noqa: F403
