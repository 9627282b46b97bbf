"""Stack files of this project's program: found by their name or content, and read as the program reads them."""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from components.lint.documents import refuse_repetition
from components.lint.files import is_stack_name, text_of
from components.model.reading import STACK_FILE_LIMIT, Given
from components.model.stack_text import ANYTHING, StackText
from components.model.yaml_nodes import YamlTextError

if TYPE_CHECKING:
    from components.lint.documents import Document
    from components.lint.files import File

_PLATFORM: Final = "platform"
_PROJECT: Final = "tpu-platform"
_DECRYPTED: Final = "decrypted"
"""Stands for what only the engine can decrypt."""


def is_stack(file: File, documents: list[Document]) -> bool:
    """Whether a file is a stack file, by its name or by a platform in its configuration."""
    if is_stack_name(PurePath(file.name).name):
        return True
    return len(documents) == 1 and any(_is_platform(key) for key in documents[0].text.keys(("config",)))


def _is_platform(key: str) -> bool:
    return key == _PLATFORM or key.endswith(f":{_PLATFORM}")


def given(file: File, project: str | None) -> Given:
    """What the program would have to read; the project is the one named, else the file's neighbour's, else its own.

    Raises:
        YamlTextError: the file is no text, or its aliases add too much.
    """
    text = text_of(file.content)
    stack = _parsed(file.name, text)
    named = project or file.project or _named_in(stack)
    key = f"{named}:{_PLATFORM}"
    platform = None if stack is None else stack.value(("config", key if key in stack.keys(("config",)) else _PLATFORM))
    gcp = None if stack is None else stack.value(("config", "gcp:project"))
    return Given(
        project=named,
        file_name=file.name,
        file_text=text,
        platform=None if platform is None else json.dumps(platform, default=_stand_in),
        gcp_project=None if gcp is None else str(_DECRYPTED if gcp is ANYTHING else gcp),
    )


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
    return _DECRYPTED if value is ANYTHING else str(value)


def _named_in(stack: StackText | None) -> str:
    """The project in whose namespace the platform stands."""
    keys = () if stack is None else stack.keys(("config",))
    return next((key.rpartition(":")[0] for key in keys if key.endswith(f":{_PLATFORM}")), _PROJECT)
