"""The documents whose commands need no control plane, walked through; and the flags of commands in all of them."""

from __future__ import annotations

import io
import re
import runpy
import shlex
import subprocess
import sys
from collections import defaultdict
from contextlib import redirect_stdout
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from simulator.toolchain.provision import locate
from tests.docs.blocks import CLOUD, COMMANDS, blocks, documents, spans
from tests.docs.covering import cheap_documents
from tests.docs.heads import calls
from tests.docs.walk import walk_through
from tests.harness import Done

if TYPE_CHECKING:
    from pathlib import Path


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


def _help(words: list[str], home: Path) -> Done:
    """What a command says of itself. Those of Python run in this process: to start each would take most of the time."""
    if words[0] == "pulumi":
        command = [str(locate(("pulumi",)).binary("pulumi")), *words[1:], "--help"]
        variables = {"HOME": str(home), "PULUMI_HOME": str(home), "PULUMI_SKIP_UPDATE_CHECK": "true"}
        done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=60, check=False)
        return Done(done.returncode, done.stdout, done.stderr)
    name, *rest = words if words[0] == "tpu" else words[2:]
    module = find_spec(f"{name}.__main__")
    assert module is not None, words
    assert module.origin is not None, words
    said = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(said):
        patch.setattr(sys, "argv", [name, *rest, "--help"])
        with pytest.raises(SystemExit) as ended:
            runpy.run_path(module.origin, run_name="__main__")
    return Done(int(ended.value.code or 0), said.getvalue(), "")


def _is_of(head: str, text: str) -> bool:
    """Whether pulumi's help is that of the command: of one that a group does not have, it tells the group's."""
    usage, aliases = (re.search(rf"^{word}:\n  (.*)$", text, re.MULTILINE) for word in ("Usage", "Aliases"))
    assert usage is not None, text
    names = [] if aliases is None else aliases[1].split(", ")
    return f"{usage[1]} ".startswith(f"{head} ") or head.rpartition(" ")[2] in names


def _wrong(head: str, flags: dict[str, str], home: Path) -> list[str]:
    """What a command says of itself, if it is none; else where it is given flags that it does not have."""
    told = _help(shlex.split(head), home)
    if told.code or (head.startswith("pulumi ") and not _is_of(head, told.out)):
        return [f"{head}: {told.text}"]
    known = set(re.findall(r"(?<![\w-])--?[a-zA-Z][a-z-]*", told.text))
    return [where for flag, where in flags.items() if flag not in known]


# One process runs every command here, so that `tpu` finds the modules of some imported.
@pytest.mark.filterwarnings("ignore:.* found in sys.modules after import of package:RuntimeWarning")
def test_every_command_has_the_flags_that_it_is_given(tmp_path: Path) -> None:
    found = sorted(_flags_by_head().items())
    assert [mistake for head, flags in found for mistake in _wrong(head, flags, tmp_path)] == []


@pytest.mark.parametrize("head", ["pulumi lunch", "pulumi stack lunch"])
def test_a_command_that_pulumi_does_not_have_is_found(tmp_path: Path, head: str) -> None:
    assert _wrong(head, {}, tmp_path) != []


def test_a_flag_that_pulumi_does_not_have_is_found(tmp_path: Path) -> None:
    assert _wrong("pulumi preview", {"--lunch": "a.md"}, tmp_path) == ["a.md"]
