"""A GKE on this machine: the real Pulumi engine and Kubernetes controllers, with the cloud's machines simulated.

The tables below say what is real, what is a stand-in and what is absent; `tpu simulator status` prints them. A
stand-in refuses what it does not model; it never ignores it.

Reading order: `home.py` (the one folder), `__main__.py` and `commands/` (what a user can do), `environment.py` and
`stacks.py` (the environment of a command), `providers/` (the plugins that the engine starts), `client.py`, `rpc.py` and
`daemon.py` (the long-lived process), `cloud/` (Google's side), `clusters/` and `pods/` (Kubernetes' side), `scaling/`
(between the two: nodes are added and removed).
"""

from typing import Final

REAL: Final = {
    "Pulumi engine and SDKs": "the CLI of the pinned release, or an installed one, and the host of Pulumi YAML",
    "Kubernetes control plane": "etcd, kube-apiserver, kube-controller-manager and kube-scheduler",
    "Kueue and JobSet": "the released controllers, installed by the real Helm from their charts; webhooks included",
    "kwok": "plays nodes and pods in the API server",
    "files": "a share, bucket, disk or Lustre file system is a folder of this machine, which `status` names; pods "
    "mount it",
}

STAND_IN: Final = {
    "Google Cloud": "networks, IAM, clusters, node pools, storage and secrets as declared states, with the API's "
    "refusals",
    "CSI drivers": "of Cloud Storage FUSE, Managed Lustre, Hyperdisk, Multi-Tier Checkpointing and Secret Manager: a "
    "pod whose volume cannot be mounted waits, with an Event in the driver's words; sidecars and caches are left out, "
    "and backups of checkpoints are made at once",
    "GKE's kinds": "ComputeClass and those of add-ons are served; no controller acts on Ray's kinds",
    "ComputeClasses": "the autoscaler follows their priorities; they have no status, and pods are not moved to a "
    "better priority that comes back",
    "gcp, kubernetes and random providers": "checked against the official providers' schemas and decisions",
    "registry.k8s.io": "the charts that are built here, for plugins of TPU_SIMULATOR_PLUGINS that pull them",
    "Python language host": "when no official Pulumi is installed",
    "nodes": "kwok nodes with GKE's labels, taints and capacities; `lose` and `stock` make machines fail or run out",
    "cluster autoscaler, node auto-provisioning, Autopilot, auto-repair": "our own: sizes follow the pods that wait, "
    "slices are added and removed whole; machines are chosen by size, not price, and only empty nodes are removed",
    "queued provisioning": "ProvisioningRequests of GKE's class wait in a queue and get all of their nodes or none; "
    "one whose nodes are out of stock waits indefinitely",
    "reservations": "any name is accepted and always has machines",
    "pods": "end after the time that their command takes; logs show what it would print; a container that fails is not "
    "restarted in its pod",
    "pods of Kueue, JobSet, Redis and the trainer": "processes of this machine, bound to loopback, with one container; "
    "readiness is probed ten times a second, liveness is not; even read-only mounts are writable",
    "Redis": "Valkey, the fork of Redis 7.2, runs for the official image up to that release",
    "users of images": "pods that really run do so as you; the trainer's `prepare` gives the share's folders to you",
    "Services and DNS": "host pods find Services in their environment (REDIS_SERVICE_HOST and _PORT), at loopback "
    "addresses that `address` shows too; names are not resolved",
    "RandomPassword": "its bcryptHash is left out",
    "GKE's TPU webhook": "worker and multislice environment of TPU pods",
    "gke-gcloud-auth-plugin": "hands out the simulator's own token",
}

ABSENT: Final = {
    "containers": "no image is pulled; kubectl exec, attach and port-forward are refused",
    "pod network": "pods have addresses but nothing answers there; Services lead only to pods that really run",
    "limits of storage": "a volume holds as much as this machine's disk, and is as fast; sizeLimit is not enforced",
    "system pods": "kube-dns, metrics and logging agents of GKE, the operator of Ray",
    "Kueue's visibility API": "its APIServices are left out of the chart",
    "quota, billing and IAM enforcement": "every call is allowed, but for a pod's mount of a bucket or a secret; APIs "
    "need not be enabled; a reader of a bucket may also write",
    "other Kubernetes versions": "GKE offers one minor version, that of the control plane that runs here",
    "ProvisioningRequests of other classes": "they fail with a condition that says so; pools are not made for requests",
    "placement by price, topology spread, resource claims": "pods that ask for them get no new nodes, "
    "and an Event that says so",
}
