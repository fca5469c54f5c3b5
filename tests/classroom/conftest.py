"""A browser for the page, as the explorers' tests have it."""

from tests.explorers.conftest import axe, chromium

__all__ = ["axe", "chromium"]
