"""The size in bytes of a model's cache for a text, and the sizes of five published models."""

import math
from dataclasses import dataclass

from helpers import require


@dataclass(frozen=True)
class CacheSizes:
    """The sizes of a model that determine the size of its cache.

    With a latent, each layer caches that many numbers for each token instead of all its keys and values.

    Errors: TypeError or ValueError if a size is invalid, or groups does not divide num_heads
    Source: notebook 10
    """

    num_layers: int
    num_heads: int
    groups: int
    d_head: int
    latent: int | None = None
    source: str = ""  # where the sizes are published

    def __post_init__(self):
        require.sizes(num_layers=self.num_layers, d_head=self.d_head)
        require.divides(groups=self.groups, num_heads=self.num_heads)
        if self.latent is not None:
            require.sizes(latent=self.latent)

    def numbers(self):
        """The count of numbers that all layers together cache for one token."""
        in_a_layer = self.latent or 2 * self.groups * self.d_head  # 2: a key and a value
        return self.num_layers * in_a_layer

    def bytes(self, length=1, bytes_per_number=2):
        """The size of the cache for a text of `length` tokens; a number in float16 or bfloat16 takes 2 bytes.

        Errors: TypeError or ValueError unless length and bytes_per_number are whole numbers of at least 1
        """
        require.sizes(length=length, bytes_per_number=bytes_per_number)
        return self.numbers() * length * bytes_per_number


def readable(count):
    """A number of bytes with its unit and three digits: 70272 is "68.6 KB", and 1 KB is 1,024 bytes.

    Source: notebook 10
    """
    for unit in ("bytes", "KB", "MB", "GB", "TB"):
        if count < 1023.5 or unit == "TB":
            break
        count /= 1024
    decimals = 2 if count < 10 else 1 if count < 100 else 0
    return f"{math.floor(count * 10**decimals + 0.5) / 10**decimals:,g} {unit}"


HUB = "https://huggingface.co"
PUBLISHED = {  # layers, heads, groups, width of a head
    "GPT-2": CacheSizes(12, 12, 12, 64, source=f"{HUB}/openai-community/gpt2/blob/main/config.json"),
    "Llama 2 7B": CacheSizes(32, 32, 32, 128, source="https://github.com/meta-llama/llama/blob/main/llama/model.py"),
    "Llama 3 8B": CacheSizes(32, 32, 8, 128, source="https://arxiv.org/abs/2407.21783"),  # table 3
    "Qwen2.5 7B": CacheSizes(28, 28, 4, 128, source=f"{HUB}/Qwen/Qwen2.5-7B/blob/main/config.json"),
    "DeepSeek-V3": CacheSizes(  # caches a latent of 512 and a rotary key of 64 for each token
        61, 128, 128, 128, 512 + 64, source=f"{HUB}/deepseek-ai/DeepSeek-V3/blob/main/config.json"
    ),
}
