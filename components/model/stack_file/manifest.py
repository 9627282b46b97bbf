"""A file of Kubernetes objects beside the stack file, with values of the stack in the place of `${...}`.

Values are put into the text before it is read as YAML, so that quotes decide whether `${...}` is a number or text. They
change no line.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, cast

from components.model.findings import did_you_mean, listing
from components.model.plan.workloads import ManifestObject, Problem
from components.model.stack_file.yaml_nodes import PLAIN, YamlTextError, compose_all
from components.model.stack_file.yaml_remedies import remedy_of
from components.model.stack_file.yaml_scalars import resolve_for_kubernetes
from components.model.stack_file.yaml_text import YamlText
from components.model.stack_file.yaml_values import Values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import yaml

    from components.model.places import Key

FILE_LIMIT: Final = 1024 * 1024
"""Bytes of a file. The API server takes an object of 1.5 MiB at most (etcd, --max-request-bytes)."""
_VALUE: Final = re.compile(r"\$(\$?)\{([^}\n]*)\}")
_COMMENT: Final = re.compile(r"\s*#")


class _ProblemError(Exception):
    def __init__(self, line: int, says: str, remedy: str) -> None:
        self.line = line
        self.says = says
        self.remedy = remedy
        super().__init__(says)


def read_objects(
    read_file: Callable[[str], str | None], file: str, values: Mapping[str, str]
) -> tuple[ManifestObject, ...] | Problem:
    """The objects of a file, in order.

    Args:
        read_file: the text of a file by its path from the stack file; None where there is none.
        file: the path.
        values: the texts for `${...}`, by the words in the braces.
    """
    if file.startswith("/") or ".." in file.split("/"):
        return Problem(
            says=f"{file} is not below the folder of the stack file.",
            remedy="Write a path from that folder, such as manifests/ray.yaml.",
        )
    text = read_file(file)
    if text is None:
        return Problem(says=f"there is no file {file}.", remedy="Write its path from the folder of the stack file.")
    if len(text.encode()) > FILE_LIMIT:
        return Problem(says=f"{file} has more than {FILE_LIMIT} bytes.", remedy="Split it into several files.")
    try:
        filled = "".join(_filled(text, values))
        objects = tuple(_objects(file, filled))
    except _ProblemError as error:
        return Problem(says=f"{file}:{error.line}: {error.says}", remedy=error.remedy)
    except YamlTextError as error:
        return Problem(says=f"{file}:{error.line + 1}: {error.problem}.", remedy=remedy_of(error.problem))
    return objects or Problem(says=f"{file} has no object.", remedy="Write at least one, with apiVersion and kind.")


def _filled(text: str, values: Mapping[str, str]) -> Iterator[str]:
    """The lines of the text with values in them."""
    for number, line in enumerate(text.splitlines(keepends=True), start=1):
        yield line if _COMMENT.match(line) else _VALUE.sub(lambda found, at=number: _value(found, at, values), line)


def _value(found: re.Match[str], line: int, values: Mapping[str, str]) -> str:
    is_kept, name = bool(found[1]), found[2]
    if is_kept:
        return found[0][1:]
    if name not in values:
        raise _ProblemError(
            line,
            f"{found[0]} is not a value of the stack.",
            f"{did_you_mean(name, values)}Values: {listing(list(values))}. Write ${found[0]} to leave it to a shell.",
        )
    if "\n" in values[name]:
        raise _ProblemError(line, f"the value of {found[0]} has several lines.", "Use a value of one line.")
    return values[name]


def _objects(file: str, text: str) -> Iterator[ManifestObject]:
    lines = tuple(text.splitlines())
    for root in compose_all(text):
        if root is not None:
            shown = YamlText(file, lines, root)
            document = Values(_scalar, has_standard_tags=True).read(root)
            if document is not None:
                _refuse_others(document, root)
                yield ManifestObject(document=cast("dict[str, Any]", document), line_of=_line_of(shown))


def _scalar(node: yaml.ScalarNode) -> object:
    return resolve_for_kubernetes(node.value) if node.tag == PLAIN else node.value


def _refuse_others(document: object, root: yaml.Node) -> None:
    """Refuses a document that is not an object of Kubernetes with a name."""
    fields: dict[str, object] = cast("dict[str, object]", document) if isinstance(document, dict) else {}
    metadata = fields.get("metadata")
    name = cast("dict[str, object]", metadata).get("name") if isinstance(metadata, dict) else None
    parts = {"apiVersion": fields.get("apiVersion"), "kind": fields.get("kind"), "metadata.name": name}
    missing = [key for key, value in parts.items() if not isinstance(value, str) or not value]
    if missing:
        line = root.start_mark.line + 1
        raise _ProblemError(line, f"the object has no {listing(missing, 'or')}.", "Each document is one object.")


def _line_of(text: YamlText) -> Callable[[Sequence[Key]], int]:
    def line_of(path: Sequence[Key]) -> int:
        span = text.span(path, is_about_key=False)
        return 1 if span is None else span.line + 1

    return line_of
