"""`python -m simulator.toolchain.apis` reads the APIs of the pinned controllers into data of the model."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from components.model.facts import apis
from simulator.toolchain.apis.data import write_all
from simulator.toolchain.apis.modules import Sources
from simulator.toolchain.cache import home
from simulator.toolchain.progress import Progress
from simulator.toolchain.provision import ensure
from simulator.toolchain.tool import ToolchainError
from simulator.toolchain.tools import CONTROLLER_APIS, find_tool

if TYPE_CHECKING:
    from collections.abc import Sequence

FOLDER: Final = Path(apis.__path__[0])


def main(arguments: Sequence[str]) -> int:
    """Write the data and return the exit code."""
    argparse.ArgumentParser(prog="python -m simulator.toolchain.apis", description=__doc__).parse_args(arguments)
    try:
        ensure([CONTROLLER_APIS], Progress(sys.stderr))
    except ToolchainError as error:
        print(f"toolchain: {error}", file=sys.stderr)
        return 1
    write_all(Sources(home(find_tool(CONTROLLER_APIS))), FOLDER)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
