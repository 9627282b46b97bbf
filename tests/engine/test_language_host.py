"""The language host under the real Pulumi engine: programs without cloud resources, on a backend of local files."""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import textwrap
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from toolchain.provision import locate
from toolchain.tools import ToolchainError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

pytestmark = pytest.mark.engine

SECONDS = 60.0
PROJECT = "name: tried\nruntime: python\n"


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

    def write(self, program: str, *, project: str = PROJECT) -> None:
        """Make `program` the project's `__main__.py`."""
        (self.folder / "Pulumi.yaml").write_text(project)
        (self.folder / "__main__.py").write_text(textwrap.dedent(program))

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
            output, _ = process.communicate(timeout=SECONDS)
        return Finished(process.returncode, output)

    def preview(self, program: str, *arguments: str) -> Finished:
        """What a preview of `program` says."""
        self.write(program)
        return self.run("preview", *arguments)

    def processes(self) -> list[str]:
        """The command lines of all processes that were started for this project; they inherit its environment."""
        mark = f"PULUMI_HOME={self.environment['PULUMI_HOME']}\0".encode()
        found: list[str] = []
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (entry / "environ").read_bytes():
                    found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode())
            except OSError:  # another user's, or it ended meanwhile
                continue
        return [line for line in found if line]  # a process that has ended and was not reaped has none


def eventually(check: Callable[[], object]) -> None:
    """Wait until `check` is true."""
    deadline = time.monotonic() + SECONDS
    while not (seen := check()):
        assert time.monotonic() < deadline, f"waited {SECONDS} s; last seen: {seen!r}"
        time.sleep(0.02)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Generator[Project]:
    """One project and stack for the whole module: every command costs a second, making a stack another one."""
    try:
        pulumi = locate(["pulumi"]).binary("pulumi")
    except ToolchainError as missing:
        if "engine" in os.environ.get("REQUIRE_LANES", "").split(","):
            raise
        pytest.skip(str(missing))
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
        "TPU_PLATFORM_PYTHON": sys.executable,
    }
    made = Project(root, pulumi, environment)
    made.write("")
    assert made.run("stack", "init", "dev").code == 0
    yield made
    eventually(lambda: made.processes() == [])  # no test of this module leaves a process


def test_a_program_sees_what_the_engine_knows_and_its_secrets_stay_secret(project: Project) -> None:
    project.write("""
        import pulumi
        from pulumi.runtime.settings import SETTINGS

        config = pulumi.Config()
        print("printed by the program")
        pulumi.export("where", [pulumi.get_organization(), pulumi.get_project(), pulumi.get_stack()])
        pulumi.export("root", pulumi.get_root_directory())
        pulumi.export("run", {"dry": pulumi.runtime.is_dry_run(), "parallel": SETTINGS.parallel})
        pulumi.export("plain", config.require("plain"))
        pulumi.export("pools", config.require_object("pools"))
        pulumi.export("token", config.require_secret("token"))
    """)
    for arguments in (("plain", "Grüße"), ("--path", "pools[0].chips", "8"), ("--secret", "token", "hush")):
        assert project.run("config", "set", *arguments).code == 0
    done = project.run("up", "--yes", "--skip-preview", "--parallel", "3")
    assert done.code == 0, done.output
    assert done.diagnostics == "printed by the program"
    assert "warning" not in done.output  # such as the one for a language host from $PATH
    assert "hush" not in done.output
    outputs = json.loads(project.run("stack", "output", "--json").output)
    assert outputs == {
        "where": ["organization", "tried", "dev"],
        "root": str(project.folder),
        "run": {"dry": False, "parallel": 3},
        "plain": "Grüße",
        "pools": [{"chips": 8}],
        "token": "[secret]",
    }
    assert "hush" not in (project.root / "state" / ".pulumi/stacks/tried/dev.json").read_text()
    (project.folder / "Pulumi.dev.yaml").write_text("")


def test_a_preview_is_a_dry_run_and_standard_error_reaches_the_user(project: Project) -> None:
    done = project.preview("""
        import sys, pulumi
        print("dry:", pulumi.runtime.is_dry_run(), "input:", sys.stdin.read() == "", file=sys.stderr)
    """)
    assert (done.code, done.diagnostics) == (0, "dry: True input: True")


def test_exit_code_32_means_that_the_user_has_been_told(project: Project) -> None:
    done = project.preview("""
        import sys, pulumi
        pulumi.log.error("Pulumi.dev.yaml:3:5: topology: 3x4 is not a shape of TPU v5e.")
        sys.exit(32)
    """)
    assert (done.code != 0, done.diagnostics) == (
        True,
        "error: Pulumi.dev.yaml:3:5: topology: 3x4 is not a shape of TPU v5e.",
    )


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
def test_another_ending_is_told_in_words(project: Project, ending: str, said: str) -> None:
    done = project.preview(ending)
    assert (done.code != 0, done.diagnostics) == (True, said)


