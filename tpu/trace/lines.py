"""The format of a record, version 1: each line is one JSON object, and `what` says which.

The first line is a `Trace`. Moments are RFC 3339 in a file, and milliseconds since the epoch here, so that sums of
time are exact. Nothing of a container is kept but its requests: no image, no command, no variable.
"""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Any, Final, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    TypeAdapter,
    ValidationInfo,
)

from components.model.facts import quantities

VERSION: Final = 1
SECOND: Final = 1000
"""Milliseconds."""
HOUR: Final = 3600 * SECOND
REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
"""The part of a pod's node affinity that a record keeps."""


def moment(text: str) -> int:
    """An RFC 3339 time in milliseconds since the epoch.

    >>> moment("2026-11-23T08:00:00.5Z") - moment("2026-11-23T09:00:00+01:00")
    500

    Raises:
        ValueError: it is not such a time, has no time zone, or is before 1970.
    """
    read = dt.datetime.fromisoformat(text)
    if read.tzinfo is None:
        raise ValueError(f"{text} has no time zone; end it with Z for UTC")
    found = round(read.timestamp() * SECOND)
    if found < 0:
        raise ValueError(f"{text} is before 1970")
    return found


def written(milliseconds: int) -> str:
    """A moment as RFC 3339, in UTC.

    >>> written(moment("2026-11-23T08:00:00.5Z")), written(0)
    ('2026-11-23T08:00:00.500Z', '1970-01-01T00:00:00Z')
    """
    whole, rest = divmod(milliseconds, SECOND)
    fraction = f".{rest:03}" if rest else ""
    return f"{dt.datetime.fromtimestamp(whole, dt.UTC):%Y-%m-%dT%H:%M:%S}{fraction}Z"


def _moment(value: object, info: ValidationInfo) -> object:
    if isinstance(value, str):
        return moment(value)
    if info.mode == "json":
        raise ValueError("must be an RFC 3339 time in quotes, such as 2026-11-23T08:00:00Z")
    return value


def _amount(text: str) -> str:
    if quantities.thousandths(text) < 0:
        raise ValueError(f"{text} is below 0")
    return text


