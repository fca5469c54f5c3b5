"""How large the tensors of an answer are is found out without waiting for a compiler."""

import subprocess
import sys


def test_watching_does_not_import_the_compiler():
    code = (
        "import sys, torch; from exercises.common.sizes import largest_made; "
        "print(largest_made(lambda: torch.ones(2, 3) @ torch.ones(3, 5)).numel(), 'torch._dynamo' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["15", "False"]
