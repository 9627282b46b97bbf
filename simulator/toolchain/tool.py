"""A tool: what it is built from, what lies beside it, and which installed ones can replace it.

A pinned Go module says the Go release that it needs and the version of each module that it requires. Only these two
directives are read here; `replace` and `exclude` are left to Go.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Final

TOOLCHAIN: Final = Path(__file__).parent
_GO: Final = re.compile(r"^go (?P<release>\S+)$", re.MULTILINE)
_REQUIRE_BLOCK: Final = re.compile(r"^require \((?P<body>.*?)^\)", re.MULTILINE | re.DOTALL)
_REQUIRE_LINE: Final = re.compile(r"^(?:require\s+|\s+)(?P<module>[^\s()]+)\s+(?P<version>v\S+)", re.MULTILINE)


class ToolchainError(Exception):
    """A tool is not available; the text says why and what to do."""


class Accept(Enum):
    """Which releases of an installed tool can replace the pinned one."""

    NONE = "only the one built here"
    SAME_MINOR = "the same minor release"
    SAME_MAJOR = "the same major release, not older than the pin"


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleFile:
    """A file or a folder of a pinned Go module that is copied beside the binary."""

    module: str
    path: str
    target: str
    """Where it goes below the tool's folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One command, or files that come with one."""

    name: str
    module: str
    """Folder below `simulator/toolchain/modules`."""
    package: str
    """The Go package of the command, or the module of the files."""
    sources: str = ""
    """The folder of a command of this project, below its module's; empty without one."""
    also: tuple[str, ...] = ()
    """Packages of more commands of the module, which lie beside this one under their own names."""
    release_of: str = ""
    """The package whose release a command of this project has; empty for its own."""
    is_for_up: bool = True
    """Whether `make up` needs it; others are built on demand."""
    is_by_name: bool = False
    """Whether only a command that names it builds it: `--all` leaves it out."""
    older_of: str = ""
    """The tool that this is an older release of, for tests of an upgrade; empty for the current release."""
    is_command: bool = True
    """False for files that are only taken out of a pinned module: nothing is compiled, there are artefacts alone."""
    stamps: tuple[tuple[str, str], ...] = ()
    """Go variables set by the linker; `{version}`, `{major}` and `{minor}` are filled in."""
    stamps_of: str = ""
    """The package whose release is filled in; empty for the tool's own."""
    artefacts: tuple[ModuleFile, ...] = ()
    accept: Accept = Accept.NONE
    version_arguments: tuple[str, ...] = ()
    """The arguments with which an installed one prints its version."""
    beside: tuple[str, ...] = ()
    """Programs that must lie in the same folder as an installed one."""
    together: tuple[str, ...] = ()
    """Tools that are used as installed together, or not at all."""

    @property
    def folder(self) -> Path:
        """The folder of its pin."""
        return TOOLCHAIN / "modules" / self.module

    @property
    def packages(self) -> list[str]:
        """The Go packages of its commands."""
        return [self.package, *self.also]

    @property
    def pin(self) -> Pin:
        """Its go.mod."""
        return read_pin(self.folder)

    @property
    def modules_of_artefacts(self) -> list[str]:
        """The modules that artefacts are taken out of, each once."""
        return list(dict.fromkeys(each.module for each in self.artefacts))

    @property
    def version(self) -> str:
        """The pinned release, such as `v1.36.4`."""
        return self.pin.version_of(self.release_of or self.package)

    @property
    def source_files(self) -> list[Path]:
        """The files of a command of this project, by name."""
        return sorted((self.folder / self.sources).glob("*.go")) if self.sources else []

    @property
    def ldflags(self) -> str:
        """The linker's flags: no symbol tables, and the version stamps."""
        release = self.pin.version_of(self.stamps_of) if self.stamps_of else self.version
        major, minor, *_ = release.removeprefix("v").split(".")
        stamps = [f"-X {name}={value}" for name, value in self.stamps]
        return " ".join(["-s -w", *stamps]).format(version=release, major=major, minor=minor)
