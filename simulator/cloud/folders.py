"""The files of instances, disks and buckets: one folder of this machine for each, below one folder.

A folder's path is the API name of its resource, or a short form of it. It is made with the resource, or when it is
first used.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class Folders:
    """Folders below one folder."""

    def __init__(self, root: Path) -> None:
        """`root` is made with the first folder."""
        self._root = root

    def path(self, name: str) -> Path:
        """Where the files of the resource of that API name are."""
        return self._root / name

    def make(self, name: str) -> Path:
        """Make the folder of a resource, or find it, and return it."""
        folder = self.path(name)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return folder

    def is_empty(self, name: str) -> bool:
        """Whether a resource has no files."""
        folder = self.path(name)
        return not folder.exists() or not any(folder.iterdir())

    def remove(self, name: str) -> None:
        """Remove the files of a resource, and the folders above that are then empty."""
        folder = self.path(name)
        if folder.exists():
            shutil.rmtree(folder)
        for parent in folder.relative_to(self._root).parents:
            above = self._root / parent
            if above.exists() and not any(above.iterdir()):
                above.rmdir()
