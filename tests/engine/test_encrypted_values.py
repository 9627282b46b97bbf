"""A Secret of a stack file, from `pulumi config set --secret` to a preview: nobody sees its value in clear."""

from __future__ import annotations

import secrets
import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest
import yaml

from tests.harness import Simulator, project_with
from tests.leaks import assert_hidden, assert_no_secret, written
from tests.stacks import PLATFORM_KEY, a_platform

if TYPE_CHECKING:
    from pathlib import Path

_STACK: Final = "hidden"
_TOKEN: Final = f"hf_{secrets.token_hex(20)}"
_PATH: Final = f"{PLATFORM_KEY}.secrets[0].data.token"


@pytest.fixture(scope="module")
def project(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Simulator:
    """The simulator in a project of the program, whose stack file has a Secret without its value yet."""
    stack = a_platform().set("workloads", 0, env={"HF_TOKEN": {"secret": "hf", "key": "token"}})
    platform = stack.set(secrets=[{"name": "hf", "data": {"other": "x"}}]).platform
    text = yaml.safe_dump({"config": {"gcp:project": "acme-test", PLATFORM_KEY: platform}})
    inside = replace(simulator, project=project_with(tmp_path_factory.mktemp("encrypted") / "project", {_STACK: text}))
    inside.pulumi("stack", "init", _STACK)
    return inside


def _set(project: Simulator, file: Path) -> None:
    """Encrypt the value as a user does who keeps it out of the history of the shell."""
    words = ("config", "set", "--secret", "--path", _PATH, f"--config-file={file}", "--stack", _STACK)
    command = project.command("exec", "--", "pulumi", *words, "--non-interactive")
    subprocess.run(
        command, cwd=project.project, env=project.environment, input=_TOKEN, text=True, check=True, timeout=120
    )


def test_a_value_in_clear_is_refused_and_not_shown(project: Simulator) -> None:
    done = project.pulumi("preview", "--stack", _STACK, code=None)
    assert done.code != 0
    assert "secrets[0].data.other: it is in clear: whoever may read the file has the value." in done.text
    assert 'pulumi config set --secret --path \'tpu-platform:platform["secrets"][0]["data"]["other"]\'' in done.text


def test_an_encrypted_value_is_nowhere_in_clear(project: Simulator, tmp_path: Path) -> None:
    file = tmp_path / "encrypted.yaml"
    file.write_text((project.project / f"Pulumi.{_STACK}.yaml").read_text().replace("other: x", "{}"))
    _set(project, file)
    assert "secure:" in file.read_text()
    texts = written(project, _STACK, tmp_path, f"--config-file={file}")
    assert "default/hf" in texts["the difference"]
    assert_hidden({**texts, "the stack file": file.read_text()}, {"the token": _TOKEN})
    assert_no_secret(project.home, {"the token": _TOKEN})
