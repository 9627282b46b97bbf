"""Copies datasets to the share, mounted here or through a pod that mounts it, and reads results through such a pod.

Each file appears whole or not at all, and existing files are left alone. The pod is reached by `kubectl exec` and needs
a shell with find, cat, ls, mv and sha256sum, which the image of Redis has. A file is written there under another name,
compared by its digest in the pod, and renamed only then: a broken connection leaves no file that looks whole.
"""

from __future__ import annotations

import functools
import hashlib
import subprocess
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from payloads.fraud_detection.errors import StoreError
from payloads.fraud_detection.report import REPORT
from payloads.fraud_detection.share import DATASETS, OUTPUT, replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

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


def transfer(folder: Path, to: Path, *, may_replace: bool, log: Log, between: Callable[[], None]) -> None:
    """Copy the CSV files of a folder below `to`; `between` is called after each block.

    Raises:
        StoreError: a file cannot be read or written, or another one has its name and may not be replaced.
    """
    for name, path in sources(folder).items():
        put(to / name, functools.partial(blocks, path, between), may_replace=may_replace, log=log)


def put(target: Path, made: Callable[[], Iterable[bytes]], *, may_replace: bool, log: Log) -> None:
    """Write the blocks of `made` into a file, unless it has that content already.

    Raises:
        StoreError: it cannot be written, or has other content and may not be replaced.
    """
    try:
        if target.exists():
            if digest(blocks(target)) == digest(made()):
                log.say("kept", f"{target} is there already", file=str(target))
                return
            check_replaceable(str(target), may_replace=may_replace)
        target.parent.mkdir(parents=True, exist_ok=True)
        replace(target, made())
    except OSError as error:
        raise StoreError(f"{target}: {error.strerror}") from error
    log.say("written", f"{target} written", file=str(target))


def check_replaceable(target: str, *, may_replace: bool) -> None:
    """Raises StoreError unless other content may be replaced."""
    if not may_replace:
        raise StoreError(f"{target} has other content: choose another name, or use --replace if no worker needs it")


def blocks(path: Path, between: Callable[[], None] = lambda: None) -> Iterator[bytes]:
    """The bytes of a file; `between` is called after each block. Raises StoreError when it cannot be read."""
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                yield block
                between()
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror}") from error


def digest(content: Iterable[bytes]) -> str:
    """SHA-256 in hexadecimal."""
    found = hashlib.sha256()
    for block in content:
        found.update(block)
    return found.hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pod:
    """A pod that mounts the share."""

    name: str
    share: PurePosixPath
    """The path where the pod mounts the share."""
    namespace: str
    container: str | None = None
    context: str | None = None
    """The kubeconfig's context; None for the current one."""

    def run(self, script: str, *arguments: str, doing: str, source: Path | None = None) -> str:
        """The output of a shell script in the pod, with a file as its input.

        Raises:
            StoreError: it failed while `doing` what the text says, kubectl is missing, or the file cannot be read.
        """
        context = [] if self.context is None else ["--context", self.context]
        container = [] if self.container is None else ["-c", self.container]
        kubectl = ["kubectl", *context, "exec", "-i", "-n", self.namespace, self.name, *container]
        command = [*kubectl, "--", "sh", "-c", script, "sh", *arguments]
        try:
            with Path("/dev/null" if source is None else source).open("rb") as file:
                done = subprocess.run(command, stdin=file, capture_output=True, text=True, check=False)
        except FileNotFoundError as error:
            raise StoreError("kubectl is needed to reach a pod from here: install it") from error
        except OSError as error:
            raise StoreError(f"{error.filename}: {error.strerror}") from error
        if done.returncode != 0:
            raise StoreError(f"{doing} failed: {done.stderr.strip()}")
        return done.stdout


def send(folder: Path, pod: Pod, *, may_replace: bool, log: Log) -> None:
    """Copy the CSV files of a folder to the share's datasets.

    Raises:
        StoreError: a file cannot be read, the pod does not accept it, or another one has its name.
    """
    base = pod.share / DATASETS
    listing = pod.run(_LIST, str(base), doing="listing the share's datasets")
    pairs = (line.split(maxsplit=1) for line in listing.splitlines())
    there = {str(PurePosixPath(name.removeprefix("*"))): found for found, name in pairs}
    for name, path in sources(folder).items():
        target, sha256 = str(base / name), digest(blocks(path))
        if there.get(name) == sha256:
            log.say("kept", f"{target} is there already", file=target)
            continue
        if name in there:
            check_replaceable(target, may_replace=may_replace)
        pod.run(_PUT, target, sha256, doing=f"sending {name}", source=path)
        log.say("written", f"{target} written", file=target)


def read_results(pod: Pod) -> tuple[list[str], str]:
    """The names of the files in the share's output folder, and the report.

    Raises:
        StoreError: the pod does not return them, or there are none yet.
    """
    output = pod.share / OUTPUT
    names = pod.run(_NAMES, str(output), doing=f"listing {output}").splitlines()
    return names, pod.run(_READ, str(output / REPORT), doing=f"reading {REPORT}")
