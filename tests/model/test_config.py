"""The shape of a platform: what each wrong value is told, in full."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from components.model.config import CreatedNetwork, ExistingNetwork, KueueController, Platform, StandardCluster
from components.model.stack_file.shapes import shape_findings
from tests.model.wrong_classes import WRONG_CLASSES
from tests.model.wrong_pods import WRONG_PODS
from tests.model.wrong_runs import WRONG_RUNS
from tests.model.wrong_storage import WRONG_STORAGE
from tests.stacks import Stack, a_platform

_SECTIONS = (
    "Required keys: cluster; "
    "optional keys: services, labels, network, auto_provisioning, node_pools, tpu_slices, compute_classes, quota, "
    "shared_storage, lustre, disks, buckets, service_accounts, secrets, controllers, namespaces, flavors, cohorts, "
    "admission_checks, queues, priorities, workloads, workload_order."
)
_AUTOPILOT = (
    "Required keys: name, mode, location, release_channel; "
    "optional keys: minimum_version, private_nodes, control_plane_cidr, private_endpoint, authorized_networks, "
    "maintenance, deletion_protection, addons."
)
_CLUSTER = f"{_AUTOPILOT.removesuffix('.')}, checkpoints."
_SLICES = (
    "Required keys: name, machine_type, topology; "
    "optional keys: slices, zone, zones, capacity, autoscaled, reservation, max_run_seconds, queued, "
    "host_maintenance, labels, upgrade, protect."
)
_VALUE = "Up to 63 lower-case letters, digits, hyphens and underscores."
_BUCKET = (
    "3 to 63 lower-case letters, digits, hyphens and underscores, beginning and ending with a letter or digit. It "
    "must not begin with goog, nor contain google or a spelling like g00gle."
)
_IMAGE = "Such as us-docker.pkg.dev/project/repository/image:1.0, in lower case except for the host and the tag."
_LABEL = "Up to 63 lower-case letters, digits and hyphens, beginning and ending with a letter or digit."
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
_JOBSET = (
    "Required keys: name, image, kind, slices; optional keys: namespace, queue, priority, env, mounts, resources, "
    "service_account, sidecars, grace_seconds, image_pull_secrets, labels, annotations, flavor, flavors, "
    "compute_class, script, command, maxtext, max_restarts, restart_strategy, failure_policy, success_policy, "
    "replicated_jobs, depends_on, maintenance, host_network."
)
WRONG: dict[str, tuple[Stack, tuple[str, str, str]]] = {
    **WRONG_PODS,
    **WRONG_CLASSES,
    **WRONG_RUNS,
    **WRONG_STORAGE,
    "nothing at all": (Stack({}), ("", "the key cluster is missing.", _SECTIONS)),
    "a misspelt section": (
        _P.set(clutser=_P.platform["cluster"]).drop("cluster"),
        ("clutser", "unknown key.", f"Did you mean cluster? {_SECTIONS}"),
    ),
    "a key that slices do not have": (
        _P.set("tpu_slices", 0, spot=True),
        ("tpu_slices[0].spot", "unknown key.", _SLICES),
    ),
    "a key of one other kind of workload": (
        _P.set("workloads", 0, pods=2),
        ("workloads[0].pods", "unknown key of kind jobset; kind batch-job has it.",
         f"One pod runs on each host of a slice. {_JOBSET}"),
    ),
    "a key of two other kinds of workloads": (
        _P.set("workloads", 0, restart_policy="Never"),
        ("workloads[0].restart_policy", "unknown key of kind jobset; kinds tpu-job and batch-job have it.", _JOBSET),
    ),
    "a key of no kind of workload": (
        _P.set("workloads", 0, color="red"),
        ("workloads[0].color", "unknown key.", _JOBSET),
    ),
    "a key that a created network does not have": (
        _P.set("network", nodes="10.0.0.0/8"),
        ("network.nodes", "unknown key.",
         "Required keys: name, nodes_cidr, pods_cidr, services_cidr; optional keys: mtu, private_services_cidr."),
    ),
    "a key that an existing network does not have": (
        _P.set(network={"existing": "default", "subnetwork": "default", "mtu": 1500}),
        ("network.mtu", "unknown key.", "Required keys: existing; optional keys: subnetwork."),
    ),
    "two keys missing from one mapping": (
        _P.drop("tpu_slices", 0, "machine_type").drop("tpu_slices", 0, "topology"),
        ("tpu_slices[0]", "the keys machine_type and topology are missing.", _SLICES),
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
        ("controllers.kueue.version", "0.16 is a number; text belongs here.", "Three numbers, such as 0.19.2."),
    ),
    "half a version without quotes": (
        _P.set("cluster", minimum_version=1.33),
        ("cluster.minimum_version", "1.33 is a number; text belongs here.", "Such as 1.33.0-gke.1712000."),
    ),
    "a word for true": (
        _P.set("cluster", private_nodes="yes"),
        ("cluster.private_nodes", '"yes" is text; true or false belongs here.', "Write true or false."),
    ),
    "true for a number": (
        _P.set("workloads", 0, slices=True),
        ("workloads[0].slices", "true is a boolean; a whole number belongs here.", "Write a whole number."),
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
        _P.set("cluster", mode="autopillot"),
        ("cluster.mode", "autopillot is not supported here.",
         "Did you mean autopilot? Supported: standard and autopilot."),
    ),
    "a kind that is not there": (
        _P.set("workloads", 0, kind="job"),
        ("workloads[0].kind", "job is not supported here.",
         "Supported: jobset, tpu-job, pathways, ray, batch-job and redis."),
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
        _P.set(controllers={"kueue": {"version": "v0.19.2"}}),
        ("controllers.kueue.version", '"v0.19.2" is not a release.', "Three numbers, such as 0.19.2."),
    ),
    "an add-on that Autopilot has anyway": (
        _P.set("cluster", mode="autopilot", addons={"gcs_fuse": True}),
        ("cluster.addons.gcs_fuse", "unknown key.", "Optional keys: ray_operator."),
    ),
    "a setting of a cluster that exists": (
        _P.set(cluster={"existing": {"name": "ml", "location": "us-west4"}, "mode": "standard", "private_nodes": True}),
        ("cluster.private_nodes", "unknown key.",
         "Required keys: existing, mode; optional keys: node_service_account, other_slices, control_plane_cidr."),
    ),
    "a label's key with capitals": (
        _P.set(labels={"Team": "ml"}),
        ("labels.Team", '"Team" is not a key that Google Cloud takes for a label.',
         "Up to 63 lower-case letters, digits, hyphens and underscores, beginning with a letter."),
    ),
    "a label's value with blanks": (
        _P.set(labels={"team": "machine learning"}),
        ("labels.team", '"machine learning" is not a value that Google Cloud takes in a label.', _VALUE),
    ),
    "a number for a label's value": (
        _P.set(labels={"cost": 4711}),
        ("labels.cost", "4711 is a number; text belongs here.", 'Write it in quotes: "4711".'),
    ),
    "a list of labels": (
        _P.set(labels=["team"]),
        ("labels", "this is a list; a mapping belongs here.", "Write a mapping."),
    ),
    "a full host for an API": (
        _P.set(services=["container.googleapis.com"]),
        ("services[0]", '"container.googleapis.com" is not the short name of a Google Cloud API.',
         "Its name before .googleapis.com, such as container."),
    ),
    "quota of another class": (
        _P.set(quota=[{"region": "us-west4", "family": "v5e", "class": "spot", "chips": 8}]),
        ("quota[0].class", "spot is not supported here.", "Supported: on-demand and preemptible."),
    ),
    "quota of GPUs in chips": (
        _P.set(quota=[{"region": "us-west4", "gpu": "nvidia-l4", "chips": 8, "count": 8}]),
        ("quota[0].chips", "unknown key.", "Required keys: region, gpu, count; optional keys: class."),
    ),
    "a moment without a time": (
        _P.set("cluster", maintenance={"exclusions": [
            {"name": "launch", "start": "2026-12-01", "end": "2026-12-02T00:00:00Z", "scope": "NO_UPGRADES"}
        ]}),
        ("cluster.maintenance.exclusions[0].start", '"2026-12-01" is not a time in UTC.',
         'Written in quotes, such as "2026-12-20T00:00:00Z".'),
    ),
    "a capacity that is not there": (
        _P.set("tpu_slices", 0, capacity="flexstart"),
        ("tpu_slices[0].capacity", "flexstart is not supported here.",
         "Did you mean flex-start? Supported: on-demand, spot, reservation and flex-start."),
    ),
    "a reservation by its name alone": (
        _P.set("tpu_slices", 0, capacity="reservation", reservation="mine"),
        ("tpu_slices[0].reservation", '"mine" is text; a mapping belongs here.',
         "Required keys: name; optional keys: project, block."),
    ),
    "a share's name with a hyphen": (
        _P.set(shared_storage=[{**_SHARE, "share": "a-b"}]),
        ("shared_storage[0].share", '"a-b" is not a name that Filestore takes for a share.',
         "Up to 16 letters, digits and underscores, beginning with a letter."),
    ),
    "a share that nobody claims": (
        _P.set(shared_storage=[_UNCLAIMED]),
        ("shared_storage[0].claims", "the list is empty; at least one item belongs here.",
         "Required keys: name; optional keys: namespace."),
    ),
    "no limits of auto-provisioning": (
        _P.set(auto_provisioning={"limits": {}, "zones": ["us-west4-a"]}),
        ("auto_provisioning.limits", "the mapping is empty; at least one item belongs here.", "Name one or more."),
    ),
    "a bucket's name with capitals": (
        _P.set(buckets=[{"name": "Results"}]),
        ("buckets[0].name", '"Results" is not a name that Cloud Storage takes.',
         _BUCKET),
    ),
    "a bucket's name that begins as Google's do": (
        _P.set(buckets=[{"name": "goog-results"}]),
        ("buckets[0].name", '"goog-results" is not a name that Cloud Storage takes.', _BUCKET),
    ),
    "a bucket's name that is like Google's": (
        _P.set(buckets=[{"name": "my-g00gle-results"}]),
        ("buckets[0].name", '"my-g00gle-results" is not a name that Cloud Storage takes.', _BUCKET),
    ),
    "a node label's key with blanks": (
        _P.set("node_pools", 0, labels={"my team": "ml"}),
        ("node_pools[0].labels.my team", '"my team" is not a key that Kubernetes takes for a label.',
         "Such as team, or example.com/team."),
    ),
    "an account that is none": (
        _P.drop("network").set(cluster={"existing": {"name": "ml", "location": "us-west4"}, "mode": "standard",
                                        "node_service_account": "nodes"}),
        ("cluster.node_service_account", '"nodes" is not the address of a service account.',
         "Such as nodes@my-project.iam.gserviceaccount.com."),
    ),
    "a blank image": (
        _P.set("workloads", 0, image=" "),
        ("workloads[0].image", '" " is blank.', "Give it a value, or leave an optional key out."),
    ),
    "an image in capitals": (
        _P.set("workloads", 0, image="docker.io/Team/Train:1.0"),
        ("workloads[0].image", '"docker.io/Team/Train:1.0" is not a reference to an image.', _IMAGE),
    ),
    "an image with an address before it": (
        _P.set("workloads", 0, image="https://gcr.io/team/train:1.0"),
        ("workloads[0].image", '"https://gcr.io/team/train:1.0" is not a reference to an image.', _IMAGE),
    ),
    "an image with half a digest": (
        _P.set("workloads", 0, image="train@sha256:abc"),
        ("workloads[0].image", '"train@sha256:abc" is not a reference to an image.', _IMAGE),
    ),
    "an image with a digest in capitals": (
        _P.set("workloads", 0, image=f"train@sha256:{64 * 'A'}"),
        ("workloads[0].image", f'"train@sha256:{64 * "A"}" is not a reference to an image.', _IMAGE),
    ),
    "quota of a zone": (
        _P.set(quota=[{"region": "us-west4-a", "family": "v5e", "chips": 8}]),
        ("quota[0].region", '"us-west4-a" is not a region.', "A region such as us-west4, without a zone."),
    ),
    "a day that its month does not have": (
        _P.set("cluster", maintenance={"exclusions": [
            {"name": "a", "start": "2026-02-30T00:00:00Z", "end": "2026-03-02T00:00:00Z", "scope": "NO_UPGRADES"}
        ]}),
        ("cluster.maintenance.exclusions[0].start", '"2026-02-30T00:00:00Z" is not a day of the calendar.',
         "A date that exists."),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("stack", "expected"), WRONG.values(), ids=WRONG)
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
