"""Where the program touches the stack's configuration: read once here, and nowhere else.

One message lists all errors before any resource is registered. The exit code then says that the user
has seen them; an exception would make the engine print them again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

import pulumi

from components.live.check import Change
from components.live.checks import live_findings
from components.live.state import made
from components.lookups import existing_kubeconfig, missing_cluster, missing_secrets
from components.model.findings import Finding, Severity
from components.model.project import ADOPTING, KEY
from components.model.stack_file.absent import FILES
from components.model.stack_file.reading import Given, read, report_of
from components.refusal import refuse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from components.model.plan import Plan

_READ_OUTPUTS: Final = "pulumi:pulumi:readStackOutputs"
"""The engine's own function behind stack references (Pulumi 3.250, resource/deploy/builtins.go)."""
_READ_STATE: Final = "pulumi:pulumi:readStackResourceOutputs"
"""The same for the outputs of every resource. The engine has no answer for a stack that has never been up."""


def load_plan(folder: Path, judge: Callable[[Plan], Iterable[Finding]]) -> Plan:
    """The plan of the current stack, whose file lies in `folder`; ends the program if there is an error in it.

    `judge` finds what is wrong with the objects that the user wrote.
    """
    file_name = f"Pulumi.{pulumi.get_stack()}.yaml"
    given = Given(
        project=pulumi.get_project(),
        file_name=file_name,
        file_text=_text(folder / file_name),
        platform=pulumi.Config().get(KEY),
        gcp_project=pulumi.Config("gcp").get("project"),
        beside=tuple(each.name for each in folder.glob(FILES)),
        before=_outputs_before(),
        has_secrets=pulumi.runtime.is_config_secret(pulumi.Config().full_key(KEY)),
        read_file=lambda path: (folder / path).read_bytes(),
        judge=judge,
    )
    reading = read(given)
    if reading.plan is None:
        refuse(reading.report)
    if reading.report:
        pulumi.log.warn(reading.report)
    missing = missing_cluster(reading.plan, folder)
    if missing is not None:
        refuse(report_of(given, [missing]))
    without = list(missing_secrets(reading.plan))
    if without:
        pulumi.log.warn(report_of(given, without))
    _ask_the_cluster(given, reading.plan)
    return reading.plan


def _ask_the_cluster(given: Given, plan: Plan) -> None:
    """Reports what is wrong by what the running cluster holds; ends the program if an error is among it."""
    before = given.before or dict[str, object]()
    change = Change(
        plan=plan,
        before=before,
        made=tuple(made(_state())) if before else (),
        is_adopting=bool(pulumi.Config().get_bool(ADOPTING)),
    )

    def kubeconfig() -> str:
        return existing_kubeconfig(plan) if plan.cluster.is_existing else str(change.before["kubeconfig"])

    findings = live_findings(change, kubeconfig, is_preview=pulumi.runtime.is_dry_run()) if plan.is_running else []
    if any(finding.severity is Severity.ERROR for finding in findings):
        refuse(report_of(given, findings))
    if findings:
        pulumi.log.warn(report_of(given, findings))


def _outputs_before() -> Mapping[str, object]:
    """The stack's outputs as the last update left them; none of a stack that has never been up.

    The engine answers from the stack's state, at preview too and before any resource is registered. A StackReference
    to the stack itself would say the same, but only when all rules have run, and would be a resource of the stack.
    """
    answer = pulumi.runtime.invoke(_READ_OUTPUTS, {"name": _stack_name()}).value
    return cast("Mapping[str, object]", answer["outputs"])


def _state() -> Mapping[str, Mapping[str, object]]:
    """Type and outputs of every resource of the stack, by URN, as the last update left it, even one that failed."""
    answer = pulumi.runtime.invoke(_READ_STATE, {"stackName": _stack_name()}).value
    return cast("Mapping[str, Mapping[str, object]]", answer["outputs"])


def _stack_name() -> str:
    return f"{pulumi.get_organization()}/{pulumi.get_project()}/{pulumi.get_stack()}"


def _text(file: Path) -> str | None:
    """The file's text, without the byte order mark that the engine strips too; None where there is no file."""
    try:
        return file.read_text(encoding="utf-8-sig", errors="replace")
    except FileNotFoundError:
        return None
