"""The simulator's folder, its secrets, and small files that are never half-written."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from simulator.files import write_once, write_whole
from simulator.home import HOME_VARIABLE, Home, Inside, NoProjectError, find_home

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(HOME_VARIABLE, raising=False)


def test_the_folder_is_the_projects_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = tmp_path / "project" / "docs"
    inner.mkdir(parents=True)
    (tmp_path / "project" / "Pulumi.yaml").touch()
    monkeypatch.chdir(inner)
    assert find_home() == Home(tmp_path / "project" / ".simulator")


def test_outside_of_a_project_there_is_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NoProjectError) as refused:
        find_home()
    assert str(refused.value) == (
        f"neither {tmp_path} nor a folder above it has a Pulumi.yaml, so nothing was started. "
        "Run the command in a checkout of the project."
    )


def test_what_is_named_goes_before_what_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "Pulumi.yaml").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(HOME_VARIABLE, "named")
    assert find_home() == Home(tmp_path / "named")
    assert find_home("given") == Home(tmp_path / "given")


def test_everything_is_below_the_folder(tmp_path: Path) -> None:
    home = Home(tmp_path)
    paths = [getattr(home, name) for name, kind in vars(Home).items() if isinstance(kind, Inside)]
    assert len(paths) > 10
    assert {path.parent for path in paths} == {tmp_path}
    assert len(set(paths)) == len(paths)


def test_a_secret_is_made_once_for_this_user_only(tmp_path: Path) -> None:
    home = Home(tmp_path / "new")
    first = home.secret(home.token_file)
    assert len(first) > 30
    assert home.secret(home.token_file) == first
    assert home.secret(home.passphrase_file) != first
    assert home.token_file.stat().st_mode & 0o777 == 0o600
    assert home.root.stat().st_mode & 0o777 == 0o700
    assert sorted(path.name for path in home.root.iterdir()) == ["passphrase", "token"]


def test_callers_at_the_same_moment_get_the_same_secret(tmp_path: Path) -> None:
    home, ready, found = Home(tmp_path), threading.Barrier(8), list[str]()

    def ask() -> None:
        ready.wait()
        found.append(home.secret(home.token_file))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1
    assert found[0] == home.token_file.read_text()


def test_a_file_is_replaced_and_not_rewritten(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_whole(path, "one")
    with path.open() as reader:
        write_whole(path, b"two", mode=0o755)
        assert reader.read() == "one"
    assert path.read_text() == "two"
    assert path.stat().st_mode & 0o777 == 0o755
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_a_write_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    target = tmp_path / "folder"
    target.mkdir()
    (target / "inside").touch()
    with pytest.raises(OSError, match="directory"):
        write_whole(target, "text")
    assert [each.name for each in tmp_path.iterdir()] == ["folder"]


def test_the_first_text_stays(tmp_path: Path) -> None:
    assert write_once(tmp_path / "file", "first") == "first"
    assert write_once(tmp_path / "file", "second") == "first"
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["file"]
