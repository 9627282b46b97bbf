"""Rules about order: the kinds and webhooks of a controller exist before the objects that need them.

Nothing is said of objects in files, which have no order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import kinds, versions
from components.model.findings import Finding, Severity, listing
from components.model.rule import Family
from policies.objects import kueue_config
from policies.objects.judging import world_rule
from policies.objects.releases import chart_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.facts.versions import Controller
    from policies.objects.world import Object, World


def _missed(each: Object, controller: Controller, world: World) -> list[str]:
    """The releases of a controller in the same cluster, where an object comes after none of them; else nothing.

    Raises:
        UndecidedError, MalformedError: the chart of a release cannot be read.
    """
    order = world.order
    if order is None:
        return []
    here = each.place.origin
    found = [
        one
        for one in world.of(kinds.RELEASE)
        if chart_of(one) == controller.name and order.share_a_provider(here, one.place.origin)
    ]
    if any(order.comes_after(here, one.place.origin) for one in found):
        return []
    return [str(one) for one in found]


@world_rule(
    "controllers-come-first",
    summary="objects of Kueue and JobSet come after the release of their controller",
    why="The engine makes both at once: the API server does not know the kind yet, or its webhook does not answer, and "
    "the update fails.",
    source='Pulumi documentation "dependsOn", read 2026-11; Kueue 0.16.2 and 0.19.2, charts/kueue/templates',
    family=Family.GUARDRAILS,
    kinds=(*kinds.KUEUE_KINDS, kinds.JOBSET),
)
def _controllers_come_first(each: Object, world: World) -> Iterator[Finding]:
    missed = _missed(each, versions.JOBSET if each.kind is kinds.JOBSET else versions.KUEUE, world)
    if missed:
        yield Finding(
            place=each.place,
            says=f"it does not come after {listing(missed)}, which brings its kind.",
            remedy=f"Let it depend on {listing(missed, 'or')} (dependsOn), or on what does.",
        )


@world_rule(
    "jobset-comes-before-kueue",
    summary="Kueue, where it manages JobSets, comes after JobSet",
    why="Kueue looks for the kind when it starts and then after pauses of up to two minutes; until then no JobSet is "
    "admitted.",
    source="Kueue 0.16.2 and 0.19.2, pkg/controller/jobframework/setup.go",
    family=Family.GUARDRAILS,
    kinds=(kinds.RELEASE,),
    severity=Severity.WARNING,
)
def _jobset_comes_before_kueue(release: Object, world: World) -> Iterator[Finding]:
    if world.order is None or chart_of(release) != versions.KUEUE.name:
        return
    managed = kueue_config.frameworks(world)
    missed = _missed(release, versions.JOBSET, world)
    if missed and (managed is None or kueue_config.JOBSET in managed):
        yield Finding(
            place=release.place,
            says=f"it does not come after {listing(missed)}, whose kind it manages.",
            remedy=f"Let it depend on {missed[0]} (dependsOn).",
        )


ORDER_RULES: Final = (_controllers_come_first, _jobset_comes_before_kueue)
