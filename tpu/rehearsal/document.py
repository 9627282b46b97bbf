"""The input of a rehearsal: a platform, its capacity, and the Workloads that are there or will be asked for.

All times are whole seconds since the start of the rehearsal. The command checks what these types cannot: that names
exist, that times do not go back, and that Kueue accepts the objects.
"""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

FORMAT: Final = "tpu-rehearsal-input/1"

Object = dict[str, Any]
"""A Kubernetes object, as `kubectl get -o json` shows it."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Stock(_Part):
    """How much capacity of a flavor there is, from a moment on."""

    at: int = Field(ge=0)
    amount: int = Field(ge=0)


class Capacity(_Part):
    """When the nodes of a flavor come; the nodes of other flavors are always there."""

    flavor: str
    resource: str
    """The resource that is counted, such as `google.com/tpu`."""
    queue: int = Field(default=0, ge=0)
    """Seconds for which a request waits before its nodes are provisioned, as with flex-start."""
    startup: int = Field(default=0, ge=0)
    """Seconds that the nodes then take."""
    stock: tuple[Stock, ...] = ()
    """Without it there is always enough."""


class Entry(_Part):
    """One Workload and what is known of its job."""

    workload: Object
    at: int
    """When it is created; zero or less for one that is open at the start."""
    admitted: int | None = Field(default=None, le=0)
    """When an open Workload was admitted, with the flavors in its `status.admission`."""
    runs: int | None = Field(default=None, ge=0)
    """Seconds of work; None for a job that does not end."""
    checkpoint: int | None = Field(default=None, gt=0)
    """Seconds of work after which it saves its progress; without, an eviction takes all of it."""


class Change(_Part):
    """An object that replaces the one of its name: a quota that changes, a queue that is drained."""

    at: int = Field(ge=0)
    object: Object


class Rehearsal(_Part):
    """All that a rehearsal knows."""

    format: Literal["tpu-rehearsal-input/1"] = FORMAT
    until: int = Field(gt=0)
    """When it ends."""
    configuration: Object | None = None
    """Kueue's configuration; without, its defaults."""
    objects: tuple[Object, ...]
    """ResourceFlavors, ClusterQueues, LocalQueues, Cohorts, WorkloadPriorityClasses, AdmissionChecks, Namespaces."""
    capacity: tuple[Capacity, ...] = ()
    checks: dict[str, int] = Field(default_factory=dict[str, int])
    """Seconds until an admission check is ready, for each that does not provision nodes."""
    eviction: int = Field(default=0, ge=0)
    """Seconds that the pods of an evicted Workload take to end."""
    workloads: tuple[Entry, ...]
    """In the order of their creation."""
    changes: tuple[Change, ...] = ()

    def text(self) -> str:
        """The document for the command, on one line."""
        return self.model_dump_json(exclude_none=True)
