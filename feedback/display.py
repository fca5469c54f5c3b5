"""Source code as a notebook shows it, with its plain text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Source:
    """Python source, colored by the notebook's own theme."""

    text: str

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/markdown": f"```python\n{self.text.rstrip()}\n```", "text/plain": self.text}
