"""The documents whose commands need no control plane, walked through; and the flags of commands in all of them."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections import defaultdict
from typing import TYPE_CHECKING, Final

import pytest

from tests.docs.blocks import CLOUD, COMMANDS, blocks, documents, spans
from tests.docs.covering import cheap_documents
from tests.docs.heads import calls
from tests.docs.walk import walk_through
from tests.harness import Done
from tests.tracked import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.harness import Simulator

_WATCH: Final = ["python", "-m", "operations.watch"]
"""Tells the timeline, as no command is named."""


@pytest.mark.parametrize("document", cheap_documents())
def test_what_the_document_says_can_be_done(document: str, tmp_path: Path) -> None:
    walk_through(document, tmp_path)


def _flags_by_head() -> dict[str, dict[str, str]]:
    """Where each flag is first spoken of, by what takes it; commands without flags are there too."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for document in documents():
        marked = [block for block in blocks(document) if block.language in (COMMANDS, CLOUD)]
        spoken = [*(command for block in marked for command in block.commands), *spans(document)]
        for call in (call for command in spoken for call in calls(command)):
            if not call.head.startswith("make "):
                found[call.head].update({flag: f"{document}: {call.head} {flag}" for flag in call.flags})
    return found


def _help(simulator: Simulator, words: list[str]) -> Done:
    """What a command tells of itself; pulumi is the simulator's, python is this one."""
    if words == _WATCH:
        words = [*words, "timeline"]
    if words[0] == "pulumi":
        return simulator.run("exec", "--", *words, "--help", code=None)
    command = [sys.executable, *words[1:], "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    return Done(done.returncode, done.stdout, done.stderr)


def _is_of(head: str, text: str) -> bool:
    """Whether pulumi's help is that of the command: of one that a group does not have, it tells the group's."""
    usage, aliases = (re.search(rf"^{word}:\n  (.*)$", text, re.MULTILINE) for word in ("Usage", "Aliases"))
    assert usage is not None, text
    names = [] if aliases is None else aliases[1].split(", ")
    return f"{usage[1]} ".startswith(f"{head} ") or head.rpartition(" ")[2] in names


def _wrong(simulator: Simulator, head: str, flags: dict[str, str]) -> list[str]:
    """What a command says of itself, if it is none; else where it is given flags that it does not have."""
    told = _help(simulator, shlex.split(head))
    if told.code or (head.startswith("pulumi ") and not _is_of(head, told.out)):
        return [f"{head}: {told.text}"]
    known = set(re.findall(r"(?<![\w-])--?[a-zA-Z][a-z-]*", told.text))
    return [where for flag, where in flags.items() if flag not in known]


def test_every_command_has_the_flags_that_it_is_given(simulator: Simulator) -> None:
    found = sorted(_flags_by_head().items())
    assert [mistake for head, flags in found for mistake in _wrong(simulator, head, flags)] == []


@pytest.mark.parametrize("head", ["pulumi lunch", "pulumi stack lunch"])
def test_a_command_that_pulumi_does_not_have_is_found(simulator: Simulator, head: str) -> None:
    assert _wrong(simulator, head, {}) != []


def test_a_flag_that_pulumi_does_not_have_is_found(simulator: Simulator) -> None:
    assert _wrong(simulator, "pulumi preview", {"--lunch": "a.md"}) == ["a.md"]
