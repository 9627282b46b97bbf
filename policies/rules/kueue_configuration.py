"""The rule about Kueue's configuration file, which it reads strictly: only keys, values and gates that Kueue knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts.apis import served
from components.model.facts.apis.fields import parse_minor
from components.model.findings import Finding, did_you_mean, listing
from components.model.rule import Family
from policies.objects import kueue_config, stated_fields
from policies.objects.judging import object_rule
from policies.objects.releases import exact_version

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from components.model.facts.apis.fields import Field
    from policies.objects.values import Part
    from policies.objects.world import Object


@object_rule(
    "kueue-configuration-is-read",
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
        version = served.configuration_versions().get(stated_fields.version_in(found))
        if version is None:
            return
        for part, key, known in stated_fields.stated(found, version.fields):
            if known is None:
                says = f"a Configuration of {found.string('apiVersion')} has no such key in {served.KUEUE_RELEASES}."
                fields = stated_fields.within(part, found, version.fields)
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
    return Finding(place=part.place.at(key), says=says, remedy=f"{did_you_mean(key, known)}{remedy}", is_about_key=True)


def _other_value(part: Part, key: str, known: Field) -> Iterator[Finding]:
    value = part.text(key)
    if value is not None and value not in known.values:
        yield Finding(
            place=part.place.at(key),
            says=f"{value} is not a valid {key}.",
            remedy=f"{did_you_mean(value, known.values)}Set {listing(known.values, 'or')}.",
        )


KUEUE_CONFIGURATION_RULES: Final = (_kueue_configuration_is_read,)
