"""Attention by Hand: the final implementations of attention and its building blocks.

Read the modules in the order in which the notebooks reach them. A file imports only files listed above it, and you can
skip the module `require`.

    require             checks of arguments, and their error messages
    tokens              from text to ids                               notebook 01
    embeddings          from ids to vectors, and their positions       notebook 01
    masks               which query may attend to which key            notebook 03
    attention           dot_product_attention, SelfAttention           notebooks 02, 03, 04
    heads               MultiHeadAttention                             notebook 05
    bert                attention in a real model, and the model       notebooks 06, 07
    decoder             a language model, and how it generates text    notebook 08
    relative_positions  rotary positions, and biases of the scores     notebook 09
    norms               RMSNorm                                        notebook 10
    grouped             several query heads to each key head           notebook 10
    latent              keys and values computed from a short vector   notebook 10
    today               a modern language model, as in Llama           notebook 10
    windows             attention to only the latest positions         notebook 11
    long_attention      windows, sinks, caps and gates in one module   notebook 11
    pages               a cache in pages that texts can share          notebook 11
    online              attention computed in parts and merged         notebook 12
    tiled               attention in tiles, forward and backward       notebook 12
    mask_mods           masks as functions of indices                  notebook 12
    linear              attention without softmax, and the delta rule  notebook 12

Names and shapes, the same everywhere:

    B  batch size                         q, k, v   queries, keys, values
    H  number of heads                    scores    q @ k.transpose(-2, -1) / sqrt(D)
    G  number of key and value heads      past      the cache, which covers P earlier positions
    T  number of queries                  weights   softmax of the scores: rows sum to 1 over S
    S  number of keys                     out       weights @ v
    D  width of a query or key            mask      bool, True = may attend,
    C  width of the model, d_model                  broadcastable to the scores

Other packages hold the rest: `models` has trained and published models, `figures` the drawings, `invariants` tests for
your own model, and `runtime` the support code of the notebooks. Importing this package imports nothing else: take what
you need with ``from helpers import masks``.
"""
