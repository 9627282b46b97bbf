"""The facts about the Pulumi packages: well formed, in step with the installed SDKs, and covering what is modelled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from simulator.cloud.schema import Container, Property, Shape, UnknownTypeError, package
from simulator.providers.gcp.types import TYPES
from simulator.providers.sdk.reading import Sdk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from simulator.providers.bridged.fields import Field
    from simulator.providers.gcp.resource import Resource


def test_a_password_has_the_properties_of_the_installed_sdk() -> None:
    inputs, every, _ = Sdk("random").resource("", "RandomPassword")
    schema = package("random").resource("random:index/randomPassword:RandomPassword")

    assert schema.inputs.keys() == inputs.keys()
    assert schema.computed.keys() == every.keys() - inputs.keys()


@pytest.mark.parametrize("name", ["gcp", "random"])
def test_every_type_that_is_referred_to_is_there_and_used(name: str) -> None:
    data = package(name)
    every = [
        prop
        for token in data.tokens
        for table in (data.resource(token).inputs, data.resource(token).computed)
        for prop in table.values()
    ]
    every += [prop for type_name in data.type_names for prop in data.type(type_name).values()]

    assert {prop.type_name for prop in every if prop.type_name} == set(data.type_names)


def test_the_notation_is_read() -> None:
    prop = Property.parse("[->container.NodePoolTaint] required replace")

    assert (prop.container, prop.shape, prop.type_name) == (Container.LIST, Shape.OBJECT, "container.NodePoolTaint")
    assert (prop.is_required, prop.forces_replacement, prop.is_secret) == (True, True, False)
    assert Property.parse("{string} secret").text == "map of string"
    with pytest.raises(ValueError, match=r"'strin\?g' is not a property"):
        Property.parse("strin?g")
    with pytest.raises(UnknownTypeError):
        package("gcp").resource("gcp:compute/image:Image")


def _paths(
    properties: Mapping[str, Property], fields: Mapping[str, Field], path: str
) -> Iterator[tuple[str, Property | None, Field]]:
    for name, field in fields.items():
        prop = properties.get(name)
        yield f"{path}.{name}", prop, field
        if field.fields and prop is not None and prop.type_name is not None:
            yield from _paths(package("gcp").type(prop.type_name), field.fields, f"{path}.{name}")


@pytest.mark.parametrize("resource", TYPES, ids=[kind.type_name for kind in TYPES])
def test_every_modelled_property_exists(resource: Resource) -> None:
    schema = package("gcp").resource(resource.type_name)
    for path, prop, field in _paths(schema.inputs, resource.fields, resource.type_name):
        assert prop is not None, f"{path} is not a property of the real provider"
        assert bool(field.fields) == (prop.shape is Shape.OBJECT), f"{path}: an object is modelled with its properties"
        assert not (prop.is_required and (field.server or field.default is not None)), (
            f"{path}: the program must set it"
        )


def test_every_type_is_served() -> None:
    assert {kind.type_name for kind in TYPES} == set(package("gcp").tokens)
