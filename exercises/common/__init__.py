"""What several exercises share: which module holds what, and the words for it.

For every exercise
    inputs                  numbers and masks to try answers on; sizes that are different primes
    explainers              sentences made from the learner's numbers
    properties              what holds for the numbers of every right answer
    experiments             behavioral tests: change a part of the input, and see what moves
    gradients               behavioral tests: gradients must flow
    devices                 behavioral tests: what is made on the CPU must not meet what has been moved
    modules                 classes: their layers and methods, and whether they learn
    sizes                   how large a tensor an answer makes on its way
    incremental             functions that go on after a past, and get a text in pieces
    suspects                exercises whose answer is a test: healthy and broken code to try it on
    pronouns                the words with features for gender of notebook 02

By subject: modules, and catalogs of known mistakes (.md) that pages include. In a folder, `inputs` is what answers are
tried on, `steps` what right answers are made of, `explainers` sentences about the learner's numbers, `behavior`
behavioral tests.

    attention.inputs, attention.steps, attention.projections
    scale.md, compare.md, product.md, softmax.md, mix.md    mistakes in each step of attention
    attention_answers.md                    answers with these mistakes, as edits of attention in two lines
    masks.md                                mistakes with masks
    masked_scores, masked_scores.md         inputs and mistakes of 3.3 and 3.5, which make weights of scores and a mask
    weights.md, masked_weights.md           answers of 5.3 to 5.5 and 7.1: the weights of several heads, with a mask
    heads.inputs, heads.behavior, heads.md
    heads.split_and_merge                   inputs and properties of 5.1 and 5.2, which only move numbers
    wrong_heads.md                          answers of 5.3 to 5.5: heads made or merged wrongly
    layers.md, context.md, by_hand.md       the layers q_proj, k_proj and v_proj, of x, of a context, and by hand
    out_proj.md, out_proj_by_hand.md        the layer out_proj
    dropout.steps, dropout.explainers, dropout.behavior, dropout.md
    dropout.statistics                      what all right dropouts have in common
    dropout.weights, dropout_places.md      dropout on the weights of attention, or elsewhere
    dropout_layer.md                        dropout as a layer of a module: 4.3 and 5.5
    rotary, rotary.md                       rotations of features: inputs, steps and properties; known mistakes
    norm.inputs, norm.steps, norm.explainers, norm.behavior, norm.md
    verdicts.md                             what goes wrong in what a test says: 13.1 to 13.6

Words for whoever writes an exercise
    reference        the course's own answer; what it gives is right
    test case        arguments that every answer is tried on
    minimal input    arguments so small that a learner can recompute the answer by hand
    stage            causes before consequences: while cases of a lower stage fail, nothing is said of the higher ones
    judge_first      the part of a result that is judged before the others, such as the weights of (out, weights)
    contract         type, shape, dtype and device of a result, and what a class must have
    limitation       why a right answer may fail a certain test case: it is then "limited", and counts as solved
    misconception    a known mistake: what it means, a hint, and its variants, the wrong code itself; the first that
                     fits is named
    catalog          a page of known mistakes that several exercises share; `include:` takes over all or some of them
    step, assemble   a function that answers are made of; assemble(**steps) makes an answer, with some steps replaced
    fingerprint      what an answer does on all test cases; it tells a mistake, however the code is worded
    explainer        turns a comparison of two results into a sentence about the learner's own numbers
    property         what holds for the numbers of every right answer, such as rows that sum to 1
    suspect          code that a learner's test judges: healthy, or broken in one way
    behavioral test  calls the code again: `required` of right answers too, `early` before a diagnosis is looked for
    bank             the answers on a page, right and wrong, each with its diagnosis; only tests read them
    promise          what tests hold every exercise to, such as an answer in the bank for every misconception
"""
