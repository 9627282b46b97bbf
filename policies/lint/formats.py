"""A verdict for people, for programs, for code scanning (SARIF 2.1.0) and for the log of a GitHub workflow.

For people it ends with the findings by rule, what to do next, and a line that counts: a terminal shows the end first.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from components.model.facts import kinds
from components.model.findings import Finding, Severity, counted, listing
from components.model.stack_file.report import Sighting, counts, entry
from policies.lint.findings import RULES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from policies.lint.linting import Doubt, Linted, Shown

_SARIF_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_NAME: Final = "tpu-platform lint"
_SARIF_LEVELS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.ADVICE: "note"}
_COMMANDS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.ADVICE: "notice"}
"""Commands of GitHub workflows."""
_NAMED: Final = 4
"""The rules that a line names of those that could not be decided for one reason; the JSON has all."""


def as_text(linted: Linted) -> str:
    """Each finding with its line and a caret, what could not be checked, and a line that counts."""
    remarks = [*(doubted(each) for each in linted.doubts), *linted.notes]
    blocks = [entry(each.finding, each.sighting) for each in most_important_first(linted.shown)]
    ends = ["\n".join(each) for each in (remarks, [*by_rule(linted), *next_steps(linted)]) if each]
    return "\n\n".join([*blocks, *ends, summary(linted)])


def doubted(doubt: Doubt) -> str:
    """Rules that could not be decided, in one line."""
    where = "" if doubt.sighting is None else f"{doubt.sighting.where}: {doubt.sighting.path} "
    more = len(doubt.rules) - _NAMED
    named = ", ".join(doubt.rules if more <= 1 else doubt.rules[:_NAMED])
    rest = f" and {more} more" if more > 1 else ""
    return f"{counted(len(doubt.rules), 'rule')} not checked ({where}{doubt.reason}): {named}{rest}"


def as_json(linted: Linted) -> str:
    """One object; lines and columns are counted from 1 and left out where there are none."""
    return _dumped(
        {
            "findings": [
                {
                    "rule": each.finding.rule,
                    "severity": each.finding.severity.value,
                    **_position(each.sighting),
                    "object": each.label,
                    "path": each.sighting.path.removeprefix(each.label).removeprefix(": "),
                    "says": each.finding.says,
                    "remedy": each.finding.remedy,
                    "source": each.finding.source,
                }
                for each in linted.shown
            ],
            "notChecked": [
                {
                    "rules": list(each.rules),
                    "reason": each.reason,
                    **({} if each.sighting is None else _position(each.sighting)),
                }
                for each in linted.doubts
            ],
            "notes": list(linted.notes),
            "leftOut": {kind: list(linted.left_out[kind]) for kind in sorted(linted.left_out)},
            "errors": sum(each.severity is Severity.ERROR for each in linted.findings),
            "warnings": sum(each.severity is Severity.WARNING for each in linted.findings),
            "advice": sum(each.severity is Severity.ADVICE for each in linted.findings),
            "hidden": linted.hidden,
            "objects": linted.objects,
            "skipped": linted.skipped,
        }
    )


def _position(sighting: Sighting) -> dict[str, Any]:
    span = sighting.span
    if span is None:
        return {"file": sighting.name}
    return {"file": sighting.name, "line": span.line + 1, "column": span.start + 1, "endColumn": span.end + 1}


def as_sarif(linted: Linted) -> str:
    """A log of one run; columns are counted in characters."""
    ids = sorted({finding.rule for finding in linted.findings})
    remarks = [*(doubted(each) for each in linted.doubts), *linted.notes]
    run = {
        "tool": {"driver": {"name": _NAME, "rules": [_sarif_rule(rule_id) for rule_id in ids]}},
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": True,
                "toolExecutionNotifications": [{"level": "note", "message": {"text": each}} for each in remarks],
            }
        ],
        "results": [_sarif_result(each, ids.index(each.finding.rule)) for each in linted.shown],
    }
    return _dumped({"$schema": _SARIF_SCHEMA, "version": "2.1.0", "runs": [run]})


def _sarif_rule(rule_id: str) -> dict[str, Any]:
    about = RULES.get(rule_id)
    if about is None:
        return {"id": rule_id}
    return {
        "id": rule_id,
        "shortDescription": {"text": about.summary},
        "fullDescription": {"text": about.why},
        "help": {"text": f"{about.why} Source: {about.source}"},
    }


def _sarif_result(shown: Shown, index: int) -> dict[str, Any]:
    finding, sighting = shown.finding, shown.sighting
    physical: dict[str, Any] = {"artifactLocation": {"uri": quote(sighting.name, errors="replace")}}
    if sighting.span is not None:
        span = sighting.span
        physical["region"] = {"startLine": span.line + 1, "startColumn": span.start + 1, "endColumn": span.end + 1}
    location = {"physicalLocation": physical, "logicalLocations": [{"fullyQualifiedName": sighting.path}]}
    return {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": _SARIF_LEVELS[finding.severity],
        "message": {"text": _message(finding, sighting)},
        "locations": [location] if sighting.name else [],
    }


def _message(finding: Finding, sighting: Sighting) -> str:
    return ": ".join(part for part in (sighting.path, f"{finding.says} {finding.remedy}") if part)


def as_github(linted: Linted) -> str:
    """A workflow command per finding, which GitHub shows at the line; what could not be checked is a notice."""
    return "\n".join(_commands(linted))


def _commands(linted: Linted) -> Iterator[str]:
    for each in linted.shown:
        finding, position = each.finding, _position(each.sighting)
        known = {"line": position.get("line"), "col": position.get("column"), "endColumn": position.get("endColumn")}
        properties = {"file": each.sighting.name, **known, "title": finding.rule}
        stated = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items() if value)
        yield f"::{_COMMANDS[finding.severity]} {stated}::{_data(_message(finding, each.sighting))}"
    for remarks in (*(doubted(each) for each in linted.doubts), *linted.notes):
        yield f"::notice::{_data(remarks)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _dumped(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=2)


FORMATS: Final[dict[str, Callable[[Linted], str]]] = {
    "text": as_text,
    "json": as_json,
    "sarif": as_sarif,
    "github": as_github,
}


_FEW: Final = 10
"""Findings that one reads without a summary."""
_SOME: Final = 3
"""Findings that one corrects without asking how to accept them."""
_ERRORS_ALONE: Final = "--severity error shows errors alone."
_ACCEPT: Final = "--ignore RULE:PATH leaves out what you accept. --write-baseline FILE accepts what is there today."
_LISTINGS: Final = {
    kinds.NODE_POOL.section: "gcloud container node-pools list --cluster CLUSTER --format=json > pools.json",
    kinds.CLUSTER.section: "gcloud container clusters list --format=json > clusters.json",
}
"""Commands that list what files seldom have, by the kind that is missing."""


def most_important_first(shown: Sequence[Shown]) -> list[Shown]:
    """Errors before warnings before advice; within each, the order of the files."""
    order = list(Severity)
    return sorted(shown, key=lambda each: order.index(each.finding.severity))


def by_rule(linted: Linted) -> list[str]:
    """Lines that count the findings of each rule; none for few findings."""
    if len(linted.shown) <= _FEW:
        return []
    order, times = list(Severity), Counter((each.severity, each.rule) for each in linted.findings)
    ranked = sorted(times.items(), key=lambda item: (order.index(item[0][0]), -item[1], item[0][1]))
    lines = [f"  {counted(number, severity.noun):>12}  {rule}" for (severity, rule), number in ranked]
    return ["By rule:", *lines]


def next_steps(linted: Linted) -> list[str]:
    """Advice on what to do next, in lines; none where everything was checked and little was found."""
    steps = list(_steps(linted))
    return [f"Next: {steps[0]}", *(f"      {each}" for each in steps[1:])] if steps else []


def _steps(linted: Linted) -> Iterator[str]:
    if linted.elsewhere:
        yield f"--together checks all folders as one platform, with the {listing(linted.elsewhere)} of other folders."
    lacking = {kind for each in linted.doubts for kind in each.lacks}
    missing = [kind for kind in _LISTINGS if kind in lacking and kind not in linted.elsewhere]
    if missing:
        commands = "; ".join(_LISTINGS[each] for each in missing)
        yield f"to check against {listing(missing)}, name the listing too: {commands}"
    if len(linted.shown) > _SOME:
        is_mixed = len({each.severity for each in linted.findings}) > 1
        yield f"{_ERRORS_ALONE} {_ACCEPT}" if is_mixed else _ACCEPT


def summary(linted: Linted) -> str:
    """The line that counts."""
    files = counted(linted.files, "file")
    if not (linted.objects or linted.skipped or linted.shown or linted.hidden):
        return f"nothing to check: no objects in {files}."
    found = counts(linted.findings) if linted.shown else "nothing else found" if linted.hidden else "nothing found"
    whole = counted(linted.objects + linted.skipped, "object")
    return f"{found}; {f'{linted.objects} of ' if linted.skipped else ''}{whole} checked in {files}."
