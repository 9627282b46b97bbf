"""The catalogue: for each rule a file with small sets of resources, by hand from the documents of GKE and Kueue.

    rule: slice-has-all-its-nodes
    given: [...]                      what several cases share, by anchors; nothing reads it
    cases:
      - name: one node of two
        finds: [slice-a]              names of the resources at fault; with this rule, and nothing else is found
        at: [nodeCount]               where in them, as property paths; left out where that is not told
        open: [location is ...]       what the rule cannot decide, path and reason; left out where that is not told
        beside: {a-rule: [slice-a]}   but what another rule says of each such object, sound or not; mostly left out
        components: [{name: team}]    what others are registered under, or depend on, without being an object
        settings: {regions: [...]}    what the owners allow; left out for everything
        resources:
          - {type: gcp:container/nodePool:NodePool, name: slice-a, protect: false, properties: {...}}
          - manifest: {apiVersion: ..., kind: ..., metadata: {name: ...}, ...}
            after: [slice-a]          names of the resources that it depends on; mostly left out
            parent: team              the one that it is registered under; mostly left out
            provider: lab             the name of its provider; mostly left out

The name of a manifest is its own, with its namespace where it states one: `team-a/job`; no two of a case share one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import yaml

from components.model.facts import kinds
from policies.objects.judging import Settings
from policies.objects.order import Order, Registration
from policies.objects.world import World, cloud_object, manifest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from policies.objects.world import Object

COMPONENT: Final = "lab:index:Component"
FOLDER: Final = Path(__file__).parent / "catalogue"


@dataclass(frozen=True, slots=True)
class Case:
    """One set of resources and what is wrong with it."""

    rule: str
    name: str
    finds: frozenset[str]
    at: frozenset[str] | None
    open: frozenset[str] | None
    beside: frozenset[tuple[str, str]]
    """Rules and names of resources of which they say something, whatever is made of them."""
    settings: Settings
    resources: list[dict[str, Any]]
    components: list[dict[str, Any]]

    @property
    def world(self) -> World:
        """The resources as rules see them."""
        return World([an_object(each) for each in self.resources], order=Order(map(registration, self.registered)))

    @property
    def registered(self) -> list[dict[str, Any]]:
        """All that the engine is told of."""
        return [*self.components, *self.resources]


def an_object(resource: dict[str, Any]) -> Object:
    """A resource of a case."""
    body = resource.get("manifest")
    if body is not None:
        found = manifest(body, origin=name_of(resource), is_protected=resource.get("protect", False))
        assert found is not None, f"no rule knows the kind of {body}"
        return found
    kind = kinds.of_type(resource["type"])
    assert kind is not None, f"no rule knows the type {resource['type']}"
    return cloud_object(
        kind, resource["properties"], origin=resource["name"], is_protected=resource.get("protect", False)
    )


def registration(resource: dict[str, Any]) -> Registration:
    """How a resource of a case is registered among the others."""
    return Registration(
        origin=name_of(resource),
        type_=resource.get("type", ""),
        after=frozenset(resource.get("after", ())),
        parent=resource.get("parent", ""),
        provider=resource.get("provider", ""),
    )


def name_of(resource: dict[str, Any]) -> str:
    """How a case names it."""
    body = resource.get("manifest")
    if body is None:
        return cast("str", resource["name"])
    metadata = body["metadata"]
    return "/".join(part for part in (metadata.get("namespace"), metadata["name"]) if part)


@cache
def cases() -> tuple[Case, ...]:
    """Every case of the catalogue; nobody changes what is in them."""
    return tuple(case for file in sorted(FOLDER.glob("*.yaml")) for case in _cases(file))


def _cases(file: Path) -> Iterator[Case]:
    document = yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    assert document["rule"] == file.stem, f"{file.name} is named after its rule"
    for case in document["cases"]:
        yield Case(
            rule=document["rule"],
            name=case["name"],
            finds=frozenset(case["finds"]),
            at=frozenset(case["at"]) if "at" in case else None,
            open=frozenset(case["open"]) if "open" in case else None,
            beside=frozenset((rule, name) for rule, names in case.get("beside", {}).items() for name in names),
            settings=_settings(case.get("settings", {})),
            resources=case["resources"],
            components=[{"type": COMPONENT, "properties": {}, **each} for each in case.get("components", ())],
        )


def _settings(stated: dict[str, Any]) -> Settings:
    lists = {key: tuple(cast("list[str]", value)) for key, value in stated.items() if isinstance(value, list)}
    return Settings(**cast("Any", {**stated, **lists}))
