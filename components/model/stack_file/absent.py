"""A stack that has no stack file: most often its name has a typo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.findings import did_you_mean, listing

if TYPE_CHECKING:
    from collections.abc import Iterable

_BEFORE: Final = "Pulumi."
_AFTER: Final = ".yaml"
FILES: Final = f"{_BEFORE}*{_AFTER}"
"""Pattern of the names of stack files."""


def absent(file_name: str, beside: Iterable[str]) -> tuple[str, str]:
    """The file that does not exist, as a clause, and the stacks that do.

    Args:
        file_name: of the stack that was named.
        beside: names of the stack files in the folder.

    >>> absent("Pulumi.devv.yaml", ["Pulumi.dev.yaml", "Pulumi.prod.yaml"])
    ('Pulumi.devv.yaml does not exist', 'Did you mean dev? The stack files beside it are those of dev and prod.')
    >>> absent("Pulumi.dev.yaml", [])
    ('Pulumi.dev.yaml does not exist', 'The folder has no stack file.')
    """
    stacks = sorted(_stack(each) for each in beside)
    others = f"The stack files beside it are those of {listing(stacks)}." if stacks else "The folder has no stack file."
    return f"{file_name} does not exist", f"{did_you_mean(_stack(file_name), stacks)}{others}"


def _stack(file_name: str) -> str:
    return file_name.removeprefix(_BEFORE).removesuffix(_AFTER)
