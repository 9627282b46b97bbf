"""Rules about Kueue and JobSet as installed: their releases, order and configuration, and the fields of a release.

Objects in files have no order, so only registered resources are checked for it. If the installed release of its
controller is not known, an object is checked by the newest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import structs

from components.model.facts import kinds, versions
from components.model.facts.apis import served
from components.model.facts.apis.fields import Field, Life, parse_minor
from components.model.findings import Finding, Severity, about_key, did_you_mean, listing
from components.model.rule import Family
from policies.objects import kueue_config
from policies.objects.fields import fields_of, fields_within, version_in, walk_dated_fields, walk_fields
from policies.objects.judging import object_rule, world_rule
from policies.objects.releases import chart_of, exact_version, installed, is_fetched
from policies.objects.values import Part, UndecidedError, Unknown, leaves

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from components.model.facts.versions import Controller
    from components.model.places import Place
    from policies.objects.world import Object, World

FAMILY: Final = Family.GUARDRAILS

_HELM: Final = 'Helm documentation "helm install", read 2026-11'
_NEWEST_API: Final = "kueue.x-k8s.io/v1beta2"
"""The version that the tested release's minimum was the first to serve."""
_MOVED_TAGS: Final = ("latest", "main", "master", "nightly", "edge")
_RELEASES: Final = f"{served.KUEUE_RELEASES}, {served.JOBSET_RELEASES}: CustomResourceDefinitions and apis/config"
_JUDGED: Final = (*served.KUEUE_KINDS, kinds.JOBSET, *kueue_config.CARRIERS)
INSTEAD: Final = {
    "startupPolicy": "State what each replicated job waits for by its dependsOn.",
    "credentialsProviders": "Write accessProviders.",
    "podOptions": "Write managedJobsNamespaceSelector.",
    "queueVisibility": "Remove the key; the visibility API lists what waits.",
}
"""The replacement of a deprecated field, by the field."""
_DEFAULTS: Final = {"startupPolicy": {"startupPolicyOrder": "AnyOrder"}}
"""A webhook's value where such a field is not stated. Source: JobSet 0.12.0, pkg/webhooks/jobset_webhook.go."""


