"""`python -m tests.seeds page` makes docs/seeds.md; `check FOLDER` and `index FOLDER` read the tutorials in it."""

from __future__ import annotations

import argparse
from pathlib import Path

from tests.seeds.index import differences, write_index
from tests.seeds.page import PAGE, page


def main() -> None:
    """Do what the command line says; exit code 1 where the tutorials and our files differ."""
    parser = argparse.ArgumentParser(prog="python -m tests.seeds", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("page", help="make docs/seeds.md of docs/seeds.yaml")
    for name, what in (("index", "make docs/seed_lines.yaml"), ("check", "compare both files with the tutorials")):
        commands.add_parser(name, help=what).add_argument("folder", type=Path, help="where the tutorials are, as text")
    arguments = parser.parse_args()
    match arguments.command:
        case "page":
            PAGE.write_text(page(), encoding="utf-8")
        case "index":
            write_index(arguments.folder)
        case _:
            found = list(differences(arguments.folder))
            print("\n".join(found) if found else "the tutorials are as docs/seed_lines.yaml and docs/seeds.yaml say")
            raise SystemExit(1 if found else 0)


if __name__ == "__main__":
    main()
