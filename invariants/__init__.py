"""Tools for a model of your own: check what must hold for it, or find where it differs from another model.

    assertions  one-line tests for any model: assert_causal and others            notebook 13
    compare     where two models first differ, by how much, and why               notebook 07

Importing this package imports nothing else.
"""
