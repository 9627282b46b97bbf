"""From what the engine passed and what the stack file says to a plan, or to everything that is wrong, at once.

The engine checks first: it refuses text that is not YAML, duplicate keys and a platform that is not a mapping. It drops
what it does not know, such as a misspelt namespace or top-level key; this module finds that in the file.
Where the file is not where the values came from, it is left aside and messages show paths without positions.
"""

from __future__ import annotations

import json
import re
from functools import partial
from typing import TYPE_CHECKING, Final

import yaml
from msgspec import Struct
from pydantic import ValidationError

from components.model.config import Platform
from components.model.findings import Finding, Severity, did_you_mean, listing
from components.model.places import Key, Place, Root
from components.model.planning import make_plan
from components.model.project import ADOPTING, KEY
from components.model.rules import check
from components.model.stack_file.absent import absent
from components.model.stack_file.encrypted import in_clear, misplaced
from components.model.stack_file.manifest import read_objects
from components.model.stack_file.report import Report, Sighting
from components.model.stack_file.shapes import shape_findings
from components.model.stack_file.text import StackText
from components.model.stack_file.yaml_nodes import PLAIN, YamlTextError
from components.model.stack_file.yaml_remedies import remedy_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from components.model.plan import Plan
    from components.model.stack_file.shapes import Written

STACK_FILE_LIMIT: Final = 100 * 1024
"""Bytes of a stack file. The engine hands the configuration over in one environment string, which the kernel limits to
128 KiB, and the values grow on the way when they are quoted."""
SECTIONS: Final = ("config", "encryptedkey", "encryptionsalt", "environment", "secretsprovider")
"""Top-level keys of a stack file (Pulumi 3.250, workspace.ProjectStack)."""
PROVIDERS: Final = ("gcp", "pulumi")
"""Namespaces of the configuration that somebody else reads."""
PROJECT_ID: Final = r"(?:[a-z0-9][-a-z0-9]*(?:\.[a-z0-9][-a-z0-9]*)+:)?[a-z][-a-z0-9]{4,28}[a-z0-9]"
"""Pattern of the id of a project of Google Cloud, which may be of a domain: example.com:my-project (Artifact Registry
documentation, "Domain-scoped projects", read 2026-11)."""
_RULE: Final = "stack-file"
_FILE: Final = Place(root=Root.FILE)
_CONFIG: Final = "config"


def no_file(path: str) -> bytes:
    """Finds no file.

    Raises:
        FileNotFoundError: always.
    """
    raise FileNotFoundError(path)


class Given(Struct, frozen=True, kw_only=True):
    """The texts and values that the program reads."""

    project: str
    """Name of the Pulumi project, which is the platform's namespace."""
    file_name: str
    file_text: str | None
    """None where no stack file lies beside the program."""
    platform: str | None
    """The platform as the engine passed it, in JSON; None where it passed none."""
    gcp_project: str | None
    beside: tuple[str, ...] = ()
    """Names of the stack files in the program's folder."""
    before: Mapping[str, object] | None = None
    """The stack's outputs of the update before this one; None where there was none."""
    has_secrets: bool = False
    """Whether the engine decrypted a value of the platform."""
    read_file: Callable[[str], bytes] = no_file
    """The content of a file by its path from the stack file; it raises OSError or ValueError as Python's own do."""
    judge: Callable[[Plan], Iterable[Finding]] = lambda _plan: ()
    """Finds what is wrong with the objects of a sound plan that the user wrote."""


class Reading(Struct, frozen=True, kw_only=True):
    """A plan, or none if there is an error."""

    plan: Plan | None
    declared: Plan | None
    """The plan as the file has it, whatever rules it breaks: to be shown, never to be built. None where the file has
    not even the shape of one."""
    report: str
    """All findings but advice as text; empty where there are none."""
    findings: tuple[tuple[Finding, Sighting], ...]
    """All but advice, each with where it is shown, in the order of the file."""
    advice: tuple[tuple[Finding, Sighting], ...]
    """In the same form."""


