"""The JobSet document of a Pathways workload: a head with the program on an ordinary node, and a Job per slice.

It is the JobSet that Google's controller makes of a PathwaysJob, without its folder of the host, which only a sidecar
for colocated Python needs. The head's address is written out; the controller lets JobSet write it into a label, which
bounds the name of the workload to 22 characters, and orders the start by a field that is deprecated. Ports of pods on
the host's network keep heads on different nodes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from components.manifests import pods
from components.manifests.job import networked, run_metadata, tpu_pod
from components.manifests.jobset import API_VERSION
from components.model import names
from components.model.facts import gke, pathways

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.manifests.metadata import Manifest
    from components.model.facts.quantities import Quantity
    from components.model.plan.workloads import PathwaysPlan


def pathways_jobset(workload: PathwaysPlan) -> Manifest:
    """The workload's document: workers start when the head is ready, and it is complete when the head is."""
    return {
        "apiVersion": API_VERSION,
        "kind": "JobSet",
        "metadata": run_metadata(workload),
        "spec": {
            "failurePolicy": {"maxRestarts": workload.max_restarts},
            "successPolicy": {"operator": "All", "targetReplicatedJobs": [names.PATHWAYS_HEAD]},
            "replicatedJobs": [
                {
                    "name": names.PATHWAYS_HEAD,
                    "replicas": 1,
                    "template": {"spec": _job(1, 0, pods.template(_head(workload), workload.pod))},
                },
                {
                    "name": names.PATHWAYS_WORKER,
                    "replicas": workload.slices,
                    "dependsOn": [{"name": names.PATHWAYS_HEAD, "status": "Ready"}],
                    "template": _slice(workload),
                },
            ],
        },
    }


def _job(hosts: int, failures: int, template: Manifest) -> Manifest:
    return {"parallelism": hosts, "completions": hosts, "backoffLimit": failures, "template": template}


def _slice(workload: PathwaysPlan) -> Manifest:
    template = pods.template(_worker(workload), replace(workload.pod, driver_annotations={}))
    spec = _job(workload.hosts, workload.hosts * pathways.RESTARTS_OF_A_WORKER, template)
    if workload.exclusive_topology is None:
        return {"spec": spec}
    return {
        "metadata": {"annotations": {gke.ANNOTATION_EXCLUSIVE_TOPOLOGY: workload.exclusive_topology}},
        "spec": spec,
    }


def _head(workload: PathwaysPlan) -> Manifest:
    address = names.pathways_head(workload.name)
    program: Manifest = {"name": names.CONTAINER, "image": workload.image}
    pods.program(program, workload)
    pod: Manifest = {"restartPolicy": "Never", "containers": [program]}
    pods.apply(pod, workload.head.pod)
    pod["initContainers"] = [_resource_manager(workload), _proxy(workload), *pod.get("initContainers", ())]
    variables = (address, "proxy", "GCP", f"grpc://{address}:{pathways.PORT_PROXY}")
    program["env"] = [
        *_variables(dict(zip(pathways.PROGRAM_VARIABLES, variables, strict=True))),
        *program.get("env", ()),
    ]
    if workload.head.node_selector:
        pod["nodeSelector"] = dict(workload.head.node_selector)
    if workload.priority is not None:
        pod["priorityClassName"] = workload.priority
    networked(pod, workload)
    return pod


def _resource_manager(workload: PathwaysPlan) -> Manifest:
    arguments = [
        f"--server_port={pathways.PORT_RESOURCE_MANAGER}",
        _scratch(workload),
        "--node_type=resource_manager",
        f"--instance_count={workload.slices}",
        f"--instance_type={workload.instance_type}",
    ]
    variables = {
        "REPLICATED_JOB_NAME": names.PATHWAYS_HEAD,
        "JOBSET_NAME": workload.name,
        "HOST_ADDRESS": names.pathways_head(workload.name),
        "TPU_SKIP_MDS_QUERY": "true",
    }
    ports = (pathways.PORT_RESOURCE_MANAGER, pathways.PORT_RESOURCE_MANAGER_STATUS)
    sidecar = _sidecar(pathways.MANAGER_CONTAINER, workload.server_image, arguments, ports, workload.server)
    return {**sidecar, "env": _variables(variables)}


def _proxy(workload: PathwaysPlan) -> Manifest:
    arguments = [
        f"--server_port={pathways.PORT_PROXY}",
        f"--resource_manager_address={names.pathways_head(workload.name)}:{pathways.PORT_RESOURCE_MANAGER}",
        _scratch(workload),
    ]
    return _sidecar(pathways.PROXY_CONTAINER, workload.proxy_image, arguments, (pathways.PORT_PROXY,), workload.proxy)


def _sidecar(
    name: str, image: str, arguments: list[str], ports: tuple[int, ...], resources: Mapping[str, Quantity]
) -> Manifest:
    return {
        "name": name,
        "image": image,
        "args": arguments,
        "ports": [{"containerPort": port} for port in ports],
        "resources": pods.resources(resources),
        "restartPolicy": pods.SIDECAR,
    }


def _worker(workload: PathwaysPlan) -> Manifest:
    """The pod of a host; it is the server, not the user's program, that runs on the slices."""
    pod = tpu_pod(replace(workload, pod=workload.worker_pod), restart_policy="OnFailure")
    (container,) = pod["containers"]
    container["name"] = pathways.WORKER_CONTAINER
    container["image"] = workload.server_image
    del container["command"]
    container["args"] = [
        f"--server_port={pathways.PORT_WORKER}",
        f"--resource_manager_address={names.pathways_head(workload.name)}:{pathways.PORT_RESOURCE_MANAGER}",
        _scratch(workload),
    ]
    address = names.pathways_head(workload.name)
    container["env"] = [
        *_variables(
            {
                "TPU_MIN_LOG_LEVEL": "0",
                "TF_CPP_MIN_LOG_LEVEL": "0",
                "XCLOUD_ENVIRONMENT": "GCP",
                "MEGASCALE_GRPC_ENABLE_XOR_TRACER": "false",
                "MEGASCALE_NUM_SLICES": str(workload.slices),
                "MEGASCALE_COORDINATOR_ADDRESS": address,
                "JOBSET_NAME": workload.name,
                "REPLICATED_JOB_NAME": names.PATHWAYS_WORKER,
                "PATHWAYS_HEAD": address,
            }
        ),
        pods.field_variable("MEGASCALE_SLICE_ID", f"metadata.labels['{gke.LABEL_JOB_INDEX}']"),
    ]
    return pod


def _variables(values: Mapping[str, str]) -> list[Manifest]:
    return [{"name": name, "value": value} for name, value in values.items()]


def _scratch(workload: PathwaysPlan) -> str:
    return f"--gcs_scratch_location=gs://{workload.scratch_bucket}/{workload.name}"
