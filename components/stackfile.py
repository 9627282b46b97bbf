"""Where the program touches the stack's configuration: read once here, and nowhere else.

One message lists all errors before any resource is registered. The exit code then says that the user
has seen them; an exception would make the engine print them again.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final, NoReturn, cast

import pulumi

from components.existing_cluster import missing_cluster
from components.model.project import KEY
from components.model.stack_file.reading import Given, read, report_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from components.model.plan import Plan

ALREADY_TOLD: Final = 32
"""Exit code by which a program tells the language host that its errors have been reported."""

_READ_OUTPUTS: Final = "pulumi:pulumi:readStackOutputs"
"""The engine's own function behind stack references (Pulumi 3.250, resource/deploy/builtins.go)."""


def load_plan(folder: Path) -> Plan:
    """The plan of the current stack, whose file lies in `folder`; ends the program if there is an error in it."""
    file_name = f"Pulumi.{pulumi.get_stack()}.yaml"
    given = Given(
        project=pulumi.get_project(),
        file_name=file_name,
        file_text=_text(folder / file_name),
        platform=pulumi.Config().get(KEY),
        gcp_project=pulumi.Config("gcp").get("project"),
        before=_outputs_before(),
        has_secrets=pulumi.runtime.is_config_secret(pulumi.Config().full_key(KEY)),
    )
    reading = read(given)
    if reading.plan is None:
        _refuse(reading.report)
    if reading.report:
        pulumi.log.warn(reading.report)
    missing = missing_cluster(reading.plan, folder)
    if missing is not None:
        _refuse(report_of(given, missing))
    return reading.plan


def _refuse(report: str) -> NoReturn:
    pulumi.log.error(report)
    sys.exit(ALREADY_TOLD)


def _outputs_before() -> Mapping[str, object]:
    """The stack's outputs as the last update left them; none of a stack that has never been up.

    The engine answers from the stack's state, at preview too and before any resource is registered. A StackReference
    to the stack itself would say the same, but only when all rules have run, and would be a resource of the stack.
    """
    name = f"{pulumi.get_organization()}/{pulumi.get_project()}/{pulumi.get_stack()}"
    answer = pulumi.runtime.invoke(_READ_OUTPUTS, {"name": name}).value
    return cast("Mapping[str, object]", answer["outputs"])


def _text(file: Path) -> str | None:
    """The file's text, without the byte order mark that the engine strips too; None where there is no file."""
    try:
        return file.read_text(encoding="utf-8-sig", errors="replace")
    except FileNotFoundError:
        return None
