"""Attention by Hand: the final implementations of attention, and of what they are made of.

Read the modules in the order in which the notebooks reach them; a file imports only files above it, and you can leave
out the module `require`.

    require             what the model refuses, and how it says so
    tokens              from text to ids                               notebook 01
    embeddings          from ids to vectors, and their positions       notebook 01
    masks               which query may attend to which key            notebook 03
    attention           dot_product_attention, SelfAttention           notebooks 02, 03, 04
    heads               MultiHeadAttention                             notebook 05
    bert                attention in a real model, and the model       notebooks 06, 07
    decoder             a language model, and how it writes            notebook 08
    relative_positions  rotary positions, and biases of the scores     notebook 09
    norms               RMSNorm                                        notebook 10
    grouped             several query heads to each key head           notebook 10
    latent              keys and values that come from a short vector  notebook 10
    today               a language model of today, Llama's             notebook 10
    windows             attention to the latest positions alone        notebook 11
    long_attention      windows, sinks, caps and gates in one module   notebook 11
    pages               a cache in pages, which texts share            notebook 11
    online              attention in parts, which are merged           notebook 12
    tiled               attention in tiles, forward and backward       notebook 12
    mask_mods           masks as functions of indices                  notebook 12
    linear              attention without a softmax, the delta rule    notebook 12

Names and shapes, the same everywhere:

    B  batch: independent items           q, k, v   queries, keys, values
    H  heads                              scores    q @ k.transpose(-2, -1) / sqrt(D)
    G  groups: heads of keys and values   past      what is remembered of P earlier positions
    T  positions that ask: queries        weights   after the softmax: rows sum to 1 over S
    S  positions that are read: keys      out       weights @ v
    D  width of a query or key            mask      bool, True = may attend,
    C  width of the model, d_model                  broadcastable to the scores

The rest has packages of its own: `models` holds what was trained or published, `figures` all drawings, `invariants` the
tests for a model of yours, and `runtime` what runs a notebook. Importing this package imports nothing else:
``from helpers import masks`` takes what it needs.
"""
