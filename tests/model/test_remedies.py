"""Every remedy that names a value is tried: with it, the broken stack is told something else, or nothing."""

from __future__ import annotations

import copy
import re
from ipaddress import IPv4Network
from typing import TYPE_CHECKING, Any, Final

import pytest
import yaml

from tests.model.stacks_of_rules import BROKEN
from tests.model.test_config import WRONG, told_of_shape
from tests.stacks import Stack, Told, a_platform, told

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.places import Key

    Path = tuple[Key, ...]

_VALUE: Final = r"(?:\{.*\}|[^\s?]*[^\s?,.])"
_KEY: Final = r"[a-z_]+"
_CHOICES: Final = rf"{_VALUE}(?: \([^)]*\))?(?:(?:, | or | and ){_VALUE}(?: \([^)]*\))?)*"
_SET: Final = re.compile(
    rf"(?:^|\. |or |, )(?:Set|set|Write|Use|Such as|(?:[A-Z][a-z ]*, |A zone |A region )?such as|Name one of|"
    r"(?:Known|Supported|Listed|Nearest|Pools|Cohorts|Flavors it can use|(?:Local queues|Claims) of [a-z]+):)"
    rf" ({_CHOICES})"
)
_MEANT: Final = re.compile(rf"^Did you mean ({_VALUE})\?")
_BESIDE: Final = re.compile(rf"(?:^|\. |or )(?:Set|set|Write|Add|Such as) ({_KEY}): ({_VALUE})")
_QUOTED: Final = re.compile(r'^Write it in quotes: "(.*)"\.$')
_STATED: Final = re.compile(rf"^(?:State|Add) ({_KEY}), such as (\{{.*\}}|[0-9]+)")
_PREFIX: Final = re.compile(r"^Choose a /(\d+) or larger\.$")
_SHORTER: Final = re.compile(r"^Shorten the name by (\d+)\.$")
_FEWER: Final = re.compile(r"^Ask for (\d+) (slice|pod)s?")
_RAISED: Final = re.compile(rf"^Raise (?:the quota|the limit of auto-provisioning) to ({_VALUE})")
_QUOTA: Final[dict[str, Path]] = {
    "workloads[0].flavor": ("queues", 0, "flavors", 0, "chips"),
    "workloads[0].resources.cpu": ("queues", 0, "flavors", 1, "resources", "cpu"),
    "workloads[1].resources.memory": ("queues", 1, "flavors", 0, "resources", "memory"),
    "workloads[0].head": ("queues", 0, "flavors", 1, "resources", "cpu"),
    "queues[1].flavors[0].chips": ("auto_provisioning", "limits", "tpu-v5-lite-podslice"),
}
"""What is to be raised, by the place of the finding in the catalogue."""
_OTHER_KEYS: Final[dict[str, Path]] = {
    rf"-[a-z0-9]+ makes ({_CHOICES})": (),
    rf"It comes with ({_CHOICES})": (),
    r"Name a zone of [a-z0-9-]+ \(([^)]*)\)": (),
    rf"is made of ({_CHOICES})": ("machine_type",),
}
"""What comes before values, and the key that they belong to where it is another one of the same mapping."""
_BELOW: Final = re.compile(r"^Write a number below (\d+)\.$")
_PRIORITIES: Final = re.compile(r"^Declare priorities such as (\{.*?\}) and (\{.*?\})\.$")
_REMOVED: Final = re.compile(r"^Remove (?:it|the key|them)\b|or remove (?:the key|the entry|upgrade)\b")
_ELSEWHERE: Final[dict[str, Path]] = {"mode": ("cluster",), "fair_sharing": ("controllers", "kueue")}
"""Where keys are that a remedy names and that are not beside what is wrong."""
_WORDS: Final = frozenset({"a", "the", "it", "one", "them", "chips", "nothing", "either", "both", "another", "less"})
"""Words behind which no value follows."""


def _path(place: str) -> Path:
    """The keys of a place; a label's key with dots is the last one."""
    parts = re.findall(r"\[\d+\]|[^.\[\]]+(?:\.[^.\[\]]+/.*)?", place)
    return tuple(int(part[1:-1]) if part[0] == "[" else part for part in parts)


def _at(stack: Stack, path: Path) -> Any:  # noqa: ANN401  whatever is there
    """The value at a path; None where there is none."""
    value: Any = stack.platform
    for key in path:
        try:
            value = value[key]
        except (KeyError, TypeError):
            return None
    return value


def _with(stack: Stack, path: Path, value: object) -> Stack:
    """With a value at the path, or one more item where there is a list."""
    changed = Stack(copy.deepcopy(stack.platform), stack.before)
    holder: Any = changed.platform
    for key in path[:-1]:
        holder = holder[key] if isinstance(key, int) else holder.setdefault(key, {})
    last: Any = path[-1]
    if isinstance(_at(stack, path), list) and not isinstance(value, list):
        _at(changed, path).append(value)
    else:
        holder[last] = value
    return changed


