"""How the language host chooses an interpreter and starts what it runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from pulumi.runtime.proto.analyzer_pb2 import AnalyzerStackConfigureRequest
from pulumi.runtime.proto.language_pb2 import ProgramInfo, RunPluginRequest, RunRequest

from toolchain.language_host import running
from toolchain.language_host.errors import HostError
from toolchain.language_host.install import install_steps
from toolchain.language_host.interpreter import Interpreter, existing_interpreter_for, interpreter_for

OWN = Interpreter(Path(sys.executable), None)


def info(root: Path, **options: str | int) -> ProgramInfo:
    """A project in `root` with the runtime `options`."""
    made = ProgramInfo(root_directory=str(root), program_directory=str(root), entry_point=".")
    made.options.update(options)
    return made


def virtualenv(folder: Path) -> Path:
    """A folder that looks like a virtual environment."""
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").touch()
    return folder


def test_without_an_option_the_hosts_own_interpreter_runs_everything(tmp_path: Path) -> None:
    assert existing_interpreter_for(info(tmp_path)) == OWN
    assert existing_interpreter_for(info(tmp_path), plugin=True) == OWN
    assert Path(os.__file__).parent in OWN.package_folders


def test_the_option_is_relative_to_the_project(tmp_path: Path) -> None:
    folder = virtualenv(tmp_path / ".venv")
    site = folder / "lib" / "python3.11" / "site-packages"
    site.mkdir(parents=True)
    (tmp_path / "policies").mkdir()
    options = {"virtualenv": "../.venv", "toolchain": "pip", "preload": "components.platform", "types": "late"}
    found = existing_interpreter_for(info(tmp_path / "policies", **options))
    assert found == Interpreter(folder / "bin" / "python", folder, "components.platform", late_types=True)
    assert found.package_folders == [site]


def test_a_plugin_with_a_venv_of_its_own_uses_it(tmp_path: Path) -> None:
    folder = virtualenv(tmp_path / "venv")
    assert interpreter_for(info(tmp_path), plugin=True).virtualenv == folder
    assert interpreter_for(info(tmp_path)) == OWN


def test_the_environment_is_activated_as_the_official_script_does(tmp_path: Path) -> None:
    base = {"PATH": "/usr/bin", "PYTHONHOME": "/x", "A": "1"}
    assert OWN.environment(base) == base
    activated = Interpreter(tmp_path / "bin" / "python", tmp_path).environment(base)
    assert activated == {"PATH": f"{tmp_path / 'bin'}:/usr/bin", "VIRTUAL_ENV": str(tmp_path), "A": "1"}
    assert Interpreter(tmp_path / "bin" / "python", tmp_path).environment({})["PATH"] == str(tmp_path / "bin")


def test_a_missing_environment_is_named_with_the_way_to_make_it(tmp_path: Path) -> None:
    with pytest.raises(HostError) as refused:
        existing_interpreter_for(info(tmp_path, virtualenv=".venv"))
    assert str(refused.value) == (
        f"runtime option virtualenv: {tmp_path}/.venv does not exist. Create it with `make venv` or `pulumi install`, "
        f"in {tmp_path}."
    )
    (tmp_path / ".venv").mkdir()
    with pytest.raises(HostError, match="is not a virtual environment: it has no bin/python"):
        existing_interpreter_for(info(tmp_path, virtualenv=".venv"))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"toolchain": "uv"}, "runtime option toolchain is uv. This language host knows pip only."),
        ({"types": "early"}, "runtime option types is early. It must be late, or be left out."),
        ({"virtualenv": 3}, "runtime option virtualenv is a number; it must be a string."),
        (
            {"typechecker": "mypy"},
            (
                "runtime option typechecker is mypy. This language host runs no type checker: "
                "remove the option and run the checker by itself."
            ),
        ),
    ],
)
def test_an_option_that_would_change_what_runs_is_refused(
    tmp_path: Path, options: dict[str, str | int], said: str
) -> None:
    with pytest.raises(HostError) as refused:
        interpreter_for(info(tmp_path, **options))
    assert str(refused.value) == said


def test_a_program_is_given_what_the_engine_knows(tmp_path: Path) -> None:
    request = RunRequest(
        project="p",
        stack="dev",
        organization="org",
        pwd="/work",  # noqa: S106  the working directory
        parallel=4,
        monitor_address="m:1",
        args=["extra"],
        info=info(tmp_path),
    )
    assert running.program_arguments("e:2", "", request) == [
        *("--monitor", "m:1", "--engine", "e:2", "--project", "p"),
        *("--root_directory", str(tmp_path), "--stack", "dev", "--pwd", "/work", "--dry_run", "false"),
        *("--parallel", "4", "--organization", "org", ".", "extra"),
    ]


def test_the_configuration_travels_in_the_environment(tmp_path: Path) -> None:
    config = {"p:name": "Grüße", "p:token": "t"}
    request = RunRequest(config=config, configSecretKeys=["p:token"], info=info(tmp_path))
    variables = running.program_variables(request)
    assert json.loads(variables["PULUMI_CONFIG"]) == config
    assert json.loads(variables["PULUMI_CONFIG_SECRET_KEYS"]) == ["p:token"]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no limit for one string")
def test_the_limit_of_the_configuration_is_the_systems(tmp_path: Path) -> None:
    frame = len('PULUMI_CONFIG={"p:big": ""}\0')
    room = 32 * os.sysconf("SC_PAGE_SIZE") - frame
    fits = RunRequest(stack="dev", config={"p:big": "a" * room}, info=info(tmp_path))
    subprocess.run(["/bin/true"], env=running.program_variables(fits), check=True)  # the system takes it
    over = RunRequest(stack="dev", config={"p:big": "a" * (room + 1)}, info=info(tmp_path))
    with pytest.raises(HostError) as refused:
        running.program_variables(over)
    size = room + 1 + len('{"p:big": ""}')
    assert str(refused.value) == (
        f"the configuration of stack dev is {size} bytes; a program can get at most {size - 1}, because it is passed "
        f"in one environment variable. The largest key is p:big with {room + 1} bytes. "
        "State counts in the stack file (slices: 64) instead of lists."
    )


def test_policy_packs_run_by_the_sdk_and_providers_by_path(tmp_path: Path) -> None:
    (tmp_path / "__main__.py").touch()
    python = [sys.executable, "-u"]
    request = RunPluginRequest(args=["e:1"], info=info(tmp_path))
    assert running.pack_arguments(request) == ["e:1", str(tmp_path)]
    assert running.plugin_command(OWN, request) == [*python, str(tmp_path), "e:1"]
    (tmp_path / "__main__.py").unlink()
    for refusing in (lambda: running.plugin_command(OWN, request), lambda: running.pack_arguments(request)):
        with pytest.raises(HostError) as refused:
            refusing()
        assert str(refused.value) == f"{tmp_path} is not a plugin in Python: it has no __main__.py."


def test_a_plugins_environment_is_the_engines_and_activated(tmp_path: Path) -> None:
    environment = Interpreter(tmp_path / "bin" / "python", tmp_path)
    given = running.plugin_environment(environment, RunPluginRequest(env=["PATH=/usr/bin", "PULUMI_X=a=b"]))
    assert given == {"PATH": f"{tmp_path / 'bin'}:/usr/bin", "PULUMI_X": "a=b", "VIRTUAL_ENV": str(tmp_path)}
    assert running.plugin_environment(OWN, RunPluginRequest()) == dict(os.environ)


def test_a_pack_is_told_its_stack_by_variables() -> None:
    assert running.pack_variables(None) == {}
    stack = AnalyzerStackConfigureRequest(
        stack="dev", project="p", organization="org", dry_run=True, config={"p:a": "1"}, config_secret_keys=["p:a"]
    )
    assert running.pack_variables(stack) == {
        "PULUMI_CONFIG": '{"p:a": "1"}',
        "PULUMI_CONFIG_SECRET_KEYS": '["p:a"]',
        "PULUMI_DRY_RUN": "true",
        "PULUMI_ORGANIZATION": "org",
        "PULUMI_PROJECT": "p",
        "PULUMI_STACK": "dev",
    }


def test_endings_are_told_in_words() -> None:
    assert running.ending(7) == "program exited with non-zero exit code: 7"
    assert running.ending(-9) == "program was killed by signal 9 (SIGKILL)"
    assert (running.exit_status(7), running.exit_status(-9)) == (7, 137)


def test_an_installation_makes_the_environment_and_then_takes_the_requirements(tmp_path: Path) -> None:
    project = info(tmp_path, virtualenv=".venv")
    (tmp_path / "requirements.txt").touch()
    made, filled = install_steps(project, plugin=False)
    assert made.command == [sys.executable, "-m", "venv", str(tmp_path / ".venv")]
    assert filled.command[:4] == [str(tmp_path / ".venv" / "bin" / "python"), "-m", "pip", "install"]
    assert filled.command[-2:] == ["-r", str(tmp_path / "requirements.txt")]
    virtualenv(tmp_path / ".venv")
    assert install_steps(project, plugin=False) == [filled]
    (tmp_path / "requirements.txt").unlink()
    assert install_steps(project, plugin=False) == []


def test_an_installation_does_not_take_over_a_folder_with_something_else(tmp_path: Path) -> None:
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "notes.txt").touch()
    with pytest.raises(HostError, match=r"is not a virtual environment.* Remove it, or name another folder\.$"):
        install_steps(info(tmp_path, virtualenv=".venv"), plugin=False)
