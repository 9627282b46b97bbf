"""A Pulumi project without cloud resources, and the real CLI that acts on it, on a backend of local files."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from simulator.toolchain.provision import locate
from tests.eventually import eventually

if TYPE_CHECKING:
    from collections.abc import Generator

_SECONDS = 60.0
_PROJECT_FILE = "name: tried\nruntime: python\n"
_PROVIDER = """
    import pathlib, subprocess, time
    from typing import Optional, TypedDict
    import pulumi
    from pulumi.provider.experimental import component_provider_host

    class GreetingArgs(TypedDict):
        name: pulumi.Input[str]

    class Greeting(pulumi.ComponentResource):
        text: pulumi.Output[str]

        def __init__(self, name: str, args: GreetingArgs, opts: Optional[pulumi.ResourceOptions] = None):
            super().__init__("{name}:index:Greeting", name, {{}}, opts)
    {body}

    component_provider_host(name="{name}", components=[Greeting])
"""


@dataclass(frozen=True)
class Finished:
    """A command that has ended."""

    code: int
    output: str
    """Both streams."""

    @property
    def diagnostics(self) -> str:
        """The engine's summary of messages, where each stands once."""
        match = re.search(r"^Diagnostics:\n(?P<text>.*?)(?=^\S|\Z)", self.output, re.MULTILINE | re.DOTALL)
        assert match is not None, self.output
        return textwrap.dedent("".join(match["text"].splitlines(keepends=True)[1:])).strip()


@dataclass(frozen=True)
class Project:
    """A project with one stack, and the CLI that acts on it."""

    root: Path
    pulumi: Path
    environment: dict[str, str]

    @property
    def folder(self) -> Path:
        """Where the project file and the program are."""
        return self.root / "project"

    def write(self, program: str, *, project: str = _PROJECT_FILE) -> None:
        """Make `program` the project's `__main__.py`."""
        (self.folder / "Pulumi.yaml").write_text(project)
        (self.folder / "__main__.py").write_text(textwrap.dedent(program))

    def with_variables(self, **variables: str) -> Project:
        """The same project, whose commands have more variables."""
        return replace(self, environment={**self.environment, **variables})

    def write_provider(self, name: str, constructor: str) -> Path:
        """Make a provider beside the project, of one component, `NAME:index:Greeting`, with an input `name`."""
        provider = self.root / name
        provider.mkdir()
        (provider / "PulumiPlugin.yaml").write_text("runtime: python\n")
        body = textwrap.indent(textwrap.dedent(constructor), " " * 8)
        program = textwrap.dedent(_PROVIDER).format(name=name, body=body)
        (provider / "__main__.py").write_text(program)
        return provider

    def write_pack(self, name: str, program: str) -> Path:
        """Make a policy pack beside the project."""
        pack = self.root / name
        pack.mkdir()
        (pack / "PulumiPolicy.yaml").write_text("runtime: python\nversion: 0.1.0\n")
        (pack / "__main__.py").write_text(textwrap.dedent(program))
        return pack

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        command = [str(self.pulumi), *arguments, "--non-interactive", "--color", "never"]
        return subprocess.Popen(
            command,
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def run(self, *arguments: str) -> Finished:
        with self.start(*arguments) as process:
            return self.finish(process)

    @staticmethod
    def finish(process: subprocess.Popen[str]) -> Finished:
        """What `process` says until it ends."""
        output, _ = process.communicate(timeout=_SECONDS)
        return Finished(process.returncode, output)

    def preview(self, program: str, *arguments: str) -> Finished:
        """What a preview of `program` says."""
        self.write(program)
        return self.run("preview", *arguments)

    def processes(self) -> dict[int, str]:
        """The command lines of all processes that were started for this project; they inherit its environment."""
        mark = f"PULUMI_HOME={self.environment['PULUMI_HOME']}\0".encode()
        found: dict[int, str] = {}
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (entry / "environ").read_bytes():
                    found[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
            except OSError:  # another user's, or it ended meanwhile
                continue
        return {pid: line for pid, line in found.items() if line}  # one that has ended and was not reaped has none


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Generator[Project]:
    """One project and stack for all tests here: every command costs a second, and making a stack another one."""
    pulumi = locate(["pulumi"]).binary("pulumi")
    root = tmp_path_factory.mktemp("language-host")
    for folder in ("home", "state", "project"):
        (root / folder).mkdir()
    environment = {
        "HOME": str(root / "home"),
        "PATH": "/usr/bin:/bin",
        "PULUMI_BACKEND_URL": f"file://{root / 'state'}",
        "PULUMI_CONFIG_PASSPHRASE": "a passphrase",
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
        "PULUMI_HOME": str(root / "home" / "pulumi"),
        "PULUMI_IGNORE_AMBIENT_PLUGINS": "true",
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "PULUMI_PYTHON_CMD": sys.executable,
    }
    made = Project(root, pulumi, environment)
    made.write("")
    assert made.run("stack", "init", "dev").code == 0
    yield made
    eventually(lambda: made.processes() == {})  # no test leaves a process
