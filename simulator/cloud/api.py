"""The calls of the simulated cloud, and how it refuses them.

Every argument and result is JSON-able, so that the same protocol serves in process and over a socket. A resource is the
JSON document of its REST API, addressed by its full API name without a host (`projects/p/locations/l/clusters/c`); a
change is a long-running operation that continues when its caller is gone.
"""

from __future__ import annotations

from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, Protocol, Self, TypedDict

if TYPE_CHECKING:
    from collections.abc import Generator

Body = dict[str, Any]
"""A JSON object as the REST API of the resource has it; documents of an outside API are not typed further."""


class Kind(StrEnum):
    """The kinds of resource, each with the form of its API names."""

    form: str
    """Has the words for the parts of a name in braces."""

    def __new__(cls, value: str, form: str) -> Self:
        """A kind is the text of its value."""
        made = str.__new__(cls, value)
        made._value_, made.form = value, form
        return made

    CLUSTER = "container.cluster", "projects/{project}/locations/{location}/clusters/{name}"
    NODE_POOL = "container.nodePool", "projects/{project}/locations/{location}/clusters/{cluster}/nodePools/{name}"
    INSTANCE_GROUP = "compute.instanceGroupManager", "projects/{project}/zones/{zone}/instanceGroupManagers/{name}"
    """The machines of one node pool in one zone; made by the pool."""
    NETWORK = "compute.network", "projects/{project}/global/networks/{name}"
    SUBNETWORK = "compute.subnetwork", "projects/{project}/regions/{region}/subnetworks/{name}"
    ROUTER = "compute.router", "projects/{project}/regions/{region}/routers/{name}"
    """Its NAT gateways are a list in it."""
    FIREWALL = "compute.firewall", "projects/{project}/global/firewalls/{name}"
    RESOURCE_POLICY = "compute.resourcePolicy", "projects/{project}/regions/{region}/resourcePolicies/{name}"
    GLOBAL_ADDRESS = "compute.globalAddress", "projects/{project}/global/addresses/{name}"
    """An address or a range; one of purpose VPC_PEERING is for Google's services."""
    DISK = "compute.disk", "projects/{project}/zones/{zone}/disks/{name}"
    CONNECTION = "servicenetworking.connection", "projects/{project}/global/networks/{network}/connections/{name}"
    """Private services access of a network; its name is that of the service."""
    LUSTRE = "lustre.instance", "projects/{project}/locations/{location}/lustreInstances/{name}"
    """The API says `instances`, as Filestore's does."""
    CONFIDENTIAL = "secretmanager.secret", "projects/{project}/secrets/{name}"
    CONFIDENTIAL_VERSION = "secretmanager.secretVersion", "projects/{project}/secrets/{secret}/versions/{name}"
    """A value of a secret; versions are numbered from 1."""
    FILESTORE = "file.instance", "projects/{project}/locations/{location}/instances/{name}"
    SERVICE_ACCOUNT = "iam.serviceAccount", "projects/{project}/serviceAccounts/{name}"
    """Its name is its email address."""
    IAM_MEMBER = "iam.member", "{resource}/iam/{role}/{member}"
    """One member of one role in the IAM policy of a resource."""
    SERVICE = "serviceusage.service", "projects/{project}/services/{name}"
    """Present when the API `NAME.googleapis.com` is enabled in the project."""
    BUCKET = "storage.bucket", "b/{name}"
    """Bucket names are global."""


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
