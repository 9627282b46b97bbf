"""The package as the engine sees it: a schema, and a call that makes a component.

Pulumi's own host (`component_provider_host`) does not serve the components: it would show a Python traceback with every
refusal, and it does not read all inputs (`wire.py` says which).
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

import pulumi
from msgspec.structs import replace
from pulumi.provider.experimental import provider
from pulumi.provider.experimental.property_value import PropertyValue
from pulumi.resource import DependencyResource
from pydantic.alias_generators import to_snake

from components.model import config
from components.model.findings import Finding
from components.model.places import Key, Place
from components.package.inputs import JobSetInputs, QueuesInputs, TpuSlicesInputs
from components.package.job_set import JobSet
from components.package.planning import NAME, RefusedError, report
from components.package.queues import Queues
from components.package.schema import Component, schema_of
from components.package.tpu_slices import TpuSlices
from components.package.wire import Reading, Shape, sent

VERSION: Final = "0.1.0"
"""The schema's version: raised when a program that uses the package would have to change."""
COMPONENTS: Final = (
    Component(TpuSlices, (TpuSlicesInputs,)),
    Component(Queues, (QueuesInputs,), from_others=("slices",)),
    Component(JobSet, (JobSetInputs, config.JobSet), from_others=("ledger",)),
)
_STACK_FILE_WORDS: Final = {"tpu_slices": "slices"}
"""Inputs with another name in texts about stack files."""


def package_schema() -> dict[str, Any]:
    """The package's schema."""
    return schema_of(NAME, VERSION, COMPONENTS)


class Package(provider.Provider):
    """Serves the components."""

    def __init__(self) -> None:
        self._schema = package_schema()
        self._names = {to_snake(name): name for name in _names(self._schema) if to_snake(name) != name}
        self._words = {**self._names, **_STACK_FILE_WORDS}
        self._word = re.compile(rf"\b({'|'.join(self._words)})\b")

    async def get_schema(self, request: provider.GetSchemaRequest) -> provider.GetSchemaResponse:
        """The schema in JSON."""
        del request
        return provider.GetSchemaResponse(json.dumps(self._schema))

    async def configure(self, request: provider.ConfigureRequest) -> provider.ConfigureResponse:
        """The values that the engine may send: no output values, which the SDK (3.272) fails to read.

        The engine then sends plain values, and beside them their origin.
        """
        del request
        return provider.ConfigureResponse(accept_secrets=True, supports_preview=True, accept_resources=True)

    async def construct(self, request: provider.ConstructRequest) -> provider.ConstructResponse:
        """Make a component.

        Raises:
            InputPropertiesError: the inputs are refused; its message is for the user.
        """
        kind = next(each.made for each in COMPONENTS if request.resource_type == f"{NAME}:index:{each.made.__name__}")
        resource = self._schema["resources"][request.resource_type]
        args = self._args(request, resource)
        options = options_of(request)
        try:
            made = kind(request.name, args, options)  # pyright: ignore[reportArgumentType]  each takes its own mapping
        except RefusedError as error:
            raise self._refusal(request.name, error.findings) from None
        urn = str(await made.urn.future())
        state = {
            name: sent(getattr(made, to_snake(name)), Shape(self._schema, spec), frozenset({urn}))
            for name, spec in resource["properties"].items()
        }
        return provider.ConstructResponse(urn, state, {name: {urn} for name in state})

    def _args(self, request: provider.ConstructRequest, resource: Mapping[str, Any]) -> dict[str, Any]:
        """The inputs in Python's names; raises as `construct`."""
        reading = Reading()
        wanted = {"properties": resource["inputProperties"], "required": resource.get("requiredInputs", ())}
        given = PropertyValue(dict(request.inputs))
        args = reading.value(given, Shape(self._schema, wanted), ())
        if reading.findings:
            raise self._refusal(request.name, reading.findings)
        return args

    def _refusal(self, resource: str, findings: Iterable[Finding]) -> pulumi.InputPropertiesError:
        """The findings for the user: paths and texts have the schema's names."""
        said = [
            replace(
                each,
                place=Place(tuple(self._in_schema_key(key) for key in each.place.keys)),
                says=self._in_schema_words(each.says),
                remedy=self._in_schema_words(each.remedy),
            )
            for each in findings
        ]
        return pulumi.InputPropertiesError(report(resource, said), [])  # without the list the SDK fails to abort

    def _in_schema_key(self, key: Key) -> Key:
        return self._names.get(key, key) if isinstance(key, str) else key

    def _in_schema_words(self, text: str) -> str:
        return self._word.sub(lambda found: self._words[found[0]], text)


def options_of(request: provider.ConstructRequest) -> pulumi.ResourceOptions:
    """The request's options; the component depends on the resources that its inputs came from."""
    origins = {urn for value in request.inputs.values() for urn in value.all_dependencies()}
    after = [DependencyResource(urn) for urn in sorted(origins)]
    return pulumi.ResourceOptions.merge(request.options, pulumi.ResourceOptions(depends_on=after))


def _names(schema: Mapping[str, Any]) -> Iterable[str]:
    """Every name of an input in the schema."""
    for each in schema["resources"].values():
        yield from each["inputProperties"]
    for each in schema["types"].values():
        yield from each.get("properties", ())
