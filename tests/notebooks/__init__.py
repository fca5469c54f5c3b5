"""Tests of the notebooks: what is saved, what they compute with every exercise solved, and how they start alone."""
