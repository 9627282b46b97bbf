"""Where the program touches the stack's configuration: read once here, and nowhere else.

Everything that is wrong is told in one message before any resource is registered. The exit code then says that the user
has been told; an exception would make the engine tell it a second time.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

import pulumi

from components.model.reading import Given, read

if TYPE_CHECKING:
    from pathlib import Path

    from components.model.plan import Plan

ALREADY_TOLD: Final = 32
"""Exit code by which a program tells the language host that its errors have been reported."""


def load_plan(folder: Path) -> Plan:
    """The plan of the current stack, whose file lies in `folder`; ends the program if there is an error in it."""
    file_name = f"Pulumi.{pulumi.get_stack()}.yaml"
    reading = read(
        Given(
            project=pulumi.get_project(),
            file_name=file_name,
            file_text=_text(folder / file_name),
            platform=pulumi.Config().get("platform"),
            gcp_project=pulumi.Config("gcp").get("project"),
        )
    )
    if reading.plan is None:
        pulumi.log.error(reading.report)
        sys.exit(ALREADY_TOLD)
    if reading.report:
        pulumi.log.warn(reading.report)
    return reading.plan


def _text(file: Path) -> str | None:
    """The file's text, without the byte order mark that the engine strips too; None where there is no file."""
    try:
        return file.read_text(encoding="utf-8-sig", errors="replace")
    except FileNotFoundError:
        return None
