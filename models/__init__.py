"""What was trained or published: models with their parameters and data, and the weights and sizes of others.

A file imports only files above it, and `helpers`.

    training        one training loop, and trained parameters in a file  notebook 08
    induction       heads that read back what came before, grown         notebook 08
    stories         the small stories that the story model learns from   notebook 08
    story_model     the story model: its training, how well it reads     notebook 08
    rewriting       numbers in words, to be rewritten in digits          notebook 08
    text_model      a real text, its tokens, and a model of it           notebook 08
    distances       the story model without a table of positions         notebook 09
    story_today     the story model with Llama's architecture            notebook 10
    cache_sizes     bytes of a cache, and five published models          notebook 10
    ports           weights of other implementations, converted          notebooks 05, 09, 10, 11, 14
    published       a module of others, to be translated                 notebook 14
    bert_arguments  which arguments transformers' layers ignore          notebook 14
    downloads       where MiniLM's files come from
    pretrained      find, fetch, verify and load MiniLM                  notebook 01
"""
