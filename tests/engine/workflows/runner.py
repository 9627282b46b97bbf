"""Runs the jobs of .github/workflows as a runner of GitHub does: their own commands in bash, with their environment.

Doubles the runner and the official actions. Of these, artefacts are really kept and handed on, by the names and paths
that the workflow gives; checking out cuts off the history that the step does not ask for, and setting up does nothing,
because the checkout is there and `pulumi`, `python`, the simulator and a double of `gh` stand on PATH. When and where
GitHub starts a job is for the test. An expression or action that a test does not answer for is an error, and so is a
key unknown here.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, cast

import yaml

from tests.harness import OF_MAKE
from tests.tracked import ROOT, checked_out

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.harness import Simulator

_OF_A_WORKFLOW: Final = frozenset({"name", "on", "permissions", "concurrency", "defaults", "jobs"})
_OF_A_JOB: Final = frozenset(
    {"name", "if", "needs", "strategy", "concurrency", "environment", "permissions", "runs-on", "timeout-minutes"}
    | {"outputs", "env", "steps"}
)
_OF_A_STEP: Final = frozenset({"name", "id", "if", "uses", "with", "run", "env", "continue-on-error"})
"""Keys that are doubled, or that say when and where GitHub starts a job, which the test decides."""
_EXPRESSION: Final = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
_ALWAYS: Final = "${{ !cancelled() }}"
_RECORDED: Final = "${{ hashFiles(format('traces/{0}.jsonl', matrix.environment)) != '' }}"
_CHECKOUT: Final = "actions/checkout"
_NOTHING: Final = ("actions/setup-python", "actions/setup-go", "actions/cache")
_SETUP: Final = "./.github/actions/setup"
_SECONDS: Final = 600.0
_GIT: Final = ("git", "-c", "user.name=runner", "-c", "user.email=runner@example.com")


@dataclass
class Ran:
    """A job that has ended."""

    failed: bool = False
    said: str = ""
    """What its commands printed."""
    summary: str = ""
    outputs: dict[str, str] = field(default_factory=dict[str, str])
    """Of its steps."""


@dataclass
class Runner:
    """A place where jobs of one run of a workflow run, one after the other."""

    folder: Path
    """Holds the checkout, and what is kept from job to job."""
    simulator: Simulator
    environment: Mapping[str, str]
    """What GitHub sets for every step."""

    def __post_init__(self) -> None:
        self.checkout = checked_out(self.folder / "checkout")
        self._bin = self.folder / "bin"
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
        (self.checkout / name).unlink(missing_ok=True)
        (self.checkout / name).parent.mkdir(exist_ok=True)
        (self.checkout / name).write_text(text)

    def commit(self) -> None:
        """Make a commit of the checkout as it is, on top of those before."""
        self.git("init", "--quiet")
        self.git("add", "--all", "--force", ".", ":!build")
        self.git("commit", "--quiet", "--allow-empty", "--message", "as it is")

    def fetch(self, depth: int) -> None:
        """Forget what is older than so many commits, if there is a history."""
        if (self.checkout / ".git").exists():
            oldest = self.git("rev-list", "--max-count", str(depth), "HEAD").split()[-1]
            (self.checkout / ".git/shallow").write_text(f"{oldest}\n")

    def git(self, *words: str) -> str:
        """What a command of Git prints in the checkout."""
        return subprocess.run([*_GIT, *words], cwd=self.checkout, capture_output=True, text=True, check=True).stdout

    def run(self, workflow: str, job: str, contexts: Mapping[str, str]) -> Ran:
        """A job of a workflow, with what its expressions are worth."""
        document = yaml.safe_load((ROOT / ".github/workflows" / workflow).read_text())
        described: dict[str, Any] = document["jobs"][job]
        # YAML 1.1 reads the key `on` as true.
        assert {"on" if key is True else key for key in document} <= _OF_A_WORKFLOW, document.keys()
        assert described.keys() <= _OF_A_JOB, described.keys()
        assert document["defaults"] == {"run": {"shell": "bash"}}
        shutil.rmtree(self.checkout / "build", ignore_errors=True)
        summary = self.folder / "summary"
        summary.write_text("")
        run = _Job(self, dict(contexts), _resolved(described.get("env", {}), contexts), summary)
        for step in described["steps"]:
            run.step(step)
        run.ran.summary = summary.read_text()
        return run.ran

    def artefact(self, name: str) -> Path:
        """The folder of an artefact."""
        return self.folder / "artefacts" / name

    def variables(self, of_job: Mapping[str, str], of_step: Mapping[str, str]) -> dict[str, str]:
        """Those of a step."""
        inherited = {name: value for name, value in self.simulator.environment.items() if name not in OF_MAKE}
        # A job says itself how the engine prints events.
        inherited.pop("PULUMI_ENABLE_STREAMING_JSON_PREVIEW")
        path = os.pathsep.join([str(self._bin), str(ROOT / ".venv/bin"), inherited["PATH"]])
        return {**inherited, "PATH": path, **self.environment, **of_job, **of_step}


@dataclass
class _Job:
    runner: Runner
    contexts: dict[str, str]
    environment: dict[str, str]
    summary: Path
    ran: Ran = field(default_factory=Ran)

    def step(self, step: dict[str, Any]) -> None:
        """Runs it, if it is its turn."""
        assert step.keys() <= _OF_A_STEP, step.keys()
        condition = str(step.get("if", ""))
        assert condition in {"", _ALWAYS, _RECORDED}, condition
        if self.ran.failed and condition != _ALWAYS:
            return
        record = self.runner.checkout / f"traces/{self.contexts['matrix.environment']}.jsonl"
        if condition == _RECORDED and not record.exists():
            return
        succeeded = self._used(step) if "uses" in step else self._commands(step)
        self.ran.failed |= not succeeded and not step.get("continue-on-error", False)

    def _commands(self, step: dict[str, Any]) -> bool:
        script, output = self.runner.folder / "step.sh", self.runner.folder / "output"
        script.write_text(_resolve(step["run"], self.contexts))
        output.write_text("")
        files = {"GITHUB_STEP_SUMMARY": str(self.summary), "GITHUB_OUTPUT": str(output)}
        done = subprocess.run(
            ["/usr/bin/env", "bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=self.runner.checkout,
            env=self.runner.variables(self.environment, {**_resolved(step.get("env", {}), self.contexts), **files}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
        self.ran.said += f"--- {step.get('name')}: {done.returncode}\n{done.stdout}"
        said = (line.partition("=") for line in output.read_text().splitlines())
        self.ran.outputs.update((name, value) for name, _, value in said)
        return done.returncode == 0

    def _used(self, step: dict[str, Any]) -> bool:
        action = step["uses"].partition("@")[0]
        given = _resolved(step.get("with", {}), self.contexts)
        if action == "actions/upload-artifact":
            return self._upload(given)
        if action == "actions/download-artifact":
            return self._download(given)
        if action == _CHECKOUT:
            self.runner.fetch(int(given.get("fetch-depth", "1")))
            return True
        assert action in {*_NOTHING, _SETUP}, action
        return True

    def _upload(self, given: Mapping[str, str]) -> bool:
        """Files of one folder, as every workflow here has them."""
        paths = [self.runner.checkout / line for line in given["path"].split()]
        assert len({path.parent for path in paths}) == 1
        there = [path for path in paths if path.exists()]
        target = self.runner.artefact(given["name"])
        target.mkdir(parents=True, exist_ok=True)
        for path in there:
            shutil.copyfile(path, target / path.name)
        return bool(there) or given["if-no-files-found"] == "ignore"

    def _download(self, given: Mapping[str, str]) -> bool:
        kept = self.runner.artefact(given["name"])
        found = sorted(kept.iterdir()) if kept.exists() else []
        for path in found:
            (self.runner.checkout / given["path"]).mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, self.runner.checkout / given["path"] / path.name)
        return bool(found)


def _resolved(given: Mapping[str, Any], contexts: Mapping[str, str]) -> dict[str, str]:
    # The runner writes a truth as the word.
    return {name: _resolve(str(value), contexts) for name, value in cast("dict[str, Any]", given).items()}


def _resolve(text: str, contexts: Mapping[str, str]) -> str:
    return _EXPRESSION.sub(lambda found: contexts[found[1]], text)
