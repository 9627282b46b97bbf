"""One resource type of the provider: its name in the API, its id in Pulumi, and how it is made, changed and removed.

Most types differ in data alone; those that differ in behaviour override a method.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, cast

import msgspec
import yaml

from simulator.cloud.api import Body, CloudApi, Kind, passing_over
from simulator.cloud.names import api_name, parts_of, short_name
from simulator.cloud.schema import package
from simulator.providers.base import Change, ProviderError
from simulator.providers.bridged.fields import Field, Fields
from simulator.providers.bridged.translation import from_api, merge_patch, to_api
from simulator.providers.values import UNKNOWN, Properties, Unknown

if TYPE_CHECKING:
    from simulator.providers.gcp.calls import Calls
    from simulator.providers.gcp.settings import Settings

ATTRIBUTION: Final = {"goog-pulumi-provisioned": "true"}
"""The label that the provider adds to every resource with labels."""
_PLACES: Final = ("project", "region", "zone", "location")


@dataclass(frozen=True, slots=True)
class Observed:
    """A resource as the API shows it, and the cloud to ask for more."""

    cloud: CloudApi
    name: str
    body: Body


@dataclass(frozen=True, slots=True)
class Update:
    """A change in place of the resource of that API name."""

    name: str
    outputs: Properties
    """As it is."""
    planned: Properties
    """As planned."""


def _properties() -> dict[str, dict[str, Field]]:
    text = Path(__file__).with_name("properties.yaml").read_text(encoding="utf-8")
    return msgspec.convert(yaml.load(text, Loader=yaml.CSafeLoader), dict[str, dict[str, Field]])


# Read on import, by one thread: msgspec 0.22 ends the process when several are the first to convert to a class.
_PROPERTIES: Final = _properties()
"""The properties that are modelled, by type."""


class Resource:
    """A resource type."""

    type_name: ClassVar[str]
    kind: ClassVar[Kind]
    name_property: ClassVar[str] = "name"
    """The property with the last part of the API name."""
    name_limit: ClassVar[int | None] = 63
    """Characters of a generated name; None for a type without generated names."""
    is_deleted_first: ClassVar[bool] = False
    """Whether it is deleted before its replacement even though it has no name."""
    id_form: ClassVar[str] = ""
    """The form of its ids, where that is not the form of its API name."""
    own_ids: ClassVar[tuple[str, ...]] = ()
    """Its `ids`, where they do not follow from a form."""
    cannot_change: ClassVar[frozenset[str]] = frozenset()
    """Properties that the real provider neither replaces for nor has an API call for."""

    @property
    def fields(self) -> Fields:
        """The properties that are modelled."""
        return _PROPERTIES[self.type_name]

    @property
    def places(self) -> tuple[str, ...]:
        """Which of `project`, `region`, `zone` and `location` the type belongs to."""
        return tuple(place for place in _PLACES if place in self.fields and self.fields[place].local)

    @property
    def ids(self) -> tuple[str, ...]:
        """Forms of id that an import accepts, as patterns with the parts of the API name; the first is the id itself.

        Most types accept the whole form and its parts alone. The first parts may be left out where the configuration of
        the provider can have them.
        """
        form = self.id_form or self.kind.form.replace("{name}", f"{{{self.name_property}}}")
        parts = re.findall(r"{\w+}", form)
        left_out = sum(part in ("{project}", "{region}", "{zone}") for part in parts)
        forms = (form, *("/".join(parts[n:]) for n in range(left_out + 1)))
        return self.own_ids or tuple(re.sub(r"{(\w+)}", r"(?P<\1>[^/]+)", each) for each in forms)

    @property
    def labels_property(self) -> str | None:
        """The property with the user's labels, where the type has `effectiveLabels` beside it."""
        return next((name for name in ("labels", "resourceLabels") if name in self.fields), None)

    def place(self, settings: Settings, properties: Properties) -> dict[str, str]:
        """Where the resource is: project, and region or location, of its own or of the provider's configuration."""
        finders = {
            "project": settings.project_of,
            "region": settings.region_of,
            "zone": settings.zone_of,
            "location": settings.location_of,
        }
        return {key: finders[key](properties) for key in self.places}

    def name_parts(self, settings: Settings, properties: Properties) -> dict[str, str]:
        """The parts of the API name."""
        return self.place(settings, properties) | {"name": text(properties, self.name_property)}

    def api_name(self, settings: Settings, properties: Properties) -> str:
        """The API name of the resource with these inputs or outputs."""
        return api_name(self.kind, **self.name_parts(settings, properties))

    def id_of(self, name: str) -> str:
        """The Pulumi id of the resource of that API name."""
        return name

    def name_of_id(self, settings: Settings, id_: str) -> str:
        """The API name behind an id or one of the shorter forms that an import accepts.

        Raises:
            ProviderError: it is none of them.
        """
        for form in self.ids:
            match = re.fullmatch(form, id_)
            if match is not None:
                return self.api_name(settings, cast("Properties", match.groupdict()))
        shown = ", ".join(re.sub(r"\(\?P<(\w+)>[^)]*\)", r"{{\1}}", form) for form in self.ids)
        raise ProviderError(f'Import id "{id_}" doesn\'t match any of the accepted formats: [{shown}]')

    def known(self, settings: Settings, properties: Properties) -> Properties:
        """Outputs that follow from inputs without asking the cloud: where the resource is."""
        return {**self.place(settings, properties)}

    def known_at_preview(self, settings: Settings, inputs: Properties) -> Properties:
        """The part of `known` that is certain while some inputs are unknown; an unnamed place follows at creation."""
        if "project" in self.places and inputs.get("project") is None:
            settings.project_of(inputs)
        try:
            return self.known(settings, inputs)
        except ProviderError:
            return {}

    def computed(self, seen: Observed) -> Properties:
        """Outputs that are not inputs, from the API's document."""
        outputs = package("gcp").resource(self.type_name).computed
        return {key: seen.body[key] for key in outputs if key in seen.body}

    def imported(self, name: str) -> Properties:
        """The inputs of an import that the API does not keep."""
        parts = parts_of(self.kind, name)
        return {self.name_property if key == "name" else key: value for key, value in parts.items()}

    def body(self, settings: Settings, properties: Properties) -> Body:  # noqa: ARG002  some need the project
        """The API's document of these inputs or outputs."""
        document = to_api(self.fields, properties)
        if self.labels_property is not None:
            document[self.labels_property] = {**ATTRIBUTION, **_labels(properties, self.labels_property)}
        return document

    def labels(self, properties: Properties) -> Properties:
        """The outputs about labels, as far as they follow from inputs; none for a type without labels."""
        if self.labels_property is None:
            return {}
        if isinstance(properties.get(self.labels_property), Unknown):
            return {"effectiveLabels": UNKNOWN, "pulumiLabels": UNKNOWN}
        every: Properties = {**ATTRIBUTION, **_labels(properties, self.labels_property)}
        return {"effectiveLabels": every, "pulumiLabels": dict(every)}

    def outputs(self, calls: Calls, name: str, body: Body, prior: Properties) -> Properties:
        """All outputs of the resource as it is; `prior` are its inputs, or its previous outputs."""
        local = {key: prior[key] for key, field in self.fields.items() if field.local and prior.get(key) is not None}
        found = from_api(self.fields, body) | local
        found |= (
            self.known(calls.settings, prior) | self.labels(prior) | self.computed(Observed(calls.cloud, name, body))
        )
        if self.labels_property is not None:
            present: Properties = body.get(self.labels_property, {})
            own = _labels(prior, self.labels_property)
            found["effectiveLabels"] = present
            found[self.labels_property] = {key: value for key, value in present.items() if key in own}
        return found

    def adjust(self, changes: dict[str, Change], inputs: Properties) -> dict[str, Change]:  # noqa: ARG002  few do
        """The changes that the real provider would still see."""
        return changes

    def create(self, calls: Calls, name: str, inputs: Properties) -> None:
        """Make the resource and wait for it."""
        body = self.body(calls.settings, inputs)
        calls.change(f"creating {self.title}", name, lambda: calls.cloud.create(self.kind, name, body))

    def update(self, calls: Calls, change: Update) -> None:
        """Make the change and wait for it."""
        patch = merge_patch(self.body(calls.settings, change.outputs), self.body(calls.settings, change.planned))
        if patch:
            calls.change(f"updating {self.title}", change.name, lambda: calls.cloud.update(change.name, patch))

    def delete(self, calls: Calls, name: str, outputs: Properties) -> None:  # noqa: ARG002  some are protected by one
        """Remove the resource and wait until it is gone; a resource that is gone already is not an error."""
        with passing_over("NOT_FOUND"):
            calls.change(f"deleting {self.title}", name, lambda: calls.cloud.delete(name))

    def get(self, cloud: CloudApi, name: str) -> Body | None:
        """The API's document of the resource, or None when it is gone."""
        with passing_over("NOT_FOUND"):
            return cloud.get(name)
        return None

    @property
    def title(self) -> str:
        """The type as messages name it, such as `NodePool`."""
        return self.type_name.rpartition(":")[2]


def text(properties: Properties, name: str) -> str:
    """A property that is a string.

    Raises:
        ProviderError: it is missing or of another type.
    """
    value = properties.get(name)
    if not isinstance(value, str):
        raise ProviderError(f"{name}: required field is not set")
    return value


def name_in(properties: Properties, name: str) -> str:
    """The short name in a property that may also hold a path or an address."""
    return short_name(text(properties, name))


def _labels(properties: Properties, name: str) -> dict[str, str]:
    return cast("dict[str, str]", properties.get(name) or {})
