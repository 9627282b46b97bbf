"""Copies datasets to the share, mounted here or through a pod that mounts it, and reads results through such a pod.

Each file appears whole or not at all, and existing files are left alone. The pod is reached by `kubectl exec` and needs
a shell with find, cat, ls, mv and sha256sum, which the image of Redis has. A file is written there under another name,
compared by its digest in the pod, and renamed only then: a broken connection leaves no file that looks whole.
"""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from payloads.fraud_detection.errors import StoreError
from payloads.fraud_detection.report import REPORT
from payloads.fraud_detection.share import DATASETS, OUTPUT, replace, using

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from payloads.fraud_detection.process import Log

_BLOCK: Final = 1024 * 1024
_LIST: Final = 'mkdir -p "$1" && cd "$1" && find . -name "*.csv" -type f -exec sha256sum {} +'
_PUT: Final = """
target=$1 digest=$2 temporary="$(dirname "$1")/.$2.part"
mkdir -p "$(dirname "$target")" && cat > "$temporary" || exit 1
if [ "$(sha256sum < "$temporary" | cut -d" " -f1)" != "$digest" ]; then
  rm -f "$temporary"
  echo "the file was damaged on its way" >&2
  exit 1
fi
sync && mv "$temporary" "$target"
"""
_NAMES: Final = 'cd "$1" && ls -1p | grep -v /$'
_READ: Final = 'cat "$1"'


def sources(folder: Path) -> dict[str, Path]:
    """The CSV files of a folder, by their paths in it, which are also their paths in the share's datasets.

    Raises:
        StoreError: there is no such folder, no such file in it, or one is not a regular file.
    """
    paths = {str(path.relative_to(folder)): path for path in sorted(folder.rglob("*.csv"))}
    if not paths:
        raise StoreError(f"{folder} has no CSV files: it must hold training/*.csv and test/*.csv")
    for path in paths.values():
        if path.is_symlink() or not path.is_file():
            raise StoreError(f"{path} is not a regular file")
    return paths


def put(target: Path, made: Callable[[], Iterable[bytes]], *, may_replace: bool, log: Log) -> None:
    """Write the blocks of `made` into a file, unless it has that content already.

    Raises:
        StoreError: it cannot be written, or has other content and may not be replaced.
    """
    with using(target):
        if target.exists() and _is_kept(target, digest(made()), digest(blocks(target)), log, may_replace=may_replace):
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        replace(target, made())
    log.say("written", f"{target} written", file=str(target))


def _is_kept(target: object, wanted: str, found: str, log: Log, *, may_replace: bool) -> bool:
    """Whether a file has the content that is wanted; raises StoreError if it has not and may not be replaced."""
    if found == wanted:
        log.say("kept", f"{target} is there already", file=str(target))
    elif not may_replace:
        raise StoreError(f"{target} has other content: choose another name, or use --replace if no worker needs it")
    return found == wanted


def blocks(path: Path, between: Callable[[], None] = lambda: None) -> Iterator[bytes]:
    """The bytes of a file; `between` is called after each block. Raises StoreError when it cannot be read."""
    with using(path), path.open("rb") as file:
        while block := file.read(_BLOCK):
            yield block
            between()


def digest(content: Iterable[bytes]) -> str:
    """SHA-256 in hexadecimal."""
    found = hashlib.sha256()
    for block in content:
        found.update(block)
    return found.hexdigest()


def _run(kubectl: Sequence[str], script: str, *arguments: object, doing: str, source: str = "/dev/null") -> str:
    """The output of a shell script in the pod that `kubectl` runs commands in, with a file as its input.

    Raises:
        StoreError: it failed while `doing` what the text says, kubectl is missing, or the file cannot be read.
    """
    command = [*kubectl, "sh", "-c", script, "sh", *map(str, arguments)]
    try:
        with Path(source).open("rb") as file:
            done = subprocess.run(command, stdin=file, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise StoreError("kubectl is needed to reach a pod from here: install it") from error
    except OSError as error:
        raise StoreError(f"{error.filename}: {error.strerror}") from error
    if done.returncode != 0:
        raise StoreError(f"{doing} failed: {done.stderr.strip()}")
    return done.stdout


def send(folder: Path, share: PurePosixPath, kubectl: Sequence[str], *, may_replace: bool, log: Log) -> None:
    """Copy the CSV files of a folder to the datasets of the share, which the pod has mounted at `share`.

    Raises:
        StoreError: a file cannot be read, the pod does not accept it, or another one has its name.
    """
    base = share / DATASETS
    listing = _run(kubectl, _LIST, base, doing="listing the share's datasets")
    pairs = (line.split(maxsplit=1) for line in listing.splitlines())
    there = {str(PurePosixPath(name.removeprefix("*"))): found for found, name in pairs}
    for name, path in sources(folder).items():
        target, sha256 = base / name, digest(blocks(path))
        if name not in there or not _is_kept(target, sha256, there[name], log, may_replace=may_replace):
            _run(kubectl, _PUT, target, sha256, doing=f"sending {name}", source=str(path))
            log.say("written", f"{target} written", file=str(target))


def read_results(share: PurePosixPath, kubectl: Sequence[str]) -> tuple[list[str], str]:
    """The names of the files in the share's output folder, and the report; raises StoreError without them."""
    output = share / OUTPUT
    names = _run(kubectl, _NAMES, output, doing=f"listing {output}").splitlines()
    return names, _run(kubectl, _READ, output / REPORT, doing=f"reading {REPORT}")
