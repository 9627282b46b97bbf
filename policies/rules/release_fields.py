"""Rules about fields, values and gates that not every release has: does the installed release know them?

If the installed release of its controller is not known, an object is checked by the newest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import structs

from components.model.facts import kinds, versions
from components.model.facts.apis import served
from components.model.findings import Finding, Severity, listing
from components.model.rule import Family
from policies.objects import kueue_config, stated_fields
from policies.objects.judging import world_rule
from policies.objects.releases import exact_version, installed
from policies.objects.values import UndecidedError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from components.model.facts.apis.fields import Field, Life
    from components.model.facts.versions import Controller
    from policies.objects.values import Part
    from policies.objects.world import Object, World

_RELEASES: Final = f"{served.KUEUE_RELEASES}, {served.JOBSET_RELEASES}: CustomResourceDefinitions and apis/config"
_JUDGED: Final = (*served.KUEUE_KINDS, kinds.JOBSET, *kueue_config.CARRIERS)
INSTEAD: Final = {
    "startupPolicy": "State what each replicated job waits for by its dependsOn.",
    "credentialsProviders": "Write accessProviders.",
    "podOptions": "Write managedJobsNamespaceSelector.",
    "queueVisibility": "Remove the key; the visibility API lists what waits.",
}
"""What replaces a deprecated field, by the field."""
_DEFAULTS: Final = {"startupPolicy": {"startupPolicyOrder": "AnyOrder"}}
"""What a webhook writes where such a field is not stated. Source: JobSet 0.12.0, pkg/webhooks/jobset_webhook.go."""


class _Written(NamedTuple):
    """What a controller reads of an object."""

    part: Part
    fields: Mapping[str, Field]
    """Those that it and the mappings below it may have."""
    controller: Controller
    release: str | None
    """The one that is installed; None where it is not known."""


def _written(each: Object, world: World) -> Iterator[_Written]:
    """What is written in a version of an API that some release serves.

    Raises:
        UndecidedError, MalformedError: it cannot be read.
    """
    if each.kind not in kueue_config.CARRIERS:
        controller = versions.JOBSET if each.kind is kinds.JOBSET else versions.KUEUE
        yield _Written(each, stated_fields.fields_of(each), controller, installed(world, controller))
        return
    for found in kueue_config.configurations_in(each):
        own = exact_version(each)
        release = installed(world, versions.KUEUE) if own is None else own
        version = served.configuration_versions().get(stated_fields.version_in(found))
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
    for part, key, known in stated_fields.dated(written.part, written.fields):
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
    "release-has-the-field",
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
    "field-is-not-deprecated",
    summary="fields are not deprecated in the release that is installed",
    why="A later release will not have them.",
    source=_RELEASES,
    family=Family.QUOTA,
    kinds=_JUDGED,
    severity=Severity.WARNING,
)
def _field_is_not_deprecated(each: Object, world: World) -> Iterator[Finding]:
    if each.kind in served.KUEUE_KINDS and stated_fields.version_in(each) == served.DEPRECATED:
        return  # all of it is deprecated, which another rule says
    for written in _written(each, world):
        release = _known(written, world)
        for use in _uses(written):
            if use.life.is_deprecated_in(release) and use.part.raw(use.key) != _DEFAULTS.get(use.key):
                since = f" since {written.controller.title} {use.life.deprecated}" if use.life.deprecated else ""
                yield Finding(
                    place=use.part.place.at(use.key),
                    says=f"{use.key} is deprecated{since}.",
                    remedy=INSTEAD[use.key],
                    is_about_key=True,
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


RELEASE_FIELD_RULES: Final = (_release_has_the_field, _field_is_not_deprecated)
