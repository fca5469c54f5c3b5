"""What runs a notebook; nothing here is about attention.

    start     what the first cell needs before all else: are the packages there?
    notebook  setup(): seed, device, how tensors are printed; and what the notebooks measure with

Importing this package imports nothing else.
"""
