"""`tpu record` and `tpu usage` from their command lines."""

from __future__ import annotations

import functools
import json
import time
from typing import TYPE_CHECKING, Any, Final

import pytest

from components.kubeapi.jobs import CLUSTER_QUEUES, LOCAL_QUEUES, NODES, WORKLOADS
from simulator.clusters.pki import write_cluster_files
from tests.commands import exit_code
from tests.kubeapi.server import FakeApiServer, listed
from tests.record.kueue import FakeKueue
from tests.tracked import ROOT
from tpu.trace.__main__ import main as record, parser
from tpu.trace.lines import SECOND, written
from tpu.usage import main as usage

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    Run = Callable[..., int]
    """From the words after `tpu record` to the exit code."""

_FLAVORS: Final = "/apis/kueue.x-k8s.io/v1beta2/resourceflavors"
_EXAMPLES: Final = ROOT / "examples" / "usage"
_BY_TEAM: Final = """\
by team
  team      waiting  reserved  used  lost
  applied      24.0       0.0  28.0   0.0
  research      0.0       0.0  64.0   0.0
  together     24.0       0.0  92.0   0.0
"""
_BY_FLAVOR: Final = """\
by flavor
  flavor  chips x time  used  reserved  lost  idle  idle %
  v5e            128.0  92.0       0.0   0.0  36.0     28%
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `tpu record` in this process, in a folder of the test's."""
    monkeypatch.chdir(tmp_path)

    return functools.partial(exit_code, monkeypatch, record, "record")


@pytest.fixture
def slurm(run: Run) -> str:
    """The record of the example's table."""
    table, mapping = str(_EXAMPLES / "sacct.txt"), str(_EXAMPLES / "slurm.yaml")
    assert run("week.jsonl", "--import", table, "--mapping", mapping) == 0
    return "week.jsonl"


def _rows(out: str) -> list[list[str]]:
    return [line.split() for line in out.splitlines()]


