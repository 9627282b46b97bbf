"""Submits a JobSet to the team's queue of a TPU platform that another stack declares."""

from __future__ import annotations

from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes

from platform_outputs import Flavor, PlatformOutputs
from platform_outputs.kubernetes import kubernetes_provider

IMAGE = "us-docker.pkg.dev/cloud-tpu-images/jax-ai-image/tpu:jax0.8.1-rev1"
PORTS = (8471, 8080)
"""Between the hosts of a slice, and between slices."""
SCRIPT = """
python -c 'import jax; print("Global device count:", jax.device_count())'
sleep 60
"""


def slices(platform: PlatformOutputs, flavor: Flavor, replicas: int) -> dict[str, Any]:
    """A replicated Job: one Job per slice, one pod per host, each with all chips of its host."""
    chips = {platform.keys.chips_resource: str(flavor.chips_per_host)}
    worker = {
        "name": "worker",
        "image": IMAGE,
        "command": ["bash", "-c", SCRIPT],
        "ports": [{"containerPort": port} for port in PORTS],
        "resources": {"requests": chips, "limits": chips},
    }
    pod = {"restartPolicy": "Never", "nodeSelector": dict(flavor.node_labels), "containers": [worker]}
    job = {"parallelism": flavor.hosts, "completions": flavor.hosts, "backoffLimit": 0, "template": {"spec": pod}}
    return {"name": "slice", "replicas": replicas, "template": {"spec": job}}


config = pulumi.Config()
platform = PlatformOutputs.of(config.require("platform"))
queue, priority = config.require("queue"), config.require("priority")
target = platform.local_queue(queue)
flavor = platform.flavor(config.require("flavor"), queue=queue)

run = kubernetes.apiextensions.CustomResource(
    "evaluation",
    api_version="jobset.x-k8s.io/v1alpha2",
    kind="JobSet",
    metadata={
        "name": "evaluation",
        "namespace": target.namespace,
        "labels": platform.labels(target, priority=priority),
        "annotations": platform.annotations(flavor),
    },
    spec={
        "failurePolicy": {"maxRestarts": 4},
        "replicatedJobs": [slices(platform, flavor, config.require_int("slices"))],
    },
    # The update does not wait for a JobSet, but it does for a Job: docs/outputs.md has the annotations that change it.
    # A run cannot be changed: what is declared differently is another run under the same name.
    opts=pulumi.ResourceOptions(
        provider=kubernetes_provider(platform),
        replace_on_changes=["spec", "metadata.labels", "metadata.annotations"],
        delete_before_replace=True,
    ),
)

pulumi.export("chips", flavor.hosts * flavor.chips_per_host * config.require_int("slices"))
pulumi.export("submitted_to", f"{target.namespace}/{target.name}")
