"""The state file: whole at any moment, and shared writes."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from simulator.cloud.store import Store
from simulator.files import BrokenFileError


def test_what_was_changed_is_there_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    store = Store(path)
    with store.change() as changes:
        changes.put("kind", "a", {"x": 1})
        changes.put("kind", "b", {"x": 2})
        changes.set_pace({"kind": 3.0})
    with store.change() as changes:
        changes.remove("b")

    again = Store(path)

    assert again.pace == {"kind": 3.0}
    with again.look() as view:
        assert view.list("kind") == [("a", {"x": 1})]


def test_a_death_between_write_and_rename_leaves_the_old_file_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "state.json"
    store = Store(path)
    with store.change() as changes:
        changes.put("kind", "a", {"x": 1})

    def die(_self: Path, _target: Path) -> Path:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", die)
    with pytest.raises(KeyboardInterrupt), store.change() as changes:
        changes.put("kind", "b", {"x": 2})
    monkeypatch.undo()

    again = Store(path)
    with again.look() as view:
        assert [name for name, _ in view.list("kind")] == ["a"]
    with again.change() as changes:
        changes.put("kind", "c", {})
    assert sorted(json.loads(path.read_text())["resources"]) == ["a", "c"]


def test_a_change_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    store = Store(tmp_path / "state.json")
    with store.change() as changes:
        changes.put("kind", "a", {"x": 1})

    def fail() -> None:
        with store.change() as changes:
            changes.put("kind", "a", {"x": 2})
            changes.put("kind", "b", {})
            changes.set_pace({"kind": 1.0})
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        fail()

    assert store.pace == {}
    with store.look() as view:
        assert view.list("kind") == [("a", {"x": 1})]
    with Store(tmp_path / "state.json").look() as view:
        assert view.list("kind") == [("a", {"x": 1})]


def test_a_step_is_written_with_the_next_change(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    store = Store(path)
    with store.change() as changes:
        changes.put("kind", "a", {})
    with store.change(is_step=True) as changes:
        changes.put("kind", "b", {})
    before = json.loads(path.read_text())["resources"]
    with store.change() as changes:
        changes.put("kind", "c", {})

    assert list(before) == ["a"]
    assert list(json.loads(path.read_text())["resources"]) == ["a", "b", "c"]


def test_many_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    store = Store(path)

    def add(number: int) -> None:
        with store.change() as changes:
            changes.put("kind", f"{number:03}", {})

    threads = [threading.Thread(target=add, args=(number,)) for number in range(100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    with Store(path).look() as view:
        assert len(view.list("kind")) == 100


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("{", "{path} is broken: it was cut short or overwritten. "),
        ("[]", "{path} is not a state file of version 1 of the simulated cloud. "),
        ('{"version": 2}', "{path} is not a state file of version 1 of the simulated cloud. "),
    ],
)
def test_another_file_is_refused(tmp_path: Path, content: str, text: str) -> None:
    path = tmp_path / "state.json"
    path.write_text(content)

    with pytest.raises(BrokenFileError) as caught:
        Store(path)

    assert str(caught.value).startswith(text.format(path=path))
    assert path.read_text() == content
