"""A rule about node pools."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.cloud.pool_request import PoolRequest


AUTOSCALER: Final = "GoogleCloudPlatform/cluster-autoscaler @7d250507"
TOOLKIT: Final = "GoogleCloudPlatform/cluster-toolkit @10470803 modules/compute/gke-node-pool"


class Stage(Enum):
    """When a rule refuses."""

    ADMISSION = "the request is refused"
    PROVISIONING = "the request is accepted; the operation fails in Compute Engine and leaves the pool in ERROR"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One reason to refuse a node pool."""

    id: str
    refuses: Callable[[PoolRequest], str | None]
    """The text of the refusal, or None."""
    source: str
    """The source that shows that the API refuses, read 2026-11."""
    is_quoted: bool
    """Whether somebody published an answer of the API with this text; the other texts are ours."""
    stage: Stage = Stage.ADMISSION
