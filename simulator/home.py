"""Where the simulator keeps what it must remember: one folder, `.simulator/` in the project, removable as a whole.

Only paths and small files with secrets live here; each part decides what it stores in its folder.
"""

from __future__ import annotations

import os
import re
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from simulator.files import BrokenFileError, write_once

FOLDER_NAME: Final = ".simulator"
PROJECT_FILE: Final = "Pulumi.yaml"
HOME_VARIABLE: Final = "TPU_SIMULATOR_HOME"
"""Environment variable that names the folder; plugins and commands started by `exec` find it through this."""
_SECRET = re.compile(r"[\w-]{43}")
"""The form of `secrets.token_urlsafe(32)`."""


class NoProjectError(LookupError):
    """A folder is not in a Pulumi project; the text says so."""

    def __init__(self, folder: Path) -> None:
        """Takes the folder."""
        super().__init__(
            f"neither {folder} nor a folder above it has a {PROJECT_FILE}, so nothing was started. "
            "Run the command in a checkout of the project."
        )


class Inside:
    """A path of a home, by its name there."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, home: Home, _: type[Home]) -> Path:
        """The path."""
        return home.root / self._name


@dataclass(frozen=True, slots=True)
class Home:
    """Paths below one simulator folder."""

    root: Path

    daemon_file = Inside("daemon.json")
    """Process id, port and token of the running daemon; present only while it runs."""
    daemon_lock = Inside("daemon.lock")
    """Held by the one daemon of this folder for as long as it lives; holds its process id."""
    daemon_log = Inside("daemon.log")
    """The daemon's own log."""
    settings_file = Inside("settings.json")
    """The clock's speed, and how long things take."""
    clock_file = Inside("clock.jsonl")
    """The turns of the clock, as `watch.shown` reads them."""
    cloud_file = Inside("cloud.json")
    """The declared state of the simulated cloud."""
    shares = Inside("shares")
    """The shares of Filestore instances: `PROJECT/LOCATION/INSTANCE/SHARE`."""
    volumes = Inside("volumes")
    """The files of Lustre instances, disks and buckets, and those that nodes keep."""
    stock_file = Inside("stock.json")
    """The machines that are out of stock."""
    clusters = Inside("clusters")
    """One folder per cluster."""
    bin = Inside("bin")
    """Executables that go in front of PATH."""
    pulumi_home = Inside("pulumi")
    """PULUMI_HOME of every command in the simulator: plugins and workspace settings."""
    backend = Inside("state")
    """Folder of the file backend with the stacks' states."""
    stack_files = Inside("stacks")
    """Copies of the stack files that the engine may rewrite."""
    helm = Inside("helm")
    """Helm's own cache, configuration and data folders."""
    outside = Inside("outside")
    """The certificates of the hosts that `outside.py` speaks for."""
    kubeconfig = Inside("kubeconfig")
    """A kubeconfig of every simulated cluster, for kubectl and the like."""
    passphrase_file = Inside("passphrase")
    """The passphrase that encrypts secrets in the file backend."""
    token_file = Inside("token")
    """The user's token on every simulated cluster, as a Google access token would be."""

    def secret(self, path: Path) -> str:
        """The secret text in `path`, made at random with mode 0600 the first time.

        Raises:
            BrokenFileError: the file holds something else.
        """
        self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not path.exists():
            write_once(path, secrets.token_urlsafe(32))
        text = path.read_text(errors="replace").strip()
        if _SECRET.fullmatch(text) is None:
            raise BrokenFileError(path, "Remove it: the next start makes another." if path == self.token_file else "")
        return text


def find_home(folder: str | Path | None = None) -> Home:
    """The simulator folder: `folder`, else what the environment names, else the one of the nearest Pulumi project.

    A command in a subfolder of the project thus meets the same simulator as one in its root.

    Raises:
        NoProjectError: none is named, and no Pulumi project is near.
    """
    named = folder or os.environ.get(HOME_VARIABLE)
    if named:
        return Home(Path(named).resolve())
    return Home(project_folder() / FOLDER_NAME)


def project_folder(folder: str | Path = ".") -> Path:
    """The nearest Pulumi project, as the engine finds it: `folder` or the first one above it with a Pulumi.yaml.

    Raises:
        NoProjectError: there is none.
    """
    start = Path(folder).resolve()
    found = next((each for each in (start, *start.parents) if (each / PROJECT_FILE).is_file()), None)
    if found is None:
        raise NoProjectError(start)
    return found
