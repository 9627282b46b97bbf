"""The catalogue: for each rule a file with small sets of resources, by hand from the documents of GKE and Kueue.

The file has the name of its rule, such as `slice-has-all-its-nodes.yaml`:

    world:                            the sound resources from which cases start
      - {like: multi-host v5e pool}
    cases:
      - name: one node of two
        finds: {slice-a: [nodeCount]} resources at fault, and the property paths of what this rule finds in each, [] for
                                      the whole of it; no rule finds anything else; left out of a sound case
        open: [location is ...]       what the rule cannot decide, path and reason; omitted if not checked
        beside: {a-rule: [slice-a]}   but what another rule says of each such object, sound or not; mostly left out
        components: [{name: team}]    what others are registered under, or depend on, without being an object
        settings: {regions: [...]}    what the owners allow; left out for everything
        patch: {slice-a: {nodeCount: 1}}   changes of the world's resources, by name and path (`patches.py`)
        without: [slice-b]            names of the world's resources that this case does not have
        add: [...]                    resources beside those of the world
        resources: [...]              or, in place of these three, all resources of the case

A resource is like an object of `objects.yaml`, or like a resource of the world, or is spelled out:

    - {like: multi-host v5e pool, name: slice-b, patch: {nodeConfig.spot: true}}
    - {type: gcp:container/nodePool:NodePool, name: slice-a, properties: {...}}
    - manifest: {apiVersion: ..., kind: ..., metadata: {name: ...}, ...}
      protect: true                   whether it is protected; mostly left out, as are the next three
      after: [slice-a]                names of the resources that it depends on
      parent: team                    the one that it is registered under
      provider: lab                   the name of its provider

The name of a manifest is its own, with its namespace where it states one: `team-a/job`. No two of a world share one,
and no two of a kind in a case.

A file may have several such documents, with `---` between two: cases that start from another world.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from components.model.facts import kinds
from policies.objects.judging import Settings
from policies.objects.order import Order, Registration
from policies.objects.world import Object, World, cloud_object, manifest
from tests.policies.patches import PatchError, patch, read_all, resource, shared

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping

COMPONENT: Final = "lab:index:Component"
FOLDER: Final = Path(__file__).parent / "catalogue"
_KEYS: Final = {
    "name", "finds", "open", "beside", "components", "settings", "patch", "without", "add", "resources",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Case:
    """One set of resources and what is wrong with it."""

    rule: str
    name: str
    finds: Mapping[str, frozenset[str]]
    """By the name of a resource at fault: where in it, the empty path for the whole of it; empty in a sound case."""
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
        """Everything that is registered with the engine."""
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
    objects = shared()
    return tuple(case for file in sorted(FOLDER.glob("*.yaml")) for case in cases_of(file, objects))


def cases_of(file: Path, objects: Mapping[str, dict[str, Any]]) -> Iterator[Case]:
    """The cases of one file, with the objects that its resources can be like.

    Raises:
        PatchError: a resource or a patch is not valid; with the file and the case.
    """
    for document in read_all(file):
        with _raised_in(f"{file.name}: world"):
            world = world_of(document, objects)
        for case in document["cases"]:
            with _raised_in(f"{file.name}: {case['name']}"):
                resources = resources_of(case, world, objects)
            yield _case(file.stem, case, resources)


def _case(rule: str, stated: dict[str, Any], resources: list[dict[str, Any]]) -> Case:
    return Case(
        rule=rule,
        name=stated["name"],
        finds={name: frozenset(paths or [""]) for name, paths in stated.get("finds", {}).items()},
        open=frozenset(stated["open"]) if "open" in stated else None,
        beside=frozenset((beside, name) for beside, names in stated.get("beside", {}).items() for name in names),
        settings=_settings(stated.get("settings", {})),
        resources=resources,
        components=[{"type": COMPONENT, "properties": {}, **each} for each in stated.get("components", ())],
    )


def world_of(document: Mapping[str, Any], objects: Mapping[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The resources of the world of a document, spelled out, by name.

    Raises:
        PatchError: a resource is not valid, or two have one name.
    """
    made = [resource(stated, objects) for stated in document.get("world", ())]
    if len(named := {name_of(each): each for each in made}) < len(made):
        raise PatchError(f"two resources have one name: {', '.join(map(name_of, made))}")
    return named


@contextmanager
def _raised_in(place: str) -> Generator[None]:
    try:
        yield
    except PatchError as error:
        raise PatchError(f"{place}: {error}") from error


def resources_of(
    case: Mapping[str, Any], world: Mapping[str, dict[str, Any]], objects: Mapping[str, dict[str, Any]]
) -> list[dict[str, Any]]:
    """The resources of a case, spelled out: its own, or those of the world with its changes.

    Raises:
        PatchError: the case has another key, a resource or a patch is not valid, or two of a kind have one name.
    """
    if unknown := case.keys() - _KEYS:
        raise PatchError(f"a case has no {', '.join(sorted(unknown))}")
    if "resources" in case and case.keys() & {"patch", "without", "add"}:
        raise PatchError("`resources` are all that the case has; patch, without and add start from the world")
    known = {**objects, **world}
    if "resources" in case:
        return _told_apart([resource(stated, known) for stated in case["resources"]])
    without, changes = case.get("without", ()), case.get("patch", {})
    made = {name: deepcopy(each) for name, each in world.items() if name not in without}
    if strangers := [*(set(without) - world.keys()), *(changes.keys() - made.keys())]:
        raise PatchError(f"no resource of the world is called {', '.join(strangers)}; there are {', '.join(world)}")
    for name, patched in changes.items():
        patch(made[name], patched)
    return _told_apart([*made.values(), *(resource(stated, known) for stated in case.get("add", ()))])


def _told_apart(resources: list[dict[str, Any]]) -> list[dict[str, Any]]:
    named = Counter(f"{each.get('type') or each['manifest']['kind']} {name_of(each)}" for each in resources)
    if twice := [name for name, count in named.items() if count > 1]:
        raise PatchError(f"two resources are {', '.join(twice)}")
    return resources


def _settings(stated: dict[str, Any]) -> Settings:
    lists = {key: tuple(cast("list[str]", value)) for key, value in stated.items() if isinstance(value, list)}
    return Settings(**cast("Any", {**stated, **lists}))
