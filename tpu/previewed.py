"""The text of `tpu preview STACK`: the preview of the real engine in the simulator, in the words of the report."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from typing import TYPE_CHECKING

from components.model.facts import engine
from policies.report.contents import brief, report_of
from policies.report.costs import OWN_TABLE, prices_in
from policies.report.events import UnreadableError, read_events

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(words: Sequence[str]) -> int:
    """Print the preview and return the engine's exit code."""
    options = argparse.ArgumentParser(prog="tpu.previewed")
    options.add_argument("--stack", required=True)
    stack: str = options.parse_args(words).stack
    preview = ("pulumi", "preview", "--json", "--non-interactive", "--stack", stack)
    done = subprocess.run(
        [sys.executable, "-m", "simulator", "exec", "--", *preview],
        env={**os.environ, engine.STREAMING: "true"},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode and not done.stdout:
        return done.returncode  # the simulator has said why on its own
    try:
        found = read_events(done.stdout.splitlines())
    except UnreadableError as error:
        sys.stderr.write(f"tpu preview: {error}\n")
        return done.returncode or 1
    if not found.passes:
        sys.stderr.write("".join(f"{each}\n\n" for each in found.errors))
    lines = [brief(report_of(found, None, prices_in(OWN_TABLE), stack))]
    if found.is_whole:
        lines.append(f"Every property: `tpu preview {stack} --diff`, or `make preview STACK={stack} DIFF=1`.")
    sys.stdout.write("\n".join([*lines, ""]))
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
