"""Loads the profiles of generated tests before a command line chooses one of them."""

from __future__ import annotations

import tests.fuzz as _  # noqa: F401
