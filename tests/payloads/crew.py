"""Workers and a Redis server as processes, a share as a folder, and what must hold of them afterwards."""

from __future__ import annotations

import datetime as dt
import io
import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, cast

from payloads.fraud_detection import report
from payloads.fraud_detection.chain import Chain, Links, model_name
from payloads.fraud_detection.generate import csv_blocks, days
from payloads.fraud_detection.process import Log
from payloads.fraud_detection.share import Share
from payloads.fraud_detection.workqueue import Address, Server, WorkQueue
from valkey import Valkey
from valkey.exceptions import ConnectionError as GoneError

from components.manifests.redis import DURABLE
from simulator.pods.redis_server import server_executable
from tests.eventually import eventually

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT: Final = Path(__file__).parent.parent.parent
PASSWORD: Final = "a password"  # noqa: S105  of a server that lives for one test
FIRST_DAY: Final = dt.date(2018, 4, 1)


def refuse_to_wait(_seconds: float) -> None:
    """Of a server that is expected to be there."""
    raise AssertionError("Redis is gone")


@dataclass
class Redis:
    """The server that pods of Redis run on in the simulator, with its append-only file in a folder."""

    folder: Path
    port: int
    process: subprocess.Popen[bytes] | None = None
    said: io.StringIO = field(default_factory=io.StringIO)
    """The log of every queue that this process sees."""

    def start(self) -> None:
        """Start it, and wait until it has read its file."""
        settings = f'port {self.port}\nbind 127.0.0.1\nrequirepass "{PASSWORD}"\ndir {self.folder}\n'
        command = [str(server_executable()), "-", *DURABLE]  # its file is kept as the stack's
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        assert self.process.stdin is not None
        with self.process.stdin as file:
            file.write(settings.encode())
        eventually(self._answers, what="an answer of Redis")

    def kill(self) -> None:
        """As the kernel does it when memory is short."""
        if self.process is not None:
            self.process.kill()
            self.process.wait(10)

    def say(self, *words: str | int) -> object:
        """The answer to a command, by another client than that of the program."""
        with Valkey(host="127.0.0.1", port=self.port, password=PASSWORD, decode_responses=True) as client:
            return cast("object", client.execute_command(*words))  # pyright: ignore[reportUnknownMemberType]  its types

    def queue(
        self,
        worker: str = "test",
        *,
        lease_seconds: float = 60.0,
        tries: int = 5,
        wait: Callable[[float], None] = refuse_to_wait,
    ) -> WorkQueue:
        """The queue as a worker in this process sees it."""
        server = Server(Address("127.0.0.1", self.port, PASSWORD), patience=5.0, wait=wait)
        return WorkQueue(server, worker, Log(to=self.said), lease_seconds=lease_seconds, tries=tries)

    def _answers(self) -> bool:
        try:
            return self.say("PING") is True
        except GoneError:  # also while it reads its file
            return False


