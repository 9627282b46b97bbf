"""Cases by hand: what a patch does to an object, and what its author reads if it is not valid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from policies.objects.judging import Settings
from policies.objects.order import Order
from policies.objects.world import World
from policies.rules import judge
from tests.policies.cases import FOLDER, an_object, cases_of, registration, world_of
from tests.policies.patches import OBJECTS, PatchError, patch, read_all, resource, shared

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FILES = sorted(FOLDER.glob("*.yaml"))
_JOB: dict[str, Any] = {
    "manifest": {
        "kind": "Job",
        "metadata": {"name": "train", "labels": {"team": "a"}},
        "spec": {"parallelism": 2, "ports": [{"containerPort": 8471}, {"containerPort": 8080}]},
    }
}
_POOL: dict[str, Any] = {"type": "pool", "name": "slice-a", "properties": {"name": "slice-a", "nodeCount": 2}}
_KNOWN = {"Job": _JOB, "pool": _POOL}


def _patched(changes: dict[str, Any]) -> dict[str, Any]:
    return resource({"like": "Job", "patch": changes}, _KNOWN)["manifest"]


def test_a_patch_replaces_adds_and_removes() -> None:
    made = _patched(
        {
            "spec.parallelism": 4,
            "spec.suspend": True,
            "spec.ports[0].containerPort": 1,
            "spec.ports[2]": {"containerPort": 3},
            "spec.ports[1]": None,
            "metadata.labels.kueue.x-k8s.io/queue-name": "main",
            "metadata.labels.team": None,
        }
    )
    assert made["spec"] == {"parallelism": 4, "suspend": True, "ports": [{"containerPort": 1}, {"containerPort": 3}]}
    assert made["metadata"] == {"name": "train", "labels": {"kueue.x-k8s.io/queue-name": "main"}}
    assert _JOB["manifest"]["spec"]["parallelism"] == 2, "the object that it is like stays as it is"


def test_a_patch_goes_on_into_a_text_that_is_a_mapping() -> None:
    body: dict[str, Any] = {"manifest": {"data": {"config.yaml": "kind: Configuration\nresources: {a: [b]}\n"}}}
    patch(body, {"data.config.yaml.resources.a[1]": "c", "data.config.yaml.kind": None})
    assert body["manifest"]["data"] == {"config.yaml": "resources:\n  a:\n  - b\n  - c\n"}


def test_a_label_that_is_there_is_one_key() -> None:
    body: dict[str, Any] = {"manifest": {"metadata": {"labels": {"example.com/a.b": 1, "example.com/a": {"b": 2}}}}}
    patch(body, {"metadata.labels.example.com/a.b": 3})
    assert body["manifest"]["metadata"]["labels"] == {"example.com/a.b": 3, "example.com/a": {"b": 2}}


def test_a_name_is_that_of_the_object() -> None:
    assert resource({"like": "Job", "name": "team-a/other"}, _KNOWN)["manifest"]["metadata"] == {
        "name": "other",
        "namespace": "team-a",
        "labels": {"team": "a"},
    }
    assert resource({"like": "pool", "name": "b", "protect": True, "after": ["a"]}, _KNOWN) == {
        "type": "pool",
        "name": "b",
        "properties": {"name": "b", "nodeCount": 2},
        "protect": True,
        "after": ["a"],
    }


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"spec.paralelism.x": 1}, "spec.paralelism.x: spec has no paralelism; it has parallelism, ports"),
        ({"specs[0]": 1}, "specs[0]: the object has no specs; it has kind, metadata, spec"),
        ({"metadata.label.example.com/a": "b"}, "metadata has no label; it has name, labels"),
        ({"spec.ports[3]": {}}, "spec.ports[3]: ports is a list of 2; [3] is not an index of it"),
        ({"spec.ports[2].name": "x"}, "spec.ports[2].name: ports has no [2]; it is a list of 2"),
        ({"spec.ports.containerPort": 1}, "ports is a list of 2; containerPort is not an index of it"),
        ({"spec.parallelism.most": 1}, "spec.parallelism.most: parallelism is 2, which has no most"),
        ({"spec.suspend": None}, "spec.suspend: there is nothing to remove; spec has parallelism, ports"),
        ({"spec.parallelism": 2}, "spec.parallelism: it is 2 already"),
    ],
)
def test_a_patch_that_cannot_be_meant_is_an_error(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(PatchError) as raised:
        _patched(changes)
    assert says in str(raised.value)


@pytest.mark.parametrize(
    ("case", "says"),
    [
        ("{resources: [{like: Jobs}]}", "no object is called Jobs; there are Job, pool, slice-a"),
        ("{resources: [{like: Job, with: 1}]}", "unknown: with; an object that is like another has after, like, name"),
        (
            "{resources: [{type: t, name: n, properties: {}, protec: true}]}",
            "unknown: protec; an object that is spelled out",
        ),
        ("{patch: {slice-b: {nodeCount: 1}}}", "no resource of the world is called slice-b; there are slice-a"),
        ("{without: [slice-b]}", "no resource of the world is called slice-b; there are slice-a"),
        ("{add: [{like: Job, with: 1}]}", "unknown: with"),
        ("{add: [{like: pool}]}", "two resources are pool slice-a"),
        ("{resources: [], add: []}", "`resources` are all that the case has"),
        ("{patches: {}}", "a case has no patches"),
        ("{patch: {slice-a: {nodeCount: 2}}}", "nodeCount: it is 2 already"),
    ],
)
def test_an_error_names_the_file_and_the_case(tmp_path: Path, case: str, says: str) -> None:
    file = tmp_path / "a-rule.yaml"
    file.write_text(f"world: [{{like: pool}}]\ncases: [{{name: odd, {case[1:]}]\n", encoding="utf-8")
    with pytest.raises(PatchError) as raised:
        list(cases_of(file, _KNOWN))
    assert str(raised.value).startswith("a-rule.yaml: odd: ")
    assert says in str(raised.value)


def test_every_shared_object_is_used() -> None:
    files = [OBJECTS, *FILES, *(OBJECTS.parent / "mistakes").glob("*.yaml")]
    assert set(shared()) - {name for file in files for name in _liked(read_all(file))} == set()


def _liked(part: object) -> Iterator[str]:
    """The names after `like` in any part of a YAML file."""
    if isinstance(part, dict):
        fields = cast("dict[str, Any]", part)
        yield from [fields["like"]] if "like" in fields else []
        part = list(fields.values())
    for each in cast("list[object]", part) if isinstance(part, list) else ():
        yield from _liked(each)


_WORLDS = [
    pytest.param(document, id=f"{file.stem} {number}")
    for file in FILES
    for number, document in enumerate(read_all(file), 1)
    if "world" in document
]


@pytest.mark.parametrize("document", _WORLDS)
def test_a_world_is_sound(document: dict[str, Any]) -> None:
    resources = world_of(document, shared()).values()
    world = World([an_object(each) for each in resources], order=Order(map(registration, resources)))
    assert [f"{each.rule} {each.place}: {each.says}" for each in judge(world, Settings()).findings] == []
