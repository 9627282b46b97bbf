"""The rules over objects, for a program that judges its documents before it creates any of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from components.manifests.documents import findings_in_manifests
from policies.objects.judging import Settings
from policies.objects.world import Object, World, cloud_object, manifest
from policies.rules import judge as judge_world

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from components.model.facts.kinds import Kind
    from components.model.findings import Finding
    from components.model.plan import Plan


def judge(plan: Plan) -> list[Finding]:
    """The findings about the objects of a sound plan that the user wrote."""
    return findings_in_manifests(plan, _findings)


def _findings(
    judged: Sequence[Mapping[str, Any]], beside: Sequence[tuple[Kind | None, Mapping[str, Any]]]
) -> Iterator[tuple[int, Finding]]:
    """The findings about manifests among all documents of a program, each with the number of the manifest.

    Args:
        judged: the manifests.
        beside: the other documents, each with its kind if it is of Google Cloud or a Helm release. Nothing is said
            about them.
    """
    objects = [_object(None, body, origin=str(number)) for number, body in enumerate(judged)]
    others = [_object(kind, body, origin="") for kind, body in beside]
    world = World([each for each in (*objects, *others) if each is not None])
    for finding in judge_world(world, Settings()).findings:
        if finding.place.origin:
            yield int(finding.place.origin), finding


def _object(kind: Kind | None, body: Mapping[str, Any], *, origin: str) -> Object | None:
    return manifest(body, origin=origin) if kind is None else cloud_object(kind, body, origin=origin)
