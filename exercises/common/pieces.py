"""The old name of `incremental`, until 9.x imports that."""

from exercises.common.incremental import *  # noqa: F403
