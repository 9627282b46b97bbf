"""Kueue and JobSet as the chip ledger has them, from their Helm releases or from objects of theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import kinds, versions
from components.model.plan.queues import ControllersPlan, ReleasePlan
from policies.objects.rebuilding.cluster import NOWHERE
from policies.objects.releases import chart_of, exact_version

if TYPE_CHECKING:
    from collections.abc import Iterable

    from components.model.facts.versions import Controller
    from policies.objects.world import Object, World

_KUEUE_KINDS: Final = (kinds.RESOURCE_FLAVOR, kinds.CLUSTER_QUEUE, kinds.LOCAL_QUEUE)


def release(each: Object) -> tuple[str, ReleasePlan] | None:
    """The controller that a release installs, and the release; None where it is none of them, or of no one version.

    What is older than our own stacks need is not carried: others may write for an older release, and a rule over
    objects says when they do not.
    """
    chart, version = chart_of(each), exact_version(each)
    for controller in (versions.KUEUE, versions.JOBSET):
        if chart == controller.name and version is not None and not _is_older(version, controller):
            return controller.name, _release(controller, each, version)
    return None


def _is_older(version: str, controller: Controller) -> bool:
    minimum = controller.minimum_version
    return minimum is not None and versions.parse_release(version) < versions.parse_release(minimum)


def controllers(
    world: World, releases: Iterable[tuple[str, ReleasePlan] | None], *, has_weights: bool
) -> ControllersPlan:
    """Those that a Helm release installs, and those with objects alone, which count as the tested release.

    Kueue is taken to share fairly where somebody states a weight.
    """
    known = dict(each for each in releases if each is not None)
    for controller, marks in ((versions.JOBSET, (kinds.JOBSET,)), (versions.KUEUE, _KUEUE_KINDS)):
        if world.has(*marks):
            known.setdefault(controller.name, _release(controller, None, controller.version))
    return ControllersPlan(
        place=NOWHERE,
        jobset=known.get(versions.JOBSET.name),
        kueue=known.get(versions.KUEUE.name),
        fair_sharing=has_weights,
        frameworks=(),
        firewall=None,
    )


def _release(controller: Controller, each: Object | None, version: str) -> ReleasePlan:
    return ReleasePlan(
        place=NOWHERE if each is None else each.place,
        name=controller.name,
        chart=controller.chart,
        version=version,
        namespace=controller.namespace,
        image=controller.image,
        tag=f"v{version}",
    )
