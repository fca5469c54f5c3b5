"""For a model of your own: what must hold of it, and where it parts from another one.

    assertions  tests of any model, in one line each: assert_causal and others    notebook 13
    compare     where two models part, by how much, and why                       notebook 07

Importing this package imports nothing else.
"""
