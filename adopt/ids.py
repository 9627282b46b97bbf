"""Ids by which the official providers import each type of resource, from what the program registers.

Sources, read 2026-11. Most forms, and that of releases, are in the sections on imports of pulumi_gcp 10.2.0 and
pulumi_kubernetes 4.34.2; a test compares them. These types have no such section, or a different one:

- node pools: the section lists shorter forms; this is the first that the importer of the Terraform provider takes, and
  the id that it keeps (google/services/container/resource_container_node_pool.go);
- service accounts, roles in a project, buckets: the Terraform provider's pages google_service_account,
  google_project_iam and storage_bucket;
- roles on a bucket: the same section of BucketIAMBinding in the SDK of another language, which covers both;
- objects in a cluster: parseFqName of pulumi-kubernetes (provider/pkg/provider/util.go).

Tests import by these ids with the stand-in providers; no import was tried on Google Cloud.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, cast

from components.model.facts.engine import is_unknown

if TYPE_CHECKING:
    from collections.abc import Mapping

FORMS: Final = {
    "gcp:projects/service:Service": "{project}/{service}",
    "gcp:projects/iAMMember:IAMMember": "{project} {role} {member}",
    "gcp:compute/network:Network": "projects/{project}/global/networks/{name}",
    "gcp:compute/subnetwork:Subnetwork": "projects/{project}/regions/{region}/subnetworks/{name}",
    "gcp:compute/router:Router": "projects/{project}/regions/{region}/routers/{name}",
    "gcp:compute/routerNat:RouterNat": "projects/{project}/regions/{region}/routers/{router}/{name}",
    "gcp:compute/firewall:Firewall": "projects/{project}/global/firewalls/{name}",
    "gcp:compute/resourcePolicy:ResourcePolicy": "projects/{project}/regions/{region}/resourcePolicies/{name}",
    "gcp:serviceaccount/account:Account": (
        "projects/{project}/serviceAccounts/{accountId}@{project}.iam.gserviceaccount.com"
    ),
    "gcp:container/cluster:Cluster": "projects/{project}/locations/{location}/clusters/{name}",
    "gcp:container/nodePool:NodePool": "projects/{project}/locations/{location}/clusters/{cluster}/nodePools/{name}",
    "gcp:filestore/instance:Instance": "projects/{project}/locations/{location}/instances/{name}",
    "gcp:lustre/instance:Instance": "projects/{project}/locations/{location}/instances/{instanceId}",
    "gcp:compute/disk:Disk": "projects/{project}/zones/{zone}/disks/{name}",
    "gcp:storage/bucket:Bucket": "{project}/{name}",
    "gcp:storage/bucketIAMMember:BucketIAMMember": "b/{bucket} {role} {member}",
}
"""By type; in braces the inputs that an id is made of, and the project."""
_FIELD: Final = re.compile(r"\{(\w+)\}")
_RELEASE: Final = "kubernetes:helm.sh/v3:Release"
_KUBERNETES: Final = "kubernetes:"


def import_id(type_: str, inputs: Mapping[str, Any], project: str) -> str | None:
    """The id of a resource of that type; None where the type has none here, or a part of it is not known yet.

    `project` is that of the provider, for a resource that states none.
    """
    if type_ == _RELEASE:
        return _joined(inputs)
    if type_.startswith(_KUBERNETES):
        metadata = inputs.get("metadata")
        return _joined(cast("dict[str, Any]", metadata) if isinstance(metadata, dict) else {})
    form = FORMS.get(type_)
    if form is None:
        return None
    known = {"project": project, **{key: value for key, value in inputs.items() if value is not None}}
    values = {key: known.get(key) for key in _FIELD.findall(form)}
    if any(not isinstance(value, str) or is_unknown(value) for value in values.values()):
        return None
    return form.format(**values)


def has_id(type_: str) -> bool:
    """Whether resources of that type exist outside of the state."""
    return type_ in FORMS or type_.startswith(_KUBERNETES)


def _joined(named: Mapping[str, Any]) -> str | None:
    """`namespace/name`, or the name alone of an object without a namespace."""
    name, namespace = named.get("name"), named.get("namespace")
    if not isinstance(name, str) or is_unknown([name, namespace]):
        return None
    return f"{namespace}/{name}" if isinstance(namespace, str) else name