Moment = Annotated[int, Field(ge=0), BeforeValidator(_moment), PlainSerializer(written)]
Amount = Annotated[str, AfterValidator(_amount)]
"""As Kubernetes writes it: `24`, `500m`, `10Gi`."""
Amounts = dict[str, Amount]
"""By the name of the resource."""
Count = Annotated[int, Field(ge=0)]
Uid = Annotated[str, Field(min_length=1)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class PodSet(_Part):
    """Equal pods of a Workload, with everything that decides where Kueue admits them."""

    name: str
    count: Count
    min_count: Count | None = None
    """The fewest pods that it accepts; None where it needs all."""
    requests: Amounts = {}
    """Of one pod."""
    node_selector: dict[str, str] = {}
    node_affinity: dict[str, Any] | None = None
    """The node affinity that a node must satisfy, as Kubernetes writes it."""
    tolerations: tuple[dict[str, Any], ...] = ()
    topology: dict[str, Any] | None = None
    """The topology request, as Kueue writes it."""


class PriorityClass(_Part):
    """The class that gives a Workload its priority."""

    name: str
    kind: str = "WorkloadPriorityClass"
    group: str = "kueue.x-k8s.io"


class Assignment(_Part):
    """Where Kueue admitted the pods of a pod set."""

    name: str
    count: Count
    flavors: dict[str, str] = {}
    """By resource."""
    usage: Amounts = {}
    """Of all pods together."""


class Flavor(_Part):
    """The capacity of one ResourceFlavor."""

    name: str
    nodes: dict[str, Count] | None = None
    """Chips and GPUs of the nodes that have its labels; None where nobody could list nodes."""
    quota: dict[str, Count] = {}
    """Chips and GPUs of the nominal quota of all ClusterQueues."""
    generation: str | None = None
    """Of TPU, such as v5e; None where the labels do not say it."""
    capacity: str | None = None
    """How it is paid for: on-demand, spot, flex-start or reservation."""
    region: str | None = None


class _Line(_Part):
    at: Moment


class _OfWorkload(_Line):
    uid: Uid
    version: str | None = None
    """The resourceVersion of the Workload from which a recorder wrote the line."""


class Trace(_Line):
    """The first line of each record, with the moment at which the record begins."""

    what: Literal["trace"] = "trace"
    version: Literal[1] = VERSION
    cluster: str | None = None
    """Uid of the namespace kube-system, which no other cluster has; None where nobody could read it."""
    made: str | None = None
    """How it was made, if a recorder did not write it."""


class Begun(_Line):
    """A recorder began to write; between the last line before it and this one, nobody watched."""

    what: Literal["begun"] = "begun"


class Seen(_Line):
    """Everything up to this moment is in the record."""

    what: Literal["seen"] = "seen"
    version: str | None = None
    """The resourceVersion from which a recorder goes on."""


class Capacity(_Line):
    """The capacity from this moment on."""

    what: Literal["capacity"] = "capacity"
    flavors: tuple[Flavor, ...]


class Asked(_OfWorkload):
    """A Workload was created."""

    what: Literal["asked"] = "asked"
    namespace: str
    name: str
    job: str
    """Kind and name of the object that it is for, such as JobSet/train."""
    team: str
    queue: str
    """The LocalQueue; empty where it names none."""
    cluster_queue: str | None = None
    """The ClusterQueue of the LocalQueue; None where there is no such LocalQueue."""
    priority: int = 0
    priority_class: PriorityClass | None = None
    pod_sets: tuple[PodSet, ...]
    max_seconds: Count | None = None
    """The longest time that it may run."""


class Reserved(_OfWorkload):
    """Kueue reserved quota: from here on nobody else gets these chips."""

    what: Literal["reserved"] = "reserved"
    cluster_queue: str
    pod_sets: tuple[Assignment, ...]


class Admitted(_OfWorkload):
    """Every admission check has passed: the job may start."""

    what: Literal["admitted"] = "admitted"


class Ready(_OfWorkload):
    """All of its pods run."""

    what: Literal["ready"] = "ready"


class Unready(_OfWorkload):
    """Some of its pods no longer run."""

    what: Literal["unready"] = "unready"


class Evicted(_OfWorkload):
    """Kueue decided to end it; its pods still have to go."""

    what: Literal["evicted"] = "evicted"
    reason: str
    message: str = ""
    late: bool = False
    """Whether it happened at an unknown moment before: the recorder did not see it."""


class Released(_OfWorkload):
    """Its quota is free again."""

    what: Literal["released"] = "released"


class Reclaimed(_OfWorkload):
    """Some of its pods have succeeded, and their quota is free."""

    what: Literal["reclaimed"] = "reclaimed"
    pods: dict[str, Count]
    """By pod set, how many pods so far."""


class Paused(_OfWorkload):
    """Somebody or Kueue deactivated it: it does not wait for quota."""

    what: Literal["paused"] = "paused"


class Resumed(_OfWorkload):
    """It is active again."""

    what: Literal["resumed"] = "resumed"


class Finished(_OfWorkload):
    """Its job has ended."""

    what: Literal["finished"] = "finished"
    reason: str
    """Succeeded or Failed, mostly."""


class Gone(_OfWorkload):
    """It was deleted before its job ended."""

    what: Literal["gone"] = "gone"
    late: bool = False
    """Whether it was deleted at an unknown moment before."""


OfWorkload = (
    Asked | Reserved | Admitted | Ready | Unready | Evicted | Released | Reclaimed | Paused | Resumed | Finished | Gone
)
Line = Trace | Begun | Seen | Capacity | OfWorkload
LINE: Final[TypeAdapter[Line]] = TypeAdapter(Annotated[Line, Field(discriminator="what")])
"""Reads a line, and checks it."""


def as_json(line: Line) -> bytes:
    """A line as it is written, with its line break; fields at their default are left out, except `what`."""
    document = {"what": line.what, **line.model_dump(mode="json", exclude_defaults=True)}
    if isinstance(line, Trace):
        document["version"] = line.version
    return LINE_ENCODER.dump_json(document) + b"\n"


LINE_ENCODER: Final[TypeAdapter[dict[str, Any]]] = TypeAdapter(dict[str, Any])
