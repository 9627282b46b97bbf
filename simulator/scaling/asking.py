"""An autoscaler's calls to the cloud, which may refuse because something else is under way."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from simulator.cloud.api import CloudError

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.cloud.api import Operation
    from simulator.cloud.cloud import Cloud
    from simulator.scaling.supply import Group

RETRY_SECONDS: Final = 10.0
"""Simulated time after which a refused call is tried again: the autoscaler's scan interval."""
BUSY: Final = "FAILED_PRECONDITION"
"""How the cloud refuses a second operation on something."""


class Asking:
    """Calls on behalf of one cluster's autoscaler."""

    def __init__(self, cluster: str, cloud: Cloud) -> None:
        self._cluster = cluster
        self.cloud = cloud
        self.is_refused = False
        """Whether something was refused since this was last set to False."""

    def update(self, group: Group, **wish: Any) -> Operation | None:  # noqa: ANN401  any JSON value
        """Change an instance group; None when the cloud refuses for now."""
        return self._try(lambda: self.cloud.update(group.name, wish))

    def delete(self, pool: str) -> Operation | None:
        """Delete a node pool; None when the cloud refuses for now."""
        return self._try(lambda: self.cloud.delete(pool))

    def _try(self, call: Callable[[], Operation]) -> Operation | None:
        try:
            return call()
        except CloudError as error:
            self.is_refused = True
            if error.status != BUSY:
                sys.stderr.write(f"autoscaler of {self._cluster}: {error}\n")
            return None
