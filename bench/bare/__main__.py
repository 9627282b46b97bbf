"""The multislice stack as a Pulumi program of literals: no model, no rules, no components of its own."""

import pulumi
import pulumi_gcp as gcp
import pulumi_kubernetes as kubernetes

platform_multislice = pulumi.ComponentResource(
    "tpu-platform:platform:Platform", "multislice", None, pulumi.ResourceOptions()
)
controllers_controllers = pulumi.ComponentResource(
    "tpu-platform:controllers:Controllers", "controllers", None, pulumi.ResourceOptions(parent=platform_multislice)
)
network_network = pulumi.ComponentResource(
    "tpu-platform:network:Network", "network", None, pulumi.ResourceOptions(parent=platform_multislice)
)
network_multislice = gcp.compute.Network(
    "multislice",
    auto_create_subnetworks=False,
    mtu=8896,
    name="multislice",
    opts=pulumi.ResourceOptions(parent=network_network),
)
cluster_cluster = pulumi.ComponentResource(
    "tpu-platform:cluster:Cluster", "cluster", None, pulumi.ResourceOptions(parent=platform_multislice)
)
router_multislice_router = gcp.compute.Router(
    "multislice-router",
    name="multislice-router",
    network="multislice",
    region="us-west4",
    opts=pulumi.ResourceOptions(parent=network_network, depends_on=[network_multislice]),
)
routernat_multislice_nat = gcp.compute.RouterNat(
    "multislice-nat",
    name="multislice-nat",
    nat_ip_allocate_option="AUTO_ONLY",
    region="us-west4",
    router="multislice-router",
    source_subnetwork_ip_ranges_to_nat="ALL_SUBNETWORKS_ALL_IP_RANGES",
    opts=pulumi.ResourceOptions(parent=network_network, depends_on=[router_multislice_router]),
)
subnetwork_multislice_nodes = gcp.compute.Subnetwork(
    "multislice-nodes",
    ip_cidr_range="10.0.0.0/20",
    name="multislice-nodes",
    network="multislice",
    private_ip_google_access=True,
    region="us-west4",
    secondary_ip_ranges=[
        {"ip_cidr_range": "10.4.0.0/16", "range_name": "pods"},
        {"ip_cidr_range": "10.8.0.0/20", "range_name": "services"},
    ],
    opts=pulumi.ResourceOptions(parent=network_network, depends_on=[network_multislice]),
)
account_multislice_cluster_nodes = gcp.serviceaccount.Account(
    "multislice-cluster-nodes",
    account_id="multislice-cluster-nodes",
    display_name="GKE nodes",
    opts=pulumi.ResourceOptions(parent=cluster_cluster),
)
iammember_multislice_cluster_nodes_artifactregistry_reader = gcp.projects.IAMMember(
    "multislice-cluster-nodes-artifactregistry.reader",
    member="serviceAccount:multislice-cluster-nodes@tpu-sandbox.iam.gserviceaccount.com",
    project="tpu-sandbox",
    role="roles/artifactregistry.reader",
    opts=pulumi.ResourceOptions(parent=cluster_cluster, depends_on=[account_multislice_cluster_nodes]),
)
iammember_multislice_cluster_nodes_container_defaultnodeserviceaccount = gcp.projects.IAMMember(
    "multislice-cluster-nodes-container.defaultNodeServiceAccount",
    member="serviceAccount:multislice-cluster-nodes@tpu-sandbox.iam.gserviceaccount.com",
    project="tpu-sandbox",
    role="roles/container.defaultNodeServiceAccount",
    opts=pulumi.ResourceOptions(parent=cluster_cluster, depends_on=[account_multislice_cluster_nodes]),
)
cluster_multislice_cluster = gcp.container.Cluster(
    "multislice-cluster",
    deletion_protection=False,
    initial_node_count=1,
    ip_allocation_policy={"cluster_secondary_range_name": "pods", "services_secondary_range_name": "services"},
    location="us-west4",
    name="multislice-cluster",
    network="multislice",
    networking_mode="VPC_NATIVE",
    node_config={
        "oauth_scopes": ["https://www.googleapis.com/auth/cloud-platform"],
        "service_account": "multislice-cluster-nodes@tpu-sandbox.iam.gserviceaccount.com",
    },
    private_cluster_config={
        "enable_private_endpoint": False,
        "enable_private_nodes": True,
        "master_ipv4_cidr_block": "172.16.0.0/28",
    },
    release_channel={"channel": "RAPID"},
    remove_default_node_pool=True,
    subnetwork="multislice-nodes",
    workload_identity_config={"workload_pool": "tpu-sandbox.svc.id.goog"},
    opts=pulumi.ResourceOptions(
        parent=cluster_cluster,
        depends_on=[
            network_multislice,
            router_multislice_router,
            routernat_multislice_nat,
            subnetwork_multislice_nodes,
            iammember_multislice_cluster_nodes_artifactregistry_reader,
            iammember_multislice_cluster_nodes_container_defaultnodeserviceaccount,
        ],
        ignore_changes=["node_config"],
        protect=False,
    ),
)
firewall_multislice_cluster_webhooks = gcp.compute.Firewall(
    "multislice-cluster-webhooks",
    allows=[{"ports": ["8082", "9443"], "protocol": "tcp"}],
    direction="INGRESS",
    name="multislice-cluster-webhooks",
    network="multislice",
    source_ranges=["172.16.0.0/28"],
    target_service_accounts=["multislice-cluster-nodes@tpu-sandbox.iam.gserviceaccount.com"],
    opts=pulumi.ResourceOptions(
        parent=controllers_controllers, depends_on=[network_multislice, cluster_multislice_cluster]
    ),
)
tpuslices_tpu_slices = pulumi.ComponentResource(
    "tpu-platform:tpu_slices:TpuSlices", "tpu-slices", None, pulumi.ResourceOptions(parent=platform_multislice)
)
slices = [
    gcp.container.NodePool(
        name,
        cluster="multislice-cluster",
        location="us-west4",
        management={"auto_repair": True, "auto_upgrade": True},
        name=name,
        node_config={
            "disk_type": "pd-balanced",
            "machine_type": "ct5lp-hightpu-4t",
            "oauth_scopes": ["https://www.googleapis.com/auth/cloud-platform"],
            "service_account": "multislice-cluster-nodes@tpu-sandbox.iam.gserviceaccount.com",
            "workload_metadata_config": {"mode": "GKE_METADATA"},
        },
        node_count=2,
        node_locations=["us-west4-a"],
        placement_policy={"tpu_topology": "2x4", "type": "COMPACT"},
        opts=pulumi.ResourceOptions(
            parent=tpuslices_tpu_slices,
            depends_on=[cluster_multislice_cluster],
            deleted_with=cluster_multislice_cluster,
            delete_before_replace=True,
            replace_on_changes=["node_config.machine_type", "node_locations", "placement_policy"],
        ),
    )
    for name in ("nodepool1", "nodepool2", "nodepool3")
]
for kind, name in (
    ("services:Services", "services"),
    ("buckets:Buckets", "buckets"),
    ("namespaces:Namespaces", "namespaces"),
    ("shared_storage:SharedStorage", "shared-storage"),
):
    pulumi.ComponentResource(f"tpu-platform:{kind}", name, None, pulumi.ResourceOptions(parent=platform_multislice))
