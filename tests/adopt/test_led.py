"""Pathways and Ray workloads that are there, as the stack file states them."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest

from adopt.led import is_pathways, pathways_run, ray_run
from adopt.listings import InexpressibleError, Listings
from components.manifests.pathways import pathways_jobset
from components.manifests.ray import ray_job
from components.model.plan.workloads import PathwaysPlan, RayPlan
from tests.model.catalogue.head import pathways, ray

if TYPE_CHECKING:
    from tests.adopt.listed import Item
    from tests.stacks import Stack

_STATED = {"priority": "normal", "queue": "research", "flavor": "v5e-2x4", "slices": 2, "script": "sleep 60"}
_PROGRAM = {"cpu": "4", "memory": "16G"}


def _object(stack: Stack) -> Item:
    """The object of the stack's workload, as a listing shows it."""
    (work,) = stack.plan().workloads
    assert isinstance(work, (PathwaysPlan, RayPlan))
    document: Any = pathways_jobset(work) if isinstance(work, PathwaysPlan) else ray_job(work)
    return copy.deepcopy(document)


def _pathways(item: Item) -> dict[str, Any]:
    return pathways_run(Listings(), item, pathways().plan().flavors, is_autopilot=False)


def _ray(item: Item) -> dict[str, Any]:
    return ray_run(Listings(), item, ray().plan().flavors)


def test_pathways_is_told_from_other_jobsets() -> None:
    item = _object(pathways())
    assert is_pathways(item)
    item["spec"]["replicatedJobs"][0]["name"] = "leader"
    assert not is_pathways(item)


def test_a_pathways_workload_is_stated_as_it_is() -> None:
    stated = _pathways(_object(pathways(max_restarts=2, head={"pool": "heads"})))
    assert stated == {
        **_STATED,
        "name": "pw",
        "namespace": "default",
        "kind": "pathways",
        "image": "registry.example/train:1.0",
        "version": "20260128-jax_0.9.0",
        "scratch_bucket": "ml-scratch",
        "resources": _PROGRAM,
        "head": {
            "server": {"cpu": "8", "memory": "16G"},
            "proxy": {"cpu": "16", "memory": "100G"},
            "pool": "heads",
        },
        "max_restarts": 2,
    }
    assert _object(pathways().set(workloads=[stated])) == _object(pathways(max_restarts=2, head={"pool": "heads"}))


def test_a_ray_workload_is_stated_as_it_is() -> None:
    stated = _ray(_object(ray(ray_version="2.52.0")))
    assert stated == {
        **_STATED,
        "name": "rl",
        "namespace": "default",
        "kind": "ray",
        "image": "registry.example/train:1.0",
        "ray_version": "2.52.0",
        "head": {"resources": {"cpu": "4", "memory": "16Gi"}},
    }
    assert _object(ray().set(workloads=[stated])) == _object(ray(ray_version="2.52.0"))


def test_what_kueue_wrote_into_the_object_is_not_stated() -> None:
    item = _object(ray())
    item["metadata"]["uid"] = "u1"
    workload: Item = {
        "metadata": {"ownerReferences": [{"uid": "u1"}]},
        "spec": {
            "podSets": [
                {"name": "head", "template": {"spec": {}}},
                {"name": "slice", "template": item["spec"]["rayClusterSpec"]["workerGroupSpecs"][0]["template"]},
            ]
        },
    }
    item["spec"]["rayClusterSpec"]["headGroupSpec"]["template"]["spec"]["nodeSelector"] = {
        "cloud.google.com/gke-nodepool": "heads"
    }
    listings = Listings(objects={"Workload": [workload]})
    assert "pool" not in ray_run(listings, item, ray().plan().flavors)["head"]


def test_other_containers_than_those_of_pathways_are_left_out() -> None:
    item = _object(pathways())
    item["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]["initContainers"].pop()
    with pytest.raises(InexpressibleError, match="does not have the two containers of Pathways"):
        _pathways(item)


def test_several_groups_of_workers_are_left_out() -> None:
    item = _object(ray())
    groups = item["spec"]["rayClusterSpec"]["workerGroupSpecs"]
    groups.append({**groups[0], "groupName": "more"})
    with pytest.raises(InexpressibleError, match="it has 2 groups of workers"):
        _ray(item)
