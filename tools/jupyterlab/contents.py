"""How JupyterLab reads notebooks when `python course.py` opens it: so that none looks modified that nobody changed."""

from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager

from tools.study import KERNEL, language_info


class Contents(AsyncLargeFileManager):
    """Gives a notebook with the metadata that JupyterLab would add on opening it.

    Otherwise a notebook that was saved with another version of Python opens as modified: JupyterLab asks whether to
    save it when it is closed, and rewrites it within two minutes even if it was only looked at.
    """

    async def get(self, path, content=True, **options):
        model = await super().get(path, content=content, **options)
        if content and model["type"] == "notebook":
            metadata = model["content"]["metadata"]
            if metadata.get("kernelspec", {}).get("name") == KERNEL["name"]:
                metadata.update(kernelspec=dict(KERNEL), language_info=language_info())
        return model