def test_a_configuration_that_no_program_can_be_given_is_one_clear_error(project: Project) -> None:
    config = project.folder / "Pulumi.dev.yaml"
    config.write_text(f"config:\n  tried:pools: {'a' * 140_000}\n  tried:other: b\n")
    done = project.preview("print('never')")
    config.write_text("")
    assert done.code != 0
    assert done.diagnostics == (
        "error: the configuration of stack dev is 140039 bytes; a program can be given 131057, because it travels in "
        "one environment variable. The largest key is tried:pools with 140000 bytes. "
        "State counts in the stack file (slices: 64) instead of lists."
    )
    assert "never" not in done.output


def test_a_missing_virtual_environment_is_one_clear_error(project: Project) -> None:
    project.write("", project="name: tried\nruntime: {name: python, options: {virtualenv: .venv, toolchain: pip}}\n")
    done = project.run("preview")
    assert done.code != 0
    assert [line for line in done.output.splitlines() if line.startswith("error:")] == [
        (
            f"error: failed to discover package requirements: runtime option virtualenv: {project.folder}/.venv does "
            f"not exist. Create it with `make venv` or `pulumi install`, in {project.folder}."
        )
    ]


def write_pack(project: Project, name: str, program: str) -> Path:
    """A policy pack beside the project."""
    pack = project.root / name
    pack.mkdir()
    (pack / "PulumiPolicy.yaml").write_text("runtime: python\nversion: 0.1.0\n")
    (pack / "__main__.py").write_text(textwrap.dedent(program))
    return pack


def test_a_policy_pack_knows_its_stack_and_what_it_prints_reaches_the_user(project: Project) -> None:
    pack = write_pack(
        project,
        "pack",
        """
        import os, sys, pulumi
        from pulumi_policy import EnforcementLevel, PolicyPack, StackValidationPolicy

        print("printed before it serves")

        def complain(args, report):
            print("told:", pulumi.get_stack(), pulumi.get_project(), pulumi.Config().get("plain"))
            print("dry:", pulumi.runtime.is_dry_run(), "in:", os.getcwd(), file=sys.stderr)
            report(f"saw {len(args.resources)} resource")

        policy = StackValidationPolicy("always", "always complains", complain, EnforcementLevel.MANDATORY)
        PolicyPack("tried", [policy])
        """,
    )
    assert project.run("config", "set", "plain", "here").code == 0
    done = project.preview("import pulumi", "--policy-pack", str(pack))
    (project.folder / "Pulumi.dev.yaml").write_text("")
    assert done.code != 0
    for said in ("printed before it serves", "told: dev tried here", f"dry: True in: {pack}"):
        assert done.diagnostics.count(said) == 1, done.diagnostics
    assert "[mandatory]  always  (pulumi:pulumi:Stack: tried-dev)" in done.output
    assert "saw 1 resource" in done.output


def test_a_pack_that_fails_is_reported_with_its_traceback(project: Project) -> None:
    pack = write_pack(project, "broken", "raise ValueError('in the pack')")
    done = project.preview("import pulumi", "--policy-pack", str(pack))
    assert done.code != 0
    assert "ValueError: in the pack" in done.output
    assert "error: the policy pack ended before it served: program exited with non-zero exit code: 1" in done.output


def test_a_component_provider_and_a_dynamic_resource_in_python(project: Project) -> None:
    provider = project.root / "greet"
    provider.mkdir()
    (provider / "PulumiPlugin.yaml").write_text("runtime: python\n")
    (provider / "__main__.py").write_text(
        textwrap.dedent("""
            from typing import Optional, TypedDict
            import pulumi
            from pulumi.provider.experimental import component_provider_host

            class GreetingArgs(TypedDict):
                name: pulumi.Input[str]

            class Greeting(pulumi.ComponentResource):
                text: pulumi.Output[str]

                def __init__(self, name: str, args: GreetingArgs, opts: Optional[pulumi.ResourceOptions] = None):
                    super().__init__("greet:index:Greeting", name, {}, opts)
                    self.text = pulumi.Output.from_input(args["name"]).apply(lambda name: f"hello {name}")
                    self.register_outputs({"text": self.text})

            component_provider_host(name="greet", components=[Greeting])
        """)
    )
    project.write(
        """
        import pulumi
        from pulumi.dynamic import CreateResult, Resource, ResourceProvider

        class Greeting(pulumi.ComponentResource):
            text: pulumi.Output[str]

        class Doubler(ResourceProvider):
            def create(self, props):
                return CreateResult("doubled", {**props, "twice": 2 * props["once"]})

        class Doubled(Resource):
            twice: pulumi.Output[float]

        greeting = Greeting("greet:index:Greeting", "greeting", {"name": "you", "text": None}, remote=True)
        pulumi.export("text", greeting.text)
        pulumi.export("twice", Doubled(Doubler(), "doubled", {"once": 21, "twice": None}).twice)
        """,
        project=f"name: tried\nruntime: {{name: python, options: {{virtualenv: {sys.prefix}}}}}\n"
        "plugins: {providers: [{name: greet, path: ../greet}]}\n",
    )
    done = project.run("up", "--yes", "--skip-preview")
    assert done.code == 0, done.output
    outputs = json.loads(project.run("stack", "output", "--json").output)
    assert outputs == {"text": "hello you", "twice": 42}
    assert project.run("destroy", "--yes", "--skip-preview").code == 0


