"""Worker environments and device counts, by the shape of the slice."""

from __future__ import annotations

from typing import Final

import pytest

from simulator.pods.tpu_environment import chips_of, device_counts, worker_environment
from tests.simulator.pods.podspecs import PodBuilder, a_pod

_V5E: Final = "tpu-v5-lite-podslice"


def with_environment(pod: PodBuilder) -> PodBuilder:
    """The pod after admission: its TPU containers have the worker environment."""
    environment = worker_environment(pod.document)
    for container in pod.document["spec"]["containers"]:
        container["env"] = [{"name": name, "value": value} for name, value in environment.items()]
    return pod


def counts(pod: PodBuilder) -> tuple[int, int, int, int]:
    """Local devices, devices, processes and index of this process."""
    found = device_counts(with_environment(pod).document)
    keys = ("local_device_count", "device_count", "process_count", "process_index")
    assert set(found) == {f"jax.{key}" for key in keys}
    local, all_, processes, index = (found[f"jax.{key}"] for key in keys)
    return local, all_, processes, index


def test_a_pod_without_chips_has_no_environment_and_no_devices() -> None:
    pod = a_pod().container("busybox:1", "true").on_tpus(_V5E, "2x4")
    assert worker_environment(pod.document) == {}
    assert device_counts(pod.document) == {}


@pytest.mark.parametrize(
    ("topology", "chips"), [("1x1", 1), ("2x2", 4), ("2x4", 8)], ids=["one chip", "a host", "a host of 8"]
)
def test_a_slice_of_one_host_is_its_own_worker(topology: str, chips: int) -> None:
    pod = a_pod().container("jax:1", "true", chips=chips).on_tpus(_V5E, topology).of_job("train", 3)
    assert worker_environment(pod.document) == {"TPU_WORKER_ID": "0", "TPU_WORKER_HOSTNAMES": "localhost"}
    assert counts(pod) == (chips, chips, 1, 0)


def test_a_pod_that_names_no_topology_counts_its_own_chips() -> None:
    pod = a_pod().container("jax:1", "true", chips=4)
    assert worker_environment(pod.document) == {"TPU_WORKER_ID": "0", "TPU_WORKER_HOSTNAMES": "localhost"}
    assert counts(pod) == (4, 4, 1, 0)


def test_the_hosts_of_a_slice_know_each_other() -> None:
    pod = a_pod().container("jax:1", "true", chips=4).on_tpus(_V5E, "4x4").of_job("train", 2, subdomain="headless")
    assert worker_environment(pod.document) == {
        "TPU_WORKER_ID": "2",
        "TPU_WORKER_HOSTNAMES": "train-0.headless,train-1.headless,train-2.headless,train-3.headless",
    }
    assert counts(pod) == (4, 16, 4, 2)


def test_without_a_service_the_hosts_have_bare_names() -> None:
    pod = a_pod().container("jax:1", "true", chips=4).on_tpus(_V5E, "2x4").of_job("train", 1)
    assert worker_environment(pod.document)["TPU_WORKER_HOSTNAMES"] == "train-0,train-1"


def test_the_slices_of_a_jobset_have_one_coordinator() -> None:
    pod = a_pod().container("jax:1", "true", chips=4).on_tpus(_V5E, "2x4")
    pod.of_jobset("multislice-3slice", "slice", 2, 1, slices=3)
    assert worker_environment(pod.document) == {
        "TPU_WORKER_ID": "1",
        "TPU_WORKER_HOSTNAMES": (
            "multislice-3slice-slice-2-0.multislice-3slice,multislice-3slice-slice-2-1.multislice-3slice"
        ),
        "MEGASCALE_COORDINATOR_ADDRESS": "multislice-3slice-slice-0-0.multislice-3slice",
        "MEGASCALE_NUM_SLICES": "3",
        "MEGASCALE_SLICE_ID": "2",
    }
    assert counts(pod) == (4, 24, 6, 5)


def test_a_jobset_of_one_slice_is_not_multislice() -> None:
    pod = a_pod().container("jax:1", "true", chips=4).on_tpus(_V5E, "2x4").of_jobset("one", "slice", 0, 0, slices=1)
    assert set(worker_environment(pod.document)) == {"TPU_WORKER_ID", "TPU_WORKER_HOSTNAMES"}
    assert counts(pod) == (4, 8, 2, 0)


@pytest.mark.parametrize(("accelerator", "devices"), [("tpu7x", 2), ("tpu-v6e-slice", 1), ("tpu-v3-slice", 2)])
def test_some_chips_are_two_devices(accelerator: str, devices: int) -> None:
    pod = a_pod().container("jax:1", "true", chips=4).on_tpus(accelerator, "2x2x2").of_job("train", 0)
    assert counts(pod) == (4 * devices, 8 * devices, 2, 0)


def test_the_environment_that_a_user_wrote_counts() -> None:
    pod = a_pod().container("jax:1", "true", chips=4, env=[{"name": "TPU_WORKER_HOSTNAMES", "value": "a,b,c"}])
    assert device_counts(pod.document)["jax.device_count"] == 12


def test_the_first_container_with_chips_is_counted() -> None:
    pod = a_pod().container("proxy:1", "true").container("jax:1", "true", chips=1)
    assert device_counts(pod.document)["jax.local_device_count"] == 1


@pytest.mark.parametrize(("stated", "chips"), [("4", 4), (8, 8), ("1500m", 1), ("500m", 0), ("-1", 0), (None, 0)])
def test_amounts_that_no_pod_may_have_are_left_to_the_api_server(stated: str | int | None, chips: int) -> None:
    assert chips_of({"resources": {"limits": {"google.com/tpu": stated}}}) == chips
