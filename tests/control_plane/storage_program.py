"""A Pulumi program with a shared Filestore and a Redis on it, as a batch platform has them; a test makes it a project.

Configuration `storage` (default true) switches the Filestore and everything on it.
"""

import pulumi
import pulumi_gcp as gcp
import pulumi_kubernetes as kubernetes
import pulumi_random as random

from components.manifests.kubeconfig import kubeconfig

NAME = "batch"
NAMESPACE = "team"
IMAGE = "docker.io/library/redis:7.2"


def cluster() -> tuple[gcp.container.Cluster, gcp.container.NodePool]:
    """A cluster on the project's own network, with one ordinary node."""
    made = gcp.container.Cluster(
        NAME,
        name=NAME,
        location="us-central1",
        initial_node_count=1,
        remove_default_node_pool=True,
        min_master_version="1.36",
        addons_config={"gcp_filestore_csi_driver_config": {"enabled": True}},
        deletion_protection=False,
    )
    pool = gcp.container.NodePool(
        "system",
        name="system",
        cluster=made.name,
        location="us-central1",
        node_count=1,
        node_locations=["us-central1-b"],
        node_config={"machine_type": "e2-standard-4"},
    )
    return made, pool


def claim(inside: pulumi.ResourceOptions) -> kubernetes.core.v1.PersistentVolumeClaim:
    """The Filestore with a volume and a claim for it."""
    instance = gcp.filestore.Instance(
        "files",
        name="files",
        tier="BASIC_HDD",
        location="us-central1-b",
        file_shares={"capacity_gb": 1024, "name": "NFSVol"},
        networks=[{"network": "default", "modes": ["MODE_IPV4"]}],
    )
    pulumi.export("address", instance.networks[0].ip_addresses[0])
    volume = kubernetes.core.v1.PersistentVolume(
        "files",
        metadata={"name": "files"},
        spec={
            "capacity": {"storage": "1Ti"},
            "access_modes": ["ReadWriteMany"],
            "storage_class_name": "",
            "nfs": {"server": instance.networks[0].ip_addresses[0], "path": pulumi.Output.format("/{0}", "NFSVol")},
        },
        opts=inside,
    )
    return kubernetes.core.v1.PersistentVolumeClaim(
        "files",
        metadata={"name": "files", "namespace": NAMESPACE},
        spec={
            "access_modes": ["ReadWriteMany"],
            "storage_class_name": "",
            "volume_name": "files",
            "resources": {"requests": {"storage": "1Ti"}},
        },
        opts=pulumi.ResourceOptions.merge(inside, pulumi.ResourceOptions(depends_on=[volume])),
    )


def redis(inside: pulumi.ResourceOptions) -> None:
    """A Redis whose password is generated and whose data is on the claim, behind a Service."""
    password = random.RandomPassword("redis", length=24)
    pulumi.export("password", password.result)
    secret = kubernetes.core.v1.Secret(
        "redis",
        metadata={"name": "redis", "namespace": NAMESPACE},
        string_data={"password": password.result},
        opts=inside,
    )
    container: kubernetes.core.v1.ContainerArgsDict = {
        "name": "leader",
        "image": IMAGE,
        "args": ["--requirepass", "$(REDIS_PASSWORD)", "--appendonly", "yes", "--dir", "/mnt/files/redis"],
        "env": [
            {"name": "REDIS_PASSWORD", "value_from": {"secret_key_ref": {"name": "redis", "key": "password"}}},
        ],
        "ports": [{"container_port": 6379}],
        "readiness_probe": {"exec_": {"command": ["redis-cli", "ping"]}},
        "volume_mounts": [{"name": "files", "mount_path": "/mnt/files"}],
    }
    volumes: list[kubernetes.core.v1.VolumeArgsDict] = [
        {"name": "files", "persistent_volume_claim": {"claim_name": "files"}}
    ]
    after = pulumi.ResourceOptions.merge(inside, pulumi.ResourceOptions(depends_on=[secret, claim(inside)]))
    deployment = kubernetes.apps.v1.Deployment(
        "redis-leader",
        metadata={"name": "redis-leader", "namespace": NAMESPACE},
        spec={
            "selector": {"match_labels": {"app": "redis"}},
            "template": {
                "metadata": {"labels": {"app": "redis"}},
                "spec": {"containers": [container], "volumes": volumes},
            },
        },
        opts=after,
    )
    kubernetes.core.v1.Service(
        "redis",
        metadata={"name": "redis", "namespace": NAMESPACE},
        spec={"selector": {"app": "redis"}, "ports": [{"port": 6379}]},
        opts=pulumi.ResourceOptions.merge(inside, pulumi.ResourceOptions(depends_on=[deployment])),
    )


def main() -> None:
    """Declare everything."""
    made, pool = cluster()
    known = pulumi.Output.all(made.endpoint, made.master_auth.cluster_ca_certificate)
    provider = kubernetes.Provider(
        NAME,
        kubeconfig=pulumi.Output.unsecret(known.apply(lambda parts: kubeconfig(NAME, *parts))),
        cluster_identifier=NAME,
    )
    inside = pulumi.ResourceOptions(provider=provider, depends_on=[pool], deleted_with=made)
    namespace = kubernetes.core.v1.Namespace(NAMESPACE, metadata={"name": NAMESPACE}, opts=inside)
    if pulumi.Config().get_bool("storage") is not False:
        redis(pulumi.ResourceOptions.merge(inside, pulumi.ResourceOptions(depends_on=[namespace])))


if __name__ == "__main__":
    main()
