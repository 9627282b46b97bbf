"""A policy pack as the engine runs it, with the test in the engine's place."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, cast

import grpc
import pytest
from google.protobuf.empty_pb2 import Empty
from pulumi.runtime.proto.analyzer_pb2 import (
    AnalyzeResponse,
    AnalyzerInfo,
    AnalyzerStackConfigureRequest,
    AnalyzeStackRequest,
)
from pulumi.runtime.proto.language_pb2 import ProgramInfo, RunPluginRequest

from tests.toolchain.calls import Call
from toolchain.language_host.forks import Forks
from toolchain.language_host.interpreter import Interpreter
from toolchain.language_host.policy_pack import run_pack
from toolchain.language_host.programs import Programs

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from concurrent.futures import Future

    from google.protobuf.message import Message
    from pulumi.runtime.proto.language_pb2 import RunPluginResponse

    Ask = Callable[[str, Message], Future[bytes]]

LIMIT = 30.0
"""Seconds after which a test fails that waits for a pack."""
TALKING = """
from pulumi_policy import PolicyPack, StackValidationPolicy

PolicyPack("talking", [StackValidationPolicy("talks", "talks", lambda args, report: print("judging"))])
"""


class Taking:
    """Takes a pack's output as the engine does, and no more of it from the word "judging" on until it may go on."""

    def __init__(self, stream: Iterator[RunPluginResponse]) -> None:
        self.holds, self.may_go_on = Event(), Event()
        self._stream = stream
        self._thread = Thread(target=self._take, daemon=True)
        self._thread.start()

    def _take(self) -> None:
        for response in self._stream:
            if b"judging" in response.stdout:
                self.holds.set()
                self.may_go_on.wait()

    def end(self) -> None:
        self.may_go_on.set()
        self._thread.join(LIMIT)


@contextmanager
def running(folder: Path) -> Generator[tuple[Ask, Taking]]:
    """The pack of a folder, which knows its stack: what asks it beside the test, and who takes its output."""
    info = ProgramInfo(root_directory=str(folder), program_directory=str(folder), entry_point=".")
    request, call, programs = RunPluginRequest(kind="analyzer", info=info, args=["engine:1"]), Call(), Programs()
    stream = run_pack(
        Interpreter(Path(sys.executable), None), request, Forks(programs), cast("grpc.ServicerContext", call)
    )
    port = int(next(stream).stdout)
    with ThreadPoolExecutor(1) as asking, grpc.insecure_channel(f"127.0.0.1:{port}") as channel:

        def ask(method: str, message: Message) -> Future[bytes]:
            stub: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(f"/pulumirpc.Analyzer/{method}")
            return asking.submit(stub, message.SerializeToString())

        ask("ConfigureStack", AnalyzerStackConfigureRequest(stack="dev", project="tried")).result(LIMIT)
        output = Taking(stream)
        try:
            yield ask, output
        finally:
            call.give_up()
            programs.kill_all()
            output.end()


def test_an_answer_comes_after_what_was_written_before_it(tmp_path: Path) -> None:
    (tmp_path / "__main__.py").write_text(TALKING)
    with running(tmp_path) as (ask, output):
        assert AnalyzerInfo.FromString(ask("GetAnalyzerInfo", Empty()).result(LIMIT)).name == "talking"
        answer = ask("AnalyzeStack", AnalyzeStackRequest())
        assert output.holds.wait(LIMIT)
        with pytest.raises(TimeoutError):
            answer.result(0.5)
        output.may_go_on.set()
        assert answer.result(LIMIT) == AnalyzeResponse().SerializeToString()
