"""Rules about the claims that pods on several hosts mount."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import kinds
from components.model.findings import Finding, Severity, counted, listing
from components.model.rule import Family
from policies.objects.judging import world_rule
from policies.objects.pods import GROUPED, tpu_groups
from policies.objects.shares import is_share, volume_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from policies.objects.pods import PodGroup
    from policies.objects.world import Object, World

_VOLUMES: Final = 'Kubernetes documentation "Persistent Volumes", read 2026-11'
_OF_ONE_NODE: Final = {"ReadWriteOnce", "ReadWriteOncePod"}


@world_rule(
    "claim-serves-every-host",
    summary="a claim that pods on several TPU hosts mount is not for one node",
    why="A disk is attached to one node. The pods on the other hosts wait for it, and the slice never starts.",
    source=_VOLUMES,
    family=Family.GUARDRAILS,
    kinds=GROUPED,
    needs=(kinds.CLAIM,),
    severity=Severity.WARNING,
)
def _claim_serves_every_host(owner: Object, world: World) -> Iterator[Finding]:
    for group in tpu_groups(owner):
        pods = group.replicas * group.parallelism
        for index, claim in _claimed(group, world) if pods > 1 else ():
            modes = claim.texts("spec", "accessModes")
            if modes and _OF_ONE_NODE.issuperset(modes) and not _is_on_a_share(claim, world):
                yield Finding(
                    place=group.template.place.at("spec", "volumes", index, "persistentVolumeClaim", "claimName"),
                    says=f"{counted(pods, 'pod')} of {group.name} mount {claim}, which is {listing(modes)}.",
                    remedy="Mount a claim of a share (ReadWriteMany), a bucket, or an ephemeral volume for each pod.",
                )


def _claimed(group: PodGroup, world: World) -> Iterator[tuple[int, Object]]:
    """The declared claims that pods mount, each with the number of its volume."""
    for index, volume in enumerate(group.template.parts("spec", "volumes")):
        name = volume.text("persistentVolumeClaim", "claimName")
        if name is not None:
            claim = world.named(kinds.CLAIM, name, group.owner.namespace)
            if claim is not None:
                yield index, claim


def _is_on_a_share(claim: Object, world: World) -> bool:
    """Whether the volume of a claim can be mounted on many nodes, whatever the claim says."""
    volume = volume_of(claim, world)
    return volume is not None and is_share(volume)


RUN_CLAIM_RULES: Final = (_claim_serves_every_host,)
