"""`tpu lint FILE...`: the rules over manifests, dumps, what gcloud prints, and stack files."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from typing import TYPE_CHECKING, Final

from components.model.findings import Severity
from policies.lint.files import STANDARD_INPUT, UnreadableError, read
from policies.lint.formats import FORMATS
from policies.lint.linting import Options, SeveralClustersError, lint
from policies.lint.settings import SettingsError, settings_in
from policies.objects.judging import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

_BROKEN: Final = 1
_UNUSABLE: Final = 2
_INTERRUPTED: Final = 130
"""Exit code of a command that the user interrupted, as a shell gives it."""


def main(arguments: Sequence[str]) -> int:
    """Check the files and return the exit code: 1 where there is an error, 2 where nothing could be checked."""
    options = parser().parse_args(arguments)
    gc.disable()  # nothing is freed before the end, and looking for it takes as long as the reading
    try:
        settings = Settings() if options.settings is None else settings_in(read(options.settings))
        linted = lint(
            [read(name) for name in dict.fromkeys(options.files)],
            Options(settings=settings, project=options.project, cluster=options.cluster),
        )
    except (UnreadableError, SettingsError, SeveralClustersError) as error:
        print(f"lint: {error}", file=sys.stderr)
        return _UNUSABLE
    _write(FORMATS[options.format](linted))
    gc.freeze()  # the interpreter looks once more when it ends
    return _BROKEN if any(each.severity is Severity.ERROR for each in linted.findings) else 0


def _write(text: str) -> None:
    """Print the verdict to whatever reads it; that may stop reading."""
    data = f"{text}\n".encode(errors="backslashreplace") if text else b""
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="tpu lint",
        description="Check Kubernetes YAML, dumps of kubectl, JSON of gcloud and stack files against the platform's "
        "rules.",
        epilog="Example: tpu lint k8s/*.yaml. All files are checked together. "
        "Exit code 1: there are errors. 2: a file cannot be read, or the arguments are wrong.",
    )
    made.add_argument("files", nargs="+", metavar="FILE", help=f"a file; {STANDARD_INPUT} reads standard input")
    made.add_argument("--format", choices=tuple(FORMATS), default="text", help="format of the output (default: text)")
    made.add_argument("--settings", metavar="FILE", help="YAML file with the limits of the environment")
    made.add_argument("--project", metavar="P", help="Pulumi project of stack files (default: from Pulumi.yaml)")
    made.add_argument("--cluster", metavar="C", help="name of the cluster to check, if gcloud listed several")
    return made


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