def read(given: Given) -> Reading:
    """The plan of a stack, checked by every rule."""
    text, findings = _text(given)
    plan: Plan | None = None
    if not findings:
        if text is not None and not _is_source(text, given):
            text = None
        findings = [] if text is None else _unknown_keys(text, given)
        is_misspelt = bool(findings)
        findings += _of_encryption(text, given)
        plan, of_platform = _planned(given, _written(text, given), is_misspelt=is_misspelt)
        findings += of_platform
        if plan is not None and not _is_refused(findings):
            findings += given.judge(plan)
    report = Report(platform_key=_platform_key(given, text), text=text)
    shown = [each for each in findings if each.severity is not Severity.ADVICE]
    sighted = [(each, report.sighting(each)) for each in sorted(findings, key=report.order)]
    return Reading(
        plan=None if _is_refused(findings) else plan,
        declared=plan,
        report=report.render(shown) if shown else "",
        findings=tuple(each for each in sighted if each[0].severity is not Severity.ADVICE),
        advice=tuple(each for each in sighted if each[0].severity is Severity.ADVICE),
    )


def _is_refused(findings: Iterable[Finding]) -> bool:
    return any(finding.severity is Severity.ERROR for finding in findings)


def report_of(given: Given, findings: Sequence[Finding]) -> str:
    """The report of findings about a stack file that `read` has a plan of."""
    text, _ = _text(given)
    if text is not None and not _is_source(text, given):
        text = None
    return Report(platform_key=_platform_key(given, text), text=text).render(findings)


def _text(given: Given) -> tuple[StackText | None, list[Finding]]:
    """The stack file's text, and why it cannot be read if it cannot."""
    if given.file_text is None:
        return None, []
    size = len(given.file_text.encode())
    if size > STACK_FILE_LIMIT:
        unread = StackText.unread(given.file_name, given.file_text)
        return unread, [
            _finding(
                _FILE,
                f"the file has {size} bytes; a stack file may have {STACK_FILE_LIMIT} at most.",
                "The engine passes all of it in one string. Use counts instead of lists: slices: 64 makes 64 pools.",
            )
        ]
    try:
        text = StackText.parse(given.file_name, given.file_text)
    except YamlTextError as error:
        unread = StackText.unread(given.file_name, given.file_text, error)
        return unread, [_finding(_FILE, f"{error.problem}.", remedy_of(error.problem, unread.line(error.span)))]
    return text, list(_not_mappings(text))


def _not_mappings(text: StackText) -> Iterator[Finding]:
    """Findings about values that the engine takes as mappings only."""
    for place, remedy in ((_FILE, "Begin the file with config:"), (_FILE.at(_CONFIG), f"Write {KEY}: below it")):
        node = text.node(place.keys)
        if isinstance(node, yaml.SequenceNode) or (isinstance(node, yaml.ScalarNode) and node.value):
            found = "a list" if isinstance(node, yaml.SequenceNode) else "text"
            yield _finding(place, f"this is {found}; a mapping belongs here.", f"{remedy}, and no hyphen before it.")
            return


def _platform_key(given: Given, text: StackText | None) -> str:
    """The platform's key as the file writes it: the project's namespace may be left out."""
    is_short = text is not None and KEY in text.keys((_CONFIG,))
    return KEY if is_short else f"{given.project}:{KEY}"


def _is_source(text: StackText, given: Given) -> bool:
    """Whether the platform that the engine passed is the one in the text; a default stands for none."""
    written = text.value((_CONFIG, _platform_key(given, text)))
    passed = _passed(given)
    return written == passed or (passed is None and written in ("", {}))


def _passed(given: Given) -> object:
    """The platform that the engine passed; text that is not JSON is itself, and an empty one is None."""
    if not given.platform:
        return None
    try:
        value: object = json.loads(given.platform)
    except json.JSONDecodeError:
        return given.platform
    return None if value == {} else value


