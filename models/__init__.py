"""Trained and published models: their parameters and data, and the weights and sizes of other implementations.

A file imports only files listed above it, and `helpers`.

    training        one training loop, and loading trained parameters    notebook 08
    induction       models in which induction heads form                 notebook 08
    stories         the small stories that the story model learns from   notebook 08
    story_model     the story model: its training and evaluation         notebook 08
    rewriting       numbers in words, which a model rewrites in digits   notebook 08
    text_model      a real text, its tokens, and a model of it           notebook 08
    distances       the story model without a table of positions         notebook 09
    story_today     the story model with Llama's architecture            notebook 10
    cache_sizes     bytes of a cache, and five published models          notebook 10
    ports           weights of other implementations, converted          notebooks 05, 09, 10, 11, 14
    published       a module in another style, to be translated          notebook 14
    bert_arguments  which arguments transformers' layers ignore          notebook 14
    downloads       where MiniLM's files come from
    pretrained      find, fetch, verify and load MiniLM                  notebook 01
"""
