"""Measure time and memory: by size, with policy packs, of a worker of batch-ml, and against bare equivalents.

Everything is a ratio within this run. The bare program (`bare/`) registers the same resources from literals; a check at
the start proves that: it must find nothing to change on the stack that ours made. The bare start is the same processes
and charts without Pulumi, the cloud and the providers.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from bench.bare_start import bare_start
from bench.folder_size import growth
from bench.lint_size import BYTES, lint_seconds
from bench.measures import LOOPS, Pairs, environment, in_rounds, in_turn, machine_seconds, memory_mib
from bench.plan_size import growth as plan_growth
from bench.report_size import RESOURCES, report_seconds
from bench.tpu_start import start_of_lint
from bench.trainer_size import GOAL_MIB, ROWS, worker_size
from kubeapi import Api, ApiError, KubeconfigError, UnreachableError, connection_from
from kubeapi.documents import is_true
from simulator.client import connect
from simulator.home import HOME_VARIABLE, Home

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT: Final = Path(__file__).parent.parent
BARE: Final = Path(__file__).parent / "bare"
STACK: Final = "multislice"
PACKED: Final = "dev"
"""The stack, and the environment, that policy packs are measured on."""
PAIRS: Final = 5
COMMAND_ROUNDS: Final = 31
"""Previews and updates differ from one another by little, in times that vary by more: they need many rounds."""
_LIMIT: Final = 300.0
_Found = TypeVar("_Found")


def main() -> None:
    """Print every figure with its goal."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        home = Home(Path(folder) / "home")
        try:
            _print_machine()
            _measure(home, Path(folder))
            _print_machine()
        finally:
            _simulator(home, ROOT, "down", "--delete")


def _print_machine() -> None:
    """How fast this machine is just now: a virtual one may be twice as slow as an hour before."""
    print(f"this machine adds {LOOPS:,} numbers in {machine_seconds():.2f} s of CPU")


def _measure(home: Home, folder: Path) -> None:
    print(plan_growth())
    wall, cpu = lint_seconds(folder)
    print(f"lint {BYTES // 1_000_000} MB of a dump {wall:.2f} s, {cpu:.2f} s of CPU   goal 3 s")
    for is_flat in (True, False):
        print(growth(folder, is_flat=is_flat))
    print(f"`tpu lint` of a small file       {start_of_lint(folder)}   goal 1.0x")
    memory, seconds = worker_size(folder)
    print(f"a worker's memory at {ROWS} rows  {memory:.0f} MiB   goal {GOAL_MIB} MiB   ({seconds:.1f} s of processor)")
    print(f"report of {RESOURCES} changed resources {report_seconds(folder):.2f} s of CPU   goal 2 s")
    _simulator(home, ROOT, "up")
    _print_packs(home)
    preview = in_turn(
        lambda: _pulumi(home, ROOT, "preview"),
        lambda: _pulumi(home, BARE, "preview"),
        pairs=COMMAND_ROUNDS,
    )
    print(f"preview before anything exists   {preview}   goal 1.05x")
    _start(home)
    _pulumi(home, BARE, "preview", "--expect-no-changes")
    update = in_turn(
        lambda: _pulumi(home, ROOT, "up", "--yes", "--skip-preview", "--expect-no-changes"),
        lambda: _pulumi(home, BARE, "up", "--yes", "--skip-preview", "--expect-no-changes"),
        pairs=COMMAND_ROUNDS,
    )
    print(f"update that changes nothing      {update}   goal 1.08x")
    print(f"memory of the whole simulator    {memory_mib(_pids(home)) / 1024:.2f} GiB   goal 0.75 GiB")
    _destroy(home)
    _print_starts(home, folder)


def _print_packs(home: Home) -> None:
    """The time that policy packs add to a preview of the dev stack before anything exists."""

    def preview(*packs: str) -> Callable[[], object]:
        chosen = [("--policy-pack", f"policies/{name}", "--policy-pack-config", _config(name)) for name in packs]
        words = [word for of_pack in chosen for word in of_pack]
        return lambda: _pulumi(home, ROOT, "preview", *words, stack=PACKED)

    rounds = in_rounds(preview(), preview("all"), preview("topology", "quota", "guardrails"), times=COMMAND_ROUNDS)
    plain = statistics.median(each[0] for each in rounds)
    for at, (what, goal) in enumerate((("policies/all adds", 0.2), ("three packs add", 1.5)), start=1):
        low, added, high = statistics.quantiles((each[at] - each[0] for each in rounds), n=4)
        ratio = statistics.median(each[at] / each[0] for each in rounds)
        print(
            f"{what:<18} {added:.2f} s to a preview of {plain:.2f} s ({ratio:.2f}x; "
            f"half of {COMMAND_ROUNDS} rounds {low:.2f} to {high:.2f} s)   goal {goal} s"
        )