def _unknown_keys(text: StackText, given: Given) -> list[Finding]:
    """Keys that the engine drops or that nobody reads."""
    findings = [
        _finding(
            _FILE.at(key), "unknown key.", f"{did_you_mean(key, SECTIONS)}Keys of a stack file: {listing(SECTIONS)}."
        )
        for key in text.keys(())
        if key not in SECTIONS
    ]
    platform = f"{given.project}:{KEY}"
    ours = (KEY, platform, ADOPTING, f"{given.project}:{ADOPTING}")
    for key in text.keys((_CONFIG,)):
        namespace, _, _ = key.rpartition(":")
        if key not in ours and namespace.partition(":")[0] not in PROVIDERS:
            known = (platform, KEY, "gcp:project")
            findings.append(
                _finding(
                    _FILE.at(_CONFIG, key),
                    "nothing reads this key.",
                    f"{did_you_mean(key, known)}Valid keys are {platform}, and those of providers: "
                    f"{listing([f'{provider}:...' for provider in PROVIDERS])}.",
                )
            )
    return findings


def _of_encryption(text: StackText | None, given: Given) -> list[Finding]:
    """Findings about values in clear that must be encrypted, and the other way round."""
    if text is not None:
        return list(misplaced(text.value((_CONFIG, _platform_key(given, text)))))
    return [] if given.has_secrets else list(in_clear(_passed(given)))


def _written(text: StackText | None, given: Given) -> Written:
    """Tells how the file writes a value of the platform, where it is a single one without quotes and tag."""

    def written(keys: Sequence[Key]) -> str | None:
        node = None if text is None else text.node((_CONFIG, _platform_key(given, text), *keys))
        return str(node.value) if isinstance(node, yaml.ScalarNode) and node.tag == PLAIN else None

    return written


def _planned(given: Given, written: Written, *, is_misspelt: bool) -> tuple[Plan | None, list[Finding]]:
    """The plan, if the values have the shape of one, and all that is wrong with either."""
    passed = _passed(given)
    if passed is None and given.file_text is None:
        return None, [_no_file(given)]
    is_elsewhere = given.gcp_project is None and (is_misspelt or passed is None)
    findings = [] if is_elsewhere else _of_project(given.gcp_project)
    if passed is None:
        return None, findings if is_misspelt else [*findings, _nothing_declared(given)]
    try:
        platform = Platform.model_validate_json(json.dumps(passed))
    except ValidationError as error:
        return None, findings + shape_findings(error, Platform, written)
    plan = make_plan(
        platform,
        "" if given.gcp_project is None else given.gcp_project,
        given.before,
        read_objects=partial(read_objects, given.read_file),
    )
    return plan, findings + check(plan)


def _no_file(given: Given) -> Finding:
    says, remedy = absent(given.file_name, given.beside)
    return _finding(_FILE, f"{says}, so there is no platform to build.", remedy)


def _nothing_declared(given: Given) -> Finding:
    required = [name for name, field in Platform.model_fields.items() if field.is_required()]
    return _finding(
        _FILE.at(_CONFIG, f"{given.project}:{KEY}"),
        "it is missing or empty, so there is no platform to build.",
        f"It must be a mapping with at least {listing(required)}; the stack files beside it are examples.",
    )


def _of_project(project: str | None) -> list[Finding]:
    if project is None:
        says = "it is missing."
    elif re.fullmatch(PROJECT_ID, project) is None:
        says = f'"{project}" is not the id of a project.'
    else:
        return []
    valid = (
        "The id of a Google Cloud project has 6 to 30 lower-case letters, digits and hyphens, after its domain and a "
        "colon if it has one."
    )
    return [_finding(_FILE.at(_CONFIG, "gcp:project"), says, valid)]


def _finding(place: Place, says: str, remedy: str) -> Finding:
    return Finding(
        place=place,
        says=says,
        remedy=remedy,
        is_about_key=True,
        rule=_RULE,
        source="components/model/stack_file/reading.py",
    )
