"""One-line tests for a model that runs and learns but may still be wrong: `assert_causal(model, ids)`.

Each returns None, or raises an AssertionError that says where to look. A ValueError or TypeError means that the test
does not apply to this model or input. `check_model(model, ids)` runs all tests that apply, and prints a table.

    assert_causal                  no output depends on later inputs                          notebook 03
    assert_padding_ignored         the content of padding does not matter                     notebook 03
    assert_alone_equals_batch      a text gives the same alone as in a padded batch           notebook 03
    assert_items_apart             items of a batch do not read each other                    notebook 13
    assert_order_matters           swapping two tokens changes other outputs                  notebook 01
    assert_cache_equals_whole      a text gives the same in pieces as all at once             notebook 08
    assert_past_reusable           a past can be continued in several ways                    notebook 08
    assert_scale                   scores are q · k / √D                                      notebook 02
    assert_heads_independent       each head has its own rows and columns                     notebook 05
    assert_grouped_heads           neighboring query heads share keys and values              notebook 10
    assert_equals_reference        equal to a slow reference, such as slow_attention          notebook 13
    assert_modes                   evaluation is deterministic, and training drops            notebook 04
    assert_every_parameter_learns  every parameter gets a gradient                            notebook 08
    assert_dtype_and_device        the whole module moves to another dtype or device          notebook 13

The model is a module, or a function such as a lambda that passes a mask. All modules, including those that a function
refers to, run in evaluation mode and are restored afterwards. Pass the inputs and keyword arguments as the model takes
them, or the inputs as one tuple; if one is a function of one argument, it gets the number of positions:

    assert_causal(decoder_layer, x, memory=memory, tgt_mask=nn.Transformer.generate_square_subsequent_mask)

Of the model's results, `.logits` is tested, or the first tensor that has one output for each position. `axis` is the
axis of positions: 0 where they come before the items of a batch, (T, B, C).
"""

from invariants.assertions.caching import assert_cache_equals_whole, assert_past_reusable
from invariants.assertions.heads import (
    assert_equals_reference,
    assert_grouped_heads,
    assert_heads_independent,
    assert_scale,
    slow_attention,
)
from invariants.assertions.reading import (
    assert_alone_equals_batch,
    assert_causal,
    assert_items_apart,
    assert_order_matters,
    assert_padding_ignored,
)
from invariants.assertions.states import assert_dtype_and_device, assert_every_parameter_learns, assert_modes
from invariants.assertions.table import check_model

__all__ = [
    "assert_alone_equals_batch",
    "assert_cache_equals_whole",
    "assert_causal",
    "assert_dtype_and_device",
    "assert_equals_reference",
    "assert_every_parameter_learns",
    "assert_grouped_heads",
    "assert_heads_independent",
    "assert_items_apart",
    "assert_modes",
    "assert_order_matters",
    "assert_padding_ignored",
    "assert_past_reusable",
    "assert_scale",
    "check_model",
    "slow_attention",
]