@dataclass
class Nursery:
    """The process that workers are forked from."""

    process: subprocess.Popen[str]

    @classmethod
    def started(cls) -> Nursery:
        """Ready when the first request is answered."""
        one_thread = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        command = [sys.executable, "-m", "tests.payloads.nursery"]
        environment = {**os.environ, **one_thread}
        return cls(
            subprocess.Popen(
                command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
        )

    def ask(self, **request: object) -> int | None:
        """The answer to a request."""
        stdin, stdout = cast("IO[str]", self.process.stdin), cast("IO[str]", self.process.stdout)
        stdin.write(json.dumps(request) + "\n")
        stdin.flush()
        return json.loads(stdout.readline())

    def end(self) -> None:
        """End it."""
        self.process.communicate()


@dataclass
class Running:
    """A command that was started."""

    nursery: Nursery
    pid: int
    log: Path
    status: int | None = None

    def poll(self) -> int | None:
        """Its exit status, None while it runs."""
        if self.status is None:
            self.status = self.nursery.ask(pid=self.pid)
        return self.status

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal, if it still runs."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def wait(self, seconds: float = 60.0) -> int:
        """Its exit status, below 0 for a signal."""
        status = eventually(self.poll, lambda found: found is not None, what=f"the end of {self.pid}", seconds=seconds)
        assert status is not None
        return status

    def is_paused(self) -> bool:
        """Whether it is stopped by a signal."""
        return _state(self.pid) == "T"

    def says(self, words: str) -> bool:
        """Whether it has said that."""
        return words in self.log.read_text()


def _state(pid: int) -> str:
    """The letter of a process's state."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


@dataclass
class Crew:
    """A share, a Redis, and the workers of both."""

    share: Path
    redis: Redis
    nursery: Nursery
    logs: Path
    workers: list[Running] = field(default_factory=list[Running])

    def datasets(self, count: int, rows: int = 1000, *, after: int = 0) -> list[str]:
        """Make so many training sets of some kilobytes, of the days after the first `after`, and queue them."""
        names: list[str] = []
        folder = self.share / "datasets" / "training"
        folder.mkdir(parents=True, exist_ok=True)
        for day in days(FIRST_DAY, after + count)[after:]:
            (folder / f"{day}.csv").write_bytes(b"".join(csv_blocks(day, rows, seed=1, fraud_share=0.05)))
            names.append(f"datasets/training/{day}.csv")
        self.redis.queue().add(names)
        return names

    def start(self, *words: str, fault: tuple[str, str] | None = None) -> Running:
        """Start a command of the program."""
        environment = {"REDIS_HOST": "127.0.0.1", "REDIS_PORT": str(self.redis.port), "REDIS_PASSWORD": PASSWORD}
        log = self.logs / f"{len(self.workers)}.txt"
        request = {"words": words, "environment": environment, "log": str(log), "fault": fault}
        pid = self.nursery.ask(**request)
        assert pid is not None
        running = Running(self.nursery, pid, log)
        self.workers.append(running)
        eventually(log.exists)
        return running

    def work(self, *words: str, lease: float = 1.0, fault: tuple[str, str] | None = None) -> Running:
        """Start a worker that reads few rows at a time."""
        common = ("--share", str(self.share), "--lease", str(lease), "--tries", "100", "--chunk-rows", "100")
        return self.start("work", *common, *words, fault=fault)

    def finish(self, lease: float = 1.0) -> None:
        """Have a worker do what is left."""
        worker = self.work(lease=lease)
        assert worker.wait() == 0, worker.log.read_text()

    def links(self) -> Links:
        """The chain as a newcomer reads it."""
        return Chain(Share(self.share), Log()).read()

    def end(self) -> None:
        """End what still runs."""
        for worker in self.workers:
            worker.signal(signal.SIGKILL)
            worker.wait()
        self.redis.kill()

    def assert_trained_once(self, names: list[str]) -> None:
        """Every dataset is in one unbroken chain once, every file is whole, and the report tells of all."""
        links = self.links()
        state = self.redis.queue().state()
        assert sorted(links.trained) == sorted(names)
        assert (state.waiting, state.processing, state.dead) == ((), (), ())
        parents = [None, *(each.digest for each in links.sound[:-1])]
        assert [each.parent.digest if each.parent else None for each in links.sound] == parents
        assert [each.trained for each in links.sound] == [links.trained[: i + 1] for i in range(len(names))]
        folder = self.share / "output" / "chain"
        assert sorted(path.name for path in folder.iterdir()) == [f"{i + 1:06d}.json" for i in range(len(names))]
        text = (self.share / "output" / report.REPORT).read_text()
        assert text == report.report_text(links)
        assert text.count("Report generated on:") == len(names)
        named = sorted(path.name for path in (self.share / "output").glob("model_cpt_*"))
        assert named == sorted(model_name(each.trained) for each in links.sound)
