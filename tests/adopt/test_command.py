"""The command: files from anybody, exit codes, and what it writes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from policies.lint.files import FILE_LIMIT
from tests.adopt.listed import cluster, network, pool, slice_pool
from tpu.adopt.__main__ import main

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def listing(tmp_path: Path) -> Path:
    """A file that lists a small platform."""
    path = tmp_path / "listing.json"
    path.write_text(json.dumps([cluster(), pool("system"), *network()]))
    return path


def test_a_stack_file_is_written_once(listing: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["stack", "prod", str(listing), "--out", str(listing.parent)]
    assert main(arguments) == 0
    made = listing.parent / "Pulumi.prod.yaml"
    assert f"wrote {made} for the project acme-ai" in capsys.readouterr().out

    made.write_text("mine")
    assert main(arguments) == 2
    assert made.read_text() == "mine"
    assert main([*arguments, "--force"]) == 0
    assert made.read_text() != "mine"


def test_a_stack_file_that_breaks_a_rule_is_written_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "listing.json"
    impossible = slice_pool("v5e", placementPolicy={"type": "COMPACT", "tpuTopology": "3x3"})
    path.write_text(json.dumps([cluster(), pool("system"), impossible, *network()]))

    assert main(["stack", "prod", str(path), "--out", str(tmp_path)]) == 1
    assert "3x3" in capsys.readouterr().out
    assert (tmp_path / "Pulumi.prod.yaml").exists()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"{", "listing.json#1: did not find expected node content"),
        (b"\xff\xfe", "it is UTF-16"),
        (b"a: caf\xe9", "byte 0xe9 is not UTF-8"),
        (b"a: &a [*a]", "an anchor contains itself"),
        (b"[" * 100_000, "listing.json#1: values are nested more than 100 levels deep"),
        (b"a: &a [x, x]\nb: [" + b"*a, " * 200_000 + b"]", "its aliases make"),
        (b" " * (FILE_LIMIT + 1), f"it has more than {FILE_LIMIT} bytes"),
        (b"[]", "one cluster is adopted at a time, but 0 are listed"),
    ],
)
def test_files_that_cannot_be_used_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, says: str
) -> None:
    path = tmp_path / "listing.json"
    path.write_bytes(content)

    assert main(["stack", "prod", str(path), "--out", str(tmp_path)]) == 2
    told = capsys.readouterr().err
    assert told.startswith("adopt: ")
    assert says in told
    assert not (tmp_path / "Pulumi.prod.yaml").exists()


def test_an_import_and_what_is_left_of_it_are_written_to_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    network, password = "gcp:compute/network:Network", "random:index/randomPassword:RandomPassword"
    shown = {network: {"name": "n"}, password: {"length": 32}}
    events = [
        {"resourcePreEvent": {"metadata": {"op": "create", "urn": f"urn:pulumi:prod::p::{type_}::n", "type": type_,
                                           "new": {"inputs": inputs}}}}
        for type_, inputs in shown.items()
    ]  # fmt: skip
    entries = {"resources": [{"type": type_, "name": "n", "id": "<PLACEHOLDER>"} for type_ in shown]}
    state = {"version": 3, "deployment": {"resources": [{"urn": events[0]["resourcePreEvent"]["metadata"]["urn"]}]}}
    preview, given, exported, out = (tmp_path / name for name in ("events", "entries", "state", "out"))
    preview.write_text("\n".join(map(json.dumps, [*events, {"summaryEvent": {"result": "succeeded"}}])))
    given.write_text(json.dumps(entries))
    exported.write_text(json.dumps(state))
    common = ["--preview", str(preview), "--out", str(out)]

    assert main(["import", *common, "--entries", str(given), "--gcp-project", "acme"]) == 0
    assert capsys.readouterr().out == (
        f"{password} n exists only in the state: pulumi up creates it\n"
        f"{out}: 1 resources to import, 0 are left for the next phase\n"
    )
    assert json.loads(out.read_text()) == {
        "resources": [{"type": network, "name": "n", "id": "projects/acme/global/networks/n"}]
    }

    assert main(["settle", *common, "--state", str(exported)]) == 0
    assert capsys.readouterr().out == f"{out}: the inputs of 0 objects now match the program\n"
    assert json.loads(out.read_text()) == state


def test_a_file_that_is_not_there_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing = str(tmp_path / "missing")
    given = ["settle", "--preview", missing, "--state", missing, "--out", missing]

    assert main(given) == 2
    assert capsys.readouterr().err == f"adopt: {missing}: No such file or directory\n"
