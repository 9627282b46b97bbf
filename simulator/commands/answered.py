"""Which listings `gcloud` and `kubectl` answer; apart from what answers, because the help of every command has them."""

from __future__ import annotations

from typing import Final

from simulator.cloud.api import Kind

LISTS: Final = {
    ("container", "clusters", "list"): Kind.CLUSTER,
    ("container", "node-pools", "list"): Kind.NODE_POOL,
    ("compute", "networks", "list"): Kind.NETWORK,
    ("compute", "networks", "subnets", "list"): Kind.SUBNETWORK,
    ("compute", "routers", "list"): Kind.ROUTER,
    ("compute", "firewall-rules", "list"): Kind.FIREWALL,
    ("compute", "resource-policies", "list"): Kind.RESOURCE_POLICY,
    ("compute", "addresses", "list"): Kind.GLOBAL_ADDRESS,
    ("compute", "disks", "list"): Kind.DISK,
    ("filestore", "instances", "list"): Kind.FILESTORE,
    ("lustre", "instances", "list"): Kind.LUSTRE,
    ("secrets", "list"): Kind.CONFIDENTIAL,
    ("services", "vpc-peerings", "list"): Kind.CONNECTION,
    ("iam", "service-accounts", "list"): Kind.SERVICE_ACCOUNT,
    ("services", "list"): Kind.SERVICE,
    ("projects", "get-iam-policy"): Kind.IAM_MEMBER,
}
"""Commands of gcloud, by the kind of resource that they print."""
OF_GCLOUD: Final = ("--format", "--project", "--cluster", "--location", "--region")
ONLY: Final = ("--enabled",)
OF_KUBECTL: Final = ("-o", "--output", "--context")
EVERYWHERE: Final = ("-A", "--all-namespaces")
ANSWERED: Final = {
    "gcloud": f"Supported commands: {'; '.join(' '.join(each) for each in LISTS)}. They need --format=json, and accept "
    f"{', '.join((*OF_GCLOUD[1:], *ONLY))}.",
    "kubectl": f"Supported command: get KIND,... {' or '.join(EVERYWHERE)}. It needs -o json or -o yaml (also "
    "--output), and accepts --context.",
}
"""The supported listings, by command, as sentences for people."""
