"""The shape of a platform: what each wrong value is told, in full."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from components.model.config import CreatedNetwork, ExistingNetwork, Platform
from components.model.shape_findings import shape_findings
from tests.stacks import Stack, a_platform

_SECTIONS = (
    "Required keys: network, cluster; "
    "optional keys: node_pools, tpu_slices, controllers, flavors, cohorts, admission_checks, queues, priorities, "
    "workloads."
)
_CLUSTER = (
    "Required keys: name, mode, location, release_channel; "
    "optional keys: minimum_version, private_nodes, control_plane_cidr, deletion_protection."
)
_LABEL = "Up to 63 lower-case letters, digits and hyphens, beginning and ending with a letter or digit."
_P = a_platform()
_WRONG: dict[str, tuple[Stack, tuple[str, str, str]]] = {
    "nothing at all": (Stack({}), ("", "the keys network and cluster are missing.", _SECTIONS)),
    "a misspelt section": (
        _P.set(clutser=_P.platform["cluster"]).drop("cluster"),
        ("clutser", "unknown key.", f"Did you mean cluster? {_SECTIONS}"),
    ),
    "a key that slices do not have": (
        _P.set("tpu_slices", 0, spot=True),
        ("tpu_slices[0].spot", "unknown key.",
         "Required keys: name, machine_type, topology, zone; optional keys: slices."),
    ),
    "a key that a created network does not have": (
        _P.set("network", nodes="10.0.0.0/8"),
        ("network.nodes", "unknown key.",
         "Required keys: name, nodes_cidr, pods_cidr, services_cidr; optional keys: mtu."),
    ),
    "a key that an existing network does not have": (
        _P.set(network={"existing": "default", "subnetwork": "default", "mtu": 1500}),
        ("network.mtu", "unknown key.", "Required keys: existing, subnetwork."),
    ),
    "two keys missing from one mapping": (
        _P.drop("tpu_slices", 0, "zone").drop("tpu_slices", 0, "topology"),
        ("tpu_slices[0]", "the keys topology and zone are missing.",
         "Required keys: name, machine_type, topology, zone; optional keys: slices."),
    ),
    "a quota in quotes": (
        _P.set("queues", 0, "flavors", 0, chips="16"),
        ("queues[0].flavors[0].chips", '"16" is text; a whole number belongs here.', "Write 16 without quotes."),
    ),
    "a fraction": (
        _P.set("queues", 0, "flavors", 0, chips=16.5),
        ("queues[0].flavors[0].chips", "16.5 is a number; a whole number belongs here.", "Write a whole number."),
    ),
    "a word for a number": (
        _P.set("node_pools", 0, nodes="many"),
        ("node_pools[0].nodes", '"many" is text; a whole number belongs here.', "Write a whole number."),
    ),
    "a number for a text": (
        _P.set(controllers={"kueue": {"version": 0.16}}),
        ("controllers.kueue.version", "0.16 is a number; text belongs here.", 'Write it in quotes: "0.16".'),
    ),
    "a word for true": (
        _P.set("cluster", private_nodes="yes"),
        ("cluster.private_nodes", '"yes" is text; true or false belongs here.', "Write true or false."),
    ),
    "true for a number": (
        _P.set("workloads", 0, slices=True),
        ("workloads[0].slices", "true stands here; a whole number belongs here.", "Write a whole number."),
    ),
    "a mapping for a list": (
        _P.set(node_pools={"name": "system"}),
        ("node_pools", "this is a mapping; a list belongs here.",
         "Begin each item with a hyphen, or write [] for none."),
    ),
    "nothing for a list": (
        _P.set(queues=None),
        ("queues", "nothing is given; a list belongs here.", "Begin each item with a hyphen, or write [] for none."),
    ),
    "a text for a mapping": (
        _P.set(flavors=["v5e"]),
        ("flavors[0]", '"v5e" is text; a mapping belongs here.', "Required keys: name; optional keys: labels."),
    ),
    "a list for a mapping": (
        _P.set(cluster=[]),
        ("cluster", "this is a list; a mapping belongs here.",
         _CLUSTER),
    ),
    "a mode that is not there": (
        _P.set("cluster", mode="autopilot"),
        ("cluster.mode", "autopilot is not supported here.", "Supported: standard."),
    ),
    "a kind that is not there": (
        _P.set("workloads", 0, kind="job"),
        ("workloads[0].kind", "job is not supported here.", "Supported: jobset, tpu-job, batch-job and redis."),
    ),
    "a release channel in small letters": (
        _P.set("cluster", release_channel="rapid"),
        ("cluster.release_channel", "rapid is not supported here.",
         "Did you mean RAPID? Supported: RAPID, REGULAR, STABLE and EXTENDED."),
    ),
    "no slice": (
        _P.set("workloads", 0, slices=0), ("workloads[0].slices", "0 is out of range.", "Write 1 or more."),
    ),
    "a negative count": (
        _P.set("workloads", 0, max_restarts=-1),
        ("workloads[0].max_restarts", "-1 is out of range.", "Write 0 or more."),
    ),
    "packets that are too large": (
        _P.set("network", mtu=9000), ("network.mtu", "9000 is out of range.", "Write 8896 or less."),
    ),
    "a priority of more than 32 bits": (
        _P.set("priorities", 0, value=2**31),
        ("priorities[0].value", "2147483648 is out of range.", "Write a number below 2147483648."),
    ),
    "a queue without flavors": (
        _P.set("queues", 0, flavors=[]),
        ("queues[0].flavors", "the list is empty; at least one item belongs here.",
         "Required keys: name; optional keys: chips, borrow, lend, admission_checks, resources."),
    ),
    "a pool without zones": (
        _P.set("node_pools", 0, zones=[]),
        ("node_pools[0].zones", "the list is empty; at least one item belongs here.", "Name one or more."),
    ),
    "a cluster's name with capitals": (
        _P.set("cluster", name="My_Cluster"),
        ("cluster.name", '"My_Cluster" is not a name that Google Cloud takes.',
         "Lower-case letters, digits and hyphens, beginning with a letter and ending with a letter or digit."),
    ),
    "a queue's name with capitals": (
        _P.set("queues", 0, name="Research"),
        ("queues[0].name", '"Research" is not a name that Kubernetes takes in a label.', _LABEL),
    ),
    "a queue's name of 64 characters": (
        _P.set("queues", 0, name="r" * 64),
        ("queues[0].name", f'"{"r" * 64}" is not a name that Kubernetes takes in a label.', _LABEL),
    ),
    "an address range that begins in the middle": (
        _P.set("network", pods_cidr="10.4.0.1/16"),
        ("network.pods_cidr", '"10.4.0.1/16" is not a range of IPv4 addresses.',
         "Such as 10.0.0.0/20, in which only the first 20 bits may be set."),
    ),
    "a region for a zone": (
        _P.set("tpu_slices", 0, zone="us-west4"),
        ("tpu_slices[0].zone", '"us-west4" is not a zone.', "A zone such as us-west4-a."),
    ),
    "a location that is none": (
        _P.set("cluster", location="west"),
        ("cluster.location", '"west" is not a location.', "A region such as us-west4, or a zone such as us-west4-a."),
    ),
    "half a version": (
        _P.set("cluster", minimum_version="1.33"),
        ("cluster.minimum_version", '"1.33" is not a full GKE version.', "Such as 1.33.0-gke.1712000."),
    ),
    "a tag for a release": (
        _P.set(controllers={"kueue": {"version": "v0.16.2"}}),
        ("controllers.kueue.version", '"v0.16.2" is not a release.', "Three numbers, such as 0.16.2."),
    ),
    "a blank image": (
        _P.set("workloads", 0, image=" "),
        ("workloads[0].image", '" " is blank.', "Give it a value, or leave an optional key out."),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("stack", "expected"), _WRONG.values(), ids=_WRONG)
def test_wrong_shape_is_told_exactly_this(stack: Stack, expected: tuple[str, str, str]) -> None:
    with pytest.raises(ValidationError) as refused:
        Platform.model_validate_json(json.dumps(stack.platform))
    found = shape_findings(refused.value, Platform)
    assert [(str(each.place), each.says, each.remedy) for each in found] == [expected]


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
    assert platform.cluster.deletion_protection is True
    assert platform.controllers.kueue.version == "0.16.2"


def test_zero_and_false_are_values() -> None:
    stack = a_platform().set("node_pools", 0, nodes=0).set("cluster", private_nodes=False, deletion_protection=False)
    platform = Platform.model_validate_json(json.dumps(stack.platform))
    assert platform.node_pools[0].nodes == 0
    assert (platform.cluster.private_nodes, platform.cluster.deletion_protection) == (False, False)


def test_the_network_is_told_by_its_keys() -> None:
    existing = a_platform().set(network={"existing": "default", "subnetwork": "default"})
    kinds = [type(Platform.model_validate_json(json.dumps(each.platform)).network) for each in (a_platform(), existing)]
    assert kinds == [CreatedNetwork, ExistingNetwork]
