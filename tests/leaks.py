"""Where a secret stands in clear: in files, in what is printed, in command lines and environments of processes."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Final

from components.kubeapi.documents import section
from tests.tracked import ROOT

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping

    from components.kubeapi import Api
    from simulator.home import Home
    from tests.harness import Simulator

FILES: Final = {
    "passphrase": "it is made here",
    "token": "it is made here",
    "daemon.json": "commands read the daemon's token from it",
    "clusters/*/tokens.csv": "the API server knows its users by it",
    "clusters/*/pki/*.key": "the keys of the cluster's certificates",
    "clusters/*/etcd/*": "Secrets of the cluster, as in every cluster without encryption at rest",
    "clusters/*/pods/*/token": "a pod's own token",
    "clusters/*/pods/*/redis.conf": "the server's password, which is so kept from its command line",
    "clusters/*/pods/*/volumes/*": "Secrets that a pod mounts",
    "clusters/*/pods/*/certificates/*.key": "what JobSet serves its webhooks with",
}
"""Files of the simulator that may hold a secret: by pattern, why. Each must be readable by this user alone."""
VARIABLES: Final = {
    "REDIS_PASSWORD": "the manifest of a pod takes it from a Secret, for the program of the container",
    "REDISCLI_AUTH": "the manifest of Redis takes it from a Secret, for the client that its probe calls",
}
"""Variables of a process that may hold a secret: by name, why."""
_HELM: Final = "helm.sh/release.v1"
_GO_ESCAPES: Final = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}
_INTERVAL: Final = 0.1
"""Seconds between two looks at all processes."""


def secrets_of(home: Home, api: Api | None = None) -> dict[str, str]:
    """Every secret of a running simulator, by a name for messages; with `api`, the Secrets of that cluster too."""
    found = {path.name: path.read_text().strip() for path in (home.passphrase_file, home.token_file)}
    found["daemon's token"] = json.loads(home.daemon_file.read_text())["token"]
    for path in sorted([*home.clusters.glob("*/pki/*.key"), *home.clusters.glob("*/pods/*/token")]):
        found[str(path.relative_to(home.root))] = path.read_text()
    for secret in api.items("/api/v1/secrets") if api is not None else ():
        metadata = secret["metadata"]
        for key, value in section(secret, "data").items():
            if value and secret["type"] != _HELM and not key.endswith(".crt"):
                found[f"Secret {metadata['namespace']}/{metadata['name']} {key}"] = base64.b64decode(value).decode()
    return found


def assert_hidden(texts: Mapping[str, bytes | str], values: Mapping[str, str]) -> None:
    """Fail when one of `values` stands in a text; both have names for the message."""
    assert all(values.values()), "what is empty stands everywhere"
    found = [f"{name} stands in {place}" for place, text in texts.items() for name in _found(text, values)]
    assert not found, "; ".join(found)


def assert_no_secret(home: Home, values: Mapping[str, str]) -> None:
    """Fail when a file below the simulator's folder has one of `values` and is not of those that may (`FILES`).

    Those that may, and every folder, must be for this user alone.
    """
    texts: dict[str, bytes] = {}
    for path in sorted(home.root.rglob("*")):
        place = str(path.relative_to(home.root))
        try:
            may_hold = path.is_dir() or any(fnmatch(place, pattern) for pattern in FILES)
            if path.is_symlink():
                continue
            if may_hold:
                assert path.stat().st_mode & 0o077 == 0, f"{place} is open to others: {path.stat().st_mode & 0o777:o}"
            elif path.is_file():
                texts[place] = path.read_bytes()
        except FileNotFoundError:
            continue  # what runs removes files
    assert_hidden(texts, values)


def written(simulator: Simulator, stack: str, folder: Path, *flags: str) -> dict[str, str]:
    """What commands write and print of a stack and of its next update: state, events, plan, differences, reports.

    Args:
        simulator: where the stack is.
        stack: its name.
        folder: for the files.
        flags: of every command that reads the stack file.
    """
    about, plan = ("--stack", stack, *flags), folder / "plan.json"
    texts = {
        "the state": simulator.pulumi("stack", "export", "--stack", stack).out,
        "the events": simulator.pulumi("preview", "--json", f"--save-plan={plan}", *about).out,
        "the difference": simulator.pulumi("preview", "--diff", *about).text,
        "the refresh": simulator.pulumi("refresh", "--preview-only", "--json", *about).text,
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    pages = {kind: folder / f"report.{kind}" for kind in ("markdown", "html")}
    words = ["--state", str(folder / "the state"), "--stack", stack]
    words += [word for kind, path in pages.items() for word in (f"--{kind}", str(path))]
    command = [sys.executable, "-m", "policies.report", str(folder / "the events"), *words]
    subprocess.run(command, cwd=ROOT, capture_output=True, check=False)  # its exit code is a verdict on the rules
    files = {"the plan": plan, **{f"the report in {kind}": path for kind, path in pages.items()}}
    return texts | {name: path.read_text(encoding="utf-8") for name, path in files.items()}


@dataclass
class Seen:
    """What processes of this machine showed of themselves while they were watched."""

    commands: set[bytes] = field(default_factory=set[bytes])
    variables: set[bytes] = field(default_factory=set[bytes])

    def look(self) -> None:
        """Note every process that runs now."""
        for folder in Path("/proc").iterdir():
            if folder.name.isdecimal():
                try:
                    self.commands.add((folder / "cmdline").read_bytes())
                    self.variables.update((folder / "environ").read_bytes().split(b"\0"))
                except (FileNotFoundError, PermissionError, ProcessLookupError):
                    continue  # it has ended, or is of another user

    def assert_no_secret(self, values: Mapping[str, str]) -> None:
        """Fail when one of `values` was seen, but in a variable that may hold it (`VARIABLES`)."""
        texts = {f"the command line {text!r}": text for text in self.commands}
        for text in self.variables:
            name = text.partition(b"=")[0].decode(errors="replace")
            if name not in VARIABLES:
                texts[f"the variable {name}"] = texts.get(f"the variable {name}", b"") + b"\0" + text
        assert_hidden(texts, values)


@contextmanager
def processes_watched() -> Generator[Seen]:
    """What the processes of this machine show of themselves until the end of the block."""
    seen, over = Seen(), threading.Event()

    def watch() -> None:
        while not over.wait(_INTERVAL):
            seen.look()

    thread = threading.Thread(target=watch, name="watching-processes", daemon=True)
    thread.start()
    try:
        yield seen
    finally:
        over.set()
        thread.join()


def _found(text: bytes | str, values: Mapping[str, str]) -> Iterator[str]:
    """The names of the values that stand in a text."""
    data = text.encode() if isinstance(text, str) else text
    for name, value in values.items():
        if any(form in data for form in _forms(max(value.splitlines(), key=len))):
            yield name


def _forms(value: str) -> Iterator[bytes]:
    """A secret of one line as it may be written down: plain, in JSON as Python and Go have it, within base64."""
    in_json = json.dumps(value)[1:-1]
    yield value.encode()
    yield in_json.encode()
    yield "".join(_GO_ESCAPES.get(each, each) for each in in_json).encode()
    for shift in range(3):
        # Of the groups of three bytes that lie whole within the secret, wherever it begins.
        data = (b"\0" * shift + value.encode())[3 if shift else 0 :]
        yield base64.b64encode(data[: len(data) // 3 * 3])
