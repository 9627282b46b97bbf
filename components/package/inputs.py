"""The inputs of the components that are not keys of a stack file, beside those that are.

`schema.py` makes the package's schema of them. They are not validated here: the reader of stack files checks the
values, which are known at preview.
"""

from typing import Annotated, Any, Literal

from components.model import config
from components.model.config import Section

SliceGroup = Annotated[dict[str, Any], config.TpuSlices]
"""Type of an output that has the form of the input `config.TpuSlices`. `LocalQueue` and `LedgerData` are such types
too."""
LocalQueue = Annotated[dict[str, Any], config.LocalQueue]


class ExistingCluster(Section):
    """A GKE cluster that exists; the component neither creates, changes nor destroys it."""

    name: str
    """Name of the cluster."""
    location: str
    """Its region, or its zone."""
    mode: Literal["standard", "autopilot"] = "standard"
    """Who manages the nodes."""
    node_service_account: str | None = None
    """Address of the service account that nodes run as; node pools need it."""
    project: str | None = None
    """Google Cloud project of the cluster; by default it is the stack's `gcp:project`."""


class TpuSlicesInputs(Section):
    """The inputs of TpuSlices."""

    cluster: ExistingCluster
    """The cluster that the slices are added to."""
    groups: tuple[config.TpuSlices, ...]
    """The slices, by shape."""
    billing_labels: dict[str, str] | None = None
    """Labels on every node that bills show."""


class Ledger(Section):
    """The queues and their slices, against which a JobSet is checked."""

    slices: tuple[config.TpuSlices, ...] | None = None
    """The slices whose chips the queues have as quota, such as the output `groups` of TpuSlices. Queues cannot have
    more. By default the cluster's slices are not known, and every quota must be stated."""
    flavors: tuple[config.AnyFlavor, ...]
    """Kinds of slices, and ordinary resources."""
    cohorts: tuple[config.Cohort, ...] = ()
    """Cohorts that queues may be in."""
    admission_checks: tuple[config.AdmissionCheck, ...] = ()
    """Checks that queues may name."""
    queues: tuple[config.Queue, ...]
    """The queues."""
    priorities: tuple[config.Priority, ...] = ()
    """Priorities that workloads may have."""


LedgerData = Annotated[dict[str, Any], Ledger]


class QueuesInputs(Ledger):
    """The inputs of Queues."""

    cluster: ExistingCluster
    """The cluster, in which Kueue is installed."""
    existing_namespaces: tuple[str, ...] = ()
    """Namespaces of LocalQueues that exist already; the others are created."""


class JobSetInputs(Section):
    """The inputs of JobSet beside those of a stack file's JobSet."""

    cluster: ExistingCluster
    """The cluster, in which JobSet and Kueue are installed."""
    ledger: Ledger
    """The queues that the workload is checked against: the output `ledger` of Queues, or the same written out."""