nodepools_node_pools = pulumi.ComponentResource(
    "tpu-platform:node_pools:NodePools", "node-pools", None, pulumi.ResourceOptions(parent=platform_multislice)
)
nodepool_system = gcp.container.NodePool(
    "system",
    cluster="multislice-cluster",
    location="us-west4",
    management={"auto_repair": True, "auto_upgrade": True},
    name="system",
    node_config={
        "machine_type": "e2-standard-4",
        "oauth_scopes": ["https://www.googleapis.com/auth/cloud-platform"],
        "service_account": "multislice-cluster-nodes@tpu-sandbox.iam.gserviceaccount.com",
        "workload_metadata_config": {"mode": "GKE_METADATA"},
    },
    node_count=1,
    node_locations=["us-west4-a"],
    opts=pulumi.ResourceOptions(
        parent=nodepools_node_pools, depends_on=[cluster_multislice_cluster], deleted_with=cluster_multislice_cluster
    ),
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
release_jobset = kubernetes.helm.v3.Release(
    "jobset",
    chart="oci://registry.k8s.io/jobset/charts/jobset",
    create_namespace=True,
    name="jobset",
    namespace="jobset-system",
    values={"image": {"pullPolicy": "IfNotPresent", "repository": "registry.k8s.io/jobset/jobset", "tag": "v0.12.0"}},
    version="0.12.0",
    opts=pulumi.ResourceOptions(
        parent=controllers_controllers,
        depends_on=[firewall_multislice_cluster_webhooks, nodepool_system],
        provider=kubernetes_multislice_cluster,
        deleted_with=cluster_multislice_cluster,
    ),
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
                "image": {"pullPolicy": "IfNotPresent", "repository": "registry.k8s.io/kueue/kueue", "tag": "v0.16.2"}
            }
        },
        "managerConfig": {
            "controllerManagerConfigYaml": "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nhealth:\n  healthProbeBindAddress: :8081\nmetrics:\n  bindAddress: :8443\nwebhook:\n  port: 9443\nleaderElection:\n  leaderElect: true\n  resourceName: c1f6bfd2.kueue.x-k8s.io\ncontroller:\n  groupKindConcurrency:\n    Job.batch: 5\n    Pod: 5\n    Workload.kueue.x-k8s.io: 5\n    LocalQueue.kueue.x-k8s.io: 1\n    ClusterQueue.kueue.x-k8s.io: 1\n    ResourceFlavor.kueue.x-k8s.io: 1\nclientConnection:\n  qps: 50\n  burst: 100\nintegrations:\n  frameworks:\n  - batch/job\n  - jobset.x-k8s.io/jobset\n"
        },
    },
    version="0.16.2",
    opts=pulumi.ResourceOptions(
        parent=controllers_controllers,
        depends_on=[release_jobset],
        provider=kubernetes_multislice_cluster,
        deleted_with=cluster_multislice_cluster,
    ),
)
workloads_workloads = pulumi.ComponentResource(
    "tpu-platform:workloads:Workloads", "workloads", None, pulumi.ResourceOptions(parent=platform_multislice)
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
    pulumi.ResourceOptions(
        parent=queues_queues,
        depends_on=[release_kueue],
        provider=kubernetes_multislice_cluster,
        deleted_with=cluster_multislice_cluster,
    ),
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
    pulumi.ResourceOptions(
        parent=queues_queues,
        depends_on=[resourceflavor_vlp_24],
        provider=kubernetes_multislice_cluster,
        deleted_with=cluster_multislice_cluster,
    ),
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
    pulumi.ResourceOptions(
        parent=queues_queues,
        depends_on=[clusterqueue_cluster_queue],
        provider=kubernetes_multislice_cluster,
        deleted_with=cluster_multislice_cluster,
    ),
)
priorities_priorities = pulumi.ComponentResource(
    "tpu-platform:priorities:Priorities", "priorities", None, pulumi.ResourceOptions(parent=platform_multislice)
)
workloadpriorityclass_low = pulumi.CustomResource(
    "kubernetes:kueue.x-k8s.io/v1beta2:WorkloadPriorityClass",
    "low",
    {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "WorkloadPriorityClass",
        "metadata": {"name": "low"},
        "value": 100,
    },
    pulumi.ResourceOptions(
        parent=priorities_priorities,
        depends_on=[release_kueue],
        provider=kubernetes_multislice_cluster,
        deleted_with=cluster_multislice_cluster,
    ),
)
workloadpriorityclass_normal = pulumi.CustomResource(
    "kubernetes:kueue.x-k8s.io/v1beta2:WorkloadPriorityClass",
    "normal",
    {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "WorkloadPriorityClass",
        "metadata": {"name": "normal"},
        "value": 1000,
    },
    pulumi.ResourceOptions(
        parent=priorities_priorities,
        depends_on=[release_kueue],
        provider=kubernetes_multislice_cluster,
        deleted_with=cluster_multislice_cluster,
    ),
)
priorityclass_low = pulumi.CustomResource(
    "kubernetes:scheduling.k8s.io/v1:PriorityClass",
    "low",
    {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "low"}, "value": 100},
    pulumi.ResourceOptions(
        parent=priorities_priorities, provider=kubernetes_multislice_cluster, deleted_with=cluster_multislice_cluster
    ),
)
priorityclass_normal = pulumi.CustomResource(
    "kubernetes:scheduling.k8s.io/v1:PriorityClass",
    "normal",
    {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "normal"}, "value": 1000},
    pulumi.ResourceOptions(
        parent=priorities_priorities, provider=kubernetes_multislice_cluster, deleted_with=cluster_multislice_cluster
    ),
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
                workloadpriorityclass_low,
                workloadpriorityclass_normal,
                priorityclass_low,
                priorityclass_normal,
                *([before] if before else []),
            ],
            provider=kubernetes_multislice_cluster,
            deleted_with=cluster_multislice_cluster,
            delete_before_replace=True,
            replace_on_changes=["metadata.annotations", "metadata.labels", "spec"],
        ),
    )
