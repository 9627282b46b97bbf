"""The policies of a pack: one for each rule, one for the settings, and one that says what could not be decided.

A rule over one object is a resource policy: it is checked before the resource is created. All others are stack
policies, which the engine asks after every resource is known: at a preview before anything is created, in an update
after it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace
from pulumi_policy import (
    EnforcementLevel,
    Policy,
    PolicyConfigSchema,
    ResourceValidationPolicy,
    StackValidationArgs,
    StackValidationPolicy,
)
from pulumi_policy import Severity as PolicySeverity

from components.model.findings import Severity, listing
from components.model.rule import Family, LooksAt
from policies.names import ADVICE, DECIDED, SETTINGS
from policies.objects.judging import TYPES
from policies.objects.ledger_rules import LEDGER_RULES
from policies.objects.undecided import doubts
from policies.remedies import remedied
from policies.rules import OBJECT_RULES
from policies.run import Run
from policies.settings import complaints, schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pulumi_policy import ReportViolation, ResourceRemediation, ResourceValidationArgs

    from components.model.findings import Finding
    from components.model.rule import About, PlanRule
    from policies.objects.judging import NotChecked, ObjectRule, Verdict
    from policies.objects.undecided import Doubt

_LEVELS: Final = {
    Severity.ERROR: EnforcementLevel.MANDATORY,
    Severity.WARNING: EnforcementLevel.ADVISORY,
    Severity.ADVICE: EnforcementLevel.DISABLED,  # until a configuration file asks for it
}
_SEVERITIES: Final = {
    Severity.ERROR: PolicySeverity.HIGH,
    Severity.WARNING: PolicySeverity.LOW,
    Severity.ADVICE: PolicySeverity.LOW,
}
_STACK: Final = "pulumi:pulumi:Stack"
_LISTED: Final = 12
"""Reasons that are written out where rules could not be decided; more are counted."""


class Pack(Struct, frozen=True, kw_only=True):
    """Policies that are checked in one process."""

    name: str
    description: str
    policies: list[Policy]
    run: Run
    """The rules of the policies."""


def pack(name: str, description: str, families: Iterable[Family]) -> Pack:
    """The pack of all rules of some families."""
    wanted = tuple(families)
    rules = tuple(rule for rule in OBJECT_RULES if rule.family in wanted)
    ledger = tuple(rule for rule in LEDGER_RULES if rule.family in wanted)
    run = Run(rules, ledger)
    return Pack(
        name=name,
        description=description,
        run=run,
        policies=[
            _settings_policy(),
            _resource_policy(TYPES, run),
            *(policy for rule in rules for policy in _object_policies(rule, run)),
            *(policy for rule in ledger for policy in _stack_policies(rule, run)),
            _decided_policy(run, len(rules) + len(ledger)),
        ],
    )


def _object_policies(rule: ObjectRule, run: Run) -> Iterator[Policy]:
    async def remediate(args: ResourceValidationArgs) -> Mapping[str, Any]:  # the SDK's type has it awaited
        return remedied(rule, args)

    if rule.looks_at is LooksAt.OBJECT:
        fix = None if rule.fix is None else remediate
        yield _resource_policy(rule, run, tags=[rule.family.value], remediate=fix)
    else:
        yield from _stack_policies(rule, run)


def _stack_policies(rule: ObjectRule | PlanRule, run: Run) -> Iterator[Policy]:
    """A policy for the rule; one of its own for the warnings of a rule whose other findings are errors."""
    for severity in rule.severities:
        is_apart = severity is not rule.severity
        yield StackValidationPolicy(
            name=f"{rule.id}{ADVICE}" if is_apart else rule.id,
            description=_sentence(rule.summary),
            validate=_reporting(rule.id, run, severity),
            enforcement_level=_LEVELS[severity],
            severity=_SEVERITIES[severity],
            tags=[rule.family.value],
            remediation_steps=_steps(rule.why, rule.source),
            url=_url(rule.id),
        )


def _resource_policy(
    rule: About, run: Run, *, tags: list[str] | None = None, remediate: ResourceRemediation | None = None
) -> Policy:
    def validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
        _report(rule.id, run.of_resource(args), args, report, run)

    return ResourceValidationPolicy(
        name=rule.id,
        description=_sentence(rule.summary),
        validate=validate,
        remediate=remediate,
        enforcement_level=_LEVELS[rule.severity],
        severity=_SEVERITIES[rule.severity],
        tags=tags,
        remediation_steps=_steps(rule.why, rule.source),
        url=_url(rule.id),
    )


def _settings_policy() -> Policy:
    def validate(args: StackValidationArgs, report: ReportViolation) -> None:
        for complaint in complaints(args.get_config()):
            report(complaint, _subject(args))

    return StackValidationPolicy(
        name=SETTINGS,
        description="The environment's policy settings have valid names and values.",
        validate=validate,
        enforcement_level=EnforcementLevel.MANDATORY,
        config_schema=PolicyConfigSchema(schema()),
        severity=PolicySeverity.HIGH,
        remediation_steps="Change the configuration file of the pack.",
    )


def _decided_policy(run: Run, count: int) -> Policy:
    def validate(args: StackValidationArgs, report: ReportViolation) -> None:
        found = run.of_stack(args).not_checked
        if found:
            report(run.without_secrets(_undecided(found, count, run)), _subject(args))

    return StackValidationPolicy(
        name=DECIDED,
        description="Every rule could be decided.",
        validate=validate,
        enforcement_level=EnforcementLevel.ADVISORY,
        severity=PolicySeverity.LOW,
        remediation_steps="Values that a preview does not know are checked in the update. A rule that needs objects of "
        "another stack is checked only where they are in the same stack.",
    )


def _reporting(rule_id: str, run: Run, severity: Severity) -> Callable[[StackValidationArgs, ReportViolation], None]:
    """Reports what a rule finds in the stack, of one severity."""

    def validate(args: StackValidationArgs, report: ReportViolation) -> None:
        found = run.of_stack(args)
        of_severity = tuple(each for each in found.findings if each.severity is severity)
        _report(rule_id, replace(found, findings=of_severity), args, report, run)

    return validate


def _report(
    rule_id: str,
    found: Verdict,
    args: ResourceValidationArgs | StackValidationArgs,
    report: ReportViolation,
    run: Run,
) -> None:
    """Report what a rule finds; one that finds nothing, but was not decided for everything, is not said to be kept."""
    findings = [finding for finding in found.findings if finding.rule == rule_id]
    for finding in findings:
        report(run.without_secrets(_told(finding, run)), finding.place.origin or _subject(args))
    undecided = [doubt for doubt in found.not_checked if doubt.rule == rule_id]
    if undecided and not findings:
        args.not_applicable(run.without_secrets(f"not checked: {_reason(undecided[0], run)}"))


def _subject(args: ResourceValidationArgs | StackValidationArgs) -> str | None:
    """The URN of what is checked: the engine's display of `policy analyze` fails on a violation of no resource."""
    if not isinstance(args, StackValidationArgs):
        return args.urn
    roots = [each.urn for each in args.resources if each.resource_type == _STACK]
    return next(iter([*roots, *(each.urn for each in args.resources)]), None)


