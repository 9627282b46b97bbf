"""`tpu schema` writes docs/stack.schema.json, or the file that you name."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from components.schema.stack_file import text

if TYPE_CHECKING:
    from collections.abc import Sequence

FILE: Final = Path(__file__).parent.parent.parent / "docs" / "stack.schema.json"


def main(arguments: Sequence[str]) -> None:
    """Write the schema."""
    options = parser().parse_args(arguments)
    if str(options.file) == "-" or (options.file == FILE and not FILE.parent.is_dir()):
        sys.stdout.write(text())
    else:
        options.file.write_text(text(), encoding="utf-8")


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="tpu schema",
        description="Write the JSON schema of stack files. Editors use it to complete and check these files.",
        epilog="Example: tpu schema stack.schema.json.",
    )
    where = "file to write; `-` prints the schema (default: docs/stack.schema.json in a checkout, else standard output)"
    made.add_argument("file", nargs="?", type=Path, default=FILE, metavar="FILE", help=where)
    return made


if __name__ == "__main__":
    main(sys.argv[1:])
