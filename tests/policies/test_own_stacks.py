"""What the program itself registers, under the configuration of its environment: no error, and known warnings alone."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING, Final

import pytest
from msgspec import structs

from components.model.facts import kinds
from components.model.findings import Finding, Severity
from components.model.stack_file.reading import read
from policies.names import SETTINGS
from policies.objects.order import Order, Registration
from policies.objects.world import Object, World, cloud_object, manifest
from policies.rules import judge
from policies.settings import settings_from
from tests.program.harness import Registered, run_committed, run_program
from tests.stacks import PLATFORM_KEY, committed, given_file, stack_file
from tests.tracked import ROOT, staged, tracked

if TYPE_CHECKING:
    from policies.objects.judging import Settings

CONFIG: Final = "policies/config/all.{}.json"
SHARED: Final = "tutorial"
"""The configuration of stacks that have none of their own; the Makefile chooses so too."""
PAGE: Final = ROOT / "docs" / "policies.md"
_CODE: Final = re.compile(r"`([^`]+)`")


def _object(resource: Registered) -> Object | None:
    kind = kinds.of_type(resource.type)
    is_protected = resource.options.get("protect") is True
    if kind is None:
        return manifest(resource.inputs, origin=resource.reference, is_protected=is_protected)
    return cloud_object(kind, resource.inputs, origin=resource.reference, is_protected=is_protected)


def _registration(resource: Registered) -> Registration:
    return Registration(
        origin=resource.reference,
        type_=resource.type,
        after=frozenset(resource.options.get("dependencies", ())),
        parent=resource.parent,
        provider=resource.options.get("provider", ""),
    )


def _settings(stack: str) -> Settings:
    has_own = ROOT / CONFIG.format(stack) in tracked(CONFIG.format("*"))
    return settings_from(json.loads(staged(CONFIG.format(stack if has_own else SHARED)))[SETTINGS])


@cache
def _registered(stack: str) -> tuple[Registered, ...]:
    """What the program registers for a committed stack."""
    return tuple(run_committed(stack).resources)


@cache
def _found(stack: str) -> tuple[Finding, ...]:
    """What the packs find in the resources of a committed stack, and the program in its file."""
    world = World(_objects(stack), order=Order(map(_registration, _registered(stack))))
    assert world.objects
    found = read(given_file(stack_file(stack))).findings
    return (*judge(world, _settings(stack)).findings, *(finding for finding, _ in found))


def _objects(stack: str) -> list[Object]:
    return [each for each in map(_object, _registered(stack)) if each is not None]


def _where(finding: Finding) -> str:
    """Kind and name of the resource; the key in a stack file."""
    type_, _, name = finding.place.origin.rpartition("::")
    return f"{type_.rpartition(':')[2]} {name}" if name else str(finding.place)


def _listed() -> set[tuple[str, str, str]]:
    """Stack, rule and place of each warning in the documentation, all of which have a reason."""
    section = PAGE.read_text(encoding="utf-8").partition("## The stacks of this project")[2].partition("\n## ")[0]
    rows = [line.strip("|").split(" | ") for line in section.splitlines() if line.startswith("| `")]
    assert all(len(row) == 4 and row[3].strip() for row in rows)
    return {
        (stack, rule, place)
        for row in rows
        for stack in _CODE.findall(row[0])
        for rule in _CODE.findall(row[1])
        for place in _CODE.findall(row[2])
    }


@pytest.mark.parametrize("name", committed())
def test_what_a_committed_stack_registers_breaks_no_rule(name: str) -> None:
    errors = [each for each in _found(name) if each.severity is Severity.ERROR]
    assert [f"{each.rule} {each.place.origin} {each.place}: {each.says}" for each in errors] == []


@pytest.mark.parametrize("release", ["0.16.2", "0.17.1", "0.18.3", "0.19.2"])
def test_what_the_program_writes_is_known_to_every_supported_release_of_kueue(release: str) -> None:
    given = given_file(stack_file("prod"))
    assert given.platform is not None
    platform = json.loads(given.platform)
    platform.setdefault("controllers", {}).setdefault("kueue", {})["version"] = release
    written = run_program("prod", {"gcp:project": str(given.gcp_project), PLATFORM_KEY: json.dumps(platform)}).resources
    world = World(
        [each for each in map(_object, written) if each is not None], order=Order(map(_registration, written))
    )
    (kueue,) = (each for each in world.of(kinds.RELEASE) if each.name == "kueue")
    assert kueue.raw("version") == release
    usual = {finding.rule for finding in _found("prod")}
    assert {each.rule for each in judge(world, _settings("prod")).findings} <= usual


def test_the_documentation_lists_every_warning_and_no_other() -> None:
    warned = {(name, finding.rule, _where(finding)) for name in committed() for finding in _found(name)}
    assert warned == _listed()


@pytest.mark.parametrize("name", ["dev", "batch-teams", "multislice-autopilot"])
def test_the_order_is_of_what_the_program_declares(name: str) -> None:
    alone = [structs.replace(_registration(each), after=frozenset()) for each in _registered(name)]
    late = judge(World(_objects(name), order=Order(alone)), _settings(name)).findings
    assert "controllers-come-first" in {each.rule for each in late}
