"""`exec`: what this process becomes, with the process's own replacement noted in its place."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from simulator.commands import execute as execute_module
from simulator.commands.execute import CommandNotFoundError, execute
from simulator.environment import COMMAND_TOOLS
from simulator.home import Home
from simulator.toolchain.provision import Place, Toolchain
from simulator.toolchain.tools import YAML_HOST, find_tool

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping
    from pathlib import Path

    from simulator.toolchain.progress import Progress


class Replaced(BaseException):
    """Doubles the end of this program when another takes its place."""


@dataclass
class Machine:
    """A simulator whose daemon is noted, and tools that are empty scripts."""

    root: Path
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list[tuple[str, dict[str, Any]]])
    """What the daemon was told."""
    built: list[str] = field(default_factory=list[str])
    """The tools that were asked for beside those of every command."""
    became: tuple[str, list[str], Mapping[str, str]] | None = None
    """Path, words and environment of the program in this one's place."""

    def __post_init__(self) -> None:
        self.home = Home(self.root / "home")
        self.home.root.mkdir()
        places: dict[str, Place] = {}
        for name in COMMAND_TOOLS:
            path = self.root / name / name
            path.parent.mkdir()
            path.write_text("#!/bin/sh\n")
            path.chmod(0o755)
            places[name] = Place(binary=path, built=True)
        self.tools = Toolchain(places)

    def call(self, method: str, **arguments: Any) -> None:  # noqa: ANN401  any JSON
        """As `Client.call`."""
        self.calls.append((method, arguments))

    @contextmanager
    def beginning(self, home: Home) -> Generator[Callable[[], Machine]]:
        """As `client.beginning`."""
        assert home == self.home
        yield lambda: self

    def locate(self, names: tuple[str, ...]) -> Toolchain:
        """As `provision.locate`."""
        assert set(names) == set(self.tools.places)
        return self.tools

    def provide(self, names: list[str], _progress: Progress) -> Toolchain:
        """As `provision.ensure`: each tool that is asked for is noted and is there then."""
        self.built += names
        return Toolchain({name: Place(binary=self.root / name, built=True) for name in names})

    def execve(self, path: str, words: list[str], environment: Mapping[str, str]) -> None:
        """As `os.execve`."""
        self.became = (path, words, environment)
        raise Replaced

    def run(self, *words: str, speed: float | str | None = None) -> tuple[str, list[str]]:
        """Path and words of what the command becomes."""
        with pytest.raises(Replaced):
            execute(self.home, words, speed=speed)
        assert self.became is not None
        assert self.became[2]["PULUMI_HOME"] == str(self.home.pulumi_home)
        return self.became[:2]


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """The simulator, from a folder that is no project."""
    made = Machine(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setattr(execute_module, "beginning", made.beginning)
    monkeypatch.setattr(execute_module, "locate", made.locate)
    monkeypatch.setattr(execute_module, "provide", made.provide)
    monkeypatch.setattr(execute_module.os, "execve", made.execve)
    return made


def test_a_command_takes_this_processs_place(machine: Machine) -> None:
    path, words = machine.run("sh", "-c", "echo hi")
    assert path in ("/usr/bin/sh", "/bin/sh")
    assert words == ["sh", "-c", "echo hi"]
    assert machine.calls == []


def test_the_simulators_tools_are_found_first(machine: Machine, tmp_path: Path) -> None:
    assert machine.run("helm", "list")[0] == str(machine.home.bin / "helm")
    assert machine.run("pulumi", "version") == (str(tmp_path / "pulumi" / "pulumi"), ["pulumi", "version"])


def test_stack_files_of_pulumi_are_arranged(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: shop\nruntime: python\n")
    scratch = machine.home.stack_files / "shop" / "scratch"
    assert machine.run("pulumi", "stack", "rm", "dev")[1] == ["pulumi", "stack", "rm", "dev", f"--cwd={scratch}"]
    assert machine.run("sh", "stack", "rm", "dev")[1] == ["sh", "stack", "rm", "dev"]


@pytest.mark.parametrize("runtime", ["yaml", "{name: yaml}"])
def test_the_host_of_yaml_is_built_for_the_first_program_that_needs_it(machine: Machine, runtime: str) -> None:
    project = machine.root / "project"
    project.mkdir()
    (project / "Pulumi.yaml").write_text("name: shop\nruntime: python\n")
    machine.run("pulumi", "about", "--cwd", str(project))
    assert machine.built == []
    (project / "Pulumi.yaml").write_text(f"name: shop\nruntime: {runtime}\n")
    machine.run("pulumi", "about", "--cwd", str(project))
    assert machine.built == ["pulumi-language-yaml"]
    host = machine.home.pulumi_home / "plugins" / f"language-yaml-{find_tool(YAML_HOST).version}" / YAML_HOST
    assert host.readlink() == machine.root / YAML_HOST


def test_a_speed_is_set_before_the_command_runs(machine: Machine) -> None:
    machine.run("true", speed=100.0)
    assert machine.calls == [("speed.set", {"speed": 100.0})]


def test_idle_time_is_skipped_for_a_command_that_waits(machine: Machine) -> None:
    machine.run("true", speed="auto")
    assert machine.calls == [
        ("speed.set", {"speed": None}),
        ("speed.register_command", {"pid": os.getpid(), "mutates": False}),
    ]


@pytest.mark.parametrize("speed", [None, "auto"])
def test_none_is_skipped_while_pulumi_acts(machine: Machine, speed: str | None) -> None:
    machine.run("pulumi", "version", speed=speed)
    assert machine.calls[-1] == ("speed.register_command", {"pid": os.getpid(), "mutates": True})


@pytest.mark.parametrize(
    ("holder", "said"), [(os.getpid(), "runs (process "), (2**22 + 1, "that was killed. ")], ids=["alive", "killed"]
)
def test_a_locked_stack_names_the_command_that_repairs_it(
    machine: Machine, capfd: pytest.CaptureFixture[str], holder: int, said: str
) -> None:
    pulumi = machine.root / "pulumi" / "pulumi"
    pulumi.write_text(
        '#!/bin/sh\n# Doubles the engine on a locked stack.\necho "error: currently locked" >&2\nexit 255\n'
    )
    lock = machine.home.backend / ".pulumi" / "locks" / "organization" / "shop" / "dev" / "a.json"
    lock.parent.mkdir(parents=True)
    lock.write_text(json.dumps({"pid": holder}))
    with pytest.raises(SystemExit) as ended:
        execute(machine.home, ["pulumi", "up", "--stack", "organization/shop/dev"], speed=None)
    assert ended.value.code == 255
    first, hint = capfd.readouterr().err.splitlines()
    assert first == "error: currently locked"
    assert said in hint
    assert "`tpu recover dev` (or `make recover STACK=dev`)" in hint
    for words in (("preview", "--stack", "dev"), ("up", "--stack", "prod"), ("stack", "export", "--stack", "dev")):
        assert machine.run("pulumi", *words)[1] == ["pulumi", *words]


def test_a_command_that_is_not_there_is_told(machine: Machine) -> None:
    with pytest.raises(CommandNotFoundError) as caught:
        execute(machine.home, ["kubeclt", "get", "pods"], speed=None)
    assert str(caught.value) == "kubeclt is not on PATH inside the simulator"


def test_a_command_starts_without_what_only_other_commands_and_plugins_import() -> None:
    program = (
        "import sys, simulator.__main__; print({'grpc', 'components.kubeapi', 'pulumi', 'urllib3'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n", "every command of a test starts one: half a second each"
