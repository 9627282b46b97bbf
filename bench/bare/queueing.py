"""Queueing in the cluster of the bare program: controllers, queues and priorities."""

import pulumi
import pulumi_kubernetes as kubernetes
from cloud import (
    cluster_cluster,
    cluster_multislice_cluster,
    controllers_controllers,
    firewall_multislice_cluster_webhooks,
    nodepool_system,
    platform_multislice,
)

KUBECONFIG = "apiVersion: v1\nkind: Config\nclusters:\n- name: multislice-cluster\n  cluster:\n    server: https://203.0.113.7\n    certificate-authority-data: Q0VSVElGSUNBVEU=\ncontexts:\n- name: multislice-cluster\n  context:\n    cluster: multislice-cluster\n    user: multislice-cluster\nusers:\n- name: multislice-cluster\n  user:\n    exec:\n      apiVersion: client.authentication.k8s.io/v1beta1\n      command: gke-gcloud-auth-plugin\n      installHint: 'Install gke-gcloud-auth-plugin: gcloud components install gke-gcloud-auth-plugin'\n      provideClusterInfo: true\n      interactiveMode: IfAvailable\ncurrent-context: multislice-cluster\n"
kubernetes_multislice_cluster = kubernetes.Provider(
    "multislice-cluster",
    cluster_identifier="multislice-cluster",
    enable_patch_force=True,
    kubeconfig=pulumi.Output.all(cluster_multislice_cluster.endpoint, cluster_multislice_cluster.master_auth).apply(
        lambda known: KUBECONFIG.replace("203.0.113.7", known[0]).replace(
            "Q0VSVElGSUNBVEU=", known[1]["cluster_ca_certificate"]
        )
    ),
    opts=pulumi.ResourceOptions(parent=cluster_cluster, depends_on=[cluster_multislice_cluster]),
)


def in_cluster(parent: pulumi.Resource, *after: pulumi.Resource) -> pulumi.ResourceOptions:
    """Options of what is in the cluster and ends with it."""
    return pulumi.ResourceOptions(
        parent=parent,
        depends_on=[*after],
        provider=kubernetes_multislice_cluster,
        deleted_with=cluster_multislice_cluster,
    )


release_jobset = kubernetes.helm.v3.Release(
    "jobset",
    chart="oci://registry.k8s.io/jobset/charts/jobset",
    create_namespace=True,
    name="jobset",
    namespace="jobset-system",
    values={"image": {"pullPolicy": "IfNotPresent", "repository": "registry.k8s.io/jobset/jobset", "tag": "v0.12.0"}},
    version="0.12.0",
    opts=in_cluster(controllers_controllers, firewall_multislice_cluster_webhooks, nodepool_system),
)
release_kueue = kubernetes.helm.v3.Release(
    "kueue",
    chart="oci://registry.k8s.io/kueue/charts/kueue",
    create_namespace=True,
    name="kueue",
    namespace="kueue-system",
    values={
        "controllerManager": {
            "manager": {
                "image": {"pullPolicy": "IfNotPresent", "repository": "registry.k8s.io/kueue/kueue", "tag": "v0.19.2"}
            }
        },
        "managerConfig": {
            "controllerManagerConfigYaml": "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nhealth:\n  healthProbeBindAddress: :8081\nmetrics:\n  bindAddress: :8443\nwebhook:\n  port: 9443\nleaderElection:\n  leaderElect: true\n  resourceName: c1f6bfd2.kueue.x-k8s.io\ncontroller:\n  groupKindConcurrency:\n    Job.batch: 5\n    Pod: 5\n    Workload.kueue.x-k8s.io: 10\n    LocalQueue.kueue.x-k8s.io: 5\n    ClusterQueue.kueue.x-k8s.io: 5\n    ResourceFlavor.kueue.x-k8s.io: 1\nclientConnection:\n  qps: 300\n  burst: 500\nintegrations:\n  frameworks:\n  - batch/job\n  - jobset.x-k8s.io/jobset\nfeatureGates:\n  DisableWaitForPodsReady: true\n"
        },
    },
    version="0.19.2",
    opts=in_cluster(controllers_controllers, release_jobset),
)
queues_queues = pulumi.ComponentResource(
    "tpu-platform:queues:Queues", "queues", None, pulumi.ResourceOptions(parent=platform_multislice)
)
resourceflavor_vlp_24 = pulumi.CustomResource(
    "kubernetes:kueue.x-k8s.io/v1beta2:ResourceFlavor",
    "vlp-24",
    {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ResourceFlavor",
        "metadata": {"name": "vlp-24"},
        "spec": {
            "nodeLabels": {
                "cloud.google.com/gke-tpu-accelerator": "tpu-v5-lite-podslice",
                "cloud.google.com/gke-tpu-topology": "2x4",
            }
        },
    },
    in_cluster(queues_queues, release_kueue),
)
clusterqueue_cluster_queue = pulumi.CustomResource(
    "kubernetes:kueue.x-k8s.io/v1beta2:ClusterQueue",
    "cluster-queue",
    {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ClusterQueue",
        "metadata": {
            "annotations": {"pulumi.com/timeoutSeconds": "300", "pulumi.com/waitFor": "condition=Active"},
            "name": "cluster-queue",
        },
        "spec": {
            "namespaceSelector": {},
            "preemption": {"withinClusterQueue": "LowerPriority"},
            "queueingStrategy": "BestEffortFIFO",
            "resourceGroups": [
                {
                    "coveredResources": ["google.com/tpu"],
                    "flavors": [{"name": "vlp-24", "resources": [{"name": "google.com/tpu", "nominalQuota": "24"}]}],
                }
            ],
        },
    },
    in_cluster(queues_queues, resourceflavor_vlp_24),
)
localqueue_default_multislice_queue = pulumi.CustomResource(
    "kubernetes:kueue.x-k8s.io/v1beta2:LocalQueue",
    "default/multislice-queue",
    {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "LocalQueue",
        "metadata": {"name": "multislice-queue", "namespace": "default"},
        "spec": {"clusterQueue": "cluster-queue"},
    },
    in_cluster(queues_queues, clusterqueue_cluster_queue),
)
priorities_priorities = pulumi.ComponentResource(
    "tpu-platform:priorities:Priorities", "priorities", None, pulumi.ResourceOptions(parent=platform_multislice)
)
workload_priorities = [
    pulumi.CustomResource(
        "kubernetes:kueue.x-k8s.io/v1beta2:WorkloadPriorityClass",
        name,
        {
            "apiVersion": "kueue.x-k8s.io/v1beta2",
            "kind": "WorkloadPriorityClass",
            "metadata": {"name": name},
            "value": value,
        },
        in_cluster(priorities_priorities, release_kueue),
    )
    for name, value in (("low", 100), ("normal", 1000))
]
pod_priorities = [
    pulumi.CustomResource(
        "kubernetes:scheduling.k8s.io/v1:PriorityClass",
        name,
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value},
        in_cluster(priorities_priorities),
    )
    for name, value in (("low", 100), ("normal", 1000))
]
