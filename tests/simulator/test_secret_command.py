"""The command that gives a secret of the simulated cloud a value."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest

from simulator import __main__ as command_line
from simulator.cloud.api import Kind
from simulator.commands import CommandError, secrets
from simulator.home import Home

if TYPE_CHECKING:
    from pathlib import Path

    from simulator.cloud.cloud import Cloud
    from tests.simulator.conftest import World

_NAME = "projects/my-project/secrets/hf-token"


@pytest.fixture
def home(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A simulator whose cloud is in this process."""

    def no_daemon(_: Home) -> None:
        """Doubles the start of the daemon."""

    def own_cloud(_: None) -> Cloud:
        """Doubles the cloud of the daemon."""
        return world.cloud

    monkeypatch.setattr(secrets, "ensure", no_daemon)
    monkeypatch.setattr(secrets, "RemoteCloud", own_cloud)
    return Home(tmp_path / "home")


def test_every_value_is_a_version_of_its_own(world: World, home: Home, tmp_path: Path) -> None:
    file = tmp_path / "token"
    for number, value in ((1, "old"), (2, "new")):
        file.write_text(value)
        assert list(secrets.secret(home, "hf-token", "my-project", str(file))) == [
            f"created version {number} of {_NAME}"
        ]
    assert [each["payload"]["data"] for each in world.cloud.list(Kind.CONFIDENTIAL_VERSION)] == ["b2xk", "bmV3"]


def test_the_command_line_reads_the_value(
    world: World, home: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"hf_123\n")))
    words = ["simulator", "--home", str(home.root), "secret", "hf-token", "--project", "my-project"]
    monkeypatch.setattr("sys.argv", words)
    command_line.main()
    assert capsys.readouterr().out == f"created version 1 of {_NAME}\n"
    assert len(world.cloud.list(Kind.CONFIDENTIAL)) == 1


def test_a_bad_name_or_file_is_refused(home: Home, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="No such file or directory"):
        list(secrets.secret(home, "hf-token", "my-project", str(tmp_path / "none")))
    (tmp_path / "token").write_text("x")
    with pytest.raises(CommandError, match=r"secretId a\.b: 1 to 255 letters"):
        list(secrets.secret(home, "a.b", "my-project", str(tmp_path / "token")))
