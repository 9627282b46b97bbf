"""That the harness sees a secret wherever one must not be."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import pytest

from simulator.home import Home
from tests.harness import assert_no_secret

if TYPE_CHECKING:
    from pathlib import Path

_SECRET = "open sesame"  # noqa: S105  nobody's


@pytest.mark.parametrize(
    "place",
    [
        "state/.pulumi/stacks/p/dev.json",
        "state/.pulumi/history/p/dev/dev-1.checkpoint.json",
        "daemon.log",
        "clusters/c/logs/etcd.log",
        "clusters/c/pods/uid/container.log",
    ],
)
@pytest.mark.parametrize("text", [_SECRET, base64.b64encode(_SECRET.encode()).decode()], ids=["clear", "base64"])
def test_a_secret_that_is_written_down_is_found(tmp_path: Path, place: str, text: str) -> None:
    path = tmp_path / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"before {text} after")
    with pytest.raises(AssertionError, match=f"password stands in {place}"):
        assert_no_secret(Home(tmp_path), {"password": _SECRET})


def test_files_that_are_private_may_hold_it(tmp_path: Path) -> None:
    (tmp_path / "token").write_text(_SECRET)
    (tmp_path / "daemon.log").write_text("begun")
    assert_no_secret(Home(tmp_path), {"token": _SECRET})
