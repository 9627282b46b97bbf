"""The provider's own configuration, which places resources that name no project, region or zone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from simulator.cloud.locations import region_of
from simulator.providers.base import ProviderError

if TYPE_CHECKING:
    from simulator.providers.values import Properties, Value

_MODELLED: Final = ("project", "region", "zone")
_ENGINES_OWN: Final = ("version", "pluginDownloadURL", "__internal")
"""Keys that the engine adds; they say which plugin to load, not how it behaves."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Project, region and zone for resources that name none; None where the configuration has none either."""

    project: str | None = None
    region: str | None = None
    zone: str | None = None

    @staticmethod
    def read(config: Properties) -> Settings:
        """The configuration of a provider.

        Raises:
            ProviderError: a key is not modelled or a value is not a string.
        """
        unknown = sorted(config.keys() - {*_MODELLED, *_ENGINES_OWN})
        if unknown:
            raise ProviderError(
                f"stand-in provider: gcp has configuration {', '.join(unknown)} that the simulator does not model; it "
                f"models {', '.join(_MODELLED)}. It refuses rather than ignores; see simulator/__init__.py."
            )
        values = {key: config.get(key) for key in _MODELLED}
        wrong = [key for key, value in values.items() if value is not None and not isinstance(value, str)]
        if wrong:
            raise ProviderError(f"stand-in provider: gcp:{wrong[0]} must be a string, not {values[wrong[0]]!r}")
        return Settings(**{key: value for key, value in values.items() if isinstance(value, str) and value})

    def project_of(self, properties: Properties) -> str:
        """The project that a resource is in.

        Raises:
            ProviderError: neither the resource nor the configuration names one.
        """
        found = properties.get("project") or self.project
        if not isinstance(found, str):
            raise ProviderError("project: required field is not set")
        return found

    def region_of(self, properties: Properties) -> str:
        """The region that a resource is in.

        Raises:
            ProviderError: neither the resource nor the configuration names one.
        """
        found = properties.get("region") or self.region or (self.zone and region_of(self.zone))
        return _placed(found, "region: set in this resource, or set provider-level 'region' or 'zone'.")

    def zone_of(self, properties: Properties) -> str:
        """As `region_of`, of a zone."""
        return _placed(properties.get("zone") or self.zone, "zone: set in this resource, or set provider-level zone.")

    def location_of(self, properties: Properties) -> str:
        """As `region_of`, of a region or zone."""
        found = properties.get("location") or self.region or self.zone
        return _placed(found, "location: set location in this resource, or set provider-level location")


def _placed(found: Value, remedy: str) -> str:
    """The short name of a place, which may also be given by its address."""
    if not isinstance(found, str):
        raise ProviderError(f"Cannot determine {remedy}")
    return found.rsplit("/", 1)[-1]
