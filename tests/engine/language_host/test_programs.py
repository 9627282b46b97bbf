"""What a program is given by the language host, and what the user sees of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.engine.language_host.conftest import Project


def test_a_program_sees_what_the_engine_knows_and_its_secrets_stay_secret(project: Project) -> None:
    project.write("""
        import sys, pulumi
        from pulumi.runtime.settings import SETTINGS

        config = pulumi.Config()
        print("printed by the program")
        print("dry:", pulumi.runtime.is_dry_run(), "input:", sys.stdin.read() == "", file=sys.stderr)
        pulumi.export("where", [pulumi.get_organization(), pulumi.get_project(), pulumi.get_stack()])
        pulumi.export("root", pulumi.get_root_directory())
        pulumi.export("parallel", SETTINGS.parallel)
        pulumi.export("plain", config.require("plain"))
        pulumi.export("pools", config.require_object("pools"))
        pulumi.export("token", config.require_secret("token"))
    """)
    for arguments in (("plain", "Grüße"), ("--path", "pools[0].chips", "8"), ("--secret", "token", "hush")):
        assert project.run("config", "set", *arguments).code == 0
    previewed = project.run("preview")
    assert previewed.code == 0, previewed.output
    assert sorted(previewed.diagnostics.split("\n\n")) == ["dry: True input: True", "printed by the program"]
    done = project.run("up", "--yes", "--skip-preview", "--parallel", "3")
    assert done.code == 0, done.output
    assert sorted(done.diagnostics.split("\n\n")) == ["dry: False input: True", "printed by the program"]
    assert "warning" not in done.output  # such as the one for a language host from $PATH
    assert "hush" not in done.output
    outputs = json.loads(project.run("stack", "output", "--json").output)
    assert outputs == {
        "where": ["organization", "tried", "dev"],
        "root": str(project.folder),
        "parallel": 3,
        "plain": "Grüße",
        "pools": [{"chips": 8}],
        "token": "[secret]",
    }
    assert "hush" not in (project.root / "state" / ".pulumi/stacks/tried/dev.json").read_text()
    (project.folder / "Pulumi.dev.yaml").write_text("")


def test_an_exception_shows_the_users_frames_once(project: Project) -> None:
    done = project.preview("""
        def inner() -> None:
            raise ValueError("boom")

        inner()
    """)
    main = project.folder / "__main__.py"
    assert done.code != 0
    assert [line.strip() for line in done.diagnostics.splitlines()] == [
        "error: Program failed with an unhandled exception:",
        "Traceback (most recent call last):",
        f'File "{main}", line 5, in <module>',
        "inner()",
        f'File "{main}", line 3, in inner',
        'raise ValueError("boom")',
        "ValueError: boom",
    ]


@pytest.mark.parametrize(
    ("ending", "said"),
    [
        pytest.param(
            "import sys, pulumi; pulumi.log.error('Pulumi.dev.yaml:3:5: 3x4 is no shape of TPU v5e.'); sys.exit(32)",
            "error: Pulumi.dev.yaml:3:5: 3x4 is no shape of TPU v5e.",
            id="exit code 32, which means that the user has been told",
        ),
        pytest.param(
            "import pulumi; raise pulumi.RunError('only this')",
            "error: only this\nerror: an unhandled error occurred: program exited with non-zero exit code: 1",
            id="a RunError, after which the engine adds a line as with the official host",
        ),
        pytest.param(
            "import sys; sys.exit(7)",
            "error: an unhandled error occurred: program exited with non-zero exit code: 7",
            id="an exit code",
        ),
        pytest.param(
            "import os; os.kill(os.getpid(), 9)",
            "error: an unhandled error occurred: program was killed by signal 9 (SIGKILL)",
            id="a signal",
        ),
    ],
)
def test_every_ending_is_told_once_and_in_words(project: Project, ending: str, said: str) -> None:
    done = project.preview(ending)
    assert (done.code != 0, done.diagnostics) == (True, said)


def test_a_configuration_that_no_program_can_be_given_is_one_clear_error(project: Project) -> None:
    config = project.folder / "Pulumi.dev.yaml"
    config.write_text(f"config:\n  tried:pools: {'a' * 140_000}\n  tried:other: b\n")
    done = project.preview("print('never')")
    config.write_text("")
    assert done.code != 0
    assert done.diagnostics == (
        "error: the configuration of stack dev is 140036 bytes; a program can pass on at most 131057, in a variable of "
        "its environment. The largest key is tried:pools with 140000 bytes. "
        "State counts in the stack file (slices: 64) instead of lists"
    )
    assert "never" not in done.output
