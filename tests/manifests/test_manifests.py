"""Kubernetes documents from pieces of a plan, against files that were read line by line.

A file has a document whole, or which other document it is `like` and the `patch` that makes it of that one, by path.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

import pytest
import yaml
from msgspec.structs import replace

from components.manifests.charts import jobset_values, kueue_values
from components.manifests.compute_class import compute_class
from components.manifests.job import batch_job
from components.manifests.jobset import jobset
from components.manifests.kubeconfig import kubeconfig
from components.manifests.kueue import (
    cluster_queue,
    local_queue,
    priority_class,
    resource_flavor,
    workload_priority_class,
)
from components.manifests.namespace import namespace
from components.manifests.storage import (
    checkpoint_configuration,
    of_disk,
    of_lustre,
    of_share,
    persistent_volume,
    persistent_volume_claim,
)
from components.model.plan.queues import NamespacePlan
from tests.golden import assert_golden, changes
from tests.manifests import workloads
from tests.model.catalogue.checkpoints import with_checkpoints
from tests.model.catalogue.compute_class import with_class
from tests.model.catalogue.disk import with_disk
from tests.model.catalogue.lustre import with_lustre
from tests.model.stacks_of_rules import SOUND
from tests.stacks import a_platform, jobset_of, multislice

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.manifests.metadata import Manifest
    from components.model.plan import Plan

_GOLDEN = Path(__file__).parent / "golden"
_SHARE = {
    "name": "data",
    "tier": "BASIC_HDD",
    "location": "us-west4-a",
    "share": "data",
    "capacity_gib": 1024,
    "claims": [{"name": "files", "namespace": "research"}],
}


def documents() -> dict[str, Manifest]:
    """A document of each kind and of each branch of what it may have, by the name of its file."""
    plan, small = multislice(), a_platform()
    described = small.set("priorities", 0, description="The usual.").plan().priorities[0]
    single = (
        small.set("tpu_slices", 0, topology="2x2").set("flavors", 0, topology="2x2").drop("workloads", 0, "priority")
    )
    controllers = plan.controllers
    assert controllers.jobset is not None
    assert controllers.kueue is not None
    older = replace(controllers.kueue, version="0.18.9", tag="v0.18.9")
    (storage,) = small.set(shared_storage=[_SHARE]).plan().shared_storage
    (claim,) = storage.claims
    return {
        "resource-flavor": resource_flavor(plan.flavors[0]),
        "cluster-queue": cluster_queue(plan.queues[0]),
        "local-queue": local_queue(plan.queues[0].local_queues[0]),
        "priority-class": priority_class(plan.priorities[1]),
        "priority-class-described": priority_class(described),
        "workload-priority-class": workload_priority_class(plan.priorities[1]),
        "workload-priority-class-described": workload_priority_class(described),
        "jobset": jobset(jobset_of(plan)),
        "jobset-single-host-without-priority": jobset(jobset_of(single.plan())),
        "namespace": namespace(NamespacePlan(place=plan.place, name="team-a")),
        "namespace-that-is-deleted": namespace(NamespacePlan(place=plan.place, name="team-a", is_deleted=True)),
        "jobset-values": jobset_values(controllers.jobset),
        "kueue-values": kueue_values(controllers.kueue, controllers),
        "kueue-values-of-an-older-release": kueue_values(older, controllers),
        **workloads.documents(),
        "persistent-volume": persistent_volume(claim, of_share("10.8.1.2", storage.path)),
        "persistent-volume-claim": persistent_volume_claim(claim),
        **_of_drivers(),
        **_of_classes(),
        "kubeconfig": yaml.safe_load(kubeconfig("ml", "203.0.113.7", "Q0VSVElGSUNBVEU=")),
    }


def _of_drivers() -> dict[str, Manifest]:
    """Volumes that a driver mounts, a claim on one, and the configuration of checkpoints."""
    (instance,) = with_lustre().plan().lustre
    (disk,) = with_disk(access="ReadOnlyMany").plan().disks
    (written,) = with_disk(kind="balanced").plan().disks
    checkpoints = with_checkpoints().plan().cluster.checkpoints
    assert checkpoints is not None
    return {
        "persistent-volume-of-lustre": persistent_volume(instance.claims[0], of_lustre(instance, "10.9.0.2")),
        "persistent-volume-of-a-read-disk": persistent_volume(disk.claims[0], of_disk(disk)),
        "persistent-volume-of-a-written-disk": persistent_volume(written.claims[0], of_disk(written)),
        "persistent-volume-claim-of-a-read-disk": persistent_volume_claim(disk.claims[0]),
        "checkpoint-configuration": checkpoint_configuration(checkpoints),
        "checkpoint-configuration-of-queued-hosts": checkpoint_configuration(
            replace(checkpoints, has_queued_hosts=True)
        ),
    }


def _of_classes() -> dict[str, Manifest]:
    """A class of slices, one of other machines, and workloads that select them."""
    slices, machines = with_class().plan(), SOUND["a chain of machines for a batch job"].plan()
    gpus = SOUND["a chain of GPUs for a batch job"].plan()
    reserved = SOUND["a chain of reserved slices of two generations"].plan()
    moved = SOUND["a chain that gives other nodes and moves pods"].plan()
    (job,) = gpus.batch_jobs
    return {
        "compute-class": compute_class(slices.compute_classes[0]),
        "compute-class-of-machines": compute_class(machines.compute_classes[0]),
        "compute-class-of-gpus": compute_class(gpus.compute_classes[0]),
        "compute-class-of-a-reservation": compute_class(reserved.compute_classes[0]),
        "compute-class-that-moves": compute_class(moved.compute_classes[0]),
        "jobset-of-a-class": jobset(jobset_of(slices)),
        "batch-job-of-a-class": batch_job(job),
    }


_LIKE: Final = {
    **dict.fromkeys(
        (
            *("jobset", "jobset-any-flavor", "jobset-maxtext", "jobset-of-a-class", "jobset-failures"),
            *("jobset-single-host-without-priority", "jobset-with-all-of-a-pod", "jobset-with-buckets"),
            *("jobset-with-a-bucket-on-autopilot", "jobset-with-secret-manager"),
        ),
        "jobset-queued",
    ),
    "tpu-job-with-all-of-a-pod": "batch-job-with-all-of-a-pod",
    "batch-job-awaited-as-root": "batch-job",
    "tpu-job-failures": "tpu-job",
    "persistent-volume-of-a-read-disk": "persistent-volume-of-a-written-disk",
    "persistent-volume-of-lustre": "persistent-volume-of-a-written-disk",
    "compute-class-that-moves": "compute-class",
    "compute-class-of-a-reservation": "compute-class",
    "checkpoint-configuration-of-queued-hosts": "checkpoint-configuration",
    "cluster-queue-of-heads": "cluster-queue",
}
"""Documents whose files have only what differs from another one, which has a whole file."""


@pytest.mark.parametrize(("name", "document"), documents().items(), ids=documents())
def test_document(name: str, document: object) -> None:
    base = _LIKE.get(name)
    expected = document if base is None else {"like": base, "patch": changes(documents()[base], document)}
    assert_golden(_GOLDEN / f"{name}.yaml", expected)


def test_what_others_are_like_is_whole() -> None:
    assert set(_LIKE.values()) & set(_LIKE) == set()


def test_every_golden_file_is_of_a_document() -> None:
    assert {path.stem for path in _GOLDEN.iterdir()} == set(documents())


def _values(document: object) -> Iterator[tuple[str, object]]:
    """Every key with its value, however deep."""
    match document:
        case dict():
            for key, value in cast("dict[str, object]", document).items():
                yield key, value
                yield from _values(value)
        case list():
            for item in cast("list[object]", document):
                yield from _values(item)
        case _:
            return


def test_nothing_writes_suspend() -> None:
    written = [document for name, document in documents().items() if "job" in name]
    assert written
    assert not any(key == "suspend" for document in written for key, _ in _values(document))


def test_quantities_are_as_the_api_server_returns_them() -> None:
    amounts = [value for document in documents().values() for key, value in _values(document) if key == "nominalQuota"]
    chips = [value for document in documents().values() for key, value in _values(document) if key == "google.com/tpu"]
    assert set(amounts) == {"24", "8", "10", "10Gi"}
    assert set(chips) == {"4"}


@pytest.mark.parametrize(
    ("release", "queries", "gates"),
    [
        ("0.15.0", 50, None),
        ("0.16.2", 50, None),
        ("0.18.3", 50, None),
        ("0.19.0", 300, {"DisableWaitForPodsReady": True}),
    ],
)
def test_kueue_is_configured_as_by_the_chart_of_its_release(
    release: str, queries: int, gates: dict[str, bool] | None
) -> None:
    controllers = a_platform().set(controllers={"kueue": {"version": release}}).plan().controllers
    assert controllers.kueue is not None
    written = yaml.safe_load(
        kueue_values(controllers.kueue, controllers)["managerConfig"]["controllerManagerConfigYaml"]
    )
    assert written["clientConnection"]["qps"] == queries
    assert written.get("featureGates") == gates


def test_thousands_of_chips_are_written_as_the_api_server_writes_them() -> None:
    plan = a_platform().set("tpu_slices", 0, slices=500).plan()
    (group,) = cluster_queue(plan.queues[0])["spec"]["resourceGroups"]
    assert group["flavors"][0]["resources"] == [{"name": "google.com/tpu", "nominalQuota": "4k"}]


def _selectors(*namespaces: tuple[str, ...]) -> list[dict[str, object]]:
    """The namespace selectors of queues with LocalQueues in these namespaces."""
    queues = [
        {
            "name": f"team-{index}",
            "flavors": [{"name": "v5e-2x4", "chips": 8}],
            "local_queues": [{"name": f"team-{index}", "namespace": name} for name in names],
        }
        for index, names in enumerate(namespaces)
    ]
    plan = a_platform().set(queues=queues).plan()
    return [cluster_queue(queue)["spec"]["namespaceSelector"] for queue in plan.queues]


def test_a_queue_takes_the_work_of_its_own_namespaces_where_others_have_queues() -> None:
    label = "kubernetes.io/metadata.name"
    both = {"matchExpressions": [{"key": label, "operator": "In", "values": ["b", "c"]}]}
    assert _selectors(("a",), ("b", "c", "b")) == [{"matchLabels": {label: "a"}}, both]


def test_a_queue_of_all_namespaces_and_one_that_others_submit_to_take_every_namespace() -> None:
    assert _selectors(("a", "b")) == [{}]
    assert _selectors(("a",), ("a",)) == [{}, {}]
    assert _selectors(("a",), ()) == [{}, {}]


def test_resources_have_one_order_whatever_that_of_the_file() -> None:
    queue = documents()["cluster-queue-of-a-cohort"]
    covered = ["cpu", "memory", "nvidia.com/gpu", "ephemeral-storage"]
    (_, group) = queue["spec"]["resourceGroups"]
    assert group["coveredResources"] == covered
    assert [resource["name"] for resource in group["flavors"][0]["resources"]] == covered


def test_a_workload_is_queued_by_labels_of_itself_alone() -> None:
    queued = [documents()[name] for name in ("jobset", "tpu-job", "batch-job")]
    labels = [document["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] for document in queued]
    assert labels == ["multislice-queue", "research", "batch"]
    assert not any("kueue" in str(document["spec"]) for document in queued)


def test_no_document_holds_a_password() -> None:
    server = documents()["redis-stateful-set"]
    (container,) = server["spec"]["template"]["spec"]["containers"]
    assert container["args"][:2] == ["--requirepass", "$(REDIS_PASSWORD)"]
    assert all("value" not in variable for variable in container["env"])


def test_a_quota_of_chips_covers_flavors_in_the_order_of_the_file() -> None:
    plan: Plan = (
        a_platform()
        .add("tpu_slices", name="small", slices=3, machine_type="ct5lp-hightpu-4t", topology="2x2", zone="us-west4-a")
        .add("flavors", name="v5e-2x2", machine_type="ct5lp-hightpu-4t", topology="2x2")
        .add("queues", 0, "flavors", name="v5e-2x2", chips=12)
        .plan()
    )
    (group,) = cluster_queue(plan.queues[0])["spec"]["resourceGroups"]
    assert [(flavor["name"], flavor["resources"][0]["nominalQuota"]) for flavor in group["flavors"]] == [
        ("v5e-2x4", "16"),
        ("v5e-2x2", "12"),
    ]
