"""Which values of a platform the stack file has encrypted: those of Secrets must be, and no other value may be.

The engine decrypts them before a program sees them. So a value in clear shows in the file alone; where the values come
from elsewhere, the engine says only whether some value of the platform was encrypted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from components.model.findings import Finding
from components.model.places import Key, Place
from components.model.rules.command import SECRET_RULE
from components.model.stack_file.text import Anything, Value

if TYPE_CHECKING:
    from collections.abc import Iterator

    Path = tuple[Key, ...]

_SOURCE: Final = "components/model/stack_file/encrypted.py"
_SECRETS: Final = "secrets"
_DATA: Final = "data"


def misplaced(written: Value) -> Iterator[Finding]:
    """The faults of the values of a platform as its file has it: in clear, or encrypted for nothing."""
    for path, value in _leaves(written, ()):
        is_encrypted = isinstance(value, Anything) and value.passed is None
        if _is_of_secret(path) and not is_encrypted:
            yield _in_clear(path)
        elif is_encrypted and not _is_of_secret(path):
            yield _finding(
                path,
                "it is encrypted here, but it would be in clear in the state of the stack and in the cluster.",
                "Declare a Secret under secrets, and name it in env: NAME: {secret: ..., key: ...}; or write the value "
                "itself.",
            )


def in_clear(passed: object) -> Iterator[Finding]:
    """The values of Secrets in a platform that did not come from the file, and in which nothing was encrypted."""
    for path, _ in _leaves(cast("Value", passed), ()):
        if _is_of_secret(path):
            yield _in_clear(path)


def _is_of_secret(path: Path) -> bool:
    match path:
        case ("secrets", int(), "data", _):
            return True
        case _:
            return False


def _in_clear(path: Path) -> Finding:
    keys = "".join(f"[{each}]" if isinstance(each, int) else f'["{each}"]' for each in path)
    return _finding(
        path,
        "it is in clear: whoever may read the file has the value.",
        f"Encrypt it: pulumi config set --secret --path 'tpu-platform:platform{keys}', and revoke the value that was "
        "in the file.",
    )


def _finding(path: Path, says: str, remedy: str) -> Finding:
    return Finding(place=Place(path), says=says, remedy=remedy, rule=SECRET_RULE, source=_SOURCE)


def _leaves(value: Value, path: Path) -> Iterator[tuple[Path, Value]]:
    """Every single value with its path."""
    match value:
        case dict():
            for key, inner in value.items():
                yield from _leaves(inner, (*path, key))
        case list():
            for index, inner in enumerate(value):
                yield from _leaves(inner, (*path, index))
        case _:
            yield path, value
