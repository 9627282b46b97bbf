"""The multislice stack as a Pulumi program of literals: no model, no rules, no components of its own.

Importing `cloud.py` and `queueing.py` declares what is in them, as in any flat program of several files.
"""

import pulumi
from cloud import cluster_multislice_cluster, platform_multislice, slices
from queueing import (
    clusterqueue_cluster_queue,
    kubernetes_multislice_cluster,
    localqueue_default_multislice_queue,
    pod_priorities,
    resourceflavor_vlp_24,
    workload_priorities,
)

workloads_workloads = pulumi.ComponentResource(
    "tpu-platform:workloads:Workloads", "workloads", None, pulumi.ResourceOptions(parent=platform_multislice)
)
before = None
for name, replicas, priority in (
    ("multislice-3slice", 3, "normal"),
    ("multislice-2slice", 2, "normal"),
    ("multislice-1slice", 1, "normal"),
    ("low-priority", 1, "low"),
):
    before = pulumi.CustomResource(
        "kubernetes:jobset.x-k8s.io/v1alpha2:JobSet",
        f"default/{name}",
        {
            "apiVersion": "jobset.x-k8s.io/v1alpha2",
            "kind": "JobSet",
            "metadata": {
                "annotations": {"alpha.jobset.sigs.k8s.io/exclusive-topology": "cloud.google.com/gke-nodepool"},
                "labels": {"kueue.x-k8s.io/priority-class": priority, "kueue.x-k8s.io/queue-name": "multislice-queue"},
                "name": name,
                "namespace": "default",
            },
            "spec": {
                "failurePolicy": {"maxRestarts": 4},
                "replicatedJobs": [
                    {
                        "name": "slice",
                        "replicas": replicas,
                        "template": {
                            "spec": {
                                "backoffLimit": 0,
                                "completions": 2,
                                "parallelism": 2,
                                "template": {
                                    "spec": {
                                        "containers": [
                                            {
                                                "command": [
                                                    "bash",
                                                    "-c",
                                                    "python -c 'import jax; print(\"Global device count:\", jax.device_count())'\nsleep 60\n",
                                                ],
                                                "image": "us-docker.pkg.dev/cloud-tpu-images/jax-ai-image/tpu:jax0.8.1-rev1",
                                                "name": "jax-tpu",
                                                "ports": [{"containerPort": 8471}, {"containerPort": 8080}],
                                                "resources": {
                                                    "limits": {"google.com/tpu": "4"},
                                                    "requests": {"google.com/tpu": "4"},
                                                },
                                                "securityContext": {"privileged": True},
                                            }
                                        ],
                                        "dnsPolicy": "ClusterFirstWithHostNet",
                                        "hostNetwork": True,
                                        "nodeSelector": {
                                            "cloud.google.com/gke-tpu-accelerator": "tpu-v5-lite-podslice",
                                            "cloud.google.com/gke-tpu-topology": "2x4",
                                        },
                                        "priorityClassName": priority,
                                        "restartPolicy": "Never",
                                    }
                                },
                            }
                        },
                    }
                ],
            },
        },
        pulumi.ResourceOptions(
            parent=workloads_workloads,
            depends_on=[
                *slices,
                clusterqueue_cluster_queue,
                localqueue_default_multislice_queue,
                resourceflavor_vlp_24,
                *workload_priorities,
                *pod_priorities,
                *([before] if before else []),
            ],
            provider=kubernetes_multislice_cluster,
            deleted_with=cluster_multislice_cluster,
            delete_before_replace=True,
            replace_on_changes=["metadata.annotations", "metadata.labels", "spec"],
        ),
    )
