"""Which rules of the program also judge what others wrote, by way of a rebuilt plan, and what each needs for that.

The rest speaks of keys that only a stack file has, or is a rule over objects where objects can be wrong in more ways.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from components.model.facts import kinds
from components.model.findings import Severity
from components.model.rules import ALL_RULES
from policies.objects.judging import Family, NotChecked, missing_halves
from policies.objects.rebuilding import rebuild
from policies.objects.references import refers
from policies.objects.wording import of_objects
from policies.objects.world import World

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.facts.kinds import Kind
    from components.model.findings import Finding, Rule
    from policies.objects.rebuilding import Rebuilt

_CLUSTER, _POOLS, _FLAVORS = kinds.CLUSTER, kinds.NODE_POOL, kinds.RESOURCE_FLAVOR
_QUEUES, _LOCAL, _PRIORITIES = kinds.CLUSTER_QUEUE, kinds.LOCAL_QUEUE, kinds.WORKLOAD_PRIORITY
_CHECKS: Final = kinds.ADMISSION_CHECK
_SHARES: Final = kinds.FILESTORE
_RUNS: Final = (kinds.JOBSET, kinds.JOB)
_WITH_QUEUES: Final = (kinds.COHORT, kinds.ADMISSION_CHECK, kinds.PROVISIONING_CONFIG)


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerRule:
    """A rule over a plan, as it judges a rebuilt one."""

    rule: Rule
    family: Family
    subjects: tuple[Kind, ...]
    """It has something to judge where there is one of these."""
    needs: tuple[Kind, ...]
    """It is decided only where there is one of each, and all of each could be read; where a subject refers to all of
    them, and there is none of one, that is told. The nearest first."""
    severities: tuple[Severity, ...]
    """Of what it finds, the worst first."""

    @property
    def reads(self) -> tuple[Kind, ...]:
        """Every kind that it looks at; what queues share and ask for is read with them."""
        stated = (*self.subjects, *self.needs)
        return (*stated, *_WITH_QUEUES) if _QUEUES in stated else stated


_ROWS: Final = (
    (Family.TOPOLOGY, (_POOLS,), (), ("machine-exists", "topology-exists", "ordinary-machine")),
    (Family.TOPOLOGY, (_POOLS,), (), ("gpu-fits-machine", "upgrade-settings-fit", "zone-offers-machine")),
    (Family.TOPOLOGY, (_POOLS,), (), ("flex-start-generation", "run-time-in-bounds", "blue-green-needs-room")),
    (Family.TOPOLOGY, (_POOLS,), (), ("queued-is-flex-start", "queued-may-be-refused")),
    (Family.TOPOLOGY, (_POOLS,), (), ("maintenance-interval-is-reserved", "node-labels-are-users")),
    (Family.TOPOLOGY, (_POOLS,), (_CLUSTER,), ("zone-in-region", "version-floor", "ordinary-pool-exists")),
    (Family.TOPOLOGY, (_POOLS,), (), ("slice-size-is-documented",)),
    (Family.TOPOLOGY, (_FLAVORS,), (_CLUSTER,), ("autopilot-tpu-version",)),
    (Family.QUOTA, (_FLAVORS,), (_POOLS,), ("flavor-is-served", "flavor-is-one-machine", "flavor-is-one-capacity")),
    (Family.QUOTA, (_QUEUES, kinds.COHORT), (_FLAVORS,), ("queue-flavor-exists", "quota-is-whole-slices")),
    (Family.QUOTA, (_QUEUES, kinds.COHORT), (_FLAVORS, _POOLS), ("quota-within-pools",)),
    (Family.QUOTA, (_QUEUES, kinds.COHORT), (_FLAVORS, _CLUSTER), ("quota-within-limits",)),
    (Family.QUOTA, (_FLAVORS,), (_POOLS, _QUEUES), ("chips-are-counted",)),
    (Family.QUOTA, (_POOLS,), (_FLAVORS, _QUEUES), ("slices-have-a-flavor",)),
    (Family.QUOTA, (_QUEUES,), (_FLAVORS, _POOLS), ("queued-slices-are-asked-for",)),
    (Family.QUOTA, (_QUEUES,), (), ("limits-need-a-cohort", "lend-within-quota", "cohort-eviction-works")),
    (Family.QUOTA, (_QUEUES, kinds.COHORT), (), ("fair-sharing-is-on",)),
    (Family.QUOTA, (_QUEUES,), (_CHECKS,), ("admission-check-exists",)),
    (Family.QUOTA, (_CHECKS,), (_QUEUES,), ("admission-check-is-used",)),
    (Family.QUOTA, (_QUEUES,), (_FLAVORS,), ("limits-are-whole-slices", "borrow-can-be-met")),
    (Family.QUOTA, (kinds.COHORT,), (), ("cohorts-are-trees",)),
    (Family.QUOTA, (_QUEUES,), (_PRIORITIES,), ("priorities-preempt",)),
    (Family.QUOTA, _RUNS, (_LOCAL, _QUEUES), ("workload-queue-exists", "workload-has-a-queue")),
    (Family.QUOTA, _RUNS, (_PRIORITIES,), ("workload-priority-exists",)),
    (Family.QUOTA, _RUNS, (_LOCAL, _QUEUES, _FLAVORS), ("workload-can-ever-fit", "requests-can-ever-fit")),
    (Family.QUOTA, _RUNS, (_LOCAL, _QUEUES), ("requests-are-covered",)),
    (Family.QUOTA, _RUNS, (_POOLS, _FLAVORS), ("queued-run-is-one-pool",)),
    (Family.GUARDRAILS, (_CLUSTER,), (), ("private-endpoint-is-reachable", "authorized-networks-restrict")),
    (Family.GUARDRAILS, (_CLUSTER,), (), ("control-plane-range", "maintenance-ends-after-start", "maintenance-recurs")),
    (Family.GUARDRAILS, (_CLUSTER, _POOLS), (_CLUSTER,), ("autopilot-makes-its-nodes",)),
    (Family.GUARDRAILS, (_SHARES,), (), ("share-fits-tier", "share-protection-exists")),
    (Family.GUARDRAILS, (_SHARES,), (_CLUSTER,), ("share-is-where-its-tier-is",)),
    (Family.GUARDRAILS, (kinds.RELEASE,), (), ("controller-release",)),
)

_WARNING: Final = frozenset(
    {
        "admission-check-is-used",
        "autopilot-tpu-version",
        "borrow-can-be-met",
        "chips-are-counted",
        "image-is-pinned",
        "job-stays-in-a-slice",
        "maintenance-interval-is-reserved",
        "ordinary-machine",
        "priorities-preempt",
        "queued-may-be-refused",
        "registry-exists",
        "slice-size-is-documented",
        "slices-have-a-flavor",
        "workload-has-a-queue",
        "zone-offers-machine",
    }
)
"""Rules whose findings never stop the program."""
_MIXED: Final = frozenset({"controller-release", "share-is-where-its-tier-is"})
"""Rules of whose findings some stop the program and some do not."""


def _severities(rule_id: str) -> tuple[Severity, ...]:
    if rule_id in _WARNING:
        return (Severity.WARNING,)
    return (Severity.ERROR, Severity.WARNING) if rule_id in _MIXED else (Severity.ERROR,)


_BY_ID: Final = {rule.id: rule for rule in ALL_RULES}
LEDGER_RULES: Final = tuple(
    LedgerRule(
        rule=_BY_ID[rule_id],
        family=family,
        subjects=subjects,
        needs=needs,
        severities=_severities(rule_id),
    )
    for family, subjects, needs, ids in _ROWS
    for rule_id in ids
)


def look_at_ledger(world: World, rules: tuple[LedgerRule, ...] = LEDGER_RULES) -> Iterator[Finding | NotChecked]:
    """What the rules find in the plan that the objects would have come of.

    A plan has one cluster: of several, each is judged for itself, and rules that set it beside other objects are not
    decided.
    """
    rebuilt = rebuild(world)
    yield from rebuilt.malformed
    clusters = world.known(_CLUSTER)
    alone = [World([cluster]) for cluster in clusters] if len(clusters) > 1 else []
    for each in rules:
        if not world.has(*each.subjects):
            continue
        if not alone or _CLUSTER not in each.reads:
            yield from _look(each, rebuilt, world)
        elif set(each.reads) == {_CLUSTER}:
            for one in alone:
                yield from _look(each, rebuild(one), one)
        else:
            reason = f"judges objects by their cluster, and there are {len(clusters)} here"
            yield NotChecked(rule=each.rule.id, place=None, reason=reason)


def _look(each: LedgerRule, rebuilt: Rebuilt, world: World) -> Iterator[Finding | NotChecked]:
    # An Autopilot cluster has no pools: what pods select is made.
    is_made = rebuilt.plan.cluster.mode == "autopilot"
    missing = world.lacks(kind for kind in each.needs if kind is not _POOLS or not is_made)
    # Where chips have to be in pools or within limits, a pool or a cluster that nobody can read may have them.
    is_of_chips = each.family is Family.QUOTA and not {_CLUSTER, _POOLS}.isdisjoint(each.needs)
    sources = (_CLUSTER, _POOLS) if is_of_chips else ()
    unread = [rebuilt.unread[kind] for kind in dict.fromkeys((*each.reads, *sources)) if kind in rebuilt.unread]
    if missing:
        subjects = world.known(*each.subjects)
        askers = [one for one in subjects if all(refers(one, kind, world) for kind in each.needs)]
        if askers:
            yield missing_halves(each.rule.id, missing, askers)
    elif unread and each.needs:
        yield NotChecked(rule=each.rule.id, place=unread[0][0], reason=unread[0][1])
    else:
        yield from map(of_objects, each.rule.findings(rebuilt.plan))
        yield from (NotChecked(rule=each.rule.id, place=place, reason=reason) for place, reason in unread)
