"""Support code of the notebooks; nothing here is about attention.

    start     called by the first cell, to check that the packages are there
    notebook  setup() of seed, device and printing; the example sentence, and measurements

Importing this package imports nothing else.
"""
