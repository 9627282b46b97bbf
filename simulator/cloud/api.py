"""The calls of the simulated cloud, and how it refuses them.

Every argument and result is JSON-able, so that the same protocol serves in process and over a socket. A resource is the
JSON document of its REST API, addressed by its full API name without a host (`projects/p/locations/l/clusters/c`); a
change is a long-running operation that continues when its caller is gone.
"""

from __future__ import annotations

from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, Protocol, TypedDict

if TYPE_CHECKING:
    from collections.abc import Generator

Body = dict[str, Any]
"""A JSON object as the REST API of the resource has it; documents of an outside API are not typed further."""


class Kind(StrEnum):
    """The kinds of resource, each with the form of its names."""

    CLUSTER = "container.cluster"
    """`projects/P/locations/L/clusters/C`"""
    NODE_POOL = "container.nodePool"
    """`projects/P/locations/L/clusters/C/nodePools/N`"""
    INSTANCE_GROUP = "compute.instanceGroupManager"
    """`projects/P/zones/Z/instanceGroupManagers/G`: the machines of one node pool in one zone; made by the pool."""
    NETWORK = "compute.network"
    """`projects/P/global/networks/N`"""
    SUBNETWORK = "compute.subnetwork"
    """`projects/P/regions/R/subnetworks/S`"""
    ROUTER = "compute.router"
    """`projects/P/regions/R/routers/R`; its NAT gateways are a list in it."""
    FIREWALL = "compute.firewall"
    """`projects/P/global/firewalls/F`"""
    RESOURCE_POLICY = "compute.resourcePolicy"
    """`projects/P/regions/R/resourcePolicies/N`"""
    GLOBAL_ADDRESS = "compute.globalAddress"
    """`projects/P/global/addresses/N`: an address or a range; one of purpose VPC_PEERING is for Google's services."""
    DISK = "compute.disk"
    """`projects/P/zones/Z/disks/N`"""
    CONNECTION = "servicenetworking.connection"
    """`projects/P/global/networks/N/connections/SERVICE`: private services access of a network."""
    LUSTRE = "lustre.instance"
    """`projects/P/locations/L/lustreInstances/I`; the API says `instances`, as Filestore's does."""
    CONFIDENTIAL = "secretmanager.secret"
    """`projects/P/secrets/S`"""
    CONFIDENTIAL_VERSION = "secretmanager.secretVersion"
    """`projects/P/secrets/S/versions/V`: a value of a secret; versions are numbered from 1."""
    FILESTORE = "file.instance"
    """`projects/P/locations/L/instances/I`"""
    SERVICE_ACCOUNT = "iam.serviceAccount"
    """`projects/P/serviceAccounts/EMAIL`"""
    IAM_MEMBER = "iam.member"
    """`RESOURCE/iam/ROLE/MEMBER`: one member of one role in the IAM policy of RESOURCE."""
    SERVICE = "serviceusage.service"
    """`projects/P/services/NAME.googleapis.com`: present when the API is enabled in the project."""
    BUCKET = "storage.bucket"
    """`b/NAME`: bucket names are global."""


class OperationError(TypedDict):
    """Why an operation ended without its effect."""

    code: int
    status: str
    message: str


class Operation(TypedDict):
    """A long-running operation; `error` is None unless it is DONE and failed."""

    name: str
    """Full name, such as `projects/p/locations/l/operations/operation-1790000000000-0a1b2c3d`."""
    kind: str
    """A `Kind`: that of the resource."""
    verb: str
    """`create`, `update` or `delete`."""
    target: str
    """The API name of the resource."""
    status: str
    """`PENDING`, `RUNNING` or `DONE`."""
    startTime: str
    endTime: str | None
    error: OperationError | None


