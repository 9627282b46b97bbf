"""`tpu record` as a process that is killed again and again while the cluster goes on."""

from __future__ import annotations

import functools
import json
import multiprocessing
import random
import sys
import threading
from typing import TYPE_CHECKING, Any, Final

import pytest

from components.kubeapi.jobs import CLUSTER_QUEUES, LOCAL_QUEUES, NODES, WORKLOADS
from simulator.clusters.pki import write_cluster_files
from tests.eventually import eventually
from tests.kubeapi.server import Answer, Asked, FakeApiServer
from tests.record.kueue import START, FakeKueue, live
from tpu.chip_hours.ledger import ledger
from tpu.trace.__main__ import main
from tpu.trace.lines import SECOND
from tpu.trace.reading import Remarks, read
from tpu.trace.recorder import Recorder, Settings
from tpu.trace.writing import TraceFile

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from multiprocessing.context import ForkServerProcess
    from pathlib import Path

    from components.kubeapi import Document

_KILLS: Final = 20
_CHANGES: Final = 300
_SINCE: Final = "2000-01-01T00:00:00Z"


class Cluster:
    """Kueue behind a real server, which a recorder watches."""

    def __init__(self, kueue: FakeKueue, server: FakeApiServer) -> None:
        self.kueue, self.lock = kueue, threading.Lock()
        lists = {path: kueue.collections[path] for path in (NODES, CLUSTER_QUEUES, LOCAL_QUEUES)}
        lists |= {path: found for path, found in kueue.collections.items() if path not in lists}
        lists |= {"/api/v1/namespaces/team-a/pods": []}
        for path, found in lists.items():
            server.routes[f"GET {path}"] = {"kind": "List", "metadata": {"resourceVersion": "1"}, "items": found}
        for path, document in kueue.objects.items():
            server.routes[f"GET {path}"] = document
        server.routes[f"GET {WORKLOADS}"] = self._workloads

    def _workloads(self, asked: Asked) -> Answer:
        if "watch" in asked.query:
            return self._events(asked.query["resourceVersion"])
        with self.lock:
            items, version = self.kueue.listed(WORKLOADS)
        return {"kind": "WorkloadList", "metadata": {"resourceVersion": version}, "items": list(items.values())}

    def _events(self, version: str) -> Iterator[Document]:
        """The changes so far; the server then ends the watch."""
        with self.lock:
            found = list(self.kueue.changes(WORKLOADS, version, seconds=1))
        yield from ({"type": event.type, "object": event.object} for event in found)


@pytest.fixture
def server(tmp_path: Path) -> Generator[FakeApiServer]:
    fake = FakeApiServer(write_cluster_files(tmp_path / "pki", "10.0.0.1"))
    (tmp_path / "config").write_text(fake.kubeconfig())
    yield fake
    fake.close()


def _usage(path: Path, until: int) -> dict[Any, int]:
    """The chip-time that Workloads had or waited for, whenever the record began."""
    lines = [line.model_copy(update={"at": 0}) if line.what == "trace" else line for line in read(path, Remarks())]
    return dict(ledger(lines, Remarks(), until=until).parts)


def test_a_recorder_that_is_killed_20_times_leaves_the_same_usage(
    tmp_path: Path, server: FakeApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    random_, kueue = random.Random(3), FakeKueue()  # noqa: S311  not for secrets
    cluster, path = Cluster(kueue, server), tmp_path / "killed.jsonl"
    words = ["record", str(path), "--kubeconfig", str(tmp_path / "config"), "--interval", "0.05"]
    monkeypatch.setattr("sys.argv", words)
    monkeypatch.delattr(sys.modules["__main__"], "__file__", raising=False)  # or each recorder would import pytest
    changes, second = live(kueue, random_, _CHANGES), 0
    for _ in range(_KILLS):
        recorder, asked = _start(), len(server.asked)
        eventually(functools.partial(_has_seen, path), what="the first whole list")
        for _ in range(_CHANGES // _KILLS):
            with cluster.lock:
                second = next(changes)
            asked += random_.choice((0, 1))
            eventually(functools.partial(_has_asked, server, asked), what="the next request")
        assert recorder.is_alive()
        recorder.kill()
        recorder.join()
    assert list(changes) == []
    monkeypatch.setattr("sys.argv", [*words, "--seconds", "0.1"])
    recorder = _start()
    recorder.join()
    rows = [json.loads(line) for line in path.read_bytes().splitlines()]
    about = [(row["what"], row["at"], row["uid"]) for row in rows if "uid" in row]
    assert len(set(about)) == len(about)
    assert sum(row["what"] == "begun" for row in rows) > _KILLS // 2, "most came to write"
    until = START + (second + 3600) * SECOND
    assert _usage(path, until) == _usage(_replayed(kueue, tmp_path / "whole.jsonl"), until)


def _has_seen(path: Path) -> bool:
    """Whether the record has everything up to some moment; a kill before leaves nothing to go on from."""
    return path.exists() and b'"what":"seen"' in path.read_bytes()


def _has_asked(server: FakeApiServer, requests: int) -> bool:
    """Whether the server has had so many requests: the recorder is where they end, or a little further."""
    return len(server.asked) >= requests


def _start() -> ForkServerProcess:
    """A recorder as a process of its own, forked from one that has imported it already."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tpu.trace.__main__"])
    process = context.Process(target=main)
    process.start()
    return process


def _replayed(kueue: FakeKueue, path: Path) -> Path:
    """A record with every change of the cluster, from one recorder that saw all of them."""
    head = ({"what": "trace", "version": 1, "at": _SINCE}, {"what": "seen", "at": _SINCE, "version": "1"})
    path.write_text("".join(f"{json.dumps(line)}\n" for line in head))
    with TraceFile(path) as file:
        Recorder(kueue.api, file, Settings(), print).run(0)
    return path
