"""A pinned Go module: the Go release that it needs and the version of each module that it requires.

Only two directives are read here; `replace` and `exclude` are left to Go.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_GO = re.compile(r"^go (?P<release>\S+)$", re.MULTILINE)
_REQUIRE_BLOCK = re.compile(r"^require \((?P<body>.*?)^\)", re.MULTILINE | re.DOTALL)
_REQUIRE_LINE = re.compile(r"^(?:require\s+|\s+)(?P<module>[^\s()]+)\s+(?P<version>v\S+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Pin:
    """One `go.mod`."""

    go: str
    """The lowest Go release that builds it, such as `1.26.8`."""
    requires: dict[str, str]
    """Version by module path, direct and indirect."""

    def version_of(self, package: str) -> str:
        """The version of the module that `package` belongs to, such as `v1.34.1`.

        Raises:
            KeyError: no required module holds the package.
        """
        owners = [module for module in self.requires if package == module or package.startswith(f"{module}/")]
        if not owners:
            raise KeyError(package)
        return self.requires[max(owners, key=len)]


@cache
def read_pin(folder: Path) -> Pin:
    """The pin in `folder`/go.mod.

    Raises:
        ValueError: the file has no `go` directive.
    """
    text = (folder / "go.mod").read_text()
    go = _GO.search(text)
    if go is None:
        raise ValueError(f"{folder / 'go.mod'} has no go directive")
    blocks = "".join(block["body"] for block in _REQUIRE_BLOCK.finditer(text))
    single = "\n".join(line for line in text.splitlines() if line.startswith("require ") and not line.endswith("("))
    found = _REQUIRE_LINE.finditer(f"{single}\n{blocks}")
    return Pin(go=go["release"], requires={match["module"]: match["version"] for match in found})
