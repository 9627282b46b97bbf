"""Rules about Helm releases: which version of a chart, and whether it knows what is written for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import kinds, versions
from components.model.findings import Finding, Severity, listing
from components.model.rule import Family
from policies.objects.judging import object_rule, world_rule
from policies.objects.releases import chart_of, exact_version, is_fetched
from policies.objects.single_values import leaves
from policies.objects.values import UndecidedError, Unknown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.places import Place
    from policies.objects.world import Object, World

_HELM: Final = 'Helm documentation "helm install", read 2026-11'
_NEWEST_API: Final = "kueue.x-k8s.io/v1beta2"
"""What the tested release's minimum was the first to serve."""
_MOVED_TAGS: Final = ("latest", "main", "master", "nightly", "edge")


@object_rule(
    "chart-version-is-pinned",
    summary="a Helm release states one version of its chart",
    why="Without it, the newest version is installed whenever the release is made, and upgraded whenever the release "
    "changes.",
    source=_HELM,
    family=Family.GUARDRAILS,
    kinds=(kinds.RELEASE,),
)
def _chart_version_is_pinned(release: Object) -> Iterator[Finding]:
    if not is_fetched(release) or exact_version(release) is not None:
        return
    stated, chart = release.text("version"), chart_of(release)
    tested = [each.version for each in (versions.KUEUE, versions.JOBSET) if each.name == chart]
    yield Finding(
        place=release.place.at("version"),
        says=f"{'no version is stated' if stated is None else f'{stated} is not one version'} of the chart {chart}.",
        remedy=f"Set {listing(tested) if tested else 'one, such as 1.2.3'}.",
    )


@world_rule(
    "kueue-serves-what-is-written",
    summary="the installed Kueue serves the API version of its objects",
    why="The API server does not know the version and refuses the objects, after everything else is made.",
    source="kubernetes-sigs/kueue, CHANGELOG of 0.15",
    family=Family.GUARDRAILS,
    kinds=(kinds.RELEASE,),
)
def _kueue_serves_what_is_written(release: Object, world: World) -> Iterator[Finding]:
    version, first = exact_version(release), versions.KUEUE.minimum_version
    if chart_of(release) != versions.KUEUE.name or version is None or first is None:
        return
    written = [each for each in world.of(*kinds.KUEUE_KINDS) if each.text("apiVersion") == _NEWEST_API]
    if written and versions.parse_release(version) < versions.parse_release(first):
        yield Finding(
            place=release.place.at("version"),
            says=f"{version} does not serve {_NEWEST_API}, in which {written[0]} is written; {first} was the first.",
            remedy=f"Set {versions.KUEUE.version}, which is tested.",
        )


@object_rule(
    "chart-image-is-pinned",
    summary="the values of a chart name no tag that can move",
    why="What ran yesterday may not be what runs after a restart.",
    source='Kubernetes documentation "Images", read 2026-11',
    family=Family.GUARDRAILS,
    kinds=(kinds.RELEASE,),
    severity=Severity.WARNING,
)
def _chart_image_is_pinned(release: Object) -> Iterator[Finding]:
    unknown: list[Place] = []
    for path, name, value in leaves(release, "values"):
        if isinstance(value, Unknown):
            unknown.append(release.place.at(*path))
        elif isinstance(value, str) and _is_moved(name, value):
            says = f"{value} names no fixed version."
            yield Finding(place=release.place.at(*path), says=says, remedy="Name the tag of a release.")
    if unknown:
        raise UndecidedError(unknown[0])


def _is_moved(name: str, value: str) -> bool:
    """Whether the value is a tag that can move, or an image with one."""
    return name in ("tag", "image") and value.rpartition(":")[2] in _MOVED_TAGS


RELEASE_RULES: Final = (_chart_version_is_pinned, _kueue_serves_what_is_written, _chart_image_is_pinned)
