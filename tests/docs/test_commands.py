"""Every command of every document is marked as one, exists, and is run by a test."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Final

import pytest

from tests.docs.blocks import (
    CLOUD,
    COMMANDS,
    LANGUAGES,
    NOTES,
    OUTPUT,
    ROOT,
    blocks,
    blocks_of,
    documents,
    spans,
    spans_of,
    text_of,
    unread,
)
from tests.docs.covering import (
    cheap_documents,
    elsewhere,
    is_defined,
    not_compared,
    not_run,
    outputs,
    printed,
    speaks_of,
    walked,
)
from tests.docs.heads import calls, missing, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.docs.blocks import Block

_OTHER_SHELLS: Final = ("bash", "console", "shell", "shell-session", "zsh")
_BY_CLOUD: Final = ("docker", "gcloud", "gsutil", "helm", "kubectl", "pulumi")
"""Programs that act on a real cloud or cluster when nothing else is said."""
_TYPED: Final = re.compile(
    r"\$ |(?:[A-Z_]+=\S+ )*(?:make|python3?|tpu|uvx?|pip|pulumi|git|cd|cp|export|curl|docker|gcloud|helm|kubectl"
    r"|\.venv/bin/\w+|\. \S+/activate)(?: |$)"
)


def _all_blocks() -> Iterator[Block]:
    for document in documents():
        yield from blocks(document)


def typed_lines(block: Block) -> list[str]:
    """Lines of a block that is not one of commands which somebody would type."""
    if block.language in (COMMANDS, CLOUD) or (block.language not in (OUTPUT, *_OTHER_SHELLS)):
        return []
    return [line for line in block.text.splitlines() if _TYPED.match(line)]


def test_commands_stand_in_blocks_of_commands() -> None:
    assert [f"{block.where}: {line}" for block in _all_blocks() for line in typed_lines(block)] == []


def test_prompts_and_other_names_for_shells_are_not_used() -> None:
    shells = [block.where for block in _all_blocks() if block.language in _OTHER_SHELLS]
    prompts = [block.where for block in _all_blocks() for each in block.commands if each.startswith("$ ")]
    assert (shells, prompts) == ([], [])


def test_every_block_is_of_a_language_that_a_test_looks_at() -> None:
    assert [f"{each.where}: {each.language}" for each in _all_blocks() if each.language not in LANGUAGES] == []
    assert [f"{document}: {each}" for document in documents() for each in unread(text_of(document))] == []


def test_notes_are_known_and_stand_above_blocks_that_they_are_for() -> None:
    wrong = [
        f"{block.where}: {note}: {value}"
        for block in _all_blocks()
        for note, value in block.notes.items()
        if note not in NOTES
        or block.language != NOTES[note][0]
        or (NOTES[note][1].startswith("`") and f"`{value}`" not in NOTES[note][1])
    ]
    assert wrong == []


def test_what_needs_the_cloud_is_marked_so() -> None:
    wrong = [
        f"{block.where}: {command}"
        for block in _all_blocks()
        if block.language == COMMANDS
        for command in block.commands
        if words_of(command)[0] in _BY_CLOUD
    ]
    assert wrong == [], "in a block `sh cloud`, or inside the simulator: tpu simulator exec -- ..."


def test_every_command_is_run_by_a_walk_or_by_another_test_or_it_is_said_why_not() -> None:
    known = elsewhere().keys() | not_run().keys()
    missed: list[str] = []
    for document in documents():
        run = {(block.where, command) for block, mine in walked(document) for command in mine}
        for block in blocks(document):
            if block.language == COMMANDS or "also in" in block.notes:
                wanted = block.commands if block.language == CLOUD else [c for c in block.commands if c not in known]
                missed += [f"{block.where}: {each}" for each in wanted if (block.where, each) not in run]
    assert missed == []


def test_what_is_shown_is_compared_or_it_is_said_why_not() -> None:
    shown = {document: len(outputs(document)) - len(printed(document)) for document in documents()}
    assert {document: count for document, count in shown.items() if count} == dict.fromkeys(not_compared(), 1)


# --- what is called


def _called(document: str) -> Iterator[str]:
    """The heads of all commands of a document, those in its prose among them."""
    marked = [block for block in blocks(document) if block.language in (COMMANDS, CLOUD)]
    for command in [*(each for block in marked for each in block.commands), *spans(document)]:
        yield from (call.head for call in calls(command))


def test_every_target_and_module_is_there() -> None:
    wrong = {f"{document}: {missing(head)}" for document in documents() for head in _called(document) if missing(head)}
    assert sorted(wrong) == []


def test_every_command_in_prose_is_one_that_a_test_runs() -> None:
    """As what it calls: a document tells of `make explain JOB=name`, and a test explains a job that there is."""
    run = [*elsewhere(), *(each for document in documents() for _, mine in walked(document) for each in mine)]
    heads = {call.head for command in [*run, *not_run()] for call in calls(command)}
    spoken = {(document, call.head) for document in documents() for span in spans(document) for call in calls(span)}
    assert sorted(f"{document}: {head}" for document, head in spoken if head not in heads) == []


# --- the table of commands that other tests run


def test_a_command_of_the_table_is_in_a_document() -> None:
    marked = {command for block in _all_blocks() for command in block.commands}
    spoken = {call.head for document in documents() for span in spans(document) for call in calls(span)}
    assert [command for command in (*elsewhere(), *not_run()) if command not in marked | spoken] == []
    assert sorted(elsewhere().keys() & not_run().keys()) == []


def test_make_knows_what_to_do_for_targets_that_are_not_run() -> None:
    targets = [command.removeprefix("make ") for command in not_run() if command.startswith("make ")]
    command = [shutil.which("make") or "make", "--dry-run", *targets]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr


def test_the_test_that_runs_it_is_there_and_speaks_of_it() -> None:
    wrong = [test for test in elsewhere().values() if not is_defined(test)]
    silent = [
        f"{test}: {call.head}"
        for command, test in elsewhere().items()
        for call in calls(command)
        for word in (call.head.split()[-1], *values_of(command))
        if not speaks_of(test, word)
    ]
    assert (wrong, silent) == ([], [])


def values_of(command: str) -> list[str]:
    """What a command gives the variables of make: `make up STACK=dev` speaks of dev."""
    return [value for _, mark, value in (word.partition("=") for word in command.split()) if mark and value]


def test_documents_that_are_walked_without_a_control_plane_have_commands() -> None:
    assert [document for document in cheap_documents() if not walked(document)] == []


# --- the reading itself


def test_a_block_is_read_with_its_notes_and_what_follows_it() -> None:
    text = "Do:\n\n<!-- exit: 1 -->\n```sh\nmake up \\\n  STACK=dev   # comes up\n# nothing\n```\n\n```\nup\n```\nand\n"
    first, second = blocks_of("a.md", text)
    assert (first.line, first.language, dict(first.notes), first.follows) == (4, "sh", {"exit": "1"}, False)
    assert first.commands == ["make up STACK=dev"]
    assert (second.line, second.language, dict(second.notes), second.follows) == (10, "", {}, True)


def test_a_block_in_a_list_is_read_without_its_indentation() -> None:
    (block,) = blocks_of("a.md", "1. do\n\n   ```sh cloud\n   pulumi up\n   ```\n")
    assert (block.language, block.commands) == ("sh cloud", ["pulumi up"])


def test_a_block_that_does_not_end_is_an_error() -> None:
    with pytest.raises(AssertionError, match=r"a\.md:1: the block does not end"):
        list(blocks_of("a.md", "```sh\nmake up\n"))


@pytest.mark.parametrize(
    "text",
    [
        "~~~sh\nmake up\n~~~\n",
        "````sh\nmake up\n````\n",
        "> ```sh\n> make up\n> ```\n",
        "<pre>\nmake up\n</pre>\n",
        "<!--also in: the simulator-->\n```sh cloud\npulumi up\n```\n",
        "<!-- Exit: 1 -->\n\n```sh\nmake up\n```\n",
    ],
)
def test_what_only_looks_like_a_block_or_a_note_is_seen(text: str) -> None:
    assert next(unread(text)) == text.splitlines()[0]


def test_blocks_notes_and_other_comments_are_read() -> None:
    text = "<!-- made by hand -->\n| a |\n\n<!-- exit: 1 -->\n```sh\nmake up\n```\n<!-- end -->\n"
    assert list(unread(text)) == []


def test_spans_are_found_in_prose_alone() -> None:
    assert list(spans_of("Say `make\nup`.\n\n```\n`not this`\n```\n| `a \\| b` |")) == ["make up", "a | b"]


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("```\n$ ls\n```", True),
        ("```\nmake up\n```", True),
        ("```console\n.venv/bin/pytest tests\n```", True),
        ("```\nmakes a pool\n```", False),
        ("```yaml\nmake: 1\n```", False),
        ("```\nSTACK=dev make up\n```", True),
        ("```sh\nmake up\n```", False),
    ],
)
def test_what_somebody_would_type_is_seen(text: str, *, is_found: bool) -> None:
    (block,) = blocks_of("a.md", text)
    assert bool(typed_lines(block)) is is_found


@pytest.mark.parametrize(
    ("command", "heads"),
    [
        ("make up STACK=dev", [("make up", ())]),
        (
            "A=b .venv/bin/python -m payloads.fraud_detection generate --to=x",
            [("python -m payloads.fraud_detection generate", ("--to",))],
        ),
        (".venv/bin/tpu lint FILE... [--format text|json]", [("tpu lint", ("--format",))]),
        ("tpu simulator lose NAME", [("tpu simulator lose", ())]),
        ("tpu COMMAND --help", []),
        ("pulumi stack init dev", [("pulumi stack init", ())]),
        ("pulumi -C bootstrap stack init state", [("pulumi stack init", ())]),
        ("pulumi stack --stack NAME", [("pulumi stack", ("--stack",))]),
        (
            "tpu simulator exec --speed 1 -- pulumi up --yes",
            [("tpu simulator exec", ("--speed",)), ("pulumi up", ("--yes",))],
        ),
        ('gh variable set X --body "$(pulumi stack output X --json)"', [("pulumi stack output", ("--json",))]),
        ("kubectl get pods", []),
        ("make", []),
    ],
)
def test_what_a_command_calls(command: str, heads: list[tuple[str, tuple[str, ...]]]) -> None:
    assert [(call.head, call.flags) for call in calls(command)] == heads


def test_what_is_not_there_is_told() -> None:
    assert missing("make lunch") == "the Makefile has no target lunch"
    assert missing("tpu lunch") == "tpu has no command lunch"
    assert missing("python -m lunch") == "there is no module lunch"
    assert not is_defined("tests/docs/test_commands.py::test_lunch")
    assert not speaks_of("tests/docs/test_shown.py::test_anything", "lunch")
