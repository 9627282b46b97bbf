"""`python -m simulator.providers.sdk` writes simulator/cloud/schema/gcp.json from the installed SDK."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from simulator.cloud import schema
from simulator.providers.sdk.writing import PACKAGE, text

FILE: Final = Path(schema.__path__[0]) / f"{PACKAGE}.json"

if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
