"""`tpu lint FILE...`: the rules over manifests, dumps, what gcloud prints, and stack files."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING, Final

from policies.lint.files import STANDARD_INPUT, UnreadableError, gather, read, text_in
from policies.lint.formats import FORMATS
from policies.lint.linting import Options, SeveralClustersError, lint
from policies.lint.placeholders import ValuesError, values_in
from policies.lint.rendering import rendered
from policies.lint.report_options import ReportOptions, add_arguments, report_options_of
from policies.lint.settings import SettingsError, settings_in
from policies.objects.judging import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence


_BROKEN: Final = 1
_UNUSABLE: Final = 2
_INTERRUPTED: Final = 130
"""Exit code of a command that the user interrupted, as a shell gives it."""
_MORE: Final = (
    "Example: tpu lint . checks each folder for itself; tpu lint a.yaml b.yaml checks the two together. "
    "Kustomizations are checked as built, if kustomize or kubectl is installed; one that needs anything from elsewhere "
    "is built with --render only. Templates are left out: check what the tools make of them, with "
    "helm template charts/trainer | tpu lint -, kustomize build overlays/prod | tpu lint -, or --render. "
    "A placeholder such as ${NAME} or <NAME> is an unknown value. A comment `# tpu-lint: ignore=RULE reason` "
    "leaves out a rule at its line or in the block below; .tpu-lint.yaml holds ignores, severities and releases. "
    "Exit code 1: there are errors, or what --fail-on names. 2: a file cannot be read, or the arguments are wrong."
)
"""The end of the help: what no option says."""


def main(arguments: Sequence[str]) -> int:
    """Check the files and return the exit code: 1 for errors (--fail-on), 2 where nothing could be checked."""
    options = parser().parse_args(arguments)
    try:
        settings = Settings() if options.settings is None else settings_in(read(options.settings))
        report = report_options_of(options)
        files = [*rendered([*gather(options.files)], is_asked=options.render)]
        linted = report.applied(lint(files, _options(options, settings, report)), files)
    except (UnreadableError, SettingsError, SeveralClustersError, ValuesError) as error:
        print(f"lint: {error}", file=sys.stderr)
        return _UNUSABLE
    unread = [each for each in files if each.problem]
    for each in unread:
        print(f"lint: {each.name}: {each.problem}", file=sys.stderr)
    if len(unread) < len(files) or not files:
        _write(FORMATS[options.format](linted))
    return _UNUSABLE if unread else _BROKEN if report.fails(linted) else 0


def _options(options: argparse.Namespace, settings: Settings, report: ReportOptions) -> Options:
    """The options of the command line.

    Raises:
        UnreadableError, ValuesError: the values of placeholders cannot be read.
    """
    lines = [] if options.env_file is None else text_in(options.env_file).splitlines()
    values = {**values_in(lines, str(options.env_file)), **values_in(options.set, "--set")}
    return Options(
        settings=settings,
        releases=report.releases,
        project=options.project,
        cluster=options.cluster,
        is_together=options.is_together,
        is_rendered=options.render,
        values=values,
    )


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
        epilog=_MORE,
    )
    made.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help=f"a file, or a folder, without what git ignores; {STANDARD_INPUT} reads standard input",
    )
    how = made.add_mutually_exclusive_group()
    how.add_argument(
        "--together",
        dest="is_together",
        action="store_true",
        default=None,
        help="check all files together (default: if no folder is named)",
    )
    how.add_argument(
        "--apart",
        dest="is_together",
        action="store_false",
        help="check each folder for itself (default: if a folder is named)",
    )
    made.add_argument(
        "--render",
        action="store_true",
        help="run helm, and kustomize everywhere, and check what they make",
    )
    made.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="value of a placeholder")
    made.add_argument("--env-file", metavar="FILE", help="file with values of placeholders, such as .env")
    made.add_argument("--format", choices=tuple(FORMATS), default="text", help="format of the output (default: text)")
    made.add_argument("--settings", metavar="FILE", help="YAML file with the limits of the environment")
    made.add_argument("--project", metavar="P", help="Pulumi project of stack files (default: from Pulumi.yaml)")
    made.add_argument("--cluster", metavar="C", help="name of the cluster to check, if gcloud listed several")
    add_arguments(made)
    return made


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
