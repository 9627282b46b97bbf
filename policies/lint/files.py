"""Bytes of a file that nobody vouches for, as text; or what keeps them from being text."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

import yaml

from components.model.stack_file.text import StackText
from components.model.stack_file.yaml_nodes import YamlTextError

FILE_LIMIT: Final = 16 * 1024 * 1024
"""Bytes of a file; a dump of a cluster with a thousand jobs has about five million."""
STANDARD_INPUT: Final = "-"
_STACK_NAME = re.compile(r"Pulumi\.[^/]+\.ya?ml")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_ESCAPE = re.compile(r"\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|.)", re.DOTALL)


class UnreadableError(Exception):
    """The system does not hand the file out."""


@dataclass(frozen=True, slots=True)
class File:
    """What was read."""

    name: str
    """As the user named it."""
    content: bytes
    """One byte more than the limit at most."""
    project: str = ""
    """Name of the Pulumi project beside it; empty where there is none."""


def read(name: str) -> File:
    """The file of that name, or standard input.

    Raises:
        UnreadableError: there is none, or it may not be read.
    """
    try:
        if name == STANDARD_INPUT:
            return File("stdin", _some(sys.stdin.buffer))
        with Path(name).open("rb") as stream:
            return File(name, _some(stream), _project_beside(Path(name)))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UnreadableError(f"{name}: {reason}") from error


def _project_beside(path: Path) -> str:
    """The project that a stack file at `path` belongs to; empty for all other files."""
    project = path.with_name("Pulumi.yaml")
    if not is_stack_name(path.name) or not project.is_file():
        return ""
    with project.open("rb") as stream:
        return project_in(_some(stream))


def is_stack_name(name: str) -> bool:
    """Whether Pulumi takes a file of this name for the configuration of a stack."""
    return _STACK_NAME.fullmatch(name) is not None


def project_in(content: bytes) -> str:
    """The name of the project whose `Pulumi.yaml` has this content; empty where it says none."""
    try:
        node = StackText.parse("Pulumi.yaml", text_of(content)).node(("name",))
    except YamlTextError:
        return ""
    return str(node.value) if isinstance(node, yaml.ScalarNode) else ""


def _some(stream: BinaryIO) -> bytes:
    return stream.read(FILE_LIMIT + 1)


def text_of(content: bytes) -> str:
    r"""The text, without a byte order mark; a JSON escape of two halves (`\ud83d\ude00`) is the character it means.

    Raises:
        YamlTextError: it is too large, or not UTF-8.
    """
    if len(content) > FILE_LIMIT:
        raise YamlTextError(f"it has more than {FILE_LIMIT} bytes", 0, 0)
    if content.startswith(_UTF16):
        raise YamlTextError("it is UTF-16, and must be UTF-8", 0, 0)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8-sig").split("\n")
        raise YamlTextError(
            f"byte 0x{content[error.start]:02x} is not UTF-8", len(before) - 1, len(before[-1])
        ) from error
    return _ESCAPE.sub(_joined, text) if text.lstrip()[:1] in ("{", "[") and "\\u" in text else text


def _joined(escape: re.Match[str]) -> str:
    high, low = escape.groups()
    if high is None:
        return escape.group()
    return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
