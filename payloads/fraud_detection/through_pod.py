"""The share from a user's machine, through a pod that mounts it, by `kubectl exec`: sends datasets, reads results.

The pod needs a shell with find, cat, ls, mv and sha256sum, which the image of Redis has. A file is written under
another name, compared by its digest in the pod, and renamed only then: a broken connection leaves no file that looks
whole.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from payloads.fraud_detection.errors import StoreError
from payloads.fraud_detection.report import REPORT
from payloads.fraud_detection.share import DATASETS, OUTPUT
from payloads.fraud_detection.transfer import check_replaceable, sources

if TYPE_CHECKING:
    from pathlib import Path

    from payloads.fraud_detection.log import Log
    from payloads.fraud_detection.transfer import Source

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

    def command(self, script: str, *arguments: str) -> list[str]:
        """The command line that runs a shell script in it."""
        found = ["kubectl"]
        if self.context is not None:
            found += ["--context", self.context]
        found += ["exec", "-i", "-n", self.namespace, self.name]
        if self.container is not None:
            found += ["-c", self.container]
        return [*found, "--", "sh", "-c", script, "sh", *arguments]


def send(folder: Path, pod: Pod, *, may_replace: bool, log: Log) -> None:
    """Copy the CSV files of a folder to the share's datasets.

    Raises:
        StoreError: a file cannot be read, the pod does not accept it, or another one has its name.
    """
    base = pod.share / DATASETS
    there = _digests(_run(pod.command(_LIST, str(base)), "listing the share's datasets"))
    for source in sources(folder):
        target = str(base / source.name)
        if there.get(source.name) == source.sha256:
            log.say("kept", f"{target} is there already", file=target)
            continue
        if source.name in there:
            check_replaceable(target, may_replace=may_replace)
        _run(pod.command(_PUT, target, source.sha256), f"sending {source.name}", source)
        log.say("written", f"{target} written", file=target)


def read_results(pod: Pod) -> tuple[list[str], str]:
    """The names of the files in the share's output folder, and the report.

    Raises:
        StoreError: the pod does not return them, or there are none yet.
    """
    output = pod.share / OUTPUT
    names = _run(pod.command(_NAMES, str(output)), f"listing {output}").splitlines()
    return names, _run(pod.command(_READ, str(output / REPORT)), f"reading {REPORT}")


def _run(command: list[str], what: str, source: Source | None = None) -> str:
    """The output of the command, with a file as its input; `what` describes the command when it fails."""
    try:
        if source is None:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        else:
            with source.path.open("rb") as file:
                done = subprocess.run(command, stdin=file, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise StoreError("kubectl is needed to reach a pod from here: install it") from error
    except OSError as error:
        raise StoreError(f"{error.filename}: {error.strerror}") from error
    if done.returncode != 0:
        raise StoreError(f"{what} failed: {done.stderr.strip()}")
    return done.stdout


def _digests(listing: str) -> dict[str, str]:
    """Digest by name, of lines as sha256sum prints them."""
    pairs = (line.split(maxsplit=1) for line in listing.splitlines())
    return {str(PurePosixPath(name.removeprefix("*"))): digest for digest, name in pairs}
