"""`python -m toolchain.apis` reads what the pinned controllers serve, and writes it as data of the model."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from components.model.objects import apis
from toolchain.apis.data import write_all
from toolchain.apis.modules import Sources
from toolchain.cache import home
from toolchain.progress import progress_on
from toolchain.provision import ensure
from toolchain.tools import CONTROLLER_APIS, ToolchainError, find_tool

FOLDER: Final = Path(apis.__path__[0])


def main() -> int:
    """Write the data and return the exit code."""
    try:
        ensure([CONTROLLER_APIS], progress_on(sys.stderr))
    except ToolchainError as error:
        print(f"toolchain: {error}", file=sys.stderr)
        return 1
    write_all(Sources(home(find_tool(CONTROLLER_APIS))), FOLDER)
    return 0


if __name__ == "__main__":
    sys.exit(main())
