"""What `files` shows of the shares; a server doubles the daemon, and the folders are real."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from simulator import __main__ as command_line
from simulator.commands.files import files
from simulator.home import Home
from simulator.rpc import Server

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

_NAMES = [f"projects/acme/locations/us-central1-b/instances/{name}" for name in ("first", "second")]


@pytest.fixture
def home(tmp_path: Path) -> Generator[Home]:
    """Two instances, of which the stack `shop` has the first; each has a result."""
    made = Home(tmp_path / ".simulator")
    shares: list[dict[str, Any]] = []
    for name in _NAMES:
        folder = made.shares / name.rpartition("/")[2] / "data"
        (folder / "output" / "chain").mkdir(parents=True)
        (folder / "output" / "report.txt").write_text(f"of {folder.parent.name}\ndone\n")
        (folder / "output" / "model.json").write_text("{}")
        (folder / "output" / ".model.part").write_text("half")
        shares.append({"name": name, "folder": str(folder)})
    raw = made.volumes / "b" / "raw"
    (raw / "days").mkdir(parents=True)
    (raw / "days" / "monday.csv").write_text("x")
    status = {"shares": shares, "volumes": [{"name": "b/raw", "folder": str(raw)}]}
    server = Server("t", {"ping": lambda: 1, "status": lambda: status}, (LookupError,))
    made.daemon_file.write_text(json.dumps({"pid": 1, "port": server.port, "token": "t"}))
    _put_stack(made, "shop", {"type": "gcp:filestore/instance:Instance", "id": _NAMES[0]})
    _put_stack(made, "lake", {"type": "gcp:storage/bucket:Bucket", "id": "raw"})
    _put_stack(made, "empty", {"type": "gcp:container/cluster:Cluster", "id": "x"}, {"type": "pulumi:pulumi:Stack"})
    yield made
    server.close()


def _put_stack(home: Home, name: str, *resources: object) -> None:
    path = home.backend / ".pulumi" / "stacks" / "project" / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"checkpoint": {"latest": {"resources": list(resources)}}}))


def _shown(name: str) -> list[str]:
    heading = ["", f"output on the share of {name}:", "  model.json", "  report.txt"]
    return [*heading, "", "report.txt:", f"of {name}", "done"]


def test_names_are_listed_and_texts_are_shown(home: Home) -> None:
    assert list(files(home, "output", None)) == [*_shown("first"), *_shown("second")]


def test_a_stack_has_its_own_shares(home: Home) -> None:
    assert list(files(home, "output", "shop")) == _shown("first")
    assert list(files(home, "output", "empty")) == []
    assert list(files(home, "output", "never-made")) == []


def test_a_bucket_is_looked_into_as_well(home: Home) -> None:
    assert list(files(home, "days", "lake")) == ["", "days on the share of raw:", "  monday.csv"]
    assert list(files(home, "days", "shop")) == []


def test_what_is_not_there_is_not_spoken_of(home: Home) -> None:
    assert list(files(home, "nothing", None)) == []
    assert list(files(home, "output/chain", None)) == []


def test_no_path_and_no_link_leads_out_of_a_share(home: Home, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    output = home.shares / "first" / "data" / "output"
    (output / "z.txt").symlink_to(tmp_path / "secret.txt")
    (output.parent / "away").symlink_to(tmp_path)
    assert list(files(home, "output", "shop")) == _shown("first")
    (output.parent.parent / "data-of-others").mkdir()
    for folder in ("../../..", "away", "/etc", "../data-of-others"):
        with pytest.raises(LookupError, match=f"{folder} leads out of the share of first"):
            list(files(home, folder, "shop"))


def test_the_command_line_shows_it(
    home: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["simulator", "--home", str(home.root), "files", "output", "--stack", "shop"])
    command_line.main()
    assert capsys.readouterr().out.splitlines() == _shown("first")


def test_without_a_simulator_it_is_told(tmp_path: Path) -> None:
    with pytest.raises(LookupError, match="the simulator does not run"):
        list(files(Home(tmp_path / "none"), "output", None))
