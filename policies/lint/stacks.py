"""Stack files of this project's program, read as the program reads them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from components.model.project import KEY, PROJECT
from components.model.stack_file.reading import STACK_FILE_LIMIT, Given, Reading, read
from components.model.stack_file.text import ANYTHING, Anything, StackText
from components.model.stack_file.yaml_nodes import YamlTextError
from components.model.stack_file.yaml_values import refuse_repetition
from policies.lint.files import File, text_of, unreadable
from policies.program import judge

_DECRYPTED: Final = "decrypted"
"""Stands for what only the engine can decrypt."""
_JSON: Final = '{"decrypted": true}'
"""The same for a value of a Secret: JSON, as a Secret that pulls images contains it."""


def given(file: File, project: str | None) -> Given:
    """The input that the program would read; the project is the one named, else the file's neighbour's, else its own.

    Raises:
        YamlTextError: the file is not text, or its aliases add too much.
    """
    text = text_of(file.content)
    stack = _parsed(file.name, text)
    named = project or file.project or _named_in(stack)
    key = f"{named}:{KEY}"
    platform = None if stack is None else stack.value(("config", key if key in stack.keys(("config",)) else KEY))
    gcp = None if stack is None else stack.value(("config", "gcp:project"))
    return Given(
        project=named,
        file_name=file.name,
        file_text=text,
        platform=None if platform is None else json.dumps(platform, default=_of_secret),
        gcp_project=None if gcp is None else _stand_in(gcp),
        read_file=lambda path: (Path(file.name).parent / path).read_bytes(),
        judge=judge,
    )


def reading_of(file: File) -> Reading:
    """What the program makes of a stack file.

    Raises:
        UnreadableError: the file is not text, or its aliases add too much.
    """
    try:
        return read(given(file, None))
    except YamlTextError as error:
        raise unreadable(file.name, error) from error


def _parsed(name: str, text: str) -> StackText | None:
    """None for a file that the program does not read either; it says why.

    Raises:
        YamlTextError: its aliases add too much.
    """
    if len(text.encode()) > STACK_FILE_LIMIT:
        return None
    try:
        stack = StackText.parse(name, text)
    except YamlTextError:
        return None
    if stack.root is not None:
        refuse_repetition(stack.root, *stack.extent)
    return stack


def _stand_in(value: object) -> str:
    if isinstance(value, Anything):
        return _DECRYPTED if value.passed is None else value.passed
    return str(value)


def _of_secret(value: object) -> str:
    return _JSON if value is ANYTHING else _stand_in(value)


def _named_in(stack: StackText | None) -> str:
    """The project in whose namespace the platform stands."""
    keys = () if stack is None else stack.keys(("config",))
    return next((key.rpartition(":")[0] for key in keys if key.endswith(f":{KEY}")), PROJECT)
