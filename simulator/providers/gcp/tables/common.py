"""Properties that many resources have."""

from __future__ import annotations

from typing import Final

from simulator.providers.bridged.fields import Field

DELETION_POLICY: Final = Field(local=True, default="DELETE", choices=("DELETE", "PREVENT", "ABANDON"))
"""What the provider does when the resource is to be deleted."""
PROJECT: Final = Field(local=True, server=True)
"""The project of the resource, else the provider's."""
