"""Which fields an object may have, by the version that it is written in, and in which releases of its controller."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from components.model.objects import kinds
from components.model.objects.apis import jobset, kubernetes, kueue, kueue_chart, kueue_configuration, kueue_gates
from components.model.objects.apis.fields import minor, parse, parse_minor
from components.model.objects.values import UndecidedError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from components.model.objects.apis.fields import Field, Life, Version
    from components.model.objects.kinds import Kind
    from components.model.objects.values import Part
    from components.model.objects.world import Object

CURRENT: Final = "v1beta2"
DEPRECATED: Final = "v1beta1"
KUEUE_KINDS: Final = kinds.KUEUE_KINDS
QUEUE_KINDS: Final = (*KUEUE_KINDS, kinds.PRIORITY_CLASS)
"""The kinds of Kueue, and the one that stands beside them."""
_CONFIGURATION: Final = "Configuration"
_SPEC: Final = "spec"


KUEUE_RELEASES: Final = f"Kueue {kueue.OLDEST} to {minor(kueue.RELEASE)}"
JOBSET_RELEASES: Final = f"JobSet {jobset.OLDEST} to {minor(jobset.RELEASE)}"


@cache
def versions_of(kind: Kind) -> Mapping[str, Version]:
    """The versions of a kind that some release serves, such as `v1beta2`."""
    texts = {kinds.JOBSET: jobset.TEXT, kinds.PRIORITY_CLASS: kubernetes.TEXT}
    return _kueue()[kind.name] if kind in KUEUE_KINDS else parse(texts[kind])[kind.name]


@cache
def _kueue() -> Mapping[str, Mapping[str, Version]]:
    return parse(kueue.TEXT)


@cache
def configuration_versions() -> Mapping[str, Version]:
    """The versions of Kueue's configuration."""
    return parse(kueue_configuration.TEXT)[_CONFIGURATION]


@cache
def gates() -> Mapping[str, Life]:
    """Kueue's feature gates, by name."""
    (found,) = (version for versions in parse(kueue_gates.TEXT).values() for version in versions.values())
    return {name: each.life for name, each in found.fields.items()}


def chart_configuration(release: str) -> str:
    """The configuration that Kueue's chart of a release states, as YAML; of an older one, that of the oldest known."""
    known = [first for first in kueue_chart.CONFIGURATIONS if parse_minor(first) <= parse_minor(release)]
    newest = max(known, key=parse_minor, default=kueue.OLDEST)
    return kueue_chart.CONFIGURATIONS[newest]


def version_in(each: Part) -> str:
    """The version of the API that an object or a configuration is written in, such as `v1beta2`.

    Raises:
        UndecidedError, MalformedError: it cannot be read.
    """
    return each.string("apiVersion").rpartition("/")[2]


def fields_of(each: Object) -> Mapping[str, Field]:
    """The fields that an object may have; none for a version that is not served: another rule says so."""
    version = versions_of(each.kind).get(version_in(each))
    return {} if version is None else version.fields


def stated(part: Part, fields: Mapping[str, Field]) -> Iterator[tuple[Part, str, Field | None]]:
    """Every field in `part` and below, with the mapping that it is in; None for one that there is not.

    Raises:
        UndecidedError, MalformedError: what holds further fields cannot be read.
    """
    for key in part.value:
        known = fields.get(key)
        yield part, key, known
        for inner in () if known is None or not known.fields else _inner(part, key):
            yield from stated(inner, known.fields if known is not None else {})


def within(part: Part, start: Part, fields: Mapping[str, Field]) -> Mapping[str, Field]:
    """The fields that there are in `part`, which is `start` or below it, where `start` has `fields`."""
    found = fields
    for key in part.place.keys[len(start.place.keys) :]:
        found = found[key].fields if isinstance(key, str) else found
    return found


def missing(part: Part, fields: Mapping[str, Field]) -> Iterator[tuple[Part, str]]:
    """The fields that `part`, and what is stated below it, must have and has not.

    A spec with such fields must be there, though the API server takes an object without one: nothing comes of it.

    Raises:
        UndecidedError, MalformedError: what holds further fields cannot be read.
    """
    for key, known in fields.items():
        is_required = known.is_required or (key == _SPEC and any(each.is_required for each in known.fields.values()))
        if is_required and not _is_stated(part, key):
            yield part, key
        for inner in _inner(part, key) if known.fields else ():
            yield from missing(inner, known.fields)


def _inner(part: Part, key: str) -> tuple[Part, ...]:
    if isinstance(part.raw(key), list):
        return part.parts(key)
    inner = part.part(key)
    return () if inner is None else (inner,)


def _is_stated(part: Part, key: str) -> bool:
    """Whether something is said, known or not; empty text and lists say nothing."""
    try:
        return part.raw(key) not in (None, "", [])
    except UndecidedError:
        return True
