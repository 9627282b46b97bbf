"""Which properties of Google's resources the stand-in models, and where each lies in Google's API.

One module for each service, data only. A property that is not in a table is refused when a program sets it, even when
the real provider has it: an accepted property must have its effect, at least that it is stored and read back.

`server`, defaults, choices and comparisons follow the resources of Google's Terraform provider (google-beta), which the
official plugin is built from; the API's field names are those of its REST reference. Both read 2026-11.
"""

from __future__ import annotations

from typing import Final

from simulator.providers.bridged.fields import Field

DELETION_POLICY: Final = Field(local=True, default="DELETE", choices=("DELETE", "PREVENT", "ABANDON"))
"""What the provider does when the resource is to be deleted."""
PROJECT: Final = Field(local=True, server=True)
"""The project of the resource, else the provider's."""