def _told(finding: Finding, run: Run) -> str:
    """What is wrong, where and why, and what would be right."""
    where = ", ".join(part for part in (run.called(finding.place.origin), str(finding.place)) if part)
    return f"{where}: {finding.says} {finding.remedy}" if where else f"{finding.says} {finding.remedy}"


def _undecided(found: tuple[NotChecked, ...], count: int, run: Run) -> str:
    """How many rules could not be decided, and which for what reason."""
    lines = [f"- {listing(each.rules)}: {_reason(each, run)}" for each in doubts(found)]
    more = [f"- and {len(lines) - _LISTED} more reasons"] if len(lines) > _LISTED else []
    named = len({doubt.rule for doubt in found})
    return "\n".join([f"{named} of {count} rules could not be decided for everything:", *lines[:_LISTED], *more])


def _reason(doubt: NotChecked | Doubt, run: Run) -> str:
    if doubt.place is None:
        return doubt.reason
    where = [run.called(doubt.place.origin), str(doubt.place)]
    return f"{' '.join(part for part in where if part)} {doubt.reason}"


def _sentence(clause: str) -> str:
    return f"{clause[0].upper()}{clause[1:]}."


def _steps(why: str, source: str) -> str:
    return f"{why} Each violation says what would be valid. Source: {source}."


def _url(rule_id: str) -> str:
    return f"docs/rules.md#{rule_id}"


TOPOLOGY: Final = (Family.TOPOLOGY,)
QUOTA: Final = (Family.QUOTA,)
GUARDRAILS: Final = (Family.GUARDRAILS,)
PACKS: Final[Mapping[str, tuple[str, tuple[Family, ...]]]] = {
    "topology": ("Slices, machines, placement, consumption modes and the shape of workloads on TPUs.", TOPOLOGY),
    "quota": ("Conservation of chips: queues, flavors, cohorts, priorities, budgets, work that never fits.", QUOTA),
    "guardrails": ("Networks, identities, secrets, versions, storage and protection.", GUARDRAILS),
    "all": ("Every rule of the platform, in one process.", tuple(Family)),
}
"""What each folder's pack is about."""


def pack_of(folder: str) -> Pack:
    """The pack of a folder."""
    description, families = PACKS[folder]
    return pack(f"tpu-platform-{folder}", description, families)
