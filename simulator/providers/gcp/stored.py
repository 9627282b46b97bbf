"""Filestore instances and Cloud Storage buckets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from simulator.cloud.api import CloudError, Kind
from simulator.cloud.names import parts_of
from simulator.cloud.storage import EMPTIED
from simulator.providers.base import ProviderError
from simulator.providers.gcp.resource import Observed, Resource, usual_ids
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
