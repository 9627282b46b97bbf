"""The environment of a command inside the simulator: its own Pulumi home and backend, plugins and credentials in place.

The program and every tool are the same as on Google Cloud; only the environment differs. Variables that could lead a
command to a real cloud or cluster by accident are removed.
"""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING, Final

from simulator import shown
from simulator.files import private, write_whole
from simulator.home import HOME_VARIABLE, Home
from simulator.kubeconfig import AUTH_PLUGIN
from simulator.providers.plugins import Others, write_launchers
from simulator.toolchain.tools import YAML_HOST, find_tool

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from simulator.toolchain.provision import Toolchain

COMMAND_TOOLS: Final = ("pulumi", "helm")
_DROPPED_PREFIXES: Final = ("GOOGLE_", "CLOUDSDK_", "GCLOUD_", "HELM_")
_BACKEND: Final = f"metadata=skip&dir_file_mode={0o700}"
"""Folders for this user alone, and no metadata. The backend replaces a state as a whole, but writes the metadata beside
it bit by bit: a program that reads the outputs of its own stack while the engine begins the update would find it half
written ("failed to load checkpoint: EOF"). Nobody needs the metadata (gocloud.dev/blob/fileblob, its attrs.go).
"""
_STORE: Final = b"version: 1"
"""The one form that the engine writes (backend/diy/meta.go of Pulumi 3.250)."""
_DROPPED: Final = frozenset({"KUBECONFIG", "PULUMI_ACCESS_TOKEN", "PULUMI_BACKEND_URL", "PULUMI_CONFIG_PASSPHRASE"})


@private()
def prepare(home: Home, tools: Toolchain, others: Others | None = None) -> None:
    """Write the files that the environment refers to into the simulator's folder: plugin launchers, secrets, others.

    `others` are plugins that take the place of stand-ins.
    """
    for folder in (home.bin, home.backend, home.pulumi_home, home.helm):
        folder.mkdir(parents=True, exist_ok=True)
    home.secret(home.passphrase_file)
    home.secret(home.token_file)
    _mend_store(home.backend / ".pulumi" / "meta.yaml")
    _keep_no_logs(home.pulumi_home / "logs")
    write_launchers(home, others)
    _write_auth_plugin(home)
    _link(home.bin / "helm", tools.binary("helm"))


@private()
def add_yaml_host(home: Home, host: Path) -> None:
    """Put the host of programs in Pulumi YAML where the engine looks for it, unless an installed Pulumi brings its own.

    The host of Python lies beside the CLI that is built here. This host is a tool of its own, and programs on the PATH
    are ignored.
    """
    folder = home.pulumi_home / "plugins" / f"language-yaml-{find_tool(YAML_HOST).version}"
    folder.mkdir(parents=True, exist_ok=True)
    _link(folder / YAML_HOST, host)


def environment(home: Home, tools: Toolchain, outer: Mapping[str, str]) -> dict[str, str]:
    """The variables for a command inside the simulator, from those of the caller."""
    kept = {
        name: value for name, value in outer.items() if name not in _DROPPED and not name.startswith(_DROPPED_PREFIXES)
    }
    folders = [str(home.bin), str(tools.binary("pulumi").parent), os.path.dirname(sys.executable)]  # noqa: PTH120
    return {
        **kept,
        "PATH": os.pathsep.join([*folders, outer.get("PATH", os.defpath)]),
        HOME_VARIABLE: str(home.root),
        "PULUMI_PYTHON_CMD": sys.executable,
        "KUBECONFIG": str(home.kubeconfig),
        shown.VARIABLE: str(home.clock_file),
        "PULUMI_HOME": str(home.pulumi_home),
        "PULUMI_BACKEND_URL": f"file://{home.backend}?{_BACKEND}",
        "PULUMI_CONFIG_PASSPHRASE_FILE": str(home.passphrase_file),
        # A missing plugin is an error at once, never a download or another one that happens to be on PATH.
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
        "PULUMI_IGNORE_AMBIENT_PLUGINS": "true",
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "HELM_CACHE_HOME": str(home.helm / "cache"),
        "HELM_CONFIG_HOME": str(home.helm / "config"),
        "HELM_DATA_HOME": str(home.helm / "data"),
    }


def _mend_store(path: Path) -> None:
    """Write the form of the backend's folder anew when that file is broken: the engine refuses every command then."""
    if path.exists() and not path.read_bytes().startswith(_STORE):
        write_whole(path, _STORE)


def _keep_no_logs(path: Path) -> None:
    """Put an empty file where Pulumi would make a folder for its logs; without the folder it writes none.

    It has no setting for that (StartLogging in pkg/logging/encrypted.go of Pulumi 3.250). Each command would write a
    line, encrypted, for all that it does: a seventh of the engine's time in a preview, and half of what a policy pack
    takes there. `--logtostderr --verbose=9` shows the same lines. An existing folder of logs is kept.
    """
    path.touch()


def _write_auth_plugin(home: Home) -> None:
    """Stand in for GKE's credential plugin: the token that every simulated cluster knows, in place of Google's."""
    credential = '{"apiVersion":"client.authentication.k8s.io/v1beta1","kind":"ExecCredential","status":{"token":"%s"}}'
    token = shlex.quote(str(home.token_file))
    write_whole(home.bin / AUTH_PLUGIN, f"#!/bin/sh\nprintf '{credential}' \"$(cat {token})\"\n", mode=0o755)


def _link(path: Path, target: Path) -> None:
    if not path.is_symlink() or path.resolve() != target.resolve():
        beside = path.with_name(f".{path.name}.{os.getpid()}")
        beside.symlink_to(target)
        beside.replace(path)
