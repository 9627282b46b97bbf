"""The simulators of the control plane lane, one for each stack whose changes are compared."""

from tests.control_plane.conftest import simulator, simulators

__all__ = ["simulator", "simulators"]