@object_rule(
    summary="a Helm release states one version of its chart",
    why="Without it, the newest version is installed whenever the release is made, and upgraded whenever the release "
    "changes.",
    source=_HELM,
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
    summary="the installed Kueue serves the API version of its objects",
    why="The API server does not know the version and refuses the objects, after everything else is made.",
    source="kubernetes-sigs/kueue, CHANGELOG of 0.15",
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
    summary="the values of a chart name no tag that can move",
    why="What ran yesterday may not be what runs after a restart.",
    source='Kubernetes documentation "Images", read 2026-11',
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


def _missed(each: Object, controller: Controller, world: World) -> list[str]:
    """The releases of a controller in the same cluster, where an object comes after none of them; else nothing."""
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
    summary="objects of Kueue and JobSet come after the release of their controller",
    why="The engine makes both at once: the API server does not know the kind yet, or its webhook does not answer, and "
    "the update fails.",
    source='Pulumi documentation "dependsOn", read 2026-11; Kueue 0.16.2 and 0.19.2, charts/kueue/templates',
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
    summary="Kueue, where it manages JobSets, comes after JobSet",
    why="Kueue looks for the kind when it starts and then after pauses of up to two minutes; until then no JobSet is "
    "admitted.",
    source="Kueue 0.16.2 and 0.19.2, pkg/controller/jobframework/setup.go",
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


@object_rule(
    summary="Kueue's configuration has only keys, values and feature gates that Kueue knows",
    why="The controller exits with an error when it starts: nothing is queued, and its webhooks do not answer.",
    source=f"{served.KUEUE_RELEASES}, pkg/config/config.go, apis/config and pkg/features",
    family=Family.QUOTA,
    kinds=kueue_config.CARRIERS,
)
def _kueue_configuration_is_read(each: Object) -> Iterator[Finding]:
    if _is_newer(each):
        return
    for found in kueue_config.configurations_in(each):
        version = served.configuration_versions().get(version_in(found))
        if version is None:
            return
        for part, key, known in walk_fields(found, version.fields):
            if known is None:
                says = f"a Configuration of {found.string('apiVersion')} has no such key in {served.KUEUE_RELEASES}."
                fields = fields_within(part, found, version.fields)
                yield _strange(part, key, says, fields, f"Keys: {listing(fields)}.")
            elif known.values:
                yield from _other_value(part, key, known)
        yield from _strange_gates(found)


def _strange_gates(configuration: Part) -> Iterator[Finding]:
    stated = configuration.part(kueue_config.GATES)
    for name in () if stated is None else stated.value:
        if stated is not None and name not in served.gates():
            yield _strange(
                stated, name, f"{served.KUEUE_RELEASES} has no such feature gate.", served.gates(), "Remove it."
            )


def _is_newer(each: Object) -> bool:
    """Whether it is a release whose keys are not known here."""
    stated = exact_version(each)
    return stated is not None and parse_minor(stated) > parse_minor(served.RELEASES["kueue"].newest)


def _strange(part: Part, key: str, says: str, known: Collection[str], remedy: str) -> Finding:
    """The finding that a key is not among the known ones."""
    return about_key(place=part.place.at(key), says=says, remedy=f"{did_you_mean(key, known)}{remedy}")


def _other_value(part: Part, key: str, known: Field) -> Iterator[Finding]:
    value = part.text(key)
    if value is not None and value not in known.values:
        yield Finding(
            place=part.place.at(key),
            says=f"{value} is not a valid {key}.",
            remedy=f"{did_you_mean(value, known.values)}Set {listing(known.values, 'or')}.",
        )


class _Written(NamedTuple):
    """The parts that a controller reads of an object."""

    part: Part
    fields: Mapping[str, Field]
    """Those that it and the mappings below it may have."""
    controller: Controller
    release: str | None
    """The one that is installed; None where it is not known."""


def _written(each: Object, world: World) -> Iterator[_Written]:
    """The objects that are written in a version of an API that some release serves."""
    if each.kind not in kueue_config.CARRIERS:
        controller = versions.JOBSET if each.kind is kinds.JOBSET else versions.KUEUE
        yield _Written(each, fields_of(each), controller, installed(world, controller))
        return
    for found in kueue_config.configurations_in(each):
        own = exact_version(each)
        release = installed(world, versions.KUEUE) if own is None else own
        version = served.configuration_versions().get(version_in(found))
        if version is not None:
            yield _Written(found, version.fields, versions.KUEUE, release)


class _Use(NamedTuple):
    """A key or a value that is written, and in which releases it is known."""

    part: Part
    key: str
    value: str | None
    """None where it is about the key."""
    life: Life
    values: Mapping[str, Life]
    """All that the key may say."""


def _uses(written: _Written) -> Iterator[_Use]:
    for part, key, known in walk_dated_fields(written.part, written.fields):
        yield _Use(part, key, None, known, {})
        value = part.text(key) if known.values else None
        if value is not None and value in known.values:
            yield _Use(part, key, value, known.values[value], known.values)
    gates = written.part.part(kueue_config.GATES)
    for name in () if gates is None else gates.value:
        if gates is not None and name in served.gates():
            # A gate may have come to an older release with a correction: only its end is certain.
            yield _Use(gates, name, None, structs.replace(served.gates()[name], since=None), {})


@world_rule(
    summary="the installed release of the controller knows the fields and values",
    why="The API server refuses the object or drops the field silently; a configuration stops the controller.",
    source=_RELEASES,
    family=Family.QUOTA,
    kinds=_JUDGED,
)
def _release_has_the_field(each: Object, world: World) -> Iterator[Finding]:
    for written in _written(each, world):
        release = written.release
        if release is not None and written.controller.supports(release):
            lost = [use for use in _uses(written) if not use.life.covers(release)]
            yield from (_unknown(use, written.controller.title, release) for use in lost)


def _unknown(use: _Use, title: str, release: str) -> Finding:
    """The finding that a release does not know something: not yet, or not any more."""
    life, is_about_key = use.life, use.value is None
    others = [value for value, known in use.values.items() if known.covers(release)]
    change = "Remove the key" if is_about_key else f"Set {listing(others, 'or')}"
    if life.begins_after(release):
        says, later = f"it came with {life.since}", f", or install {title} {life.since} or later"
    else:
        says, later = f"{life.until} removed it", ""
    return Finding(
        place=use.part.place.at(use.key),
        says=f"{title} {release} does not know {use.key if use.value is None else use.value}: {says}.",
        remedy=f"{change}{later}.",
        is_about_key=is_about_key,
    )


@world_rule(
    summary="fields are not deprecated in the release that is installed",
    why="A later release will not have them.",
    source=_RELEASES,
    family=Family.QUOTA,
    kinds=_JUDGED,
    severity=Severity.WARNING,
)
def _field_is_not_deprecated(each: Object, world: World) -> Iterator[Finding]:
    if each.kind in served.KUEUE_KINDS and version_in(each) == served.DEPRECATED:
        return  # all of it is deprecated, which another rule says
    for written in _written(each, world):
        release = _known(written, world)
        for use in _uses(written):
            if use.life.is_deprecated_in(release) and use.part.raw(use.key) != _DEFAULTS.get(use.key):
                since = f" since {written.controller.title} {use.life.deprecated}" if use.life.deprecated else ""
                yield about_key(
                    place=use.part.place.at(use.key),
                    says=f"{use.key} is deprecated{since}.",
                    remedy=INSTEAD[use.key],
                )


def _known(written: _Written, world: World) -> str:
    """The installed release, or the newest where none is installed here.

    Raises:
        UndecidedError: a release is there, and its chart is not known yet.
    """
    if written.release is not None:
        return written.release
    for each in world.unread(kinds.RELEASE):
        raise UndecidedError(each.place)
    return written.controller.version
