"""Google's part of the bare program: the network, the cluster and its pools."""

import pulumi
import pulumi_gcp as gcp

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
