"""How the time and memory of the simulator grow with a fleet: `python -m bench.fleet_size SLICES JOBSETS [ORDER]`.

The stack is made here: slices of four hosts, and JobSets that take one slice and two in turn. It is brought up as
`tpu up` does, in a simulator of its own. JobSets beyond what a stack file can hold are then submitted as researchers
do, past the stack. Two runs in turn compare two versions of this repository.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from msgspec.structs import replace

from bench.bare_start import plan_of
from bench.measures import cpu_of_children, environment, machine_seconds, memory_mib, seconds
from components.manifests.jobset import jobset
from components.model.plan.workloads import JobSetPlan
from components.model.project import KEY, PROJECT
from kubeapi import Api, connection_from
from operations.watch.record import EVENTS, JOBSETS, NODES, has_failed, is_finished
from simulator.client import connect
from simulator.home import HOME_VARIABLE, Home

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

ROOT: Final = Path(__file__).parent.parent
_STACK: Final = "fleet"
_MACHINE: Final = "ct5lp-hightpu-4t"
_TOPOLOGY: Final = "4x4"
_ZONE: Final = "us-central1-a"
_GOALS: Final = "goals of 250 slices and 200 JobSets in any order: 2 GiB, 240 s in all, the daemon 45 s of CPU"
_LISTED: Final = 500
"""JobSets of the stack file, which may have 100 KiB."""
_TICKS: Final = os.sysconf("SC_CLK_TCK")
_PEAK: Final = "VmHWM"
_PRESENT: Final = "VmRSS"


def fleet(slices: int, jobsets: int, order: str) -> dict[str, Any]:
    """A sound platform with so many slices, and JobSets of a minute each that request one and two slices in turn."""
    return {
        "network": {
            "name": _STACK,
            "nodes_cidr": "10.0.0.0/16",
            "pods_cidr": "32.0.0.0/9",
            "services_cidr": "10.32.0.0/20",
        },
        "cluster": {
            "name": _STACK,
            "mode": "standard",
            "location": "us-central1",
            "release_channel": "RAPID",
            "deletion_protection": False,
        },
        "node_pools": [{"name": "system", "machine_type": "e2-standard-16", "nodes": 1, "zones": [_ZONE]}],
        "tpu_slices": [
            {"name": "v5e", "slices": slices, "machine_type": _MACHINE, "topology": _TOPOLOGY, "zone": _ZONE}
        ],
        "flavors": [{"name": "v5e", "machine_type": _MACHINE, "topology": _TOPOLOGY}],
        "queues": [
            {
                "name": "all",
                "flavors": [{"name": "v5e"}],
                "local_queues": [{"name": "all", "namespace": "default"}],
            }
        ],
        "priorities": [{"name": "normal", "value": 1000}],
        "workloads": [_jobset(number) for number in range(min(jobsets, _LISTED))],
        "workload_order": order,
    }


def _jobset(number: int) -> dict[str, Any]:
    return {
        "kind": "jobset",
        "name": f"run-{number}",
        "queue": "all",
        "priority": "normal",
        "flavor": "v5e",
        "slices": 1 + number % 2,
        "image": "registry.example/train:1.0",
        "script": "sleep 60",
    }


def main() -> None:
    """Bring the fleet up and print what it took."""
    parser = argparse.ArgumentParser(prog="python -m bench.fleet_size", description="Measure a fleet in the simulator.")
    parser.add_argument("slices", type=int, help="slices of four hosts")
    parser.add_argument("jobsets", type=int, help="JobSets of one slice and two in turn")
    parser.add_argument("order", choices=("listed", "any"), nargs="?", default="listed", help="workload_order")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fleet-") as folder:
        home, project = Home(Path(folder) / "home"), Path(folder) / "project"
        _write_project(project, fleet(arguments.slices, arguments.jobsets, arguments.order))
        try:
            _measure(home, project, arguments.jobsets)
        finally:
            _simulator(home, project, "down", "--delete")


def _write_project(project: Path, platform: dict[str, Any]) -> None:
    """The project of this repository with one stack."""
    project.mkdir()
    for name in ("Pulumi.yaml", "__main__.py"):
        (project / name).write_text((ROOT / name).read_text())
    (project / ".venv").symlink_to(ROOT / ".venv")
    config = {"gcp:project": "tpu-sandbox", f"{PROJECT}:{KEY}": platform}
    (project / f"Pulumi.{_STACK}.yaml").write_text(json.dumps({"config": config}))


def _measure(home: Home, project: Path, jobsets: int) -> None:
    print(f"this machine adds in {machine_seconds():.2f} s of CPU")
    _simulator(home, project, "up")
    up = ("pulumi", "up", "--yes", "--skip-preview", "--suppress-outputs", "--non-interactive")
    _print_step("pulumi up", lambda: _inside(home, project, up))
    if jobsets > _LISTED:
        _print_step("others submitted", lambda: _submit(_api(home), project, range(_LISTED, jobsets)))
    settled = ("python", "-m", "operations.watch", "--until-settled")
    _print_step("until settled", lambda: _inside(home, project, settled))
    processes = list(_processes(home))
    for name, pid in processes:
        print(f"{name:<26} {_cpu(pid):6.1f} s of CPU, {_mib(pid, _PEAK):6.0f} MiB at most")
    print(f"{'all of them':<26} {_peak_mib([pid for _, pid in processes]) / 1024:6.2f} GiB at most   {_GOALS}")
    print(_state(home))


def _print_step(what: str, step: Callable[[], None]) -> None:
    before = cpu_of_children()
    wall = seconds(step)
    print(f"{what:<26} {wall:6.1f} s, {cpu_of_children() - before:6.1f} s of CPU", flush=True)


def _submit(api: Api, project: Path, numbers: range) -> None:
    """Create JobSets like the first two of the stack."""
    alike = [each for each in plan_of(project / f"Pulumi.{_STACK}.yaml").workloads[:2] if isinstance(each, JobSetPlan)]
    for number in numbers:
        document = cast("dict[str, Any]", jobset(replace(alike[number % 2], name=f"run-{number}")))
        api.create(f"/apis/jobset.x-k8s.io/v1alpha2/namespaces/{document['metadata']['namespace']}/jobsets", document)


def _inside(home: Home, project: Path, words: tuple[str, ...]) -> None:
    _simulator(home, project, "exec", "--speed", "auto", "--", *words, "--stack", _STACK)


def _simulator(home: Home, project: Path, *arguments: str) -> None:
    command = [sys.executable, "-m", "simulator", *arguments]
    variables = {**environment(), HOME_VARIABLE: str(home.root)}
    done = subprocess.run(command, cwd=project, env=variables, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(arguments)}:\n{done.stdout}{done.stderr}")


def _processes(home: Home) -> Iterator[tuple[str, int]]:
    """The daemon and everything that it runs: names and process ids."""
    client = connect(home)
    if client is None:
        raise SystemExit("the simulator's daemon is gone")
    status = client.call("status")
    yield "daemon", status["pid"]
    for cluster in status["clusters"]:
        for each in (*cluster["processes"], *cluster["pods"]):
            yield each["name"], each["pid"]


def _cpu(pid: int) -> float:
    """CPU seconds of a process so far (proc_pid_stat(5): utime and stime)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _peak_mib(pids: Sequence[int]) -> float:
    """An upper bound of the memory that the processes ever held together, each page counted once.

    The parts of the control plane are one program under several names, and its code is in memory once. So this adds the
    difference between each process's peak and its present size to what all of them hold now.
    """
    return memory_mib(pids) + sum(_mib(pid, _PEAK) - _mib(pid, _PRESENT) for pid in pids)


def _mib(pid: int, size: str) -> float:
    """A size of a process's memory by its name in proc_pid_status(5), with the pages that it shares."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(each.split()[1]) for each in lines if each.startswith(f"{size}:")) / 1024


def _api(home: Home) -> Api:
    text = home.kubeconfig.read_text().replace("gke-gcloud-auth-plugin", str(home.bin / "gke-gcloud-auth-plugin"))
    return Api(connection_from(text))


def _state(home: Home) -> str:
    """How the fleet ended: its nodes and JobSets, and how often a node was not ready."""
    api = _api(home)
    jobsets = api.items(JOBSETS)
    ended = sum(is_finished(each) and not has_failed(each) for each in jobsets)
    lost = sum(event.get("reason") == "NodeNotReady" for event in api.items(EVENTS))
    return f"{len(api.items(NODES))} nodes, {lost} times one not ready; {ended} of {len(jobsets)} JobSets completed"


if __name__ == "__main__":
    main()
