"""`tpu running`: write what runs in a cluster, for the report of a preview."""

from __future__ import annotations

import argparse
import sys

from components.model.running import Running, encoded
from tpu.connect import CLUSTER_ERRORS, add_flags, connect
from tpu.running.works import running_in


def main() -> None:
    """Print the snapshot; where the cluster gives no answer, print one that says why, and exit with 1."""
    arguments = parser().parse_args()
    try:
        running, code = running_in(connect(arguments)), 0
    except CLUSTER_ERRORS as error:
        running, code = Running(not_asked=" ".join(str(error).split())), 1
        print(f"running: {error}", file=sys.stderr)
    print(encoded(running))
    raise SystemExit(code)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="tpu running",
        description="Write what runs or waits in a cluster as JSON, so that `tpu report --running` says which jobs a "
        "change ends. It only reads.",
        epilog="Example: tpu running --stack dev > running.json. Exit code 1: the cluster does not answer; the file "
        "then says why, and so does the report.",
    )
    add_flags(made)
    return made


if __name__ == "__main__":
    main()
