"""`files`: the contents of a folder of the shares, buckets and volumes, as a pod that mounts them sees it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from components.kubeapi.documents import entries, section
from simulator.client import connect
from simulator.commands.strays import RESOURCES
from simulator.files import read_json
from simulator.providers.gcp.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.home import Home

_WITH_FILES: Final = (
    "gcp:filestore/instance:Instance",
    "gcp:lustre/instance:Instance",
    "gcp:compute/disk:Disk",
    "gcp:storage/bucket:Bucket",
)
_NOWHERE: Final = Settings(project="-")
"""An id names its project, or its resource has none."""
_TEXT: Final = ".txt"


def files(home: Home, folder: str, stack: str | None) -> Iterator[str]:
    """The names of the files in a folder of the shares, and the contents of those that end with `.txt`.

    Nothing where no share has such a folder, or the folder has no files.

    Args:
        home: the simulator's folder.
        folder: path in a share.
        stack: look into the shares of this stack alone.

    Raises:
        LookupError: the simulator does not run, or the path leads out of a share.
    """
    client = connect(home)
    if client is None:
        raise LookupError("the simulator does not run; `tpu simulator up` starts it")
    status = client.call("status")
    shares: list[dict[str, Any]] = [*status["shares"], *status["volumes"]]
    mine = None if stack is None else _instances(home, stack)
    for share in shares:
        if mine is None or share["name"] in mine:
            yield from _shown(Path(share["folder"]), folder, share["name"].rpartition("/")[2])


def _instances(home: Home, stack: str) -> set[str]:
    """The API names of the resources with files in the state of a stack."""
    found: set[str] = set()
    for path in home.backend.glob(f".pulumi/stacks/*/{stack}.json"):
        resources = entries(section(read_json(path), "checkpoint", "latest"), "resources")
        kinds = {each["type"]: RESOURCES[each["type"]] for each in resources if each["type"] in _WITH_FILES}
        found |= {
            kinds[each["type"]].name_of_id(_NOWHERE, each["id"])
            for each in resources
            if each["type"] in kinds and each.get("id")
        }
    return found


def _shown(share: Path, folder: str, name: str) -> Iterator[str]:
    here = (share / folder).resolve()
    if not here.is_relative_to(share.resolve()):
        raise LookupError(f"{folder} leads out of the share of {name}")
    found = sorted(here.iterdir()) if here.is_dir() else []
    paths = [path for path in found if path.is_file() and not path.is_symlink() and not path.name.startswith(".")]
    if not paths:
        return
    yield ""
    yield f"{folder} on the share of {name}:"
    yield from (f"  {path.name}" for path in paths)
    for path in paths:
        if path.suffix == _TEXT:
            yield from ("", f"{path.name}:", *path.read_text(errors="replace").splitlines())
