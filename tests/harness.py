"""The simulator and the engine as a user has them, for the lanes that run the real tools.

A `Simulator` is a folder of its own outside the project, so that a test never meets the one that a developer uses.
Every command is the one that a user would type; what it printed is in the failure when it does not end as expected.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final, cast

from valkey import Valkey

from components.kubeapi import Api, connection_from
from simulator.client import connect
from simulator.home import HOME_VARIABLE, Home
from tests.tracked import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from simulator.rpc import Client


_LIMIT: Final = 600.0
"""Seconds for one command; a hang must not eat the whole lane."""
OF_MAKE: Final = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES")
"""What a make that runs the tests would tell one that a test runs."""
_JSON_PREVIEW: Final = {"PULUMI_ENABLE_STREAMING_JSON_PREVIEW": "true"}
"""`preview --json` then prints events, one in a line. Its other form makes the engine panic (3.250) when an input is a
secret that is not known before the update, such as a password that is generated."""


@dataclass(frozen=True)
class Done:
    """A command that has ended."""

    code: int
    out: str
    err: str

    @property
    def text(self) -> str:
        """Everything that it printed."""
        return f"{self.out}\n{self.err}"


NOTHING_PRINTED: Final = Done(0, "", "")


@dataclass(frozen=True)
class Simulator:
    """One simulator in `home`, used from the project folder `project`."""

    home: Home
    project: Path
    umask: int = -1
    """Of its commands; below 0 for the caller's."""
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    """What the environment of its commands has beside the caller's."""

    def command(self, *arguments: str) -> list[str]:
        """The command line of `tpu simulator ARGUMENTS`."""
        return [sys.executable, "-m", "simulator", *arguments]

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment of its commands: the caller's, with this simulator's folder."""
        own = {HOME_VARIABLE: str(self.home.root), "PULUMI_SKIP_UPDATE_CHECK": "true", **_JSON_PREVIEW}
        return {**os.environ, **own, **self.variables}

    def run(self, *arguments: str, code: int | None = 0) -> Done:
        """`tpu simulator ARGUMENTS`, which must exit with `code` (any, when None)."""
        return self._ended(self.command(*arguments), self.environment, code, " ".join(arguments))

    def make(self, *words: str, code: int | None = 0) -> Done:
        """`make WORDS` in this project with this simulator, which must exit with `code` (any, when None)."""
        make = shutil.which("make")
        assert make is not None
        environment = {name: value for name, value in self.environment.items() if name not in OF_MAKE}
        return self._ended([make, *words], environment, code, f"make {' '.join(words)}")

    def pulumi(self, *arguments: str, code: int | None = 0) -> Done:
        """`pulumi ARGUMENTS` inside the simulator."""
        return self.run("exec", "--", "pulumi", *arguments, "--non-interactive", "--color=never", code=code)

    def up(self, stack: str, *arguments: str, code: int | None = 0) -> Done:
        """`pulumi up` of a stack without asking."""
        return self.pulumi("up", "--yes", "--skip-preview", "--stack", stack, *arguments, code=code)

    def preview_steps(self, stack: str, *arguments: str) -> dict[str, str]:
        """What `pulumi preview` would do, as operation by logical name; `same` is left out."""
        steps = self.previewed(stack, *arguments)
        return {step["urn"].rpartition("::")[2]: step["op"] for step in steps if step["op"] != "same"}

    def previewed(self, stack: str, *arguments: str) -> list[dict[str, Any]]:
        """The steps of `pulumi preview`: `urn`, `op`, and `new`, what the resource would be, with its `inputs`."""
        done = self.pulumi("preview", "--json", "--stack", stack, *arguments)
        events = (json.loads(line) for line in done.out.splitlines() if line.strip())
        return [event["resourcePreEvent"]["metadata"] for event in events if "resourcePreEvent" in event]

    def outputs(self, stack: str) -> dict[str, Any]:
        """The outputs of a stack."""
        return json.loads(self.pulumi("stack", "output", "--json", "--stack", stack).out)

    def state(self, stack: str) -> dict[str, Any]:
        """The exported state of a stack."""
        return json.loads(self.pulumi("stack", "export", "--stack", stack).out)

    def api(self, cluster: str | None = None) -> Api:
        """The API server of the cluster of that name, or of the last one, as a user of the simulator's kubeconfig."""
        return _connected(self.home.kubeconfig.read_text(), self.home.bin, cluster)

    def redis(self, *words: str, password: str | None, namespace: str = "default") -> object:
        """What the Redis behind the Service `redis` of a namespace answers to a real client on this machine."""
        host, _, port = self.run("address", "redis", "--namespace", namespace).out.strip().partition(":")
        with Valkey(host=host, port=int(port), password=password, decode_responses=True) as client:
            return cast("object", client.execute_command(*words))  # pyright: ignore[reportUnknownMemberType]  its types

    @property
    def client(self) -> Client:
        """The running daemon."""
        client = connect(self.home)
        assert client is not None, "the simulator's daemon does not run"
        return client

    def _ended(self, command: list[str], environment: Mapping[str, str], code: int | None, what: str) -> Done:
        done = subprocess.run(
            command,
            cwd=self.project,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_LIMIT,
            check=False,
            umask=self.umask,
        )
        result = Done(done.returncode, done.stdout, done.stderr)
        assert code is None or done.returncode == code, f"{what} exited with {done.returncode}:\n{result.text}"
        return result


@cache
def _connected(text: str, commands: Path, cluster: str | None) -> Api:
    """One client for each text of a kubeconfig: to make one starts a credential plugin, and ends a connection."""
    kubeconfig = json.loads(text)
    for user in kubeconfig["users"]:
        user["user"]["exec"]["command"] = str(commands / user["user"]["exec"]["command"])
    contexts = [each["name"] for each in kubeconfig["contexts"]]
    context = None if cluster is None else next(name for name in contexts if name.endswith(f"_{cluster}"))
    connect_to = partial(connection_from, kubeconfig, context=context)
    return Api(connect_to(), renew=connect_to)


def policy_flags(target: str, stack: str) -> list[str]:
    """The packs that a target of the Makefile asks about a stack, and their settings, as flags of `pulumi preview`."""
    shown = subprocess.run(
        ["make", "--dry-run", "--no-print-directory", target, f"STACK={stack}"],  # noqa: S607  as a user types it
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    (preview,) = [line for line in shown.stdout.replace("\\\n", " ").splitlines() if "pulumi preview" in line]
    words = shlex.split(preview)
    return [word for flag in ("--policy-pack", "--policy-pack-config") for word in (flag, words[words.index(flag) + 1])]


def project_with(folder: Path, stacks: Mapping[str, str]) -> Path:
    """A project in `folder` that is this one but for its stack files, given as text by stack name."""
    folder.mkdir(parents=True)
    for name in ("Pulumi.yaml", "__main__.py"):
        shutil.copyfile(ROOT / name, folder / name)
    for name in (".venv", "examples"):
        (folder / name).symlink_to(ROOT / name)
    for stack, text in stacks.items():
        (folder / f"Pulumi.{stack}.yaml").write_text(text)
    return folder
