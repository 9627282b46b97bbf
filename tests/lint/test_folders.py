"""Folders that are given to lint: which of their files are read, and what of those that cannot be."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from policies.lint.__main__ import main
from policies.lint.files import gather
from policies.lint.ignored import is_ignored, patterns
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
    ("lines", "path", "is_folder", "expected"),
    [
        ("*.yaml", "a/b.yaml", False, True),
        ("/*.yaml", "a/b.yaml", False, False),
        ("a/*.yaml", "a/b.yaml", False, True),
        ("a/*.yaml", "x/a/b.yaml", False, False),
        ("**/a/b.yaml", "x/y/a/b.yaml", False, True),
        ("a/**/b.yaml", "a/b.yaml", False, True),
        ("a/**", "a/x/b.yaml", False, True),
        ("build/", "build", False, False),
        ("build/", "x/build", True, True),
        ("*.yaml\n!keep.yaml", "keep.yaml", False, False),
        ("!keep.yaml\n*.yaml", "keep.yaml", False, True),
        ("# a.yaml", "# a.yaml", False, False),
        (r"\#a.yaml", "#a.yaml", False, True),
        (r"\!a.yaml", "!a.yaml", False, True),
        ("a?.yaml", "ab.yaml", False, True),
        ("a?.yaml", "a/.yaml", False, False),
        ("[ab].yaml", "b.yaml", False, True),
        ("[!ab].yaml", "b.yaml", False, False),
        ("[!ab].yaml", "c.yaml", False, True),
        ("a.yaml   ", "a.yaml", False, True),
        ("[z-a].yaml", "b.yaml", False, False),
        ("a+b.yaml", "aab.yaml", False, False),
    ],
)
def test_patterns_mean_what_git_says(lines: str, path: str, is_folder: bool, expected: bool) -> None:  # noqa: FBT001
    assert is_ignored(path, patterns("", lines), is_folder=is_folder) is expected


def test_a_pattern_holds_below_its_own_folder() -> None:
    assert is_ignored("app/b.yaml", patterns("app/", "/b.yaml"), is_folder=False)
    assert not is_ignored("b.yaml", patterns("app/", "b.yaml"), is_folder=False)


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
