"""Tests of the notebooks: their saved outputs, their outputs with every exercise solved, and how each starts alone."""
