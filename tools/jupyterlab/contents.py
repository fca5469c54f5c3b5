"""The contents manager of the JupyterLab that `python course.py` opens: it reads and writes files."""

import io
from contextlib import contextmanager
from pathlib import Path

from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager

from feedback import files
from tools.study import KERNEL, language_info


class Contents(AsyncLargeFileManager):
    """Saves files atomically, and does not show a notebook as modified just because it was opened."""

    @contextmanager
    def atomic_writing(self, os_path, text=True, **options):
        """Replace the file in one step. Jupyter writes into it, and leaves a damaged file if it is killed meanwhile."""
        buffer = io.StringIO() if text else io.BytesIO()
        yield buffer
        with self.perm_to_403(os_path):
            files.write(Path(os_path).resolve(), buffer.getvalue())  # write through a symbolic link

    async def get(self, path, content=True, **options):
        """Return a file, or a notebook with the metadata that JupyterLab would add on opening it.

        Without that, a notebook that was saved with another version of Python opens as modified: JupyterLab asks on
        closing whether to save it, and autosaves it even if it was only looked at.
        """
        model = await super().get(path, content=content, **options)
        if content and model["type"] == "notebook":
            metadata = model["content"]["metadata"]
            if metadata.get("kernelspec", {}).get("name") == KERNEL["name"]:
                metadata.update(kernelspec=dict(KERNEL), language_info=language_info())
        return model
