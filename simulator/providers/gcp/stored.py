"""What stores: Filestore, Cloud Storage, Managed Lustre, disks, secrets; and private services access, for Lustre."""

from __future__ import annotations

import urllib.parse
from typing import TYPE_CHECKING, Any

from simulator.cloud.api import Body, CloudError, Kind
from simulator.cloud.names import api_name, from_reference, parts_of
from simulator.cloud.storage import EMPTIED
from simulator.providers.base import ProviderError
from simulator.providers.gcp.resource import Observed, Resource, text

if TYPE_CHECKING:
    from simulator.providers.gcp.calls import Calls
    from simulator.providers.gcp.settings import Settings
    from simulator.providers.values import Properties


class Filestore(Resource):
    """Filestore instances."""

    type_name = "gcp:filestore/instance:Instance"
    kind = Kind.FILESTORE

    def computed(self, seen: Observed) -> Properties:
        """No replications."""
        return {**super().computed(seen), "effectiveReplications": list[Any]()}


class Bucket(Resource):
    """Buckets."""

    type_name = "gcp:storage/bucket:Bucket"
    kind = Kind.BUCKET
    id_form = "{project}/{name}"

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
        """The address for commands, too."""
        return {**super().computed(seen), "url": f"gs://{seen.body['name']}", "projectNumber": 0}


class Lustre(Resource):
    """Managed Lustre instances."""

    type_name = "gcp:lustre/instance:Instance"
    kind = Kind.LUSTRE
    name_property = "instanceId"
    name_limit = None
    id_form = "projects/{project}/locations/{location}/instances/{instanceId}"

    def id_of(self, name: str) -> str:
        """As the API names it."""
        return name.replace("/lustreInstances/", "/instances/")

    def computed(self, seen: Observed) -> Properties:
        """A state without a reason."""
        return {**super().computed(seen), "stateReason": ""}


class Disk(Resource):
    """Disks of a zone."""

    type_name = "gcp:compute/disk:Disk"
    kind = Kind.DISK

    def computed(self, seen: Observed) -> Properties:
        """The number, too."""
        return {**super().computed(seen), "diskId": seen.body["id"]}


class GlobalAddress(Resource):
    """Ranges that a network keeps for Google's services."""

    type_name = "gcp:compute/globalAddress:GlobalAddress"
    kind = Kind.GLOBAL_ADDRESS


class Connection(Resource):
    """Connections of networks to Google's services; the id has the network's name, quoted as in a URL."""

    type_name = "gcp:servicenetworking/connection:Connection"
    kind = Kind.CONNECTION
    name_limit = None
    own_ids = (r"(?P<network>[^:]+):(?P<service>[^:/]+)",)

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


class Secret(Resource):
    """Secrets without their values, which `tpu simulator secret` sets, as `gcloud secrets versions add` does."""

    type_name = "gcp:secretmanager/secret:Secret"
    kind = Kind.CONFIDENTIAL
    name_property = "secretId"
    name_limit = 255

    def delete(self, calls: Calls, name: str, outputs: Properties) -> None:
        """Refused while the program protects the secret."""
        if outputs.get("deletionProtection"):
            raise ProviderError(
                "cannot destroy secretmanager secret without setting deletion_protection=false and running `pulumi up`"
            )
        super().delete(calls, name, outputs)
