"""The fields of Kueue's and JobSet's APIs, by version, and the releases of the controllers that serve them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from components.model.facts import kinds
from components.model.facts.apis import jobset, kubernetes, kueue, kueue_chart, kueue_configuration, kueue_gates
from components.model.facts.apis.fields import minor, parse, parse_minor

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.model.facts.apis.fields import Life, Version
    from components.model.facts.kinds import Kind

CURRENT: Final = "v1beta2"
DEPRECATED: Final = "v1beta1"
KUEUE_KINDS: Final = kinds.KUEUE_KINDS
QUEUE_KINDS: Final = (*KUEUE_KINDS, kinds.PRIORITY_CLASS)
"""The kinds of Kueue, and the one that stands beside them."""
_CONFIGURATION: Final = "Configuration"


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
