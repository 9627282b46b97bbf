"""What stores: Filestore, Cloud Storage, Managed Lustre, disks, secrets; and private services access, for Lustre."""

from __future__ import annotations

import urllib.parse
from typing import TYPE_CHECKING, Any, ClassVar

from simulator.cloud.api import CloudError, Kind
from simulator.cloud.names import api_name, from_reference, parts_of
from simulator.cloud.storage import EMPTIED
from simulator.providers.base import ProviderError
from simulator.providers.bridged.fields import AutoName
from simulator.providers.gcp.resource import Observed, Resource, text, usual_ids
from simulator.providers.gcp.tables import others as tables

if TYPE_CHECKING:
    from simulator.cloud.api import Body
    from simulator.providers.bridged.fields import Fields
    from simulator.providers.gcp.calls import Calls
    from simulator.providers.gcp.settings import Settings
    from simulator.providers.values import Properties


class Filestore(Resource):
    """Filestore instances."""

    type_name: ClassVar[str] = "gcp:filestore/instance:Instance"
    kind: ClassVar[Kind] = Kind.FILESTORE
    fields: ClassVar[Fields] = tables.FILESTORE
    labels_property: ClassVar[str | None] = "labels"
    places: ClassVar[tuple[str, ...]] = ("project", "location")
    ids: ClassVar[tuple[str, ...]] = usual_ids("projects/{project}/locations/{location}/instances/{name}", least=2)

    def computed(self, seen: Observed) -> Properties:
        """Time and etag."""
        return {
            "createTime": seen.body["createTime"],
            "etag": seen.body["etag"],
            "effectiveReplications": list[Any](),
        }


class Bucket(Resource):
    """Buckets."""

    type_name: ClassVar[str] = "gcp:storage/bucket:Bucket"
    kind: ClassVar[Kind] = Kind.BUCKET
    fields: ClassVar[Fields] = tables.BUCKET
    labels_property: ClassVar[str | None] = "labels"
    ids: ClassVar[tuple[str, ...]] = (r"(?P<name>[^/]+)", r"(?P<project>[^/]+)/(?P<name>[^/]+)")

    def name_parts(self, settings: Settings, properties: Properties) -> dict[str, str]:
        """The name alone: buckets are global, though each has a project."""
        return {"name": super().name_parts(settings, properties)["name"]}

    def id_of(self, name: str) -> str:
        """The bare name."""
        return parts_of(self.kind, name)["name"]

    def body(self, settings: Settings, properties: Properties) -> Body:
        """The bucket's project is in its document."""
        return super().body(settings, properties) | {"project": settings.project_of(properties)}

    def delete(self, calls: Calls, name: str, outputs: Properties) -> None:
        """Empty the bucket first when the program says so; refused while it has objects otherwise."""
        try:
            if outputs.get("forceDestroy"):
                calls.change("emptying Bucket", name, lambda: calls.cloud.update(name, {EMPTIED: True}))
            super().delete(calls, name, outputs)
        except CloudError as error:
            if error.status == "CONFLICT":
                bucket = self.id_of(name)
                raise ProviderError(
                    f"Error trying to delete bucket {bucket} containing objects without `force_destroy` set to true"
                ) from None
            if error.status != "NOT_FOUND":
                raise

    def computed(self, seen: Observed) -> Properties:
        """Addresses and times."""
        return {
            "selfLink": seen.body["selfLink"],
            "url": f"gs://{seen.body['name']}",
            "timeCreated": seen.body["timeCreated"],
            "updated": seen.body["updated"],
            "projectNumber": 0,
        }


class Lustre(Resource):
    """Managed Lustre instances."""

    type_name: ClassVar[str] = "gcp:lustre/instance:Instance"
    kind: ClassVar[Kind] = Kind.LUSTRE
    name_property: ClassVar[str] = "instanceId"
    fields: ClassVar[Fields] = tables.LUSTRE
    auto_name: ClassVar[AutoName | None] = None
    labels_property: ClassVar[str | None] = "labels"
    places: ClassVar[tuple[str, ...]] = ("project", "location")
    ids: ClassVar[tuple[str, ...]] = usual_ids(
        "projects/{project}/locations/{location}/instances/{instanceId}", least=2
    )

    def id_of(self, name: str) -> str:
        """As the API names it."""
        return name.replace("/lustreInstances/", "/instances/")

    def computed(self, seen: Observed) -> Properties:
        """The address for mounts, times and state."""
        return {
            "name": seen.body["name"],
            "mountPoint": seen.body["mountPoint"],
            "state": seen.body["state"],
            "stateReason": "",
            "uid": seen.body["uid"],
            "createTime": seen.body["createTime"],
            "updateTime": seen.body["updateTime"],
        }


