"""A file of Kubernetes objects beside the stack file, with values of the stack in the place of `${...}`.

The text is read as YAML before values are put in, so that no value changes its structure: in quotes a value is text,
without quotes it is read as YAML. Comments may have any `${...}`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, cast

import yaml

from components.model.findings import did_you_mean, listing
from components.model.plan.workloads import ManifestObject, Problem
from components.model.stack_file.yaml_nodes import PLAIN, YamlTextError, compose_all
from components.model.stack_file.yaml_remedies import remedy_of
from components.model.stack_file.yaml_scalars import resolve_for_kubernetes
from components.model.stack_file.yaml_text import YamlText
from components.model.stack_file.yaml_values import Values, refuse_repetition

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from components.model.places import Key

FILE_LIMIT: Final = 1024 * 1024
"""Bytes of a file. The API server takes an object of 1.5 MiB at most (etcd, --max-request-bytes)."""
_VALUE: Final = re.compile(r"\$(\$?)\{([^}\n]*)\}")
_MARK: Final = "\ue000{}\ue001"
"""In the place of a value while the text is read: a word of characters that mean nothing in YAML."""
_MARKS: Final = re.compile("\ue000([0-9]+)\ue001")


class _ProblemError(Exception):
    """Why the file cannot be used; the line is counted from 1, and None where the whole file is meant."""

    def __init__(self, line: int | None, says: str, remedy: str) -> None:
        self.line = line
        self.says = says
        self.remedy = remedy
        super().__init__(says)


def read_objects(
    read_file: Callable[[str], bytes], file: str, values: Mapping[str, str]
) -> tuple[ManifestObject, ...] | Problem:
    """The objects of a file, in order.

    Args:
        read_file: the content of a file by its path from the stack file; it raises OSError or ValueError as Python's
            own functions do.
        file: the path.
        values: the texts for `${...}`, by the words in the braces.
    """
    try:
        objects = tuple(_objects(file, _Filling(_text(read_file, file), values)))
    except _ProblemError as error:
        at = "" if error.line is None else f"{file}:{error.line}: "
        return Problem(says=f"{at}{error.says}", remedy=error.remedy)
    except YamlTextError as error:
        return Problem(says=f"{file}:{error.line + 1}: {error.problem}.", remedy=remedy_of(error.problem))
    return objects or Problem(says=f"{file} has no object.", remedy="Write at least one, with apiVersion and kind.")


def _text(read_file: Callable[[str], bytes], file: str) -> str:
    """The text of the file.

    Raises:
        _ProblemError: there is none that can be used.
    """
    if file.startswith("/") or ".." in file.split("/"):
        raise _ProblemError(
            None,
            f"{file} is not below the folder of the stack file.",
            "Write a path from that folder, such as manifests/ray.yaml.",
        )
    try:
        content = read_file(file)
        if len(content) > FILE_LIMIT:
            raise _ProblemError(None, f"{file} has more than {FILE_LIMIT} bytes.", "Split it into several files.")
        return content.decode("utf-8-sig")
    except FileNotFoundError as error:
        remedy = "Write its path from the folder of the stack file."
        raise _ProblemError(None, f"there is no file {file}.", remedy) from error
    except UnicodeDecodeError as error:
        raise _ProblemError(None, f"{file} is not UTF-8.", "Save it as UTF-8.") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise _ProblemError(None, f"{file} cannot be read: {reason}.", "Name a file that can be read.") from error


class _Filling:
    """The text of a file with marks in the place of `${...}`, and the values for them."""

    def __init__(self, text: str, values: Mapping[str, str]) -> None:
        """Marks the text.

        Raises:
            _ProblemError: it has the character with which a mark begins.
        """
        self._values = values
        before, mark, _ = text.partition(_MARK[0])
        if mark:
            raise _ProblemError(before.count("\n") + 1, "it has the character U+E000.", "Remove it.")
        self._found: list[tuple[int, re.Match[str]]] = []
        """The line of each mark, from 1, and the stretch of the text in whose place it is."""
        self.text = "".join(
            _VALUE.sub(lambda found, at=number: self._marked(found, at), line)
            for number, line in enumerate(text.splitlines(keepends=True), start=1)
        )

    def _marked(self, found: re.Match[str], line: int) -> str:
        self._found.append((line, found))
        return _MARK.format(len(self._found) - 1)

    def fill(self, node: yaml.Node, seen: set[int]) -> None:
        """Put values into a node and all that it holds.

        Raises:
            _ProblemError: one is not a value of the stack.
        """
        if id(node) in seen:
            return
        seen.add(id(node))
        if isinstance(node, yaml.ScalarNode):
            node.value = _MARKS.sub(lambda mark: self._value(int(mark[1])), node.value)
        elif isinstance(node, yaml.SequenceNode):
            for each in node.value:
                self.fill(each, seen)
        elif isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                self.fill(key, seen)
                self.fill(value, seen)

    def _value(self, number: int) -> str:
        line, found = self._found[number]
        is_kept, name = bool(found[1]), found[2]
        if is_kept:
            return found[0][1:]
        if name not in self._values:
            raise _ProblemError(line, f"{found[0]} is not a value of the stack.", self._remedy(name, found[0]))
        return self._values[name]

    def _remedy(self, name: str, written: str) -> str:
        key, dot, _ = name.partition(".")
        if dot and key in ("flavor", "values") and not any(each.startswith(f"{key}.") for each in self._values):
            return f"State {key} of the workload."
        known = f"{did_you_mean(name, self._values)}Values: {listing(list(self._values))}."
        return known if dot else f"{known} Write ${written} to leave it to a shell."


def _objects(file: str, filling: _Filling) -> Iterator[ManifestObject]:
    lines = tuple(filling.text.splitlines())
    for root in compose_all(filling.text):
        if root is None:
            continue
        filling.fill(root, set())
        values = Values(_scalar, has_standard_tags=True)
        document = values.read(root)
        refuse_repetition(root, values.written, values.meant)
        if document is not None:
            _refuse_others(document, root)
            shown = YamlText(file, lines, root)
            yield ManifestObject(document=cast("dict[str, Any]", document), line_of=_line_of(shown))


def _scalar(node: yaml.ScalarNode) -> object:
    return resolve_for_kubernetes(node.value) if node.tag == PLAIN else node.value


def _refuse_others(document: object, root: yaml.Node) -> None:
    """Refuses a document that is not an object of Kubernetes with a name."""
    fields: dict[str, object] = cast("dict[str, object]", document) if isinstance(document, dict) else {}
    stated = fields.get("metadata")
    metadata: dict[str, object] = cast("dict[str, object]", stated) if isinstance(stated, dict) else {}
    line = root.start_mark.line + 1
    if "items" in fields and str(fields.get("kind")).endswith("List"):
        raise _ProblemError(line, "it is a list of objects.", "Write its items as documents, with --- between them.")
    if "name" not in metadata and "generateName" in metadata:
        raise _ProblemError(line, "generateName makes another object at each update.", "Write name instead.")
    parts = {"apiVersion": fields.get("apiVersion"), "kind": fields.get("kind"), "metadata.name": metadata.get("name")}
    for key, value in parts.items():
        if value is not None and not isinstance(value, str):
            raise _ProblemError(line, f"{key} is not text.", "Put it in quotes.")
    missing = [key for key, value in parts.items() if not value]
    if missing:
        raise _ProblemError(line, f"the object has no {listing(missing, 'or')}.", "Each document is one object.")


def _line_of(text: YamlText) -> Callable[[Sequence[Key]], int]:
    def line_of(path: Sequence[Key]) -> int:
        span = text.span(path, is_about_key=False)
        return 1 if span is None else span.line + 1

    return line_of
