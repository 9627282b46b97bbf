"""A Pulumi program as another team may write it: raw resources, one cluster, two slices, a queue and a run.

It knows nothing of this project's components. Its configuration says how much it gets wrong: `quota` (chips of the
queue), `nodes` (of a slice of two hosts), `totals` (limits over all zones instead of those per zone), `late` (the
topology of a slice is not known before the update), `queue-as` (`label` or `annotation`), `controllers` (released here
too: `first`, or `beside` the queue). A test makes it a project.
"""

import pulumi
import pulumi_gcp as gcp
import pulumi_kubernetes as kubernetes
import pulumi_random as random

CONFIG = pulumi.Config("foreign")
QUOTA = CONFIG.get_int("quota")
KUBECONFIG = """{{"apiVersion": "v1", "kind": "Config", "current-context": "lab",
"contexts": [{{"name": "lab", "context": {{"cluster": "lab", "user": "lab"}}}}],
"clusters": [{{"name": "lab", "cluster": {{"server": "https://{0}", "certificate-authority-data": "{1}"}}}}],
"users": [{{"name": "lab", "user": {{"exec": {{"apiVersion": "client.authentication.k8s.io/v1",
"command": "gke-gcloud-auth-plugin", "interactiveMode": "Never"}}}}}}]}}"""

cluster = gcp.container.Cluster(
    "lab",
    name="lab",
    location="us-west4",
    initial_node_count=1,
    remove_default_node_pool=True,
    release_channel={"channel": "RAPID"},
    deletion_protection=False,
)
gcp.container.NodePool(
    "system",
    name="system",
    cluster=cluster.name,
    location="us-west4",
    node_locations=["us-west4-a"],
    node_count=1,
    node_config={"machine_type": "e2-standard-4"},
)
word = random.RandomPassword("word", length=8)
topology = word.result.apply(lambda _: "2x4") if CONFIG.get_bool("late") else "2x4"
has_totals = bool(CONFIG.get_bool("totals"))
for number in (1, 2):
    gcp.container.NodePool(
        f"slice-{number}",
        name=f"slice-{number}",
        cluster=cluster.name,
        location="us-west4",
        node_locations=["us-west4-a"],
        node_count=None if has_totals else CONFIG.get_int("nodes") or 2,
        initial_node_count=0 if has_totals else None,
        autoscaling={"total_min_node_count": 0, "total_max_node_count": 2} if has_totals else None,
        node_config={"machine_type": "ct5lp-hightpu-4t"},
        placement_policy={"type": "COMPACT", "tpu_topology": topology},
    )

provider = kubernetes.Provider(
    "lab",
    kubeconfig=pulumi.Output.format(KUBECONFIG, cluster.endpoint, cluster.master_auth.cluster_ca_certificate),
    cluster_identifier="lab",
)
beside = inside = pulumi.ResourceOptions(provider=provider)
controllers = CONFIG.get("controllers")
if controllers:
    before: list[pulumi.Resource] = []
    for name, version in (("jobset", "0.12.0"), ("kueue", "0.19.2")):
        release = kubernetes.helm.v3.Release(
            name,
            name=name,
            chart=f"oci://registry.k8s.io/{name}/charts/{name}",
            version=version,
            namespace=f"{name}-system",
            create_namespace=True,
            opts=pulumi.ResourceOptions(provider=provider, depends_on=before),
        )
        before = [*before, release]
    inside = pulumi.ResourceOptions(provider=provider, depends_on=before)
team = kubernetes.core.v1.Namespace("team", metadata={"name": "team"}, opts=inside)
kubernetes.apiextensions.CustomResource(
    "v5e",
    api_version="kueue.x-k8s.io/v1beta2",
    kind="ResourceFlavor",
    metadata={"name": "v5e"},
    spec={
        "nodeLabels": {
            "cloud.google.com/gke-tpu-accelerator": "tpu-v5-lite-podslice",
            "cloud.google.com/gke-tpu-topology": "2x4",
        }
    },
    opts=inside,
)
kubernetes.apiextensions.CustomResource(
    "chips",
    api_version="kueue.x-k8s.io/v1beta2",
    kind="ClusterQueue",
    metadata={"name": "chips"},
    spec={
        "namespaceSelector": {},
        "resourceGroups": [
            {
                "coveredResources": ["google.com/tpu"],
                "flavors": [
                    {
                        "name": "v5e",
                        "resources": [{"name": "google.com/tpu", "nominalQuota": 16 if QUOTA is None else QUOTA}],
                    }
                ],
            }
        ],
    },
    opts=beside if controllers == "beside" else inside,
)
kubernetes.apiextensions.CustomResource(
    "team-queue",
    api_version="kueue.x-k8s.io/v1beta2",
    kind="LocalQueue",
    metadata={"name": "chips", "namespace": team.metadata.name},
    spec={"clusterQueue": "chips"},
    opts=inside,
)
queue = {"kueue.x-k8s.io/queue-name": "chips"}
kubernetes.apiextensions.CustomResource(
    "train",
    api_version="jobset.x-k8s.io/v1alpha2",
    kind="JobSet",
    metadata={
        "name": "train",
        "namespace": "team",
        **({"annotations": queue} if CONFIG.get("queue-as") == "annotation" else {"labels": queue}),
    },
    spec={
        "replicatedJobs": [
            {
                "name": "slice",
                "replicas": 1,
                "template": {
                    "spec": {
                        "parallelism": 2,
                        "completions": 2,
                        "backoffLimit": 0,
                        "template": {
                            "spec": {
                                "restartPolicy": "Never",
                                "nodeSelector": {
                                    "cloud.google.com/gke-tpu-accelerator": "tpu-v5-lite-podslice",
                                    "cloud.google.com/gke-tpu-topology": "2x4",
                                },
                                "containers": [
                                    {
                                        "name": "main",
                                        "image": "registry.example/train:1.0",
                                        "ports": [{"containerPort": 8471}, {"containerPort": 8080}],
                                        "resources": {"limits": {"google.com/tpu": 4}},
                                    }
                                ],
                            }
                        },
                    }
                },
            }
        ]
    },
    opts=inside,
)