class Disk(Resource):
    """Disks of a zone."""

    type_name: ClassVar[str] = "gcp:compute/disk:Disk"
    kind: ClassVar[Kind] = Kind.DISK
    fields: ClassVar[Fields] = tables.DISK
    labels_property: ClassVar[str | None] = "labels"
    places: ClassVar[tuple[str, ...]] = ("project", "zone")
    ids: ClassVar[tuple[str, ...]] = usual_ids("projects/{project}/zones/{zone}/disks/{name}")

    def computed(self, seen: Observed) -> Properties:
        """Address, number and time."""
        return {**super().computed(seen), "diskId": seen.body["id"]}


class GlobalAddress(Resource):
    """Ranges that a network keeps for Google's services."""

    type_name: ClassVar[str] = "gcp:compute/globalAddress:GlobalAddress"
    kind: ClassVar[Kind] = Kind.GLOBAL_ADDRESS
    fields: ClassVar[Fields] = tables.GLOBAL_ADDRESS
    labels_property: ClassVar[str | None] = "labels"
    ids: ClassVar[tuple[str, ...]] = usual_ids("projects/{project}/global/addresses/{name}")


class Connection(Resource):
    """Connections of networks to Google's services; the id has the network's name, quoted as in a URL."""

    type_name: ClassVar[str] = "gcp:servicenetworking/connection:Connection"
    kind: ClassVar[Kind] = Kind.CONNECTION
    fields: ClassVar[Fields] = tables.CONNECTION
    auto_name: ClassVar[AutoName | None] = None
    places: ClassVar[tuple[str, ...]] = ()
    ids: ClassVar[tuple[str, ...]] = (r"(?P<network>[^:]+):(?P<service>[^:/]+)",)

    def name_parts(self, settings: Settings, properties: Properties) -> dict[str, str]:
        """The network's project and name, and the service."""
        written = urllib.parse.unquote(text(properties, "network")).lstrip("/")
        project = "" if "projects/" in written else settings.project_of({})
        network = parts_of(Kind.NETWORK, from_reference(Kind.NETWORK, written, project=project))
        return {"project": network["project"], "network": network["name"], "name": text(properties, "service")}

    def id_of(self, name: str) -> str:
        """`network:service`."""
        parts = parts_of(self.kind, name)
        network = api_name(Kind.NETWORK, project=parts["project"], name=parts["network"])
        return f"{urllib.parse.quote_plus(network)}:{parts['name']}"

    def imported(self, name: str) -> Properties:
        """Everything in the id."""
        parts = parts_of(self.kind, name)
        network = api_name(Kind.NETWORK, project=parts["project"], name=parts["network"])
        return {"network": network, "service": parts["name"]}

    def computed(self, seen: Observed) -> Properties:
        """The name of the peering."""
        return {"peering": seen.body["peering"]}


class Secret(Resource):
    """Secrets without their values, which `tpu simulator secret` sets, as `gcloud secrets versions add` does."""

    type_name: ClassVar[str] = "gcp:secretmanager/secret:Secret"
    kind: ClassVar[Kind] = Kind.CONFIDENTIAL
    name_property: ClassVar[str] = "secretId"
    fields: ClassVar[Fields] = tables.SECRET
    auto_name: ClassVar[AutoName | None] = AutoName(property="secretId", limit=255)
    labels_property: ClassVar[str | None] = "labels"
    ids: ClassVar[tuple[str, ...]] = usual_ids("projects/{project}/secrets/{secretId}")

    def computed(self, seen: Observed) -> Properties:
        """Name and time."""
        return {"name": seen.body["name"], "createTime": seen.body["createTime"]}

    def delete(self, calls: Calls, name: str, outputs: Properties) -> None:
        """Refused while the program protects the secret."""
        if outputs.get("deletionProtection"):
            raise ProviderError(
                "cannot destroy secretmanager secret without setting deletion_protection=false and running `pulumi up`"
            )
        super().delete(calls, name, outputs)
