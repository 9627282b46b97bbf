"""The engine's stream of a preview: what happens to each resource, what the policies found, how it ended.

components/model/facts/engine.py says what the stream is. A preview that fails ends in one too; what the engine printed
beside the events is kept, as it may be all that it said.
"""

from __future__ import annotations

import sys
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, cast

from msgspec import Struct, field

from components.model.facts import engine
from components.model.stack_file.yaml_nodes import YamlTextError
from policies.lint import files
from policies.names import rule_and_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path


_FAILED: Final = ("preview failed", "update failed")
"""The engine's words about a failure whose reason it has already given."""
_BROKEN_OFF: Final = "The preview ended before the engine summed it up."


class UnreadableError(Exception):
    """A file that the engine does not print; the text says which line and why."""


class Op(Enum):
    """The operations on a resource."""

    CREATE = "create"
    UPDATE = "update"
    REPLACE = "replace"
    DELETE = "delete"
    SAME = "same"


_OPS: Final = {
    "create": Op.CREATE,
    "import": Op.CREATE,
    "update": Op.UPDATE,
    "replace": Op.REPLACE,
    "create-replacement": Op.REPLACE,
    "delete-replaced": Op.REPLACE,
    "import-replacement": Op.REPLACE,
    "read-replacement": Op.REPLACE,
    "discard-replaced": Op.REPLACE,
    "delete": Op.DELETE,
    "discard": Op.DELETE,
    "remove-pending-replace": Op.DELETE,
    "same": Op.SAME,
    "read": Op.SAME,
    "refresh": Op.SAME,
}
_WORST: Final = (Op.REPLACE, Op.DELETE, Op.CREATE, Op.UPDATE, Op.SAME)
"""The order of several steps on one resource: the first of these counts."""


class State(Struct, frozen=True, kw_only=True):
    """A resource as it is, or would be: its inputs, which are what somebody wrote."""

    inputs: Mapping[str, Any]
    is_protected: bool
    is_retained: bool = False
    """Whether the engine leaves it where it is when it goes from the state."""


class Step(Struct, kw_only=True):
    """The step of one resource."""

    urn: str
    type: str
    op: Op
    before: State | None = None
    """None for one that is not there yet."""
    after: State | None = None
    """None for one that goes."""
    changed: set[str] = field(default_factory=set[str])
    """Paths of properties."""
    forcing: set[str] = field(default_factory=set[str])
    """Those for which it is replaced."""
    is_component: bool = False
    """Whether it only groups others."""

    @property
    def ends(self) -> bool:
        """Whether what there is goes, whatever takes its place."""
        return self.op in (Op.REPLACE, Op.DELETE) and not (self.before is not None and self.before.is_retained)

    @property
    def name(self) -> str:
        """The last part of its URN."""
        return engine.name_of(self.urn)


class Violation(Struct, frozen=True, order=True):
    """A policy's finding about a resource."""

    level: str
    """`mandatory`, `advisory` or `remediate`."""
    severity: str
    policy: str
    """Its name; the rule's id where one policy reports for several rules."""
    urn: str
    """Empty for one of no resource."""
    text: str
    """The policy's sentence and, in a line of its own, what is wrong here and what would be right."""


