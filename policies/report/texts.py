"""The text of a file that a command is given."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from components.model.stack_file.yaml_nodes import YamlTextError
from policies.lint import files
from policies.report.events import UnreadableError

if TYPE_CHECKING:
    from pathlib import Path


def text_in(file: Path) -> str:
    """The text of a file of any size, or of standard input for `-`.

    Raises:
        OSError: the file cannot be read.
        UnreadableError: it is not UTF-8.
    """
    content = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    try:
        return files.decoded(content)
    except YamlTextError as error:
        raise UnreadableError(str(files.unreadable(str(file), error))) from error
