"""The simulators of the control plane lane, for stacks that take minutes to tell their story."""

from tests.control_plane.conftest import simulator, simulators

__all__ = ["simulator", "simulators"]
