"""Files of the simulator that were cut short or filled with zeros while it did not run, one at a time.

Files are tried by kind: those of one folder that end alike are one, and the seed decides which of them is broken. The
next command either works, and everything is as it was declared, or it names the file and what helps. That must help.
"""

from __future__ import annotations

import random
import re
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pytest

from simulator.home import Home
from tests.faults.campaign import SEED, STACK, Campaign, assert_gone, small_stack

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

_CUT: Final = "cut"
_ZEROS: Final = "zeros"
KINDS: Final = (
    "bin/*",
    "cloud.json",
    "clock.jsonl",
    "clusters/*/config/*",
    "clusters/*/etcd/member/snap/db",
    "clusters/*/etcd/member/wal/*.wal",
    "clusters/*/logs/*.log",
    "clusters/*/pki/*.crt",
    "clusters/*/pki/*.key",
    "clusters/*/pki/*.pub",
    "clusters/*/pods/*/*",
    "clusters/*/pods/*/certificates/*",
    "clusters/*/pods/*/volumes/*/*",
    "clusters/*/ports.json",
    "clusters/*/service-ports.json",
    "clusters/*/spec.json",
    "clusters/*/tokens*",
    "daemon.lock",
    "kubeconfig",
    "passphrase",
    "pulumi/plugins/*/*",
    "settings.json",
    "stacks/*/*.salt",
    "stacks/*/*.yaml",
    "stacks/*/scratch/*",
    "state/.pulumi/backups/*/*/*",
    "state/.pulumi/history/*/*/*.checkpoint.json*",
    "state/.pulumi/history/*/*/*.history.json*",
    "state/.pulumi/meta.yaml",
    "state/.pulumi/stacks/*/*.bak*",
    "state/.pulumi/stacks/*/*.json",
    "stock.json",
    "token",
)
"""Globs below the simulator's folder. Empty files, links and sockets hold nothing that could be broken."""


@dataclass(frozen=True)
class Kept:
    """The stack in a simulator that is down, and a copy of its folder."""

    campaign: Campaign
    copy: Path

    def restore(self) -> Path:
        """Put every file back; returns the folder."""
        root = self.campaign.simulator.home.root
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(self.copy, root, symlinks=True)
        return root


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Generator[Kept]:
    folder = tmp_path_factory.mktemp("files")
    campaign = small_stack(Home(folder / "home"), folder / "project")
    campaign.begin_anew()
    simulator = campaign.simulator
    simulator.client.call("scaling.stock", out=["nvidia-l4"], back=[])
    simulator.run("times", "--idle=600")
    simulator.run("down")
    made = Kept(campaign, folder / "copy")
    shutil.copytree(simulator.home.root, made.copy, symlinks=True)
    yield made
    simulator.run("down", "--delete", code=None)


def files_of(root: Path, kind: str) -> list[Path]:
    """Files of that kind with something in them."""
    return [
        path for path in sorted(root.glob(kind)) if path.is_file() and not path.is_symlink() and path.stat().st_size
    ]


def test_every_file_is_of_a_kind(kept: Kept) -> None:
    known = {path for kind in KINDS for path in files_of(kept.copy, kind)}
    lying = files_of(kept.copy, "**/*")
    assert [str(path.relative_to(kept.copy)) for path in lying if path not in known] == []


@pytest.mark.parametrize("how", [_CUT, _ZEROS])
@pytest.mark.parametrize("kind", KINDS)
def test_a_broken_file_is_made_good_or_named(
    kept: Kept, kind: str, how: str, record_property: Callable[[str, object], None]
) -> None:
    root = kept.restore()
    found = files_of(root, kind)
    record_property("family", f"files {how}")
    path = random.Random(f"{SEED} {kind}").choice(found)  # noqa: S311  nothing is secret
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2] if how == _CUT else bytes(len(data)))

    said = _attempt(kept.campaign)
    assert "Traceback" not in said
    if said:
        named = path if "etcd" not in path.parts else root / path.relative_to(root).parents[-4]
        assert str(named) in said  # of etcd's data the folder
        _do_what_helps(kept.campaign, path, said)
    else:
        kept.campaign.assert_sound()
    kept.campaign.simulator.run("down", "--delete")
    assert_gone(kept.campaign.simulator.home)


def _attempt(campaign: Campaign) -> str:
    """What the next commands say that fail, or nothing."""
    simulator = campaign.simulator
    begun, up = simulator.run("up", code=None), simulator.up(STACK, code=None)
    failed = [done.text for done in (begun, up) if done.code != 0 or "not up" in done.out]
    return "\n".join(failed)


def _do_what_helps(campaign: Campaign, path: Path, said: str) -> None:
    """Follow the advice; then all is well, or nothing is left."""
    simulator = campaign.simulator
    if "recover" in said:
        simulator.run("recover", "--stack", STACK)
    elif "Remove it" in said:
        path.unlink()
    elif "pulumi destroy" in said:
        simulator.pulumi("destroy", "--yes", "--skip-preview", "--stack", STACK)
    else:
        assert re.search("down --delete", said), "nobody says what helps"
        return
    simulator.up(STACK)
    campaign.assert_sound()
