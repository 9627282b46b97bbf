"""`tpu adopt`: a stack file for a platform that already runs, and the files for its import into Pulumi."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from components.model.findings import Severity, counted
from components.model.project import PROJECT
from policies.lint.files import UnreadableError, read, text_in
from tpu.adopt.importing import PreviewError, exported, filled, parsed, registered, settled
from tpu.adopt.listings import ListingError, listed
from tpu.adopt.stack_file import written

if TYPE_CHECKING:
    from collections.abc import Sequence

_BROKEN: Final = 1
_UNUSABLE: Final = 2


def main(arguments: Sequence[str]) -> int:
    """Do what the command line says and return the exit code.

    It is 2 where the files cannot be used, 1 where the stack file that was written has an error, else 0.
    """
    options = parser().parse_args(arguments)
    try:
        return options.run(options)
    except (ListingError, PreviewError, UnreadableError) as error:
        print(f"adopt: {error}", file=sys.stderr)
        return _UNUSABLE


def _stack(options: argparse.Namespace) -> int:
    listings = listed(read(name) for name in dict.fromkeys(options.files))
    found = written(listings, stack=options.stack, project=options.project, cluster=options.cluster)
    path = Path(options.out) / f"Pulumi.{options.stack}.yaml"
    if path.exists() and not options.force:
        print(f"adopt: {path} already exists; --force overwrites it", file=sys.stderr)
        return _UNUSABLE
    path.write_text(found.text, encoding="utf-8")
    for remark in found.remarks:
        print(f"{str(remark).rstrip()}\n")
    if found.reading.report:
        print(found.reading.report)
    print(f"wrote {path} for the project {found.project}; {counted(len(found.remarks), 'remark')}.")
    return _BROKEN if any(finding.severity is Severity.ERROR for finding, _ in found.reading.findings) else 0


def _import(options: argparse.Namespace) -> int:
    resources = registered(options.preview, text_in(options.preview))
    phase = filled(parsed(options.entries, text_in(options.entries)), resources, options.gcp_project)
    Path(options.out).write_text(f"{json.dumps(phase.document, indent=4)}\n", encoding="utf-8")
    for name in phase.made:
        print(f"{name} exists only in the state: pulumi up creates it")
    print(f"{options.out}: {phase.resources} resources to import, {len(phase.later)} are left for the next phase")
    return 0


def _settle(options: argparse.Namespace) -> int:
    resources = registered(options.preview, text_in(options.preview))
    done = settled(exported(options.state, text_in(options.state)), resources)
    Path(options.out).write_text(f"{json.dumps(done.state, indent=4)}\n", encoding="utf-8")
    for each in done.kept:
        print(f"left as imported: {each}")
    print(f"{options.out}: the inputs of {done.objects} objects now match the program")
    return 0


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="tpu adopt",
        description="Write a stack file for a platform that already runs, and the files for its import into Pulumi.",
        epilog="Example: tpu adopt stack prod listings/*.json. "
        "Exit code 1: the stack file is written, but breaks a rule. 2: the files cannot be used.",
    )
    commands = made.add_subparsers(required=True)
    stack = commands.add_parser("stack", help="write the stack file of the platform that gcloud and kubectl list")
    stack.add_argument("stack", metavar="STACK", help="name of the stack")
    stack.add_argument("files", nargs="+", metavar="FILE", help="JSON that gcloud or kubectl printed, in any order")
    stack.add_argument("--cluster", metavar="NAME", help="name of the cluster, if the listings have several")
    stack.add_argument("--project", metavar="NAME", default=PROJECT, help=f"Pulumi project (default: {PROJECT})")
    folder = "folder for the stack file (default: the current one)"
    stack.add_argument("--out", metavar="FOLDER", default=".", help=folder)
    stack.add_argument("--force", action="store_true", help="overwrite an existing stack file")
    stack.set_defaults(run=_stack)
    known = (
        "write the file for `pulumi import`. You need two rounds: what is in the cluster can be imported only after "
        "the cluster."
    )
    phase = commands.add_parser("import", help=known)
    wrote = "the file that `pulumi preview --import-file` wrote"
    phase.add_argument("--entries", metavar="FILE", required=True, help=wrote)
    phase.add_argument("--gcp-project", metavar="NAME", required=True, help="the Google Cloud project of the resources")
    phase.set_defaults(run=_import)
    foreign = "from the imported state, remove the inputs that the program does not set"
    settle = commands.add_parser("settle", help=foreign)
    settle.add_argument("--state", metavar="FILE", required=True, help="the output of `pulumi stack export`")
    settle.set_defaults(run=_settle)
    preview = "the output of `pulumi preview --json`, run with PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true"
    for each in (phase, settle):
        each.add_argument("--preview", metavar="FILE", required=True, help=preview)
        each.add_argument("--out", metavar="FILE", required=True, help="the file to write")
    return made


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
