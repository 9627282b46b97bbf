"""The policies of a pack.

The SDK's server reads every resource anew for each policy that validates. So four policies report the findings of all
rules: of rules over one object before the resource is created, of all others after every resource is known, which is
at a preview before anything is created, in an update after it. Of each two, one has the level `mandatory` and one the
level `advisory`: the engine knows levels of policies alone, and each reports the findings whose rule has its level.

Beside them, the policy of the settings reads each resource for all others, and a policy of each rule lists the rule and
holds its remedy. The policies of rules do not validate, so they cost almost nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from pulumi_policy import (
    EnforcementLevel,
    Policy,
    PolicyConfigSchema,
    PolicyPack,
    ResourceValidationPolicy,
    Severity,
    StackValidationPolicy,
)

from components.model.rule import About, Family, Rule
from policies.names import (
    DECIDED,
    PACK as PREFIX,
    RESOURCE_ERRORS,
    RESOURCE_WARNINGS,
    SETTINGS,
    STACK_ERRORS,
    STACK_WARNINGS,
    rule_of,
    sentence,
)
from policies.objects.ledger_rules import LEDGER_RULES
from policies.rules import OBJECT_RULES
from policies.run import Reported, Run
from policies.settings import MANDATORY, complaints, outdated, schema

if TYPE_CHECKING:
    from collections.abc import Awaitable, Mapping

    from pulumi_policy import ReportViolation, ResourceValidationArgs, StackValidationArgs


_STACK: Final = "pulumi:pulumi:Stack"
PACKS: Final[Mapping[str, tuple[str, tuple[Family, ...]]]] = {
    "topology": (
        "Slices, machines, placement, consumption modes and the shape of workloads on TPUs.",
        (Family.TOPOLOGY,),
    ),
    "quota": (
        "Conservation of chips: queues, flavors, cohorts, priorities, budgets, work that never fits.",
        (Family.QUOTA,),
    ),
    "guardrails": ("Networks, identities, secrets, versions, storage and protection.", (Family.GUARDRAILS,)),
    "all": ("Every rule of the platform, in one process.", tuple(Family)),
}
"""By folder: the description of its pack, and the families of its rules."""


class Pack(Struct, frozen=True, kw_only=True):
    """Policies that are checked in one process: the arguments of the SDK's `PolicyPack`."""

    name: str
    description: str
    policies: list[Policy]


class _Policies:
    """Makes the policies of some rules."""

    def __init__(self, families: tuple[Family, ...]) -> None:
        """The rules of some families."""
        self._run = Run(
            [rule for rule in OBJECT_RULES if rule.family in families],
            [rule for rule in LEDGER_RULES if rule.family in families],
        )
        self._keys = tuple(self._run.delivered)
        self._at_delivered_level: set[str] = set()
        """Policies of rules whose level is the delivered one."""
        self._first = ""
        """The URN of the first resource, at which the configuration is judged."""

    def all(self) -> list[Policy]:
        """Every policy: the settings first, because the others need what it reads."""
        return [
            self._settings(),
            *map(self._listed, self._keys),
            self._of_resource(RESOURCE_ERRORS, EnforcementLevel.MANDATORY),
            self._of_resource(RESOURCE_WARNINGS, EnforcementLevel.ADVISORY),
            self._of_stack(STACK_ERRORS, EnforcementLevel.MANDATORY),
            self._of_stack(STACK_WARNINGS, EnforcementLevel.ADVISORY),
        ]

    def _settings(self) -> Policy:
        """Reads the configuration and each resource, and reports what is wrong in the configuration."""

        def validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
            self._run.check(args)
            self._first = self._first or args.urn
            if args.urn == self._first:
                for key in self._keys:
                    if key not in self._at_delivered_level:
                        report(outdated(key), args.urn)
                for complaint in complaints(args.get_config(), self._keys, self._run.fixable):
                    report(complaint, args.urn)

        return ResourceValidationPolicy(
            name=SETTINGS,
            description="The environment's policy settings have valid names and values.",
            validate=validate,
            remediate=self._run.show,
            enforcement_level=EnforcementLevel.REMEDIATE,  # with it the SDK marks secrets; violations are mandatory
            config_schema=PolicyConfigSchema(schema()),
            severity=Severity.HIGH,
            remediation_steps="Change the configuration file of the pack.",
        )

    def _listed(self, key: str) -> Policy:
        """Lists a rule, and corrects what breaks it where the settings say so.

        Its own level must stay as delivered: at another level the SDK does not call `remediate`, and the settings
        policy reports an error.
        """
        rule = self._run.rules[rule_of(key)]

        def remediate(args: ResourceValidationArgs) -> Awaitable[Mapping[str, Any]] | None:
            self._at_delivered_level.add(key)
            fixed = self._run.remedy(key, args)
            return _awaited(fixed) if fixed else None

        return ResourceValidationPolicy(
            name=key,
            description=sentence(rule.summary),
            remediate=remediate,
            enforcement_level=EnforcementLevel.REMEDIATE,
            severity=_severity(self._run.delivered[key]),
            tags=_tags(rule),
            remediation_steps=_steps(rule),
            url=f"docs/rules.md#{rule.id}",
        )

    def _of_resource(self, name: str, level: EnforcementLevel) -> Policy:
        def validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
            _report(self._run.of_resource(args.urn, level.value), args, report, args.urn)

        return ResourceValidationPolicy(
            name=name,
            description=f"Each resource keeps the {level.value} rules.",
            validate=validate,
            enforcement_level=level,
            severity=_severity(level.value),
        )

    def _of_stack(self, name: str, level: EnforcementLevel) -> Policy:
        def validate(args: StackValidationArgs, report: ReportViolation) -> None:
            _report(self._run.of_stack(args, level.value), args, report, _subject(args))

        return StackValidationPolicy(
            name=name,
            description=f"The stack keeps the {level.value} rules.",
            validate=validate,
            enforcement_level=level,
            severity=_severity(level.value),
        )


def _severity(level: str) -> Severity:
    return Severity.HIGH if level == MANDATORY else Severity.LOW


def _tags(rule: About) -> list[str] | None:
    return [rule.family.value] if isinstance(rule, Rule) else None


def _steps(rule: About) -> str:
    """Why the rule holds, and what to do; the report on undecided rules asks for nothing."""
    if rule.id == DECIDED:
        return rule.why
    return f"{rule.why} Each violation says what would be valid. Source: {rule.source}."


async def _awaited(fixed: Mapping[str, Any]) -> Mapping[str, Any]:
    """The SDK's type has it awaited."""
    return fixed


def _report(
    found: Reported, args: ResourceValidationArgs | StackValidationArgs, report: ReportViolation, subject: str | None
) -> None:
    """Report findings; a policy without any does not count as passed while a rule was not decided."""
    for each in found.violations:
        report(each.text, each.urn or subject)
    if found.undecided and not found.violations:
        args.not_applicable(f"not checked: {found.undecided}")


def _subject(args: StackValidationArgs) -> str | None:
    """The URN for a violation of no resource: the engine's display of `policy analyze` fails without one."""
    roots = [each.urn for each in args.resources if each.resource_type == _STACK]
    return next(iter([*roots, *(each.urn for each in args.resources)]), None)


def start(folder: str) -> None:
    """Serve the pack of a folder until the engine ends it."""
    pack = pack_of(folder)
    PolicyPack(pack.name, pack.policies, EnforcementLevel.MANDATORY, description=pack.description)


def pack_of(folder: str) -> Pack:
    """The pack of a folder."""
    description, families = PACKS[folder]
    return Pack(name=f"{PREFIX}{folder}", description=description, policies=_Policies(families).all())
