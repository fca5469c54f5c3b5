"""Wrong answers to exercise 2.5 that use the right layers for other things, or cut them off from x."""

from exercises.e2_5_self_attention.answers_wrong import ThreeProjections
from feedback.bank import WrongAnswers

wrong = WrongAnswers()


@wrong("keys-and-values-exchanged")
class SelfAttentionKeysAndValuesExchanged(ThreeProjections):
    """Keys and values are unpacked in the wrong order."""

    def project(self, x):
        return self.W_query(x), self.W_value(x), self.W_key(x)


@wrong("no-gradients")
class SelfAttentionOfDetachedInput(ThreeProjections):
    """The scores are cut off from x, but not from the layers."""

    def project(self, x):
        return self.W_query(x.detach()), self.W_key(x.detach()), self.W_value(x)
