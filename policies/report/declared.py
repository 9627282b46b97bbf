"""The plan of a stack file, for a preview that failed before it reported any resource.

It is loaded where it is needed only: the model of stack files takes as long to load as a report takes to write.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from components.model.stack_file.reading import read
from components.model.stack_file.yaml_nodes import YamlTextError
from policies.lint import files, stacks
from policies.report.events import UnreadableError

if TYPE_CHECKING:
    from pathlib import Path

    from components.model.plan import Plan


def declared_in(file: Path) -> Plan | None:
    """The platform of a stack file, whatever rules it breaks; None where it does not have the shape of one.

    Raises:
        UnreadableError: there is no such file, or it is not text.
    """
    try:
        return read(stacks.given(files.read(str(file)), None)).declared
    except files.UnreadableError as error:
        raise UnreadableError(str(error)) from error
    except YamlTextError as error:
        raise UnreadableError(str(files.unreadable(str(file), error))) from error
