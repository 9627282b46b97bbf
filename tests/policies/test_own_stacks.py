"""What the program itself registers breaks none of the rules over objects: they agree with what it makes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from components.model.findings import Severity
from components.model.objects import kinds
from components.model.objects.judging import Settings
from components.model.objects.rules import judge
from components.model.objects.world import World, cloud_object, manifest
from tests.program.harness import run_program
from tests.stacks import PLATFORM_KEY, committed, given_file, stack_file

if TYPE_CHECKING:
    from components.model.objects.world import Object
    from tests.program.harness import Registered

_OTHER_CHANNEL: Final = ("prod",)
"""Of a release channel of which the double of the cloud tells no version."""


def _object(resource: Registered) -> Object | None:
    kind = kinds.of_type(resource.type)
    is_protected = resource.options.get("protect") is True
    if kind is None:
        return manifest(resource.inputs, origin=resource.reference, is_protected=is_protected)
    return cloud_object(kind, resource.inputs, origin=resource.reference, is_protected=is_protected)


@pytest.mark.parametrize("name", sorted(set(committed()) - set(_OTHER_CHANNEL)))
def test_what_a_committed_stack_registers_breaks_no_rule(name: str) -> None:
    given = given_file(stack_file(name))
    assert given.platform is not None
    run = run_program(name, {"gcp:project": str(given.gcp_project), PLATFORM_KEY: given.platform})
    world = World(each for each in map(_object, run.resources) if each is not None)
    assert world.objects
    errors = [each for each in judge(world, Settings()).findings if each.severity is Severity.ERROR]
    assert [f"{each.rule} {each.place.origin} {each.place}: {each.says}" for each in errors] == []
