"""Interrupted and killed commands: no process is left, and nothing is said that the user need not know."""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

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


PACK = """
    from pulumi_policy import EnforcementLevel, PolicyPack, StackValidationPolicy
    policy = StackValidationPolicy("never", "finds nothing", lambda args, report: None, EnforcementLevel.ADVISORY)
    PolicyPack("quiet", [policy])
"""


@contextmanager
def hanging(project: Project, *arguments: str) -> Generator[subprocess.Popen[str]]:
    """A preview whose program has started a process of its own and does not end."""
    started = project.folder / "started"
    started.unlink(missing_ok=True)
    project.write(HANGING)
    with project.start("preview", *arguments) as preview:
        try:
            eventually(started.exists)
            yield preview
        finally:
            preview.kill()


def test_an_interrupt_ends_a_hanging_program_at_once_and_quietly(project: Project) -> None:
    with hanging(project) as preview:
        assert [line for line in project.processes() if line.startswith("sleep")] == ["sleep 600 "]
        os.killpg(preview.pid, signal.SIGINT)  # as the terminal does
        done = project.finish(preview)
    assert done.code != 0
    assert sorted(done.diagnostics.split("\n\n")) == ["error: preview canceled", "has started"]
    assert "Traceback" not in done.output
    assert "KeyboardInterrupt" not in done.output
    eventually(lambda: project.processes() == [])


def test_a_killed_engine_leaves_no_process(project: Project) -> None:
    pack = project.write_pack("quiet", PACK)
    with hanging(project, "--policy-pack", str(pack)) as preview:
        running = project.processes()
        for part, count in (("toolchain.language_host", 1), ("waiting.py", 3), ("sleep 600", 1)):
            assert sum(part in line for line in running) >= count, running  # the program, the pack, what forked them
        preview.kill()
        eventually(lambda: project.processes() == [])


def test_a_failed_preview_does_not_wait_for_the_program(project: Project) -> None:
    done = project.preview("""
        import threading, time, pulumi
        threading.Thread(target=time.sleep, args=(600,)).start()  # keeps the process from ending
        pulumi.CustomResource("nowhere:index:Thing", "thing")
    """)
    assert done.code != 0
    assert done.diagnostics == "error: no resource plugin 'pulumi-resource-nowhere' found in the workspace"
