"""Commands in a simulator of the bench's own, and the processes that they leave running."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from bench.measures import environment
from components.kubeapi import Api, connection_from
from simulator.client import connect
from simulator.home import HOME_VARIABLE, Home

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).parent.parent


@dataclass(frozen=True, slots=True)
class Simulated:
    """A simulator that is deleted at the end."""

    home: Home
    project: Path = ROOT
    """The folder of the Pulumi program."""

    def __enter__(self) -> Self:
        """The simulator, which the first command starts."""
        return self

    def __exit__(self, *_: object) -> None:
        """Delete everything."""
        self.run("simulator", "down", "--delete")

    def run(self, module: str, *words: str, **variables: str) -> None:
        """Run a module to its end.

        Raises:
            SystemExit: it failed; the text is its output.
        """
        done = subprocess.run(
            [sys.executable, "-m", module, *words],
            cwd=self.project,
            env={**environment(), HOME_VARIABLE: str(self.home.root), **variables},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise SystemExit(f"{module} {' '.join(words)}:\n{done.stdout}{done.stderr}")

    def pulumi(self, *words: str, stack: str) -> None:
        """Run the engine on a stack.

        Raises:
            SystemExit: it failed.
        """
        shared = ("--stack", stack, "--non-interactive", "--suppress-outputs")
        self.run("simulator", "exec", "--", "pulumi", *words, *shared)

    def pids(self) -> Iterator[int]:
        """The daemon and everything that it runs.

        Raises:
            SystemExit: it does not run.
        """
        client = connect(self.home)
        if client is None:
            raise SystemExit("the simulator's daemon is gone")
        status = client.call("status")
        yield status["pid"]
        for cluster in status["clusters"]:
            yield from (each["pid"] for each in (*cluster["processes"], *cluster["pods"]))

    def api(self) -> Api:
        """The cluster's API server, as the user of its kubeconfig."""
        text = self.home.kubeconfig.read_text(encoding="utf-8")
        plugin = "gke-gcloud-auth-plugin"
        return Api(connection_from(text.replace(plugin, str(self.home.bin / plugin))))
