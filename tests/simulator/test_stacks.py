"""Stack files in the simulator: what a command line becomes, with an executable that doubles the Pulumi CLI."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import pytest
import yaml

from simulator.home import Home
from simulator.stacks import Command, StackError, arranged

if TYPE_CHECKING:
    from pathlib import Path

_PULUMI: Final = """#!/bin/sh
# Doubles the Pulumi CLI: notes its arguments, makes a stack as `stack init` does (a file with a salt, a state in the
# backend), and says which stack is selected. `refuses` beside it holds words with which it refuses to make one.
here=${0%/*}
echo "$*" >> "$here/asked"
for word; do case "$word" in --cwd=*) cwd=${word#--cwd=} ;; esac; done
case "$1 $2" in
  "stack --show-name") [ -e "$here/selected" ] && cat "$here/selected" && exit; echo "no stack selected" >&2; exit 1 ;;
  "stack init")
    [ -e "$here/refuses" ] && { cat "$here/refuses" >&2; exit 255; }
    state="$BACKEND/.pulumi/stacks/shop/$3.json"
    [ -e "$state" ] && { echo "error: stack 'organization/shop/$3' already exists" >&2; exit 255; }
    mkdir -p "${state%/*}" && echo '{}' > "$state"
    echo "encryptionsalt: v1:$3-salt=" > "$cwd/Pulumi.$3.yaml" ;;
esac
"""
_COMMITTED: Final = """# what we want
config:
  shop:size: 3 # chips
"""


@dataclass
class Project:
    """A project with a stack file, and a simulator that has not seen it yet."""

    root: Path
    home: Home = field(init=False)

    def __post_init__(self) -> None:
        self.home = Home(self.root / "home")
        self.folder = self.root / "project"
        self.folder.mkdir()
        (self.folder / "Pulumi.yaml").write_text("name: shop\nruntime: python\n")
        self.committed = self.folder / "Pulumi.dev.yaml"
        self.committed.write_text(_COMMITTED)
        self.bin = self.root / "bin"
        self.bin.mkdir()
        (self.bin / "pulumi").write_text(_PULUMI)
        (self.bin / "pulumi").chmod(0o755)
        self.home.backend.mkdir(parents=True)

    @property
    def scratch(self) -> Path:
        """The folder that looks like the project."""
        return self.home.stack_files / "shop" / "scratch"

    @property
    def copy(self) -> Path:
        """The copy of the stack file."""
        return self.home.stack_files / "shop" / "Pulumi.dev.yaml"

    def run(self, *words: str) -> list[str]:
        """What `pulumi WORDS` in the project becomes."""
        environment = {"PATH": "/usr/bin:/bin", "BACKEND": str(self.home.backend)}
        return arranged(Command(words), self.home, self.bin / "pulumi", environment)

    def asked(self) -> list[str]:
        """The commands that the CLI itself was given meanwhile."""
        path = self.bin / "asked"
        return path.read_text().splitlines() if path.exists() else []


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """The project in which commands are run."""
    made = Project(tmp_path)
    monkeypatch.chdir(made.folder)
    return made


@pytest.mark.parametrize("verb", ["preview", "pre", "up", "update", "refresh", "destroy", "down", "dn", "import"])
def test_a_command_that_reads_the_configuration_gets_a_copy_of_it(project: Project, verb: str) -> None:
    assert project.run(verb, "--yes", "--stack", "dev") == [
        verb,
        "--yes",
        "--stack",
        "dev",
        f"--config-file={project.copy}",
    ]
    assert project.copy.read_text() == f"{_COMMITTED}encryptionsalt: v1:dev-salt=\n"
    assert project.committed.read_text() == _COMMITTED
    assert sorted(path.name for path in project.folder.iterdir()) == ["Pulumi.dev.yaml", "Pulumi.yaml"]


@pytest.mark.parametrize(
    "words",
    [
        ("up", "--stack=dev"),
        ("up", "-s", "dev"),
        ("--stack", "dev", "up"),
        ("-s", "dev", "--color", "never", "up"),
        ("up", "--stack", "organization/shop/dev"),
    ],
)
def test_the_stack_may_be_named_in_any_way(project: Project, words: tuple[str, ...]) -> None:
    assert project.run(*words) == [*words, f"--config-file={project.copy}"]


def test_the_selected_stack_is_used_when_none_is_named(project: Project) -> None:
    (project.bin / "selected").write_text("dev\n")
    assert project.run("up") == ["up", "--stack=dev", f"--config-file={project.copy}"]
    assert project.asked()[0] == f"stack --show-name --cwd={project.folder}"


def test_without_a_stack_the_engine_says_so_itself(project: Project) -> None:
    assert project.run("up") == ["up"]
    assert not project.home.stack_files.exists()


def test_a_stack_is_made_once_and_keeps_its_salt(project: Project) -> None:
    project.run("up", "--stack", "dev")
    project.committed.write_text("config: {}\n")
    project.run("up", "--stack", "dev")
    assert project.asked() == [f"stack init dev --no-select --cwd={project.scratch} --non-interactive"]
    assert project.copy.read_text() == "config: {}\nencryptionsalt: v1:dev-salt=\n"
    assert (project.scratch / "Pulumi.yaml").read_text() == (project.folder / "Pulumi.yaml").read_text()


def test_a_stack_that_was_removed_is_made_again(project: Project) -> None:
    project.run("up", "--stack", "dev")
    (project.home.backend / ".pulumi" / "stacks" / "shop" / "dev.json").unlink()
    (project.scratch / "Pulumi.dev.yaml").unlink()
    project.run("up", "--stack", "dev")
    assert len(project.asked()) == 2
    assert project.copy.exists()


def test_a_name_with_a_typo_makes_no_stack(project: Project) -> None:
    with pytest.raises(StackError) as refused:
        project.run("refresh", "--stack", "devv")
    assert str(refused.value) == (
        "Pulumi.devv.yaml does not exist. Did you mean dev? The stack files beside it are those of dev."
    )
    assert project.asked() == []
    assert not project.home.stack_files.exists()


def test_a_stack_that_exists_needs_no_file(project: Project) -> None:
    project.run("up", "--stack", "dev")
    (project.folder / "Pulumi.prod.yaml").write_text(_COMMITTED)
    project.committed.unlink()
    assert project.run("destroy", "--stack", "dev")[-1] == f"--config-file={project.copy}"


def test_a_salt_that_was_lost_is_found_where_the_stack_was_made(project: Project) -> None:
    project.run("up", "--stack", "dev")
    (project.home.stack_files / "shop" / "dev.salt").unlink()
    project.run("up", "--stack", "dev")
    assert project.copy.read_text().endswith("encryptionsalt: v1:dev-salt=\n")


@pytest.mark.parametrize(
    "text",
    [
        f"encryptionsalt: v1:theirs=\n{_COMMITTED}",
        f"{_COMMITTED}encryptionsalt: v1:theirs=",
        f"secretsprovider: gcpkms://projects/acme/key\nencryptedkey: AAAA\n{_COMMITTED}",
    ],
    ids=["salt first", "salt last", "key in a cloud"],
)
def test_the_copy_has_the_simulators_own_key_only(project: Project, text: str) -> None:
    project.committed.write_text(text)
    project.run("preview", "--stack", "dev")
    assert project.copy.read_text() == f"{_COMMITTED}encryptionsalt: v1:dev-salt=\n"
    assert project.committed.read_text() == text


def test_in_a_project_without_stack_files_a_stack_has_an_empty_one(project: Project) -> None:
    project.committed.unlink()
    project.run("up", "--stack", "other")
    assert (project.home.stack_files / "shop" / "Pulumi.other.yaml").read_text() == "encryptionsalt: v1:other-salt=\n"


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("config:\n  shop:key:\n    secure: AAAA\n", "config.shop:key"),
        ("config:\n  shop:all:\n    - a\n    - b: {secure: AAAA}\n", "config.shop:all[1].b"),
    ],
)
def test_a_value_that_only_another_key_opens_is_refused_before_anything_is_made(
    project: Project, text: str, where: str
) -> None:
    project.committed.write_text(text)
    with pytest.raises(StackError) as caught:
        project.run("up", "--stack", "dev")
    assert str(caught.value) == (
        f"Pulumi.dev.yaml: {where} is encrypted with the stack's own key; the simulator does not have it.\n"
        "  Keep encrypted values in a stack of their own, or give this stack a plain one for the simulator."
    )
    assert project.asked() == []


def test_encrypted_values_of_secrets_are_made_up_in_the_copy(project: Project) -> None:
    project.committed.write_text(
        "config:\n"
        "  shop:platform:\n"
        "    secrets:\n"
        "      - name: one\n"
        "        data:\n"
        "          token:\n"
        "            secure: v1:AAAA:BBBB # of the team\n"
        '          other: {secure: "v1:CCCC"}\n'
        "      - {name: two, data: {key.json: {secure: v1:DDDD}}}\n"
    )
    project.run("up", "--stack", "dev")
    secrets = yaml.safe_load(project.copy.read_text())["config"]["shop:platform"]["secrets"]
    assert [each["data"] for each in secrets] == [
        {"token": '{"made up for": "token"}', "other": '{"made up for": "other"}'},
        {"key.json": '{"made up for": "json"}'},
    ]


def test_a_key_named_secure_among_others_is_a_key(project: Project) -> None:
    project.committed.write_text("config:\n  shop:all: {secure: yes, size: 3}\n")
    assert len(project.run("up", "--stack", "dev")) == 4


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1"])
def test_a_stack_file_that_is_not_utf_8_is_refused(project: Project, encoding: str) -> None:
    project.committed.write_text("config:\n  shop:owner: J\u00fcrgen\n", encoding=encoding)
    with pytest.raises(StackError, match=r"^Pulumi.dev.yaml: byte \d+ is not UTF-8.\n  Save the file as UTF-8.$"):
        project.run("up", "--stack", "dev")
    assert project.asked() == []


@pytest.mark.parametrize(
    "text",
    ["config: &a {shop:secure: *a}\n", f"secure: {'[' * 30_000}\n", "secure: *b\n", "config:\n\tshop:size: 3\n"],
    ids=["an anchor within itself", "deep nesting", "an unknown anchor", "no YAML"],
)
def test_a_stack_file_that_is_no_tree_is_left_to_the_engine(project: Project, text: str) -> None:
    project.committed.write_text(text)
    project.run("preview", "--stack", "dev")
    assert project.copy.read_text() == f"{text}encryptionsalt: v1:dev-salt=\n"


def test_aliases_of_aliases_are_looked_at_once(project: Project) -> None:
    levels = "".join(f"  l{i}: &l{i} [{', '.join([f'*l{i - 1}'] * 9)}]\n" for i in range(1, 30))
    project.committed.write_text(f"config:\n  l0: &l0 {{secure: AAAA}}\n{levels}")
    with pytest.raises(StackError, match=r"config\.l0 is encrypted"):
        project.run("up", "--stack", "dev")


@pytest.mark.parametrize(
    "words",
    [
        ("stack", "rm", "dev", "--yes"),
        ("stack", "--stack", "dev", "rm"),
        ("stack", "init", "dev"),
        ("stack", "rename", "prod"),
        ("stack", "change-secrets-provider", "default"),
    ],
)
def test_stack_files_are_made_and_removed_in_scratch(project: Project, words: tuple[str, ...]) -> None:
    assert project.run(*words) == [*words, f"--cwd={project.scratch}"]
    assert (project.scratch / "Pulumi.yaml").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("stack", "ls"),
        ("stack", "output", "--json"),
        ("stack", "export", "--stack", "dev"),
        ("config", "get", "up"),
        ("cancel", "--yes"),
        ("version",),
        (),
        ("up", "--config-file", "mine.yaml", "--stack", "dev"),
        ("up", "--config-file=mine.yaml"),
    ],
)
def test_other_commands_are_left_as_they_are(project: Project, words: tuple[str, ...]) -> None:
    assert project.run(*words) == list(words)
    assert project.asked() == []


def test_outside_a_project_everything_is_left_as_it_is(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project.root)
    assert project.run("up", "--stack", "dev") == ["up", "--stack", "dev"]


@pytest.mark.parametrize("flag", ["-C", "--cwd"])
def test_the_project_may_be_elsewhere_or_above(project: Project, monkeypatch: pytest.MonkeyPatch, flag: str) -> None:
    (project.folder / "docs").mkdir()
    monkeypatch.chdir(project.root)
    words = ["up", flag, "project/docs", "--stack", "dev"]
    assert project.run(*words) == [*words, f"--config-file={project.copy}"]


def test_what_the_engine_says_against_a_stack_is_told(project: Project) -> None:
    (project.bin / "refuses").write_text("error: stack names may only contain letters\n")
    with pytest.raises(StackError) as caught:
        project.run("up", "--stack", "dev")
    assert str(caught.value) == "stack dev cannot be made: error: stack names may only contain letters"


def test_a_stack_whose_key_is_gone_is_told(project: Project) -> None:
    state = project.home.backend / ".pulumi" / "stacks" / "shop" / "dev.json"
    state.parent.mkdir(parents=True)
    state.write_text("{}")
    with pytest.raises(StackError) as caught:
        project.run("up", "--stack", "dev")
    assert str(caught.value) == (
        f"stack dev exists in {project.home.backend} but its key is gone: tpu simulator down --delete"
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [("- shop\n", "Pulumi.yaml names no project"), ("name: [", "Pulumi.yaml:2:1: did not find expected node content.")],
)
def test_a_project_file_that_is_none_is_told(project: Project, text: str, told: str) -> None:
    (project.folder / "Pulumi.yaml").write_text(text)
    with pytest.raises(StackError) as caught:
        project.run("up", "--stack", "dev")
    assert str(caught.value).partition("\n")[0] == told
