"""Folders that are given to lint: which of their files are read, and what of those that cannot be."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from policies.lint.__main__ import main
from policies.lint.files import gather
from tests.lint.given import OBJECTS

if TYPE_CHECKING:
    from pathlib import Path

_JOB = """
apiVersion: batch/v1
kind: Job
metadata: {name: clean}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: clean, image: "ml/clean:1.0"}]}}}
"""


def _tree(root: Path, *names: str, text: str = _JOB) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _read(root: Path) -> list[str]:
    """The names of the files that are read, by the folder."""
    return [os.path.relpath(each.name, root) for each in gather([str(root)]) if not (each.left_out or each.problem)]


def test_a_folder_is_walked_without_its_git(tmp_path: Path) -> None:
    _tree(tmp_path, "b.yml", "a/Deep.YAML", "a/x.json", ".hidden/c.yaml", ".git/config.yaml", "read.me", "z.py")
    assert _read(tmp_path) == ["b.yml", ".hidden/c.yaml", "a/Deep.YAML", "a/x.json"]


def test_what_git_ignores_is_not_read(tmp_path: Path) -> None:
    _tree(tmp_path, "a.yaml", "out/b.yaml", "app/keep.yaml", "app/tmp.yaml", "app/sub/tmp.yaml")
    _tree(tmp_path, ".gitignore", text="/out/\n")
    _tree(tmp_path, "app/.gitignore", text="tmp.*\n!sub/tmp.yaml\n")
    assert _read(tmp_path) == ["a.yaml", "app/keep.yaml", "app/sub/tmp.yaml"]
    ignored = [os.path.relpath(each.name, tmp_path) for each in gather([str(tmp_path)]) if each.left_out]
    assert ignored == ["out", "app/tmp.yaml"]


def test_a_folder_within_a_repository_is_read_by_the_patterns_above_it(tmp_path: Path) -> None:
    _tree(tmp_path, "app/k8s/a.yaml", "app/k8s/b.yaml", "app/k8s/c.yaml")
    _tree(tmp_path, ".gitignore", text="b.yaml\n/app/k8s/c.yaml\n")
    assert _read(tmp_path / "app/k8s") == ["a.yaml", "b.yaml", "c.yaml"]
    (tmp_path / ".git").mkdir()
    assert _read(tmp_path / "app/k8s") == ["a.yaml"]


@pytest.mark.parametrize(
    ("lines", "path", "is_read"),
    [
        ("*.yaml", "a/b.yaml", False),
        ("/*.yaml", "a/b.yaml", True),
        ("a/*.yaml", "x/a/b.yaml", True),
        ("**/a/b.yaml", "x/y/a/b.yaml", False),
        ("a/**", "a/x/b.yaml", False),
        ("build/", "x/build/b.yaml", False),
        ("build.yaml/", "build.yaml", True),
        ("*.yaml\n!keep.yaml", "keep.yaml", True),
        ("!keep.yaml\n*.yaml", "keep.yaml", False),
        ("# a.yaml", "# a.yaml", True),
        ("a.yaml   ", "a.yaml", False),
        ("[z-a].yaml\n!\na.yaml", "b.yaml", True),
        ("[z-a].yaml\n!\nb.yaml", "b.yaml", False),
    ],
)
def test_patterns_mean_what_git_says(tmp_path: Path, lines: str, path: str, *, is_read: bool) -> None:
    _tree(tmp_path, path)
    _tree(tmp_path, ".gitignore", text=lines)
    assert _read(tmp_path) == ([path] if is_read else [])


def test_the_innermost_file_decides(tmp_path: Path) -> None:
    _tree(tmp_path, "app/b.yaml", "app/c.yaml", "b.yaml")
    _tree(tmp_path, ".gitignore", text="*.yaml\n")
    _tree(tmp_path, "app/.gitignore", text="!/b.yaml\n")
    assert _read(tmp_path) == ["app/b.yaml"]


def test_what_cannot_be_read_is_told_and_the_rest_is_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _tree(tmp_path, "a.yaml", text=OBJECTS.replace("value: 500", "value: many"))
    (tmp_path / "gone.yaml").symlink_to(tmp_path / "nowhere")
    assert main([str(tmp_path)]) == 2
    printed = capsys.readouterr()
    assert printed.err == f"lint: {tmp_path / 'gone.yaml'}: No such file or directory\n"
    assert "value: many is not a whole number." in printed.out
    assert f"not read: {tmp_path / 'gone.yaml'} (No such file or directory)" in printed.out


def test_links_that_lead_around_and_pipes_end_nothing(tmp_path: Path) -> None:
    _tree(tmp_path, "a/a.yaml")
    (tmp_path / "a" / "again").symlink_to(tmp_path)
    (tmp_path / "self.yaml").symlink_to(tmp_path / "self.yaml")
    os.mkfifo(tmp_path / "pipe.yaml")
    assert _read(tmp_path) == ["a/a.yaml"]


def test_a_file_that_is_named_and_walked_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _tree(tmp_path, "k8s/a.yaml")
    monkeypatch.chdir(tmp_path)
    assert [each.name for each in gather(["k8s/a.yaml", "k8s", "."])] == ["k8s/a.yaml"]


def test_an_empty_folder_is_sound(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path)]) == 0
    assert capsys.readouterr().out == "nothing to check: no objects in no files.\n"
