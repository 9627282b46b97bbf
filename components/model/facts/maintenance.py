"""How much time Google Kubernetes Engine wants for maintenance, and how long it may be kept from it.

Sources, read 2026-11: GKE documentation "Configure maintenance windows and exclusions", at docs.cloud.google.com (92
days) and in older copies (32 days; 30 days of an exclusion of all upgrades, 3 of these, 20 exclusions in total);
google/skills, skills/cloud/gke-upgrades (92 and 90 days, 3 exclusions of all upgrades; support of 14 and 24 months).
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
"""Days of the period, on the page of today."""
DAYS_STRICT: Final = 32
"""The same on older pages. In 2025 the API refused clusters with "maintenance policy would go longer than 32d without
48h maintenance availability"."""
NO_UPGRADES: Final = "NO_UPGRADES"
"""Scope of an exclusion of all upgrades."""
NO_UPGRADES_DAYS: Final = 90
"""Days of an exclusion of that scope."""
NO_UPGRADES_DAYS_STRICT: Final = 30
"""The same on older pages."""
EXCLUSIONS_OF_ALL: Final = 3
"""Exclusions of that scope that a cluster may have."""
EXCLUSIONS: Final = 20
"""Exclusions of all scopes that a cluster may have."""
SUPPORT_DAYS_USUAL: Final = 426
"""Days for which GKE supports a minor version: 14 months. Exclusions of other scopes end with it."""
SUPPORT_DAYS: Final[Mapping[str | None, int]] = {"EXTENDED": 731}
"""The same by release channel where it is not the usual: 24 months."""