def test_about_tells_the_interpreter_and_the_dependencies(project: Project) -> None:
    project.write("")
    (project.folder / "requirements.txt").write_text("pulumi-random>=4\nPyYAML\n")
    about = project.run("about")
    (project.folder / "requirements.txt").unlink()
    version = ".".join(str(part) for part in sys.version_info[:3])
    assert about.code == 0
    assert f"This project is written in python: executable='{sys.executable}' version='{version}'" in about.output
    listed = about.output.partition("\nDependencies:\n")[2].split("\n\n")[0].splitlines()
    assert [line.split()[0] for line in listed] == ["NAME", "pulumi-random", "pyyaml"]
    assert re.search(r"^resource +gcp +10\.", about.output, re.MULTILINE)


def test_install_makes_the_environment_and_demands_the_hashes_of_the_requirements(project: Project) -> None:
    project.write("", project="name: tried\nruntime: {name: python, options: {virtualenv: .made, toolchain: pip}}\n")
    wheel = project.folder / "tiny-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("tiny.py", "")
        archive.writestr("tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
        archive.writestr("tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr("tiny-1.0.dist-info/RECORD", "")
    requirements = project.folder / "requirements.txt"
    requirements.write_text(f"tiny @ file://{wheel} --hash=sha256:{'0' * 64}\n")
    refused = project.run("install", "--no-plugins")
    assert refused.code != 0
    assert "THESE PACKAGES DO NOT MATCH THE HASHES" in refused.output
    assert f"Installing {requirements}: program exited with non-zero exit code: 1" in refused.output
    requirements.write_text(f"tiny @ file://{wheel} --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n")
    done = project.run("install", "--no-plugins")
    requirements.unlink()
    assert done.code == 0, done.output
    assert "Successfully installed tiny-1.0" in done.output
    assert (
        project.folder / ".made" / "lib" / f"python3.{sys.version_info.minor}" / "site-packages" / "tiny.py"
    ).exists()


HANGING = """
    import pathlib, subprocess, time
    subprocess.Popen(["sleep", "600"])
    print("has started", flush=True)
    pathlib.Path("started").touch()
    time.sleep(600)
"""


def hang(project: Project, *arguments: str) -> subprocess.Popen[str]:
    """A preview whose program has started a process of its own and does not end."""
    started = project.folder / "started"
    started.unlink(missing_ok=True)
    project.write(HANGING)
    preview = project.start("preview", *arguments)
    eventually(started.exists)
    return preview


def test_an_interrupt_ends_a_hanging_program_at_once_and_quietly(project: Project) -> None:
    with hang(project) as preview:
        assert [line for line in project.processes() if line.startswith("sleep")] == ["sleep 600 "]
        begun = time.monotonic()
        os.killpg(preview.pid, signal.SIGINT)  # as the terminal does
        output, _ = preview.communicate(timeout=SECONDS)
    assert time.monotonic() - begun < 5
    assert preview.returncode != 0
    assert Finished(preview.returncode, output).diagnostics == "has started\n\nerror: preview canceled"
    assert "Traceback" not in output
    assert "KeyboardInterrupt" not in output
    eventually(lambda: project.processes() == [])


def test_a_killed_engine_leaves_no_process(project: Project) -> None:
    with hang(project, "--policy-pack", str(project.root / "pack")) as preview:
        running = project.processes()
        for part in ("toolchain.language_host", "pulumi-language-python-exec", "pulumi.policy", "sleep 600"):
            assert any(part in line for line in running), running
        preview.kill()
        eventually(lambda: project.processes() == [])
