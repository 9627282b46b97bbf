"""`python -m simulator.providers.sdk` writes simulator/cloud/schema/gcp.json from the installed SDK."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from simulator.cloud import schema
from simulator.providers.sdk.writing import PACKAGE, text

if TYPE_CHECKING:
    from collections.abc import Sequence

FILE: Final = Path(schema.__path__[0]) / f"{PACKAGE}.json"


def main(arguments: Sequence[str], file: Path = FILE) -> None:
    """Write the data."""
    argparse.ArgumentParser(prog="python -m simulator.providers.sdk", description=__doc__).parse_args(arguments)
    file.write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
