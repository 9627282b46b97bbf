"""The name of the Pulumi project, and the key of its configuration: known without what reads a whole platform."""

from __future__ import annotations

from typing import Final

PROJECT: Final = "tpu-platform"
"""Name of this Pulumi project."""
KEY: Final = "platform"
"""Key of the configuration that is the platform, within the namespace of the project."""
ADOPTING: Final = "adopting"
"""Key of the configuration that says, while a stack is adopted, that it takes over what runs in the cluster."""
