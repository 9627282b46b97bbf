"""That the API server collects no garbage while its heap is small, as Go's own trace of collections says."""

from __future__ import annotations

import subprocess
from itertools import dropwhile, takewhile
from typing import TYPE_CHECKING

from toolchain.provision import locate

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def _collections(folder: Path, variables: Mapping[str, str]) -> list[str]:
    """The collections between its first log line and its first attempt to reach an etcd that is not there."""
    key = folder / "apiserver.key"  # it makes one
    command = [
        str(locate(("kube-apiserver",)).binary("kube-apiserver")),
        "--etcd-servers=http://127.0.0.1:1",
        f"--cert-dir={folder}",
        "--service-cluster-ip-range=10.8.0.0/20",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={key}",
        f"--service-account-signing-key-file={key}",
    ]
    environment = {"GODEBUG": "gctrace=1", "GOGC": "30", **variables}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        begun = dropwhile(lambda line: "Golang settings" not in line, server.stderr)
        found = list(takewhile(lambda line: "failed to connect" not in line, begun))
        server.kill()
    assert found, "it did not begin"
    return [line for line in found if line.startswith("gc ")]


def test_the_api_server_collects_nothing_below_its_floor(tmp_path: Path) -> None:
    assert _collections(tmp_path, {"HEAP_FLOOR_MIB": "64"}) == []
    assert _collections(tmp_path, {}) != [], "else this would hold without the floor"
