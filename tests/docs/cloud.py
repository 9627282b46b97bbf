"""What commands for a real cloud ask for, and what is wrong with them as far as one can tell without that cloud.

Programs that are here are asked themselves, elsewhere (`heads.py`). For the others cloud_tools.yaml has what their
references say, and the repository has what the commands name: paths, stacks, clusters, images.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

import yaml

from components.model.facts import kinds
from tests.docs.blocks import CLOUD, blocks, documents, spans
from tests.stacks import PLATFORM_KEY, committed, stack_file
from tests.tracked import ROOT, top_folders, tracked

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_TABLE: Final = Path(__file__).parent / "cloud_tools.yaml"
PROGRAMS: Final = frozenset(
    (
        *("cd", "cp", "docker", "export", "gcloud", "gh", "helm", "kubectl", "kustomize"),
        *("make", "mkdir", "pip", "pulumi", "python", "tpu", "uvx"),
    )
)
"""All that a reader who goes to the cloud must have."""
_OF_OTHERS: Final = ("docs/rules.md",)
"""Documents whose prose quotes commands of wrong examples."""
_INNER: Final = re.compile(r"\$\(([^()]+)\)")
_VALUE: Final = "VALUE"
"""What a command inside another one prints."""
_ENDS: Final = frozenset({"|", "||", "&&", ";", "&"})
_INTO: Final = frozenset({">", ">>", "<"})
_ELSEWHERE: Final = "path/to/"
"""Where somebody else has this repository."""
_GIVEN: Final = Path(__file__).parent / "given"
"""Files that stand for what somebody's cloud answered."""
_OF_CLUSTER: Final = re.compile(r"/locations/([\w-]+)/clusters/([\w-]+)")
_ASKS: Final = ("get", "delete", "describe")
"""Commands of kubectl whose next word is a kind."""


class Typed(NamedTuple):
    """A program with its words."""

    program: str
    words: tuple[str, ...]

    @property
    def flags(self) -> list[str]:
        """Without their values."""
        return [word.partition("=")[0] for word in self.words if word.startswith("-")]

    def value(self, *names: str) -> str | None:
        """Of the first flag of these names."""
        for at, word in enumerate(self.words):
            name, given, value = word.partition("=")
            if name in names:
                return value if given else next(iter(self.words[at + 1 : at + 2]), None)
        return None

    @property
    def folder(self) -> Path:
        """Where it works."""
        return ROOT / str(self.value("-C", "--cwd") or ".")


def marked() -> dict[str, str]:
    """Where each command that needs the cloud stands first, by command."""
    found: dict[str, str] = {}
    for block in (block for document in documents() for block in blocks(document) if block.language == CLOUD):
        for command in block.commands:
            found.setdefault(command, block.where)
    return found


def spoken() -> dict[str, str]:
    """Where the prose first names each command of a program of the table."""
    named = {span: document for document in documents() if document not in _OF_OTHERS for span in spans(document)}
    return {span: document for span, document in named.items() if span.split()[0] in table() and " " in span}


@cache
def table() -> dict[str, Any]:
    """What the references say, by program."""
    return cast("dict[str, Any]", yaml.safe_load(_TABLE.read_text(encoding="utf-8")))


def unparsed(command: str) -> str:
    """What a shell says of it before it runs anything, or nothing."""
    done = subprocess.run(["bash", "-n", "-c", command], capture_output=True, text=True, check=False)  # noqa: S607
    return done.stderr.strip()


