"""How the program ends when it refuses: the user sees one message, and no traceback of the engine's after it."""

import sys
from typing import Final, NoReturn

import pulumi

ALREADY_TOLD: Final = 32
"""Exit code by which a program tells the language host that its errors have been reported."""


def refuse(report: str) -> NoReturn:
    """Logs the report as the one error of the program and ends it; an exception would be printed a second time."""
    pulumi.log.error(report)
    sys.exit(ALREADY_TOLD)
