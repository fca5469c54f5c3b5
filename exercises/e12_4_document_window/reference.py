"""The course's own answer to exercise 12.4."""


def document_window(documents, window):
    """A mask function for several texts in one row, as FlexAttention reads it.

    Shapes: documents (S,), the number of the document at each position -> mask_mod(b, h, q_idx, kv_idx)
    Units:  mask_mod gives bool, True = may attend
    Source: Dong et al. 2024, "Flex Attention"; notebook 12
    """

    def mask_mod(b, h, q_idx, kv_idx):
        same = documents[q_idx] == documents[kv_idx]
        return same & (kv_idx <= q_idx) & (q_idx - kv_idx < window)

    return mask_mod
