"""Interrupted and killed commands: no process is left, and the output says only what the user needs."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from tests.eventually import eventually

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Generator

    from tests.engine.language_host.conftest import Project


HANGING = """
    import pathlib, subprocess, time
    subprocess.Popen(["sleep", "600"])
    print("has started", flush=True)
    pathlib.Path("started").touch()
    time.sleep(600)
"""
WAITING = """
    import pathlib, time
    pathlib.Path("started").touch()
    time.sleep(600)
"""


PACK = """
    from pulumi_policy import EnforcementLevel, PolicyPack, StackValidationPolicy
    policy = StackValidationPolicy("never", "finds nothing", lambda args, report: None, EnforcementLevel.ADVISORY)
    PolicyPack("quiet", [policy])
"""
UPDATE = ("up", "--yes", "--skip-preview")


@contextmanager
def hanging(project: Project, *arguments: str) -> Generator[subprocess.Popen[str]]:
    """A command whose program, or whose provider, has begun and does not end."""
    started = project.folder / "started"
    started.unlink(missing_ok=True)
    with project.start(*arguments) as command:
        try:
            eventually(started.exists)
            yield command
        finally:
            command.kill()


def interrupted(project: Project, *arguments: str) -> str:
    """The messages of a command that the user interrupts while it hangs, and which leaves no process."""
    with hanging(project, *arguments) as command:
        assert [line for line in project.processes().values() if line.startswith("sleep")] == ["sleep 600"]
        os.killpg(command.pid, signal.SIGINT)  # as the terminal does
        done = project.finish(command)
    assert done.code != 0
    assert "Traceback" not in done.output
    assert "KeyboardInterrupt" not in done.output
    eventually(lambda: project.processes() == {})
    return done.diagnostics


@pytest.mark.parametrize(("command", "name"), [(("preview",), "preview"), (UPDATE, "update")], ids=["preview", "up"])
def test_an_interrupt_ends_a_hanging_program_at_once_and_quietly(
    project: Project, command: tuple[str, ...], name: str
) -> None:
    project.write(HANGING)
    said = interrupted(project, *command)
    assert sorted(said.split("\n\n")) == [f"error: {name} canceled", "has started"]
    if name == "update":
        assert project.run("cancel", "--yes").code == 0
        assert project.run("destroy", "--yes", "--skip-preview").code == 0


def test_an_interrupt_ends_a_provider_in_python(project: Project) -> None:
    started = project.folder / "started"
    project.write_provider(
        "slow",
        f"""
    subprocess.Popen(["sleep", "600"])
    pathlib.Path({str(started)!r}).touch()
    time.sleep(600)
    """,
    )
    project.write(
        """
        import pulumi
        pulumi.ComponentResource("slow:index:Greeting", "greeting", {"name": "you"}, remote=True)
        """,
        project=f"name: tried\nruntime: {{name: python, options: {{virtualenv: {sys.prefix}}}}}\n"
        "plugins: {providers: [{name: slow, path: ../slow}]}\n",
    )
    assert "error: preview canceled" in interrupted(project, "preview")


def test_a_killed_engine_leaves_no_process(project: Project) -> None:
    pack = project.write_pack("quiet", PACK)
    project.write(HANGING)
    with hanging(project, "preview", "--policy-pack", str(pack)) as preview:
        running = project.processes().values()
        for part in ("pulumi-language-python 127", "pulumi-language-python-exec", "pulumi.policy", "sleep 600"):
            assert any(part in line for line in running), running
        preview.kill()
        eventually(lambda: project.processes() == {})


def test_a_killed_host_leaves_no_process(project: Project) -> None:
    project.write(WAITING)
    with hanging(project, "preview") as preview:
        (host,) = [pid for pid, line in project.processes().items() if "pulumi-language-python 127" in line]
        os.kill(host, signal.SIGKILL)
        assert project.finish(preview).code != 0
        eventually(lambda: project.processes() == {})


def test_a_failed_preview_does_not_wait_for_the_program(project: Project) -> None:
    done = project.preview("""
        import threading, time, pulumi
        threading.Thread(target=time.sleep, args=(600,)).start()  # keeps the process from ending
        pulumi.CustomResource("nowhere:index:Thing", "thing")
    """)
    assert done.code != 0
    assert done.diagnostics == "error: no resource plugin 'pulumi-resource-nowhere' found in the workspace"