def test_a_table_is_imported_and_its_usage_printed(slurm: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert usage(["--record", slurm]) == 0
    out = capsys.readouterr().out
    assert out.startswith("chip-hours from 2026-11-16T08:00:00Z to 2026-11-16T12:00:00Z\n")
    assert _BY_TEAM in out
    assert _BY_FLAVOR in out


def test_programs_read_json_whose_hours_add_up(slurm: str, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert usage(["--record", slurm, "--since", "2h", "--format", "json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert (found["from"], found["until"], found["currency"]) == ("2026-11-16T10:00:00Z", "2026-11-16T12:00:00Z", None)
    (flavor,) = found["flavors"]
    assert flavor["capacity"] == 64 == flavor["used"] + flavor["idle"]
    held = sum(each["chipHours"] for each in found["hours"] if each["part"] != "waiting")
    assert held == flavor["used"] == sum(team["used"] for team in found["teams"])


def test_a_page_has_the_tables_and_both_pictures(slurm: str, tmp_path: Path) -> None:
    assert usage(["--record", slurm, "--html", "usage.html"]) == 0
    text = (tmp_path / "usage.html").read_text()
    assert text.count("<svg") == 2
    assert "research/pretrain" in text
    assert "<td>128.0</td>" in text


def test_prices_are_those_of_the_report(slurm: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / slurm
    priced = '"name":"v5e","generation":"v5e","capacity":"on-demand","region":"us-west4"'
    path.write_text(path.read_text().replace('"name":"v5e"', priced, 1))
    capsys.readouterr()
    assert usage(["--record", slurm]) == 0
    out = capsys.readouterr().out
    assert ["research", "0.0", "0.0", "64.0", "0.0", "76.80"] in _rows(out)
    assert ["v5e", "128.0", "92.0", "0.0", "0.0", "36.0", "28%", "153.60", "43.20"] in _rows(out)


def test_a_record_that_exists_is_not_written_over(slurm: str, run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(slurm, "--generate") == 1
    assert capsys.readouterr().err == f"record: {slurm}: it has lines already. Name a new file.\n"


def test_a_week_is_made_of_numbers(run: Run, tmp_path: Path) -> None:
    words = ("--generate", "--start", "2026-11-16T00:00:00Z", "--workloads", "5", "--teams", "research=lq-research")
    assert run("a.jsonl", *words) == run("b.jsonl", *words) == 0
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    assert b'"queue":"lq-research"' in (tmp_path / "a.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--record", "none.jsonl"], "usage: none.jsonl: No such file or directory\n"),
        (["--record", "none.jsonl", "--since", "7d"], "usage: none.jsonl: No such file or directory\n"),
        (["--kubeconfig", "none"], "usage: no kubeconfig: [Errno 2] No such file or directory: 'none'\n"),
    ],
)
def test_what_is_not_there_is_named(run: Run, capsys: pytest.CaptureFixture[str], words: list[str], told: str) -> None:
    del run  # its folder
    assert usage(words) == 1
    assert capsys.readouterr() == ("", told)


def test_a_time_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        usage(["--since", "7 days"])
    assert "Valid: 90m, 24h, 7d, 2w or 2026-11-23T08:00:00Z" in capsys.readouterr().err


# --- a cluster


@pytest.fixture
def cluster(tmp_path: Path) -> Generator[FakeApiServer]:
    """An API server with a Workload that has run; its kubeconfig is `config` in the test's folder."""
    fake = FakeApiServer(write_cluster_files(tmp_path / "pki", "10.0.0.1"))
    kueue = FakeKueue()
    uid = kueue.ask(0, "train", chips=32)
    kueue.reserve(3600, uid)
    kueue.become(3600, uid, "Admitted")
    kueue.become(2 * 3600, uid, "PodsReady")
    kueue.become(4 * 3600, uid, "Finished", reason="Succeeded")
    for path in (NODES, _FLAVORS, CLUSTER_QUEUES, LOCAL_QUEUES):
        fake.routes[f"GET {path}"] = listed("X", *kueue.collections[path])
    fake.routes[f"GET {WORKLOADS}"] = listed("Workload", *kueue.workloads.values())
    fake.routes["GET /api/v1/namespaces/kube-system"] = {"metadata": {"uid": "c"}}
    (tmp_path / "config").write_text(fake.kubeconfig())
    yield fake
    fake.close()


def test_a_recorder_looks_every_ten_seconds() -> None:
    assert parser().parse_args(["r.jsonl"]).interval == 10


def test_a_cluster_is_recorded_until_the_time_is_over(
    run: Run, cluster: FakeApiServer, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("r.jsonl", "--kubeconfig", "config", "--seconds", "0.01")
    assert run(*words) == 0
    assert capsys.readouterr().out == "r.jsonl: wrote 5 lines about Workloads\n"
    del cluster.routes[f"GET {WORKLOADS}"]
    assert run(*words) == 1
    assert capsys.readouterr().err == ("record: the cluster does not serve Workloads of Kueue: is Kueue installed?\n")


def test_the_listing_of_a_cluster_has_its_usage(
    run: Run, cluster: FakeApiServer, capsys: pytest.CaptureFixture[str]
) -> None:
    del run, cluster  # their folder and server
    since, until = "2026-11-16T00:00:00Z", "2026-11-16T06:00:00Z"
    assert usage(["--kubeconfig", "config", "--since", since, "--until", until]) == 0
    out = capsys.readouterr().out
    assert ["team-a", "32.0", "32.0", "64.0", "0.0", "115.20"] in _rows(out)
    assert ["v5e", "192.0", "64.0", "32.0", "0.0", "96.0", "50%", "230.40", "115.20"] in _rows(out)
    assert usage(["--kubeconfig", "config", "--since", "90m"]) == 0
    begun = written(round(time.time() * SECOND))[:10]
    assert f" to {begun}" in capsys.readouterr().out
