"""Runs the commands of a job of .github/workflows in a checkout, as GitHub does: in bash, with the job's environment.

Actions do nothing here: the checkout has its history, `pulumi`, `python3`, the simulator and a double of `gh` are on
PATH, and the files in `build/` stay for the next job. actionlint checks the files; `test_workflow_files.py` compares
artefacts.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import yaml

from tests.engine.workflows.gh import NAME, PULL_REQUEST, TOKEN
from tests.harness import OF_MAKE, Simulator
from tests.tracked import ROOT, checked_out

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

GIVEN: Final = {
    "STACK": "dev",
    "PULUMI_BACKEND_URL": "gs://octo-states",
    "NUMBER": str(PULL_REQUEST),
    "COMMIT": "0123456789abcdef0123456789abcdef01234567",
    "GH_TOKEN": TOKEN,
    "GH_REPO": NAME,
}
"""Values of the variables that the workflows set from expressions. The simulator has a backend of its own."""
_ENVIRONMENT: Final = "${{ matrix.environment }}"
_EVEN_AFTER_A_FAILURE: Final = "${{ !cancelled() }}"
_SECONDS: Final = 600.0
_GIT: Final = ("git", "-c", "user.name=runner", "-c", "user.email=runner@example.com")


@dataclass
class Ran:
    """A job that has ended."""

    failed: bool = False
    said: str = ""
    """The output of its commands."""
    summary: str = ""


@dataclass
class Checkout:
    """A checkout in which the jobs of a workflow run, one after the other."""

    path: Path
    simulator: Simulator
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    """Variables that GitHub sets for every step."""

    def __post_init__(self) -> None:
        checked_out(self.path)
        self._bin = self.path.with_name(f"{self.path.name}-bin")
        self._bin.mkdir()
        pulumi = self._bin / "pulumi"
        pulumi.write_text(f'#!/bin/sh\nexec "{ROOT}/.venv/bin/python" -m simulator exec -- pulumi "$@"\n')
        pulumi.chmod(0o755)
        (self._bin / "python3").symlink_to(ROOT / ".venv/bin/python")
        gh = self._bin / "gh"
        gh.write_text(f'#!/bin/sh\nexec "{ROOT}/.venv/bin/python" "{ROOT}/tests/engine/workflows/gh.py" "$@"\n')
        gh.chmod(0o755)

    def replace(self, name: str, text: str) -> None:
        """Put another file into the checkout."""
        (self.path / name).unlink(missing_ok=True)
        (self.path / name).parent.mkdir(exist_ok=True)
        (self.path / name).write_text(text)

    def commit(self) -> None:
        """Commit the files as they are, on top of earlier commits."""
        for words in (
            ("init", "--quiet"),
            ("add", "--all", "--force", ".", ":!build"),
            ("commit", "--quiet", "--allow-empty", "--message", "as it is"),
        ):
            subprocess.run([*_GIT, *words], cwd=self.path, check=True)

    def clean(self) -> None:
        """Remove the files of earlier runs of a workflow."""
        shutil.rmtree(self.path / "build", ignore_errors=True)

    def run(self, workflow: str, job: str) -> Ran:
        """Run the commands of a job."""
        described: dict[str, Any] = yaml.safe_load((ROOT / ".github/workflows" / workflow).read_text())["jobs"][job]
        summary = self._bin / "summary"
        summary.write_text("")
        ran = Ran()
        for step in described["steps"]:
            if "run" in step and (not ran.failed or step.get("if") == _EVEN_AFTER_A_FAILURE):
                stated = {**described.get("env", {}), **step.get("env", {})}
                done = self._command(step["run"], {**_resolved(stated), "GITHUB_STEP_SUMMARY": str(summary)})
                ran.said += f"--- {step['name']}: {done.returncode}\n{done.stdout}"
                ran.failed |= done.returncode != 0
        ran.summary = summary.read_text()
        return ran

    def _command(self, script: str, stated: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        inherited = {name: value for name, value in self.simulator.environment.items() if name not in OF_MAKE}
        inherited.pop("PULUMI_ENABLE_STREAMING_JSON_PREVIEW")  # a job must set it itself
        path = os.pathsep.join([str(self._bin), str(ROOT / ".venv/bin"), inherited["PATH"]])
        return subprocess.run(
            ["/usr/bin/env", "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
            cwd=self.path,
            env={**inherited, "PATH": path, **self.environment, **stated},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=_SECONDS,
            check=False,
        )


def _resolved(stated: Mapping[str, object]) -> dict[str, str]:
    """The variables of a step; an expression has the value that `GIVEN` states."""
    texts = {name: str(value).replace(_ENVIRONMENT, GIVEN["STACK"]) for name, value in stated.items()}
    return {name: GIVEN[name] if "${{" in text else text for name, text in texts.items()}