def _config(pack: str) -> str:
    return f"policies/config/{pack}.{PACKED}.json"


def _print_starts(home: Home, folder: Path) -> None:
    """The start with an empty stack, in turn with the bare one."""
    ours: list[tuple[float, float]] = []
    bare: list[tuple[float, float]] = []
    for pair in range(PAIRS):
        ours.append(_start(home))
        _destroy(home)
        bare.append(bare_start(folder / f"bare-{pair}"))
    for at, (what, goal) in enumerate((("all controllers ready", "1.0x"), ("the first admission", "1.1x"))):
        pairs = Pairs([each[at] for each in ours], [each[at] for each in bare])
        print(f"start to {what:<23} {pairs}   goal {goal}")


def _start(home: Home) -> tuple[float, float]:
    """Seconds from `exec -- pulumi up` on a simulator that does not run to its controllers, and to an admission."""
    _simulator(home, ROOT, "down")
    begin = time.perf_counter()
    with subprocess.Popen(
        _command("exec", "--", "pulumi", "up", "--yes", "--skip-preview", "--stack", STACK, "--non-interactive"),
        cwd=ROOT,
        env=_environment(home),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as update:
        api = _await(lambda: _api(home))  # once: each asks the auth plugin, on the cores that are measured
        _await(lambda: _controllers_ready(api))
        ready = time.perf_counter() - begin
        _await(lambda: _is_admitted(api))
        admitted = time.perf_counter() - begin
        if update.wait() != 0:
            raise SystemExit("pulumi up failed; run `make up` to see why")
    return ready, admitted


def _controllers_ready(api: Api) -> bool:
    deployments = [*_items(api, "jobset-system"), *_items(api, "kueue-system")]
    return len(deployments) == 2 and all(is_true(each, "Available") for each in deployments)  # noqa: PLR2004  one each


def _is_admitted(api: Api) -> bool:
    try:
        workloads = api.items("/apis/kueue.x-k8s.io/v1beta2/workloads")
    except (ApiError, UnreachableError):
        return False
    return any(is_true(each, "Admitted") for each in workloads)


def _items(api: Api, namespace: str) -> list[dict[str, object]]:
    try:
        return api.items(f"/apis/apps/v1/namespaces/{namespace}/deployments")
    except (ApiError, UnreachableError):
        return []


def _api(home: Home) -> Api | None:
    """The cluster's API server as the user of its kubeconfig, None while there is none."""
    try:
        text = home.kubeconfig.read_text().replace("gke-gcloud-auth-plugin", str(home.bin / "gke-gcloud-auth-plugin"))
        return Api(connection_from(text))
    except (FileNotFoundError, KubeconfigError):
        return None


def _await(ask: Callable[[], _Found | None]) -> _Found:
    """What `ask` finds, as soon as that is not None or False."""
    pause, deadline = threading.Event(), time.perf_counter() + _LIMIT
    while not (found := ask()):
        if time.perf_counter() > deadline:
            raise SystemExit(f"not within {_LIMIT:.0f} s; run `make up` to see why")
        pause.wait(0.1)
    return found


def _pids(home: Home) -> list[int]:
    client = connect(home)
    if client is None:
        raise SystemExit("the simulator's daemon is gone")
    status = client.call("status")
    parts = [each for cluster in status["clusters"] for each in (*cluster["processes"], *cluster["pods"])]
    return [status["pid"], *(part["pid"] for part in parts)]


def _destroy(home: Home) -> None:
    _pulumi(home, ROOT, "destroy", "--yes", "--skip-preview")


def _pulumi(home: Home, project: Path, *arguments: str, stack: str = STACK) -> None:
    words = ("exec", "--", "pulumi", *arguments, "--stack", stack, "--non-interactive", "--suppress-outputs")
    _simulator(home, project, *words)


def _simulator(home: Home, project: Path, *arguments: str) -> None:
    done = subprocess.run(
        _command(*arguments), cwd=project, env=_environment(home), capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(arguments)}:\n{done.stdout}{done.stderr}")


def _command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "simulator", *arguments]


def _environment(home: Home) -> dict[str, str]:
    return {**environment(), HOME_VARIABLE: str(home.root)}


if __name__ == "__main__":
    argparse.ArgumentParser(prog="python -m bench", description="Measure time and memory.").parse_args()
    main()
