"""The commands of docs/shared-state.md, run by the real engine: how the shared state begins, and how a stack moves.

Folders stand in for the buckets, and passphrases for the keys of the cloud; the order of the commands is the page's.
What would be made in the cloud is previewed under every rule, by a provider that takes anything.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from policies.names import rule_and_text
from simulator.providers.plugins import plugin_version
from simulator.toolchain.provision import locate
from tests.docs.blocks import CLOUD, blocks
from tests.tracked import ROOT

PAGE: Final = "docs/shared-state.md"
_PROVIDER: Final = Path(__file__).parent / "taking_provider.py"
_BOOTSTRAP: Final = "pulumi -C examples/bootstrap "
SECRET: Final = "never-in-clear"  # noqa: S105  made up
PROGRAM: Final = f'import pulumi\n\npulumi.export("password", pulumi.Output.secret("{SECRET}"))\n'
_SECONDS: Final = 300.0
_KEY: Final = re.compile(r'"gcpkms://[^"]+"')
_BUCKET: Final = re.compile(r"gs://[\w-]+")
_PASSPHRASES: Final = ("of the old backend", "of the new one")
_CHANGE: Final = "pulumi stack change-secrets-provider "
_UP: Final = "up --policy-pack "
_JSON: Final = "export PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true"


@dataclass(frozen=True)
class Mover:
    """A project, and two backends."""

    folder: Path

    def backend(self, name: str) -> Path:
        return self.folder / name

    def run(self, script: str, backend: str, passphrase: str) -> str:
        """What the commands print."""
        pulumi = locate(["pulumi"]).binary("pulumi")
        environment = {
            "HOME": str(self.folder),
            "PATH": f"{pulumi.parent}{os.pathsep}/usr/bin:/bin",
            "PULUMI_BACKEND_URL": f"file://{self.backend(backend)}",
            "PULUMI_CONFIG_PASSPHRASE": passphrase,
            "PULUMI_HOME": str(self.folder / "home"),
            "PULUMI_SKIP_UPDATE_CHECK": "true",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PULUMI_PYTHON_CMD": sys.executable,
        }
        done = subprocess.run(
            ["/usr/bin/env", "bash", "-euo", "pipefail", "-c", script],
            cwd=self.folder / "project",
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
        assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}"
        return done.stdout


@pytest.fixture
def mover(tmp_path: Path) -> Mover:
    for name in ("project", "old", "new", "home"):
        (tmp_path / name).mkdir()
    (tmp_path / "project" / "Pulumi.yaml").write_text("name: tpu-platform\nruntime: python\n")
    (tmp_path / "project" / "__main__.py").write_text(PROGRAM)
    return Mover(tmp_path)


def page_commands(new: Path) -> str:
    """The commands of the page, with a folder and passphrases in the place of bucket and key."""
    [lines] = [block.commands for block in blocks(PAGE) if block.commands[0].startswith(_CHANGE)]
    lines = list(lines)
    old, following = _PASSPHRASES
    # The engine asks for a new passphrase, and is told it in the environment from then on.
    lines[0] = f"printf '%s\\n' '{following}' '{following}' | {lines[0]}\nexport PULUMI_CONFIG_PASSPHRASE='{following}'"
    assert old != following
    return _BUCKET.sub(f"file://{new}", _KEY.sub("passphrase", "\n".join(lines)))


def files(backend: Path) -> list[str]:
    """What a backend keeps, without what the file system adds beside it."""
    found = (path for path in backend.rglob("*") if path.is_file() and path.suffix != ".attrs")
    return sorted(str(path.relative_to(backend)) for path in found)


def test_a_stack_moves_with_its_secrets_and_nothing_is_ever_in_clear(mover: Mover) -> None:
    old, new = _PASSPHRASES
    mover.run("pulumi stack init dev --non-interactive", "old", old)
    mover.run("pulumi up --yes --skip-preview --non-interactive --stack dev", "old", old)
    # What examples/bootstrap lets an account of an environment write. The other file comes once, with a new backend.
    allowed = re.compile(r"\.pulumi/(?:stacks/tpu-platform/dev\.json|(?:history|backups)/tpu-platform/dev/)")
    assert [name for name in files(mover.backend("old")) if allowed.match(name) is None] == [".pulumi/meta.yaml"]

    mover.run(page_commands(mover.backend("new")), "old", old)
    state = json.loads((mover.folder / "project" / "dev.state").read_text())
    assert len(state["deployment"]["resources"]) == 1
    shown = mover.run("pulumi stack output password --show-secrets --stack dev", "new", new)
    assert shown.strip() == SECRET
    everything = [path for path in mover.folder.rglob("*") if path.is_file() and path.name != "__main__.py"]
    assert [str(path) for path in everything if SECRET.encode() in path.read_bytes()] == []


@pytest.fixture
def bootstrap(tmp_path: Path) -> Mover:
    """A checkout with examples/bootstrap/ and without the stack file of somebody's state."""
    project = tmp_path / "project"
    (project / "examples" / "bootstrap").mkdir(parents=True)
    for name in ("Pulumi.yaml", "__main__.py"):
        shutil.copyfile(ROOT / "examples" / "bootstrap" / name, project / "examples" / "bootstrap" / name)
    for name in ("Pulumi.yaml", ".venv", "policies"):
        (project / name).symlink_to(ROOT / name)
    plugin = tmp_path / "home" / "plugins" / f"resource-gcp-v{plugin_version('pulumi-gcp')}" / "pulumi-resource-gcp"
    plugin.parent.mkdir(parents=True)
    plugin.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {shlex.quote(str(_PROVIDER))} "$@"\n')
    plugin.chmod(0o755)
    (tmp_path / "old").mkdir()
    return Mover(tmp_path)


def beginning() -> list[str]:
    """The page's commands on the stack of the shared state, from its making to its update."""
    [block] = [block for block in blocks(PAGE) if block.language == CLOUD and f"{_BOOTSTRAP}{_UP}" in block.text]
    return [command for command in block.commands if command.startswith(_BOOTSTRAP)]


def broken(bootstrap: Mover, preview: str) -> tuple[list[tuple[str, str]], set[str]]:
    """The rules that a preview breaks, each with its level; and the types of what it would make."""
    lines = bootstrap.run(f"{_JSON}\n{preview} || true", "old", _PASSPHRASES[0]).splitlines()
    events: list[dict[str, Any]] = [json.loads(line) for line in lines if line.startswith("{")]
    found = [event["policyEvent"] for event in events if "policyEvent" in event]
    made = {event["resourcePreEvent"]["metadata"]["type"] for event in events if "resourcePreEvent" in event}
    rules = [rule_and_text(each["policyPackName"], each["policyName"], each["message"])[0] for each in found]
    return [(rule, each["enforcementLevel"]) for rule, each in zip(rules, found, strict=True)], made


def test_the_shared_state_begins_as_the_page_says_and_breaks_no_rule(bootstrap: Mover) -> None:
    *before, up = beginning()
    preview = up.replace(f"{_BOOTSTRAP}up ", f"{_BOOTSTRAP}preview --json --non-interactive ")
    [labelled] = [command for command in before if " labels." in command]
    bootstrap.run(
        "\n".join(each.replace(" labels.environment ", " labels.team ") for each in before), "old", _PASSPHRASES[0]
    )
    assert broken(bootstrap, preview)[0] == [("labels-are-there-for-billing", "mandatory")]

    bootstrap.run(labelled, "old", _PASSPHRASES[0])
    found, made = broken(bootstrap, preview)
    assert found == []
    assert {"gcp:storage/bucket:Bucket", "gcp:kms/cryptoKey:CryptoKey"} < made