STATUS_CODES: Final = {
    "INVALID_ARGUMENT": 400,
    "FAILED_PRECONDITION": 400,
    "PERMISSION_DENIED": 403,
    "NOT_FOUND": 404,
    "ALREADY_EXISTS": 409,
    "ABORTED": 409,
    "CONDITION_NOT_MET": 412,
    "RESOURCE_EXHAUSTED": 429,
    "INTERNAL": 500,
    "RESOURCE_IN_USE_BY_ANOTHER_RESOURCE": 400,
}
"""The HTTP code that goes with each status (google.rpc.Code; the last one is Compute Engine's own reason)."""
_REASONS: Final = {
    "ALREADY_EXISTS": "alreadyExists",
    "FAILED_PRECONDITION": "failedPrecondition",
    "INVALID_ARGUMENT": "badRequest",
    "NOT_FOUND": "notFound",
    "PERMISSION_DENIED": "forbidden",
    "RESOURCE_EXHAUSTED": "rateLimitExceeded",
    "RESOURCE_IN_USE_BY_ANOTHER_RESOURCE": "resourceInUseByAnotherResource",
}


class CloudError(Exception):
    """The cloud refuses a call, in the words of the API."""

    def __init__(self, code: int, status: str, message: str) -> None:
        """`code` is the HTTP code, `status` one of `STATUS_CODES`, `message` the API's text for the user."""
        super().__init__(message)
        self.code = code
        self.status = status
        self.message = message

    @property
    def in_words(self) -> str:
        """As Google's Go client prints it, such as `googleapi: Error 404: ..., notFound`: users see and match on it."""
        return f"googleapi: Error {self.code}: {self.message}, {_REASONS.get(self.status, self.status.lower())}"


@contextmanager
def passing_over(status: str) -> Generator[None]:
    """Pass over a refusal with that status, such as NOT_FOUND of a deletion."""
    try:
        yield
    except CloudError as error:
        if error.status != status:
            raise


def refusal(status: str, message: str) -> CloudError:
    """The error for `status`, with the HTTP code that belongs to it."""
    return CloudError(STATUS_CODES[status], status, message)


def invalid(message: str) -> CloudError:
    """The error for a request that is wrong in itself: INVALID_ARGUMENT."""
    return refusal("INVALID_ARGUMENT", message)


def invalid_value(field: str, value: object, text: str) -> CloudError:
    """The error for the value of a field, with the field's path and a sentence about what it takes."""
    return invalid(f"Invalid value for field '{field}': '{value}'. {text}")


class CloudApi(Protocol):
    """The calls. Any of them may come from another thread, many at once."""

    def create(self, kind: str, name: str, body: Body) -> Operation:
        """Start to make the resource `name`, a document of `kind`.

        Raises:
            CloudError: refused before anything exists: ALREADY_EXISTS, INVALID_ARGUMENT, NOT_FOUND of a parent, ...
        """
        ...

    def update(self, name: str, changes: Body) -> Operation:
        """Start to change the resource by the JSON merge patch `changes` (RFC 7386: None removes, objects merge).

        `nodeCount` of a node pool is the API's setSize call: machines per zone. `targetSize` of an instance group is
        its resize call, and `deleteInstances`, a list of names, removes those machines; `recreateInstances` makes them
        anew and `loseInstances`, which the real API does not have, makes them fail.

        Raises:
            CloudError: refused, and nothing changed.
        """
        ...

    def delete(self, name: str) -> Operation:
        """Start to delete the resource.

        Raises:
            CloudError: it does not exist, is in use or is busy with another operation.
        """
        ...

    def get(self, name: str) -> Body:
        """The resource as it is now, server-side fields included.

        Raises:
            CloudError: NOT_FOUND.
        """
        ...

    def list(self, kind: str, prefix: str = "") -> list[Body]:
        """Every resource of `kind` whose name starts with `prefix`, sorted by name; each has its name in `apiName`."""
        ...

    def operation(self, name: str) -> Operation:
        """The operation as it is now.

        Raises:
            CloudError: NOT_FOUND: there never was such an operation, or it ended long ago.
        """
        ...

    def wait(self, operation: str, seconds: float) -> Operation:
        """The operation once it is DONE, or as it is after `seconds` of real time."""
        ...

    def set_pace(self, pace: dict[str, float]) -> dict[str, float]:
        """Set how long operations take in simulated seconds, by kind, and return all that is set.

        A kind that is not given keeps its pace; without one an operation takes as long as the real work under it.
        """
        ...
