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
from tests.harness import ROOT, Done

if TYPE_CHECKING:
    from pathlib import Path

    from tests.harness import Simulator

_WATCH: Final = ["python", "-m", "watch"]
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


def test_every_command_has_the_flags_that_it_is_given(simulator: Simulator) -> None:
    wrong: list[str] = []
    for head, flags in sorted(_flags_by_head().items()):
        told = _help(simulator, shlex.split(head))
        known = set(re.findall(r"(?<![\w-])--?[a-zA-Z][a-z-]*", told.text))
        wrong += [f"{head}: {told.text}"] if told.code else [flags[flag] for flag in flags if flag not in known]
    assert wrong == []
