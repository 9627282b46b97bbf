"""How much time Google Kubernetes Engine wants for maintenance, and how long it may be kept from it.

Source: GKE documentation "Maintenance windows and exclusions" and its how-to, read 2026-11; they disagree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

WINDOW_HOURS: Final = 4
"""Shorter stretches do not count."""
HOURS: Final = 48
"""Hours for maintenance that every period must have."""
DAYS: Final = 92
"""Days of the period ("Maintenance windows and exclusions")."""
DAYS_STRICT: Final = 32
"""The same on older pages; the API refused clusters in these words in 2025."""
NO_UPGRADES: Final = "NO_UPGRADES"
"""Scope of an exclusion of all upgrades."""
NO_UPGRADES_DAYS: Final = 90
"""Days of an exclusion of that scope."""
NO_UPGRADES_DAYS_STRICT: Final = 30
"""The same on older pages."""
EXCLUSIONS_OF_ALL: Final = 3
"""Exclusions of that scope that a cluster has."""
EXCLUSIONS: Final = 20
"""Exclusions that a cluster has."""
SUPPORT_DAYS_USUAL: Final = 426
"""Days for which GKE supports a minor version: 14 months. Exclusions of other scopes end with it."""
SUPPORT_DAYS: Final[Mapping[str | None, int]] = {"EXTENDED": 731}
"""The same by release channel where it is not the usual: 24 months."""
