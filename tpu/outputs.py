"""`tpu outputs [NAME]`: the outputs of a platform's stack, for people and for programs."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any, Final, cast

from tpu.connect import NoClusterError, stack_outputs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_FAILED: Final = 1


def main(words: Sequence[str]) -> int:
    """Print the outputs and return the exit code: 1 where there are none to print."""
    options = parser().parse_args(words)
    try:
        outputs = stack_outputs(options.stack)
    except NoClusterError as error:
        print(f"outputs: {error}", file=sys.stderr)
        return _FAILED
    if options.name is None:
        found: object = outputs
    elif options.name in outputs:
        found = outputs[options.name]
    else:
        there = ", ".join(outputs) or "none"
        print(f"outputs: stack {options.stack} has no output named {options.name}; it has {there}", file=sys.stderr)
        return _FAILED
    print(json.dumps(found, indent=2) if options.format == "json" else "\n".join(_text(found)))
    return 0


def _text(found: object) -> Iterator[str]:
    """A line for each value with its path; a value that stands alone is printed as it is."""
    rows = list(_rows("", found))
    if not isinstance(found, (dict, list)):
        yield str(found).rstrip("\n")
        return
    width = max((len(path) for path, _ in rows), default=0)
    yield from (f"{path:<{width}}  {value}" for path, value in rows)


def _rows(path: str, value: object) -> Iterator[tuple[str, str]]:
    """Each value below a path with its own path, such as `queues[0].name`."""
    match value:
        case dict():
            for key, each in cast("dict[str, Any]", value).items():
                yield from _rows(f"{path}.{key}" if path else key, each)
        case list():
            for index, each in enumerate(cast("list[Any]", value)):
                yield from _rows(f"{path}[{index}]", each)
        case str() if "\n" in value:
            yield path, f"({len(value.splitlines())} lines: tpu outputs {path})"
        case _:
            yield path, str(value)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="tpu outputs",
        description="Print the outputs of a stack. docs/outputs.md describes them.",
        epilog="Example: tpu outputs queues --stack dev --format json. Exit code 1: there is no such stack or output.",
    )
    which = "the stack (default: dev); if it is in the simulator, put `tpu simulator exec --` in front of the command"
    made.add_argument("name", nargs="?", metavar="NAME", help="one output (default: all of them)")
    made.add_argument("--stack", default="dev", help=which)
    form = "format of the output (default: text)"
    made.add_argument("--format", choices=("text", "json"), default="text", help=form)
    return made


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
