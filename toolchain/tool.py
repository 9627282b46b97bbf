"""What can be said of a tool: what it is built from, what lies beside it, and which installed ones can replace it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Final

from toolchain.pins import Pin, read_pin

TOOLCHAIN: Final = Path(__file__).parent


class ToolchainError(Exception):
    """A tool is not available; the text says why and what to do."""


class Accept(Enum):
    """Which releases of an installed tool can replace the pinned one."""

    NONE = "only the one built here"
    SAME_MINOR = "the same minor release"
    SAME_MAJOR = "the same major release, not older than the pin"


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
    """Folder below `toolchain/modules`."""
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
    ahead: tuple[str, ...] = ()
    """Packages that take long and need few modules: Go compiles them while it downloads the others."""
    unused: tuple[str, ...] = ()
    """Packages of features that nothing here uses: Go compiles them without optimisation, a fifth faster."""
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
