"""How long `tpu lint FILE` takes beside the module that it runs, on a file that is linted at once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bench.measures import environment, in_turn

if TYPE_CHECKING:
    from bench.measures import Pairs

PAIRS: Final = 25
"""A start is short, so that the machine moves it by more than what is measured."""
_MANIFEST: Final = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: default, namespace: research}
spec: {clusterQueue: research}
"""


def start_of_lint(folder: Path, pairs: int = PAIRS) -> Pairs:
    """`tpu lint` and `python -m policies.lint` in turn."""
    file = folder / "queue.yaml"
    file.write_text(_MANIFEST, encoding="utf-8")
    command = str(Path(sys.executable).with_name("tpu"))
    return in_turn(
        lambda: _run(command, "lint", str(file)),
        lambda: _run(sys.executable, "-m", "policies.lint", str(file)),
        pairs=pairs,
    )


def _run(*command: str) -> None:
    subprocess.run(command, check=True, env=environment(), stdout=subprocess.DEVNULL)
