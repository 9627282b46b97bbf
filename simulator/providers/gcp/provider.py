"""The engine's calls, answered from tables for every resource type alike.

The texts of refusals, the replacements and the order of replacement are those of the official provider, which Pulumi
builds from Google's Terraform provider: a resource with a name of the program's own and a member of an IAM policy are
deleted before their replacement, one with a generated name after it.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Final, cast

from simulator.cloud.api import CloudApi, CloudError
from simulator.cloud.schema import package
from simulator.providers.base import (
    Checked,
    Created,
    Difference,
    Found,
    PartlyCreatedError,
    ProviderError,
    StandIn,
    not_modelled,
)
from simulator.providers.bridged.checking import Checker, with_generated_name
from simulator.providers.bridged.planning import DEFAULTS_KEY, Differ, plan, with_unknowns, without_ignored
from simulator.providers.bridged.reading import Importer, refreshed_inputs
from simulator.providers.gcp.calls import Calls, OperationFailedError
from simulator.providers.gcp.functions import FUNCTIONS
from simulator.providers.gcp.resource import Resource, Update
from simulator.providers.gcp.settings import Settings
from simulator.providers.gcp.types import TYPES
from simulator.providers.plugins import plugin_version
from simulator.providers.values import UNKNOWN, Properties

if TYPE_CHECKING:
    from simulator.providers.base import Change, Engine, Request

_FAILED_STATES: Final = ("ERROR", "RUNNING_WITH_ERROR")
"""States of a cluster or node pool that the real provider reports as a failure."""


class GcpProvider(StandIn):
    """Google Cloud, simulated."""

    package = "gcp"
    version = plugin_version("pulumi-gcp")

    def __init__(self, engine: Engine, cloud: CloudApi) -> None:
        """`cloud` is the simulated cloud, here or in another process."""
        super().__init__(engine)
        self._cloud = cloud
        self._settings = Settings()
        self._interrupted = threading.Event()
        self._data = package("gcp")
        self._differ = Differ(self._data)
        self._importer = Importer(self._data)
        self._types = {each.type_name: each for each in TYPES}

    def configure(self, config: Properties) -> None:
        """Take project, region and zone."""
        self._settings = Settings.read(config)

    def cancel(self) -> None:
        """End every wait; operations go on in the cloud."""
        self._interrupted.set()

    def check(self, request: Request) -> Checked:
        """Types, required properties, choices, what is not modelled; defaults and a generated name filled in."""
        resource, new = self._resource(request), request.new
        schema = self._data.resource(request.type)
        checker = Checker(self._data, request, self.version)
        prop, limit, generated = resource.name_property, resource.name_limit, False
        if limit is not None:
            new, generated = with_generated_name(prop, request)
            name = new[prop]
            if generated and isinstance(name, str) and len(name) > limit:
                checker.fail(prop, f"{prop} {name}: has {len(name)} characters, at most {limit}.")
        inputs = checker.inputs(schema, resource.fields, new)
        if generated:
            inputs[DEFAULTS_KEY] = sorted([*cast("list[Any]", inputs[DEFAULTS_KEY]), prop])
        return Checked(inputs, checker.failures)

    def diff(self, request: Request) -> Difference:
        """How the recorded outputs would change."""
        resource, before, new = self._resource(request), request.outputs or request.old, request.new
        planned = without_ignored(before, plan(resource.fields, before, new), request.ignored)
        schema = self._data.resource(request.type)
        changes = resource.adjust(self._differ.changes(schema.inputs, resource.fields, before, planned), new)
        return Difference(changes, delete_before_replace=_goes_first(resource, changes, new))

    def create(self, request: Request) -> Created:
        """Make the resource, or plan it at a preview."""
        resource, inputs = self._resource(request), request.new
        if request.preview:
            return Created("", self._preview(resource, inputs))
        calls = self._calls(request.urn, request.timeout)
        name = resource.api_name(self._settings, inputs)
        try:
            resource.create(calls, name, inputs)
        except CloudError as error:
            raise ProviderError(f"Error creating {resource.title}: {error.in_words}") from None
        except OperationFailedError as error:
            raise self._partly(calls, resource, name, inputs, error) from None
        return Created(resource.id_of(name), self._seen(calls, resource, name, inputs))

    def read(self, request: Request) -> Found | None:
        """The resource as it is in the cloud; an import names it by any form of id that the type accepts."""
        resource, inputs = self._resource(request), request.old
        calls = self._calls(request.urn, 0)
        name = resource.name_of_id(self._settings, request.id)
        self._await_pending(calls, request.outputs)
        body = resource.get(self._cloud, name)
        if body is None:
            return None
        if inputs or request.outputs:
            found = resource.outputs(calls, name, body, {**inputs, **request.outputs})
            return Found(resource.id_of(name), refreshed_inputs(resource.fields, inputs, found), found)
        local = {
            key: field.default for key, field in resource.fields.items() if field.local and field.default is not None
        }
        found = resource.outputs(calls, name, body, local | resource.imported(name))
        schema = self._data.resource(request.type)
        return Found(resource.id_of(name), self._importer.inputs(schema.inputs, resource.fields, found), found)

    def update(self, request: Request) -> Properties:
        """Change the resource in place."""
        resource, before = self._resource(request), request.outputs or request.old
        planned = without_ignored(before, plan(resource.fields, before, request.new), request.ignored)
        planned |= resource.labels(planned)
        self._refuse_fixed(resource, before, planned)
        if request.preview:
            return planned
        calls = self._calls(request.urn, request.timeout)
        name = resource.name_of_id(self._settings, request.id)
        try:
            resource.update(calls, Update(name, before, planned))
        except CloudError as error:
            raise ProviderError(f"Error updating {resource.title}: {error.in_words}") from None
        except OperationFailedError as error:
            raise self._partly(calls, resource, name, request.new, error) from None
        return self._seen(calls, resource, name, planned)

    def delete(self, request: Request) -> None:
        """Remove the resource, unless its deletion policy says otherwise."""
        resource = self._resource(request)
        known = {**request.old, **request.outputs}
        policy = known.get("deletionPolicy")
        if policy == "ABANDON":
            return
        if policy == "PREVENT":
            raise ProviderError(
                f"cannot destroy {resource.title} without setting deletion_policy=DELETE: "
                f"it is PREVENT for {request.id}"
            )
        calls = self._calls(request.urn, request.timeout)
        try:
            resource.delete(calls, resource.name_of_id(self._settings, request.id), known)
        except CloudError as error:
            raise ProviderError(f"Error deleting {resource.title}: {error.in_words}") from None

    def invoke(self, token: str, args: Properties) -> Properties:
        """The answer of a function.

        Raises:
            ProviderError: it is not modelled, or the resource that it reads does not exist.
        """
        if token not in FUNCTIONS:
            raise not_modelled(f"function {token}", FUNCTIONS)
        try:
            return FUNCTIONS[token](self._calls("", 0), args)
        except ProviderError as error:
            raise ProviderError(f"invoking {token}: {error}") from None

    def _resource(self, request: Request) -> Resource:
        resource = self._types.get(request.type)
        if resource is None:
            raise not_modelled(f"resource type {request.type}", sorted(self._types))
        return resource

    def _calls(self, urn: str, timeout: float) -> Calls:
        return Calls(
            cloud=self._cloud,
            settings=self._settings,
            engine=self.engine,
            urn=urn,
            timeout=timeout,
            interrupted=self._interrupted,
        )

    def _preview(self, resource: Resource, inputs: Properties) -> Properties:
        """The outputs of a resource that is to be made, unknown where only the cloud will know."""
        schema = self._data.resource(resource.type_name)
        unknown: Properties = dict.fromkeys(schema.computed, UNKNOWN)
        planned = with_unknowns(resource.fields, plan(resource.fields, {}, inputs))
        return unknown | planned | resource.known_at_preview(self._settings, inputs) | resource.labels(inputs)

    def _seen(self, calls: Calls, resource: Resource, name: str, prior: Properties) -> Properties:
        """The outputs of a resource that was made or changed a moment ago.

        Raises:
            PartlyCreatedError: it is there, in a state of error.
            ProviderError: it is not there.
        """
        body = resource.get(self._cloud, name)
        if body is None:
            raise ProviderError(f"{resource.title} {name} is not there any more: somebody else deleted it.")
        outputs = resource.outputs(calls, name, body, prior)
        if body.get("status") in _FAILED_STATES:
            reason = f"{resource.title} {name} is in the state {body['status']}: {body.get('statusMessage', '')}"
            raise PartlyCreatedError(resource.id_of(name), prior, outputs, [reason])
        return outputs

    def _partly(
        self, calls: Calls, resource: Resource, name: str, inputs: Properties, error: OperationFailedError
    ) -> ProviderError:
        """The error for the engine after an operation that failed: keep what the operation left behind, if anything."""
        body = resource.get(self._cloud, name)
        if body is None:
            return error
        outputs = resource.outputs(calls, name, body, inputs)
        if "operation" in outputs:
            outputs["operation"] = error.goes_on
        return PartlyCreatedError(resource.id_of(name), inputs, outputs, [str(error)])

    def _await_pending(self, calls: Calls, outputs: Properties) -> None:
        """Wait for an operation that an interrupted change left under way, as the real provider does at a refresh."""
        operation = outputs.get("operation")
        if not isinstance(operation, str) or not operation:
            return
        try:
            calls.until_done("the interrupted operation", self._cloud.operation(operation))
        except CloudError as error:
            if error.status != "NOT_FOUND":
                raise ProviderError(error.in_words) from None

    def _refuse_fixed(self, resource: Resource, before: Properties, planned: Properties) -> None:
        """Refuse a change that the official provider would record without making it.

        Raises:
            ProviderError: a property is to change for which the official provider has no API call.
        """
        schema = self._data.resource(resource.type_name)
        fixed = {name: field for name, field in resource.fields.items() if name in resource.cannot_change}
        for path in self._differ.changes(schema.inputs, fixed, before, planned):
            raise ProviderError(
                f"{path}: Google's API cannot change it on an existing {resource.title}, and the official provider "
                "would record the change without making it. Replace the resource: give it "
                f'replace_on_changes=["{path}"] and delete_before_replace=True.'
            )


def _goes_first(resource: Resource, changes: dict[str, Change], inputs: Properties) -> bool:
    """Whether the old resource is deleted before its replacement, such as when the program names both the same."""
    if not any(change.replaces for change in changes.values()):
        return False
    if resource.name_limit is None:
        return resource.is_deleted_first
    return resource.name_property not in cast("list[str]", inputs.get(DEFAULTS_KEY) or [])