class Preview(Struct, kw_only=True):
    """Everything in a stream."""

    steps: dict[str, Step] = field(default_factory=dict[str, Step])
    violations: list[Violation] = field(default_factory=list[Violation])
    remedied: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Policies that put a resource right by themselves, with its URN."""
    errors: list[str] = field(default_factory=list[str])
    """The errors that stopped it, except those of policies."""
    warnings: list[str] = field(default_factory=list[str])
    """The warnings of the program, a provider or the engine."""
    beside: list[str] = field(default_factory=list[str])
    """Lines that are not events."""
    result: str | None = None
    """As the engine sums it up; None where the stream ends before that."""

    @property
    def passes(self) -> bool:
        """Whether an update would begin."""
        return self.result == engine.SUCCEEDED and not self.errors and not self.broken

    @property
    def is_whole(self) -> bool:
        """Whether the program was followed to its end, so that what it would make is all there."""
        return self.result is not None and not self.errors

    @property
    def broken(self) -> list[Violation]:
        """Violations that stop the update."""
        return [each for each in self.violations if each.level == "mandatory"]

    @property
    def stack(self) -> str:
        """Name of the stack, by the URNs; empty where there is none."""
        return next((urn.split("::")[0].removeprefix("urn:pulumi:") for urn in sorted(self.steps)), "")

    def of(self, *ops: Op) -> list[Step]:
        """The steps of some kinds, by URN."""
        return [step for _, step in sorted(self.steps.items()) if step.op in ops]


def read_events(lines: Iterable[str]) -> Preview:
    """The preview that a stream reports.

    Raises:
        UnreadableError: an event has another form than the engine's.
    """
    return _read(lines, engine.DECLARED_EVENT)


def read_refresh(lines: Iterable[str]) -> Preview:
    """The findings of a refresh, of the stream of `pulumi refresh --preview-only --json`, with the same variable set.

    A step tells how a resource came to differ: before is what is declared, after what is there, None where it is gone.
    The engine does not count properties that the program tells it to ignore.

    Raises:
        UnreadableError: an event has another form than the engine's.
    """
    return _read(lines, engine.FOUND_EVENT)


def _read(lines: Iterable[str], telling: str) -> Preview:
    preview = Preview()
    for number, line in enumerate(lines, 1):
        if not line.lstrip().startswith("{"):
            preview.beside.extend(filter(None, [line.strip()]))
            continue
        try:
            _take(preview, cast("dict[str, Any]", engine.read(line)), telling)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise UnreadableError(f"line {number} is not an event of the engine: {error!r}") from error
    preview.violations = sorted(set(preview.violations))
    preview.remedied = sorted(set(preview.remedied))
    preview.errors = list(dict.fromkeys(preview.errors))
    preview.warnings = list(dict.fromkeys(preview.warnings))
    if preview.result is None and not preview.errors:
        preview.errors = [*preview.beside] if preview.beside else [_BROKEN_OFF]
    return preview


def _take(preview: Preview, event: Mapping[str, Any], telling: str) -> None:
    if telling in event:
        _take_step(preview, event[telling]["metadata"])
    elif "policyEvent" in event:
        preview.violations.append(_violation(event["policyEvent"]))
    elif "policyRemediationEvent" in event:
        preview.remedied.append(
            (event["policyRemediationEvent"]["policyName"], event["policyRemediationEvent"]["resourceUrn"])
        )
    elif "diagnosticEvent" in event:
        _take_diagnostic(preview, event["diagnosticEvent"])
    elif engine.SUMMARY_EVENT in event:
        preview.result = event[engine.SUMMARY_EVENT]["result"]


def _take_step(preview: Preview, told: Mapping[str, Any]) -> None:
    urn, op = told["urn"], _op(told["op"])
    step = preview.steps.setdefault(urn, Step(urn=urn, type=told["type"], op=op))
    step.op = min(step.op, op, key=_WORST.index)
    step.is_component = not any(each is not None and each.get("custom") for each in (told["old"], told["new"]))
    if told["old"] is not None and step.before is None and op is not Op.CREATE:
        step.before = _state(told["old"])
    if told["new"] is not None and op is not Op.DELETE and told["op"] != "delete-replaced":
        step.after = _state(told["new"])
    detailed: Mapping[str, Any] = _stated(told, "detailedDiff", {})
    step.changed.update(detailed or _stated(told, "diffs", ()))
    forcing = [path for path, each in detailed.items() if each["diffKind"].endswith("-replace")]
    step.forcing.update(forcing or _stated(told, "keys", ()))


def _stated(told: Mapping[str, Any], key: str, otherwise: Any) -> Any:  # noqa: ANN401  any part of an event
    """The value of a key in an event; it leaves a key out, or gives null, where there is nothing to say."""
    found = told.get(key)
    return otherwise if found is None else found


def _op(name: str) -> Op:
    if name not in _OPS:
        raise KeyError(f"no step is called {name}")
    return _OPS[name]


def _state(told: Mapping[str, Any]) -> State:
    stated: Mapping[str, Any] = _stated(told, "inputs", {})
    inputs = {key: _shown(each) for key, each in stated.items()}
    return State(inputs=inputs, is_protected=bool(told.get("protect")), is_retained=bool(told.get("retainOnDelete")))


def _shown(value: Any) -> Any:  # noqa: ANN401  any property
    """A property without its secrets: nobody may see them, so they are as unknown as what is not known yet."""
    if isinstance(value, dict):
        inside = cast("dict[str, Any]", value)
        return (
            engine.UNKNOWN_TEXT
            if engine.SIGNATURE_KEY in inside
            else {key: _shown(each) for key, each in inside.items()}
        )
    if isinstance(value, list):
        return [_shown(each) for each in cast("list[Any]", value)]
    return engine.UNKNOWN_TEXT if value == engine.HIDDEN else value


def _violation(event: Mapping[str, Any]) -> Violation:
    policy, text = rule_and_text(event.get("policyPackName", ""), event["policyName"], event["message"].strip())
    return Violation(
        level=event["enforcementLevel"],
        severity=event.get("severity", ""),
        policy=policy,
        urn=event.get("resourceUrn", ""),
        text=text,
    )


def _take_diagnostic(preview: Preview, event: Mapping[str, Any]) -> None:
    text = event["message"].strip()
    if event["severity"] == "error" and text not in _FAILED:
        preview.errors.append(text)
    elif event["severity"] == "warning" and text:
        preview.warnings.append(text)


def read_state(text: str) -> dict[str, Step]:
    """The resources of an exported state by URN, as steps that change nothing.

    Raises:
        UnreadableError: it is not an exported state.
    """
    try:
        exported = cast("dict[str, Any]", engine.read(text))
        if exported["version"] != engine.STATE_VERSION:
            raise UnreadableError(
                f"the state has version {exported['version']}; only {engine.STATE_VERSION} can be read"
            )
        return {each["urn"]: _kept(each) for each in _stated(exported["deployment"], "resources", ())}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UnreadableError(f"this is not a state as `pulumi stack export` prints it: {error!r}") from error


def _kept(resource: Mapping[str, Any]) -> Step:
    state = _state(resource)
    return Step(urn=resource["urn"], type=resource["type"], op=Op.SAME, before=state, after=state)


def text_in(file: Path) -> str:
    """The text of a file of any size, or of standard input for `-`.

    Raises:
        OSError: the file cannot be read.
        UnreadableError: it is not UTF-8.
    """
    content = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    try:
        return files.decoded(content)
    except YamlTextError as error:
        raise UnreadableError(str(files.unreadable(str(file), error))) from error