def _tries(stack: Stack, of: Told) -> Iterator[Stack]:
    """The stack with each value that the remedy names."""
    path = _path(of.place)
    now = _at(stack, path)
    if "is not a key that" in of.says:
        yield from (
            _with(stack.drop(*path), (*path[:-1], key), now) for key in re.findall(r"such as ([a-z]+)", of.remedy)
        )
        return
    yield from _with_keys(stack, path, of.remedy, now)
    yield from _with_choices(stack, path, of.remedy, now)
    yield from _with_less(stack, path, of.remedy, now)
    if (raised := _RAISED.match(of.remedy)) and of.place in _QUOTA:
        yield _with(stack, _QUOTA[of.place], yaml.safe_load(raised[1]))
    if _REMOVED.search(of.remedy) and now is not None and isinstance(path[-1], str):
        yield stack.drop(*path)


def _with_keys(stack: Stack, path: Path, remedy: str, now: Any) -> Iterator[Stack]:  # noqa: ANN401  whatever is there
    """With keys beside the place, or below it, that have the values which the remedy names."""
    for key, value in _BESIDE.findall(remedy):
        holder = _ELSEWHERE.get(key, path if isinstance(now, dict) else path[:-1])
        yield _with(stack, (*holder, key), yaml.safe_load(value))
    for key, value in _STATED.findall(remedy):
        yield _with(stack, (*path[:-1], key), yaml.safe_load(value))
    for pattern, keys in _OTHER_KEYS.items():
        for found in re.findall(pattern, remedy):
            for choice in _split(found):
                yield _with(stack, (*path[:-1], *keys) if keys else path, choice)
    for found in _PRIORITIES.findall(remedy):
        yield _with(stack, ("priorities",), [yaml.safe_load(each) for each in found])


def _with_choices(stack: Stack, path: Path, remedy: str, now: Any) -> Iterator[Stack]:  # noqa: ANN401  whatever is there
    """With each of several values at the place itself."""
    is_number = "without quotes" in remedy or isinstance(now, int)
    for choices in [*_MEANT.findall(remedy), *_SET.findall(remedy)]:
        if choices.startswith("{"):
            yield _with(stack, path, yaml.safe_load(choices))
        elif not isinstance(now, (list, dict)):
            named = [each for each in _split(choices) if each not in _WORDS and not re.fullmatch("[a-z_]+:", each)]
            yield from (_with(stack, path, yaml.safe_load(each) if is_number else each) for each in named)
    yield from (_with(stack, path, each) for each in _QUOTED.findall(remedy))


def _with_less(stack: Stack, path: Path, remedy: str, now: Any) -> Iterator[Stack]:  # noqa: ANN401  whatever is there
    """With what a number in the remedy makes of the value."""
    for prefix in _PREFIX.findall(remedy):
        yield _with(stack, path, str(IPv4Network((now.partition("/")[0], int(prefix)), strict=False)))
    for excess in _SHORTER.findall(remedy):
        yield _with(stack, path, now[: -int(excess)])
    for number, things in _FEWER.findall(remedy):
        yield _with(stack, (*path[:2], f"{things}s"), int(number))
    for limit in _BELOW.findall(remedy):
        yield _with(stack, path, int(limit) - 1)


def _split(choices: str) -> list[str]:
    """Values of a list in prose, without what is in brackets behind them."""
    return re.split(r", | or | and ", re.sub(r" \([^)]*\)| and so on", "", choices))


def _cases() -> dict[str, tuple[Stack, Told]]:
    rules = {
        f"{case}: {each.rule} {each.place}": (stack, each)
        for case, (stack, _) in BROKEN.items()
        for each in told(stack.findings())
    }
    shapes = {case: (stack, each) for case, stack in WRONG.items() for each in told_of_shape(stack)}
    return {**rules, **shapes}


_CASES: Final = _cases()
_TRIED: Final = {name: case for name, case in _CASES.items() if any(True for _ in _tries(*case))}


@pytest.mark.parametrize(("stack", "of"), _TRIED.values(), ids=_TRIED)
def test_a_remedy_ends_what_it_is_for(stack: Stack, of: Told) -> None:
    for tried in _tries(stack, of):
        found = [(each.rule, str(each.place), each.says) for each, _ in tried.reading().findings]
        assert (of.rule, of.place, of.says) not in found, tried.platform


_FOR_PEOPLE: Final = {
    # rules whose remedy has a number or a value, and leaves it to a person what becomes of it
    "class-capacity-exists", "class-pools-are-made", "concurrent-admission-release",
    "concurrent-admission-sees-stock", "flavor-is-one-machine", "flavor-is-served", "flex-start-generation",
    "machine-exists", "moved-jobsets-can-run",
    "pull-secret-is-readable",
    "quota-covers-pools", "quota-derived-once", "ranges-are-disjoint", "ranges-are-free", "resource-is-covered-once",
    "slice-size-is-documented", "slices-have-a-zone", "stack-file-shape", "upgrade-settings-fit",
    "workload-flavors-agree",
}  # fmt: skip


def test_every_other_remedy_with_a_value_is_tried() -> None:
    untried = {of for name, (_, of) in _CASES.items() if name not in _TRIED}
    assert {of.rule for of in untried if re.search(r'[0-9"]|such as', of.remedy)} == _FOR_PEOPLE


def test_one_remedy_is_enough_for_too_many_chips() -> None:
    """999999 chips are neither whole slices nor there; the first remedy answers to both."""
    stack = a_platform().set("queues", 0, "flavors", 0, chips=999999)
    (found, *_) = told(stack.findings())
    assert found.remedy == "Set 16 (2 slices)."
    assert [tried.findings() for tried in _tries(stack, found)] == [[]]
