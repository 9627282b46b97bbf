"""What a command calls: its head, and whether there is such a thing."""

from __future__ import annotations

import importlib.util
import re
import shlex
from typing import TYPE_CHECKING, Final, NamedTuple

from tests.tracked import ROOT
from tpu.commands import COMMANDS, COMPLETION

if TYPE_CHECKING:
    from collections.abc import Iterator

_GROUPS: Final = ("config", "package", "plugin", "policy", "state", "stack")
"""Commands of pulumi that have commands of their own."""
_TPU_GROUPS: Final = ("adopt", "simulator", "tools")
"""Commands of tpu that have commands of their own."""
_WORD: Final = re.compile(r"[a-z][a-z-]*")
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]+=.*")
_INNER: Final = re.compile(r"\$\(([^()]+)\)")
_TARGET: Final = re.compile(r"^([a-z-]+):", re.MULTILINE)
_FLAG: Final = re.compile(r"--?[a-zA-Z][a-z-]*")
_BIN: Final = ".venv/bin/"
_INSIDE: Final = "tpu simulator exec"
_ELSEWHERE: Final = (["-C"], ["--cwd"])
"""What pulumi is given before its command: the folder of another project."""
TOOLS: Final = ("make", "pulumi", "python", "tpu")
"""Programs whose commands are looked at; what gcloud, kubectl and others take is not known here."""


class Call(NamedTuple):
    """A program and which of its commands: `make up`, `tpu simulator lose`, `pulumi stack init`."""

    head: str
    flags: tuple[str, ...] = ()
    """The flags that it is given, without their values."""


def words_of(command: str) -> list[str]:
    """The words of a command without the variables before it; optional parts lose their brackets."""
    plain = re.sub(r"[\[\]]", "", command.replace("...", "")).replace("|", " ")
    words = shlex.split(plain, comments=True)
    while words and _ASSIGNMENT.fullmatch(words[0]):
        words.pop(0)
    if words:
        words[0] = words[0].removeprefix(_BIN).replace("python3", "python")
    if words[:1] == ["pulumi"] and words[1:2] in _ELSEWHERE:
        del words[1:3]
    return words


def calls(command: str) -> Iterator[Call]:
    """What a command calls; several where one runs another, or takes what another prints."""
    for inner in _INNER.findall(command):
        yield from calls(inner)
    words = words_of(command)
    if not words or words[0] not in TOOLS:
        return
    end = words.index("--") if "--" in words else len(words)
    if head := _head(words[:end]):
        start = 3 if words[0] == "python" else 1
        given = (word.partition("=")[0] for word in words[start:end])
        yield Call(head, tuple(sorted({word for word in given if _FLAG.fullmatch(word)})))
        if head == _INSIDE:
            yield from calls(shlex.join(words[end + 1 :]))


def _head(words: list[str]) -> str:
    match words:
        case ["make", *rest]:
            targets = [word for word in rest if _WORD.fullmatch(word)]
            return f"make {targets[0]}" if targets else ""
        case ["python", "-m", module, *rest]:
            return " ".join(["python -m", module, *_leading(rest, 1)])
        case ["pulumi" | "tpu" as program, group, *rest] if group in (_GROUPS if program == "pulumi" else _TPU_GROUPS):
            return " ".join([program, group, *_leading(rest, 1)])
        case ["pulumi" | "tpu" as program, *rest]:
            named = _leading(rest, 1)
            return f"{program} {named[0]}" if named else ""
        case _:
            return ""


def _leading(words: list[str], count: int) -> list[str]:
    return [word for word in words[:count] if _WORD.fullmatch(word)]


def missing(head: str) -> str:
    """What is wrong with a head as far as files tell, or nothing: no such target, command or module."""
    if head.startswith("make "):
        target = head.removeprefix("make ")
        targets = _TARGET.findall((ROOT / "Makefile").read_text(encoding="utf-8"))
        return "" if target in targets else f"the Makefile has no target {target}"
    if head.startswith("tpu "):
        name = head.split()[1]
        return "" if name in (*COMMANDS, COMPLETION) else f"tpu has no command {name}"
    if head.startswith("python -m "):
        module = head.split()[2]
        return "" if importlib.util.find_spec(module) else f"there is no module {module}"
    return ""
