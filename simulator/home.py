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


@dataclass(frozen=True, slots=True)
class Home:
    """Paths below one simulator folder."""

    root: Path

    @property
    def daemon_file(self) -> Path:
        """Process id, port and token of the running daemon; present only while it runs."""
        return self.root / "daemon.json"

    @property
    def daemon_lock(self) -> Path:
        """Held by the one daemon of this folder for as long as it lives; holds its process id."""
        return self.root / "daemon.lock"

    @property
    def daemon_log(self) -> Path:
        """The daemon's own log."""
        return self.root / "daemon.log"

    @property
    def settings_file(self) -> Path:
        """The clock's speed, and how long things take."""
        return self.root / "settings.json"

    @property
    def clock_file(self) -> Path:
        """The turns of the clock, as `watch.shown` reads them."""
        return self.root / "clock.jsonl"

    @property
    def cloud_file(self) -> Path:
        """The declared state of the simulated cloud."""
        return self.root / "cloud.json"

    @property
    def shares(self) -> Path:
        """The shares of Filestore instances: `PROJECT/LOCATION/INSTANCE/SHARE`."""
        return self.root / "shares"

    @property
    def volumes(self) -> Path:
        """The files of Lustre instances, disks and buckets, and those that nodes keep."""
        return self.root / "volumes"

    @property
    def stock_file(self) -> Path:
        """The machines that are out of stock."""
        return self.root / "stock.json"

    @property
    def clusters(self) -> Path:
        """One folder per cluster."""
        return self.root / "clusters"

    @property
    def bin(self) -> Path:
        """Executables that go in front of PATH."""
        return self.root / "bin"

    @property
    def pulumi_home(self) -> Path:
        """PULUMI_HOME of every command in the simulator: plugins and workspace settings."""
        return self.root / "pulumi"

    @property
    def backend(self) -> Path:
        """Folder of the file backend with the stacks' states."""
        return self.root / "state"

    @property
    def stack_files(self) -> Path:
        """Copies of the stack files that the engine may rewrite."""
        return self.root / "stacks"

    @property
    def helm(self) -> Path:
        """Helm's own cache, configuration and data folders."""
        return self.root / "helm"

    @property
    def outside(self) -> Path:
        """The certificates of the hosts that `outside.py` speaks for."""
        return self.root / "outside"

    @property
    def kubeconfig(self) -> Path:
        """A kubeconfig of every simulated cluster, for kubectl and the like."""
        return self.root / "kubeconfig"

    @property
    def passphrase_file(self) -> Path:
        """The passphrase that encrypts secrets in the file backend."""
        return self.root / "passphrase"

    @property
    def token_file(self) -> Path:
        """The user's token on every simulated cluster, as a Google access token would be."""
        return self.root / "token"

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
