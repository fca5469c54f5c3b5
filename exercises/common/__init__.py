"""Code and pages that exercises of several notebooks share; this is a list of them, and a glossary.

What belongs to one notebook is in its folder, even if several exercises there share it.

For every exercise
    inputs                  numbers and masks to try answers on; sizes that are different primes
    explainers              sentences made from the learner's numbers
    properties              what holds for the numbers of every right answer
    experiments             behavioral tests: change a part of the input, and see which results change
    gradients               behavioral tests: gradients must flow
    generators              behavioral tests: a generator decides what is drawn
    devices                 behavioral tests: tensors made on the CPU must not meet those on another device
    modules                 classes: their layers and methods, and whether they learn
    sizes                   how large the intermediate tensors of an answer are
    incremental             functions that continue from a past, and get a text in pieces

By subject: modules with the steps of answers and other shared code, and catalogs of known mistakes (.md) that pages
include
    attention               attention in steps
    scale.md, compare.md, softmax.md, mix.md    mistakes in each step of attention
    plain_attention.md      four of them, as edits of attention in two lines: 9.4, 10.4 and 11.2
    answers.md              answers with such mistakes, as edits of attention in two lines
    weights.md              the same for several heads: 5.3 to 5.5 and 7.1
    masks.md                mistakes with masks
    masked_answers.md       answers with such mistakes, as edits of attention with a mask
    wrong_heads.md          answers with mistakes in making and merging heads: 5.3 to 5.5 and 7.1
    heads, heads.md         several heads: layers, inputs, behavioral tests; mistakes with heads
    layers.md, one_head.md  the layers that make queries, keys and values: of several heads, and of one
    dropout, dropout.md     dropout in steps, and tests of the positions of zeros; mistakes with what is dropped
    dropout_statistics      what all right dropouts have in common, and sentences about the learner's zeros
    dropout_places.md       dropout on the weights of attention, or elsewhere
    dropout_layer.md        dropout as a layer of a module: 4.3 and 5.5
    norm, norm.md           layer norm in steps, and sentences about vectors; known mistakes

Glossary for authors of exercises
    reference        the course's own answer; its results are right by definition
    test case        arguments that every answer is tried on
    minimal input    arguments so small that a learner can recompute the answer by hand
    stage            causes before consequences: while cases of a lower stage fail, higher ones are not reported
    judge_first      the part of a result that is judged before the others, such as the weights of (out, weights)
    contract         type, shape, dtype and device of a result, and what a class must have
    limitation       why a right answer may fail a certain test case: it is then "limited", and counts as solved
    misconception    a known mistake: what it means, a hint, and its variants, which are wrong code; the first one that
                     fits is reported
    catalog          a page of known mistakes that several exercises share; `include:` takes over all or some of them
    step, assemble   a function that is a part of an answer; assemble(**steps) makes an answer with some steps replaced
    fingerprint      an answer's results on all test cases; it identifies a mistake, however the code is written
    explainer        turns a comparison of two results into a sentence about the learner's own numbers
    property         something true of every right answer's numbers, such as that rows sum to 1
    suspect          code that a learner's test judges: healthy, or broken in one way
    behavioral test  calls the code again; `required`: right answers must pass it, too; `early`: runs before diagnosis
    bank             the answers on a page, right and wrong, each with its diagnosis; only tests read them
    promise          what tests require of every exercise, such as an answer in the bank for every misconception
"""
