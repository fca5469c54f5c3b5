"""How JupyterLab reads and writes files when `python course.py` opens it."""

import io
from contextlib import contextmanager
from pathlib import Path

from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager

from feedback import files
from tools.study import KERNEL, language_info


class Contents(AsyncLargeFileManager):
    """Saves each file whole or not at all, and opens no notebook as modified that nobody changed."""

    @contextmanager
    def atomic_writing(self, os_path, text=True, **options):
        """Jupyter writes into the file itself: one that is killed meanwhile leaves half of it, or nothing."""
        buffer = io.StringIO() if text else io.BytesIO()
        yield buffer
        with self.perm_to_403(os_path):
            files.write(Path(os_path).resolve(), buffer.getvalue())  # a link stays a link

    async def get(self, path, content=True, **options):
        """Give a notebook with the metadata that JupyterLab would add on opening it.

        Otherwise a notebook that was saved with another version of Python opens as modified: JupyterLab asks whether to
        save it when it is closed, and rewrites it soon even if it was only looked at.
        """
        model = await super().get(path, content=content, **options)
        if content and model["type"] == "notebook":
            metadata = model["content"]["metadata"]
            if metadata.get("kernelspec", {}).get("name") == KERNEL["name"]:
                metadata.update(kernelspec=dict(KERNEL), language_info=language_info())
        return model
