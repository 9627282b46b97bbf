"""The shape of a platform: where each wrong value is found, and what a user reads about it (`golden/shapes.txt`)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from components.model.config import CreatedNetwork, ExistingNetwork, KueueController, Platform, StandardCluster
from components.model.stack_file.shapes import shape_findings
from tests.golden import assert_golden_text
from tests.model.wrong_classes import WRONG_CLASSES
from tests.model.wrong_failures import WRONG_FAILURES
from tests.model.wrong_pods import WRONG_PODS
from tests.model.wrong_runs import WRONG_RUNS
from tests.model.wrong_storage import WRONG_STORAGE
from tests.stacks import Stack, Told, a_platform, told

_SHARE: dict[str, Any] = {
    "name": "share",
    "tier": "ZONAL",
    "location": "us-west4-a",
    "share": "data",
    "capacity_gib": 1024,
    "claims": [{"name": "share"}],
}
_UNCLAIMED: dict[str, Any] = {**_SHARE, "claims": []}
_P = a_platform()


def told_of_shape(stack: Stack) -> list[Told]:
    """The findings about a platform with a wrong shape, as a user reads them."""
    with pytest.raises(ValidationError) as refused:
        Platform.model_validate_json(json.dumps(stack.platform))
    return told(shape_findings(refused.value, Platform))


WRONG: dict[str, Stack] = {
    **WRONG_PODS,
    **WRONG_CLASSES,
    **WRONG_RUNS,
    **WRONG_STORAGE,
    **WRONG_FAILURES,
    "nothing at all": Stack({}),
    "a misspelt section": _P.set(clutser=_P.platform["cluster"]).drop("cluster"),
    "a key that slices do not have": _P.set("tpu_slices", 0, spot=True),
    "a key of one other kind of workload": _P.set("workloads", 0, pods=2),
    "a key of two other kinds of workloads": _P.set("workloads", 0, restart_policy="Never"),
    "a key of no kind of workload": _P.set("workloads", 0, color="red"),
    "a key that a created network does not have": _P.set("network", nodes="10.0.0.0/8"),
    "a key that an existing network does not have": _P.set(
        network={"existing": "default", "subnetwork": "default", "mtu": 1500}
    ),
    "two keys missing from one mapping": _P.drop("tpu_slices", 0, "machine_type").drop("tpu_slices", 0, "topology"),
    "a quota in quotes": _P.set("queues", 0, "flavors", 0, chips="16"),
    "a fraction": _P.set("queues", 0, "flavors", 0, chips=16.5),
    "a word for a number": _P.set("node_pools", 0, nodes="many"),
    "a number for a text": _P.set(controllers={"kueue": {"version": 0.16}}),
    "half a version without quotes": _P.set("cluster", minimum_version=1.33),
    "a word for true": _P.set("cluster", private_nodes="yes"),
    "true for a number": _P.set("workloads", 0, slices=True),
    "a mapping for a list": _P.set(node_pools={"name": "system"}),
    "nothing for a list": _P.set(queues=None),
    "a text for a mapping": _P.set(flavors=["v5e"]),
    "a list for a mapping": _P.set(cluster=[]),
    "a mode that is not there": _P.set("cluster", mode="autopillot"),
    "a kind that is not there": _P.set("workloads", 0, kind="job"),
    "a release channel in small letters": _P.set("cluster", release_channel="rapid"),
    "no slice": _P.set("workloads", 0, slices=0),
    "a negative count": _P.set("workloads", 0, max_restarts=-1),
    "packets that are too large": _P.set("network", mtu=9000),
    "a priority of more than 32 bits": _P.set("priorities", 0, value=2**31),
    "a queue without flavors": _P.set("queues", 0, flavors=[]),
    "a pool without zones": _P.set("node_pools", 0, zones=[]),
    "a cluster's name with capitals": _P.set("cluster", name="My_Cluster"),
    "a queue's name with capitals": _P.set("queues", 0, name="Research"),
    "a queue's name of 64 characters": _P.set("queues", 0, name="r" * 64),
    "an address range that begins in the middle": _P.set("network", pods_cidr="10.4.0.1/16"),
    "a region for a zone": _P.set("tpu_slices", 0, zone="us-west4"),
    "a location that is none": _P.set("cluster", location="west"),
    "half a version": _P.set("cluster", minimum_version="1.33"),
    "a tag for a release": _P.set(controllers={"kueue": {"version": "v0.19.2"}}),
    "an add-on that Autopilot has anyway": _P.set("cluster", mode="autopilot", addons={"gcs_fuse": True}),
    "a setting of a cluster that exists": _P.set(
        cluster={"existing": {"name": "ml", "location": "us-west4"}, "mode": "standard", "private_nodes": True}
    ),
    "a label's key with capitals": _P.set(labels={"Team": "ml"}),
    "a label's value with blanks": _P.set(labels={"team": "machine learning"}),
    "a number for a label's value": _P.set(labels={"cost": 4711}),
    "a list of labels": _P.set(labels=["team"]),
    "a full host for an API": _P.set(services=["container.googleapis.com"]),
    "quota of another class": _P.set(quota=[{"region": "us-west4", "family": "v5e", "class": "spot", "chips": 8}]),
    "quota of GPUs in chips": _P.set(quota=[{"region": "us-west4", "gpu": "nvidia-l4", "chips": 8, "count": 8}]),
    "a moment without a time": _P.set(
        "cluster",
        maintenance={
            "exclusions": [
                {"name": "launch", "start": "2026-12-01", "end": "2026-12-02T00:00:00Z", "scope": "NO_UPGRADES"}
            ]
        },
    ),
    "a capacity that is not there": _P.set("tpu_slices", 0, capacity="flexstart"),
    "a reservation by its name alone": _P.set("tpu_slices", 0, capacity="reservation", reservation="mine"),
    "a share's name with a hyphen": _P.set(shared_storage=[{**_SHARE, "share": "a-b"}]),
    "a share that nobody claims": _P.set(shared_storage=[_UNCLAIMED]),
    "no limits of auto-provisioning": _P.set(auto_provisioning={"limits": {}, "zones": ["us-west4-a"]}),
    "a bucket's name with capitals": _P.set(buckets=[{"name": "Results"}]),
    "a bucket's name that begins as Google's do": _P.set(buckets=[{"name": "goog-results"}]),
    "a bucket's name that is like Google's": _P.set(buckets=[{"name": "my-g00gle-results"}]),
    "a node label's key with blanks": _P.set("node_pools", 0, labels={"my team": "ml"}),
    "an account that is none": _P.drop("network").set(
        cluster={
            "existing": {"name": "ml", "location": "us-west4"},
            "mode": "standard",
            "node_service_account": "nodes",
        }
    ),
    "a blank image": _P.set("workloads", 0, image=" "),
    "an image in capitals": _P.set("workloads", 0, image="docker.io/Team/Train:1.0"),
    "an image with an address before it": _P.set("workloads", 0, image="https://gcr.io/team/train:1.0"),
    "an image with half a digest": _P.set("workloads", 0, image="train@sha256:abc"),
    "an image with a digest in capitals": _P.set("workloads", 0, image=f"train@sha256:{64 * 'A'}"),
    "quota of a zone": _P.set(quota=[{"region": "us-west4-a", "family": "v5e", "chips": 8}]),
    "a day that its month does not have": _P.set(
        "cluster",
        maintenance={
            "exclusions": [
                {
                    "name": "a",
                    "start": "2026-02-30T00:00:00Z",
                    "end": "2026-03-02T00:00:00Z",
                    "scope": "NO_UPGRADES",
                }
            ]
        },
    ),
}


def test_wrong_shape_is_told_exactly_this() -> None:
    lines = [
        f"{case}: {each.place}: {each.says} {each.remedy}\n"
        for case, stack in WRONG.items()
        for each in told_of_shape(stack)
    ]
    assert_golden_text(Path(__file__).parent / "golden" / "shapes.txt", "".join(lines))


def test_every_wrong_value_is_told_at_once() -> None:
    stack = a_platform().set(spares=1).drop("cluster", "name").set("tpu_slices", 0, slices="2", zone="west")
    with pytest.raises(ValidationError) as refused:
        Platform.model_validate_json(json.dumps(stack.platform))
    found = {str(each.place) for each in shape_findings(refused.value, Platform)}
    assert found == {"spares", "cluster", "tpu_slices[0].slices", "tpu_slices[0].zone"}


def test_a_key_left_out_takes_its_default() -> None:
    platform = Platform.model_validate_json(
        json.dumps({key: a_platform().platform[key] for key in ("network", "cluster")})
    )
    assert (platform.node_pools, platform.workloads) == ((), ())
    assert isinstance(platform.cluster, StandardCluster)
    assert platform.cluster.deletion_protection is True
    assert isinstance(platform.controllers.kueue, KueueController)
    assert platform.controllers.kueue.version == "0.19.2"


def test_zero_and_false_are_values() -> None:
    stack = a_platform().set("node_pools", 0, nodes=0).set("cluster", private_nodes=False, deletion_protection=False)
    platform = Platform.model_validate_json(json.dumps(stack.platform))
    assert platform.node_pools[0].nodes == 0
    assert isinstance(platform.cluster, StandardCluster)
    assert (platform.cluster.private_nodes, platform.cluster.deletion_protection) == (False, False)


def test_the_network_is_told_by_its_keys() -> None:
    existing = a_platform().set(network={"existing": "default", "subnetwork": "default"})
    kinds = [type(Platform.model_validate_json(json.dumps(each.platform)).network) for each in (a_platform(), existing)]
    assert kinds == [CreatedNetwork, ExistingNetwork]
