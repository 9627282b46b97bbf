"""The environment that GKE gives to a container on TPUs, and the device counts that JAX would see with it.

GKE's own admission webhook gives each worker of a slice the names of the others, and each slice of a multislice job the
address of the coordinator. The values follow from the pod: its topology selector, the index of its Job and, for a
JobSet, the labels that the JobSet controller writes.

Source: GKE documentation "About TPUs in GKE" and "Multislice"; the webhook's source is not public: its behaviour here
follows from the variables that workloads rely on (2026-11).
"""

from __future__ import annotations

from typing import Final

from components.kubeapi.documents import Document, entries, section
from components.model.facts import gke, tpu
from components.model.facts.quantities import parse
from components.model.facts.tpu_catalogue import GENERATIONS

_COMPLETION_INDEX: Final = "batch.kubernetes.io/job-completion-index"
_JOB_NAME: Final = "batch.kubernetes.io/job-name"
_JOB_INDEX: Final = "jobset.sigs.k8s.io/job-index"
_REPLICATED_JOB: Final = "jobset.sigs.k8s.io/replicatedjob-name"


def chips_of(container: Document) -> int:
    """Whole chips that the container asks for; 0 when it asks for none.

    Other amounts reach a webhook too: the API server refuses them only after it.
    """
    stated = section(container, "resources", "limits").get(gke.RESOURCE_TPU)
    try:
        return 0 if stated is None else parse(str(stated)).milli // 1000
    except ValueError:
        return 0


def worker_environment(pod: Document, of_class: int | None = None) -> dict[str, str]:
    """The variables for the pod's TPU containers, empty when it asks for no chips; existing variables are ignored.

    `of_class` is the number of hosts of a slice, for a pod that selects a ComputeClass and no topology.
    """
    chips = max((chips_of(container) for container in entries(section(pod, "spec"), "containers")), default=0)
    if chips == 0:
        return {}
    topology = section(pod, "spec", "nodeSelector").get(gke.LABEL_TPU_TOPOLOGY)
    hosts = _hosts(str(topology), chips) if topology else of_class or 1
    labels = section(pod, "metadata", "labels")
    index = section(pod, "metadata", "annotations").get(_COMPLETION_INDEX, "0")
    if hosts == 1:
        return {"TPU_WORKER_ID": "0", "TPU_WORKER_HOSTNAMES": "localhost", **_slices(pod)}
    subdomain = section(pod, "spec").get("subdomain")
    domain = f".{subdomain}" if subdomain else ""
    names = [f"{labels.get(_JOB_NAME)}-{host}{domain}" for host in range(hosts)]
    return {"TPU_WORKER_ID": str(index), "TPU_WORKER_HOSTNAMES": ",".join(names), **_slices(pod)}


def device_counts(pod: Document) -> dict[str, int]:
    """Results of JAX's counting functions in the pod's first TPU container, by its environment; empty without one."""
    for container in entries(section(pod, "spec"), "containers"):
        chips = chips_of(container)
        if chips:
            stated = {item["name"]: str(item["value"]) for item in entries(container, "env") if "value" in item}
            environment = {**_slices(pod), **stated}  # a variable that is read from a field has GKE's value
            local = chips * _devices_per_chip(pod)
            hosts = len(environment.get("TPU_WORKER_HOSTNAMES", "localhost").split(","))
            slices = int(environment.get("MEGASCALE_NUM_SLICES", "1"))
            return {
                "jax.local_device_count": local,
                "jax.device_count": local * hosts * slices,
                "jax.process_count": hosts * slices,
                "jax.process_index": int(environment.get("TPU_WORKER_ID", "0"))
                + hosts * int(environment.get("MEGASCALE_SLICE_ID", "0")),
            }
    return {}


def _slices(pod: Document) -> dict[str, str]:
    labels = section(pod, "metadata", "labels")
    slices = str(labels.get(gke.LABEL_REPLICATED_JOB_REPLICAS, "1"))
    if slices == "1":
        return {}
    first = f"{labels.get(gke.LABEL_JOBSET_NAME)}-{labels.get(_REPLICATED_JOB)}-0-0"
    subdomain = section(pod, "spec").get("subdomain")
    return {
        "MEGASCALE_COORDINATOR_ADDRESS": f"{first}.{subdomain}" if subdomain else first,
        "MEGASCALE_NUM_SLICES": slices,
        "MEGASCALE_SLICE_ID": str(labels.get(_JOB_INDEX, "0")),
    }


def _hosts(topology: str, chips: int) -> int:
    product = 1
    for side in tpu.parse_topology(topology):
        product *= side
    return max(1, product // chips)


def _devices_per_chip(pod: Document) -> int:
    accelerator = section(pod, "spec", "nodeSelector").get(gke.LABEL_TPU_ACCELERATOR)
    return next((g.devices_per_chip for g in GENERATIONS if g.accelerator == accelerator), 1)
