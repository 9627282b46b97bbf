"""The table of single changes with what the official providers made of each, and a provider that is asked about one."""

from __future__ import annotations

import copy
import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.providers.base import Checked, Difference, Request
    from simulator.providers.values import Properties

_FOLDER: Final = Path(__file__).parent
_STEP: Final = re.compile(r'\.?([A-Za-z][\w-]*)|\["([^"]*)"\]|\[(\d+)\]')
_REFUSED: Final = "refused"
_SEED: Final = b"seed"


class Decider(Protocol):
    """What the table asks of a provider: a stand-in itself, or a plugin behind the wire."""

    def check(self, request: Request) -> Checked:
        """As `StandIn.check`."""
        ...

    def diff(self, request: Request) -> Difference:
        """As `StandIn.diff`."""
        ...


@dataclass(frozen=True)
class Row:
    """One change and the official decision."""

    type: str
    name: str
    property: str
    how: str
    value: Any
    decision: str

    def __str__(self) -> str:
        """The change as a failure names it."""
        return f"{self.type} {self.name}: {self.how} {self.property}"

    def changed(self, inputs: Properties) -> Properties:
        """Inputs after the change."""
        new = copy.deepcopy(inputs)
        if self.how != "same":
            _change(new, self.property, self.value, is_removed=self.how == "remove")
        return new


def _change(inputs: Any, path: str, value: Any, *, is_removed: bool) -> None:  # noqa: ANN401  any JSON
    """Set the property at a path, or remove it."""
    *parents, last = [key or quoted or int(index) for key, quoted, index in _STEP.findall(path)]
    for step in parents:
        if step == parents[-1] and isinstance(step, str):
            inputs.setdefault(step, {})
        inputs = inputs[step]
    if is_removed:
        del inputs[last]
    else:
        inputs[last] = value


def rows() -> Iterator[Row]:
    """The changes of the table."""
    resource = ("", "")
    for line in (_FOLDER / "decisions.tsv").read_text(encoding="utf-8").splitlines():
        match line.split("\t"):
            case [type_, name]:
                resource = (type_, name)
            case [path, how, value, decision]:
                yield Row(*resource, path, how, json.loads(value), decision)
            case _:
                assert line.startswith("#"), line


def resources() -> Iterator[tuple[str, str, Properties]]:
    """The resources that are changed, in the order in which they are made: type, name, and what a program declares."""
    made: dict[tuple[str, str], Properties] = {}
    for each in yaml.safe_load((_FOLDER / "resources.yaml").read_text(encoding="utf-8")):
        type_, name = each["type"], each["name"]
        made[type_, name] = inputs = copy.deepcopy(made[type_, each["like"]]) if "like" in each else each["inputs"]
        for path, value in each.get("changes", {}).items():
            _change(inputs, path, value, is_removed=value is None)
        yield type_, name, inputs


@dataclass
class Made:
    """A resource that exists."""

    provider: Decider
    target: Request
    declared: Properties
    inputs: Properties
    outputs: Properties

    def by(self, provider: Decider) -> Made:
        """The same resource before another provider, which has checked its inputs itself."""
        return replace(
            self, provider=provider, inputs=provider.check(replace(self.target, new=self.declared, seed=_SEED)).inputs
        )

    def decision(self, row: Row) -> tuple[str, list[str]]:
        """What the provider makes of the change, and with which words it refuses it."""
        checked = self.provider.check(replace(self.target, old=self.inputs, new=row.changed(self.declared), seed=_SEED))
        if checked.failures:
            return _REFUSED, [failure.reason for failure in checked.failures]
        difference = self.provider.diff(
            replace(self.target, id="id", old=self.inputs, outputs=self.outputs, new=checked.inputs)
        )
        return _in_a_word(difference), []


def _in_a_word(difference: Difference) -> str:
    if not any(change.replaces for change in difference.changes.values()):
        return "update" if difference.changes else "none"
    return "replace(dbr)" if difference.delete_before_replace else "replace"


def not_modelled(row: Row, words: list[str]) -> Iterator[str]:
    """What a stand-in that refuses with `words` says that the simulator does not model."""
    for reason in words:
        named = re.search(r'has (property "[^"]+") that|has (the value "[^"]+" of "[^"]+"), which', reason)
        if named is not None and "the simulator does not model. It refuses rather than ignores" in reason:
            yield f"{row.type.rpartition(':')[2]} {row.name}: {named[1] or named[2]}"