def typed(command: str) -> Iterator[Typed]:
    """The programs that a line runs, innermost first, each without the files that its output goes to."""
    for inner in _INNER.findall(command):
        yield from typed(inner)
    lexer = shlex.shlex(_INNER.sub(_VALUE, command), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words: list[str] = []
    left = iter(lexer)
    for word in left:
        if word in _INTO:
            next(left)
        elif word in _ENDS:
            yield from _program(words)
            words = []
        else:
            words.append(word)
    yield from _program(words)


def _program(words: Sequence[str]) -> Iterator[Typed]:
    if words:
        yield Typed(words[0], tuple(words[1:]))


# --- programs that are not here


def row_of(asked: Typed) -> tuple[str, Mapping[str, Any]] | None:
    """The command of the table that it is, with its row."""
    for command, row in table()[asked.program]["commands"].items():
        names = tuple(command.split())
        if asked.words[: len(names)] == names:
            return command, row
    return None


def not_in_reference(asked: Typed) -> Iterator[str]:
    """What of it the reference does not have."""
    if asked.program not in table():
        return
    found = row_of(asked)
    if found is None:
        yield f"{asked.program} has no command {' '.join(asked.words)}"
        return
    command, row = found
    known = {*row.get("flags", ()), *table()[asked.program]["everywhere"]}
    yield from (f"{asked.program} {command} has no flag {flag}" for flag in asked.flags if flag not in known)
    arguments = asked.words[len(command.split()) :]
    if "words" in row:
        unknown = [word for word in arguments if not word.startswith("-") and word not in row["words"]]
        yield from (f"{asked.program} {command}: {word} is not known" for word in unknown)
    if asked.program == "kubectl" and command in _ASKS and arguments and not arguments[0].startswith("-"):
        yield from (f"there is no kind {each}" for each in _unknown_kinds(arguments[0]))


def _unknown_kinds(names: str) -> list[str]:
    known = {_plural(kind.name.lower()) for kind in kinds.KINDS} | set(table()["kubectl"]["resources"])
    return [name for name in names.split(",") if name.islower() and name not in known]


def _plural(name: str) -> str:
    if name.endswith("s"):
        return f"{name}es"
    return f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"


# --- what is named


def not_here(asked: Typed) -> Iterator[str]:
    """What it names of this repository that is not there."""
    yield from (f"there is no {word}" for word in _values(asked) if _is_ours(word) and not _exists(asked, word))
    if asked.program == "pulumi":
        yield from _wrong_stack(asked)
    if asked.program == "gcloud" and (cluster := asked.value("--cluster")):
        place = asked.value("--location")
        if (cluster, place) not in _clusters():
            yield f"no stack and no given file has a cluster {cluster} in {place}"
    if asked.program == "docker":
        images = [word for word in _values(asked) if ":" in word and "/" in word]
        yield from (f"no stack file names {image}" for image in images if not _is_in_a_stack_file(image))
    if asked.program == "export":
        name = asked.words[0].partition("=")[0]
        if not any(re.search(rf"\b{name}\b", path.read_text(encoding="utf-8")) for path in _machinery()):
            yield f"nothing here reads {name}"


def _values(asked: Typed) -> Iterator[str]:
    """Words that are no flag, and the values of flags."""
    for word in asked.words:
        value = word.partition("=")[2] if word.startswith("-") else word
        if value:
            yield value


def _is_ours(word: str) -> bool:
    """Whether it looks like a path of this repository."""
    plain = word.removeprefix("./").removeprefix("../").removeprefix(_ELSEWHERE)
    top, separator, _ = plain.partition("/")
    is_path = bool(separator) and all(mark not in word for mark in " $:*")
    return is_path and (word != plain or top in top_folders())


def _exists(asked: Typed, word: str) -> bool:
    path = asked.folder / word.removeprefix(_ELSEWHERE)
    return path.exists() or (word == asked.value("-C", "--cwd") and asked.folder.exists())


def _wrong_stack(asked: Typed) -> Iterator[str]:
    if not (asked.folder / "Pulumi.yaml").is_file():
        yield f"{asked.folder} holds no Pulumi project"
    elif asked.folder == ROOT:
        names = [asked.value("--stack", "-s")]
        names += [asked.words[2]] if asked.words[:2] == ("stack", "init") else []
        yield from (f"there is no stack {name}" for name in names if name is not None and name not in committed())


@cache
def _clusters() -> set[tuple[str, str]]:
    platforms = [yaml.safe_load(stack_file(name))["config"][PLATFORM_KEY] for name in committed()]
    given = "\n".join(path.read_text(encoding="utf-8") for path in sorted(_GIVEN.glob("*.json")))
    return {
        *((each["cluster"]["name"], each["cluster"]["location"]) for each in platforms),
        *((cluster, place) for place, cluster in _OF_CLUSTER.findall(given)),
    }


def _is_in_a_stack_file(image: str) -> bool:
    return any(image in stack_file(name) for name in committed())


def _machinery() -> list[Path]:
    return list(tracked("Makefile", ".github/workflows/*.yml"))


def environments() -> list[str]:
    """Those of the workflows."""
    return json.loads((ROOT / ".github/environments.json").read_text(encoding="utf-8"))
