"""`tpu migrate`: objects of Kueue and JobSet in an older stored version; `--write` rewrites them."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from operations.migrate.rewriting import Definition, RefusedError, read_definitions, rewrite
from operations.watch.connect import CLUSTER_ERRORS, add_flags, connect

if TYPE_CHECKING:
    from kubeapi import Api


def main() -> None:
    """Do what the command line says; exit code 1 when objects may be left in an older version."""
    arguments = parser().parse_args()
    try:
        api = connect(arguments)
        left = _written(api) if arguments.write else _left(read_definitions(api))
    except CLUSTER_ERRORS as error:
        print(f"migrate: {error}", file=sys.stderr)
        raise SystemExit(1) from None
    if left:
        raise SystemExit(1)


def _left(definitions: list[Definition]) -> bool:
    for each in definitions:
        state = f", and perhaps as {' and '.join(each.older)}" if each.older else ""
        print(f"{each.name}: objects are stored as {each.storage}{state}")
    if not definitions:
        print("The cluster has no definition of Kueue or JobSet.")
    older = [each for each in definitions if each.older]
    if older:
        print(f"{len(older)} of {len(definitions)} may have objects of an older version: run again with --write.")
    return bool(older)


def _written(api: Api) -> bool:
    """Write what may be of an older version; whether an object was refused."""
    refused = False
    for each in read_definitions(api):
        if not each.older:
            continue
        try:
            print(f"{each.name}: {rewrite(api, each)} objects are stored as {each.storage} now", flush=True)
        except RefusedError as error:
            print(f"{each.name}: {error}", file=sys.stderr)
            refused = True
    if not refused:
        print("Every object of Kueue and JobSet is stored in the current version.")
    return refused


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="tpu migrate",
        description="For each kind of Kueue and JobSet, list the API versions in which objects may still be stored; "
        "with --write, rewrite them in the current one.",
        epilog="Example: tpu migrate --stack dev --write. "
        "Exit code 1: the cluster does not answer, or some objects may still be stored in an older version.",
    )
    made.add_argument("--write", action="store_true", help="rewrite such objects in the current version")
    add_flags(made)
    return made


if __name__ == "__main__":
    main()
