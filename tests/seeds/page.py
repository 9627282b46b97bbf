"""Makes docs/seeds.md, for readers, of docs/seeds.yaml."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import yaml

from tests.seeds.mapping import MAPPING, Row, seeds
from tests.seeds.shapes import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tests.seeds.mapping import Claim, Home, Part, Seed

PAGE: Final = MAPPING.with_suffix(".md")
_COUNT: Final = re.compile(r" \(\d+\)$")
_TEMPLATES: Final = {
    "spec.replicatedJobs[0].template.spec.template.": "pod",
    "spec.replicatedJobs[0].template.": "Job",
    "spec.template.": "pod",
}
"""Where the templates of pods and Jobs are in other objects; the longest first."""
_INTRODUCTION: Final = """\
<!-- Made of docs/seeds.yaml by `python -m tests.seeds page`; change it there. -->
# Five tutorials as stacks

Google's documentation has tutorials for the work that this platform is for: TPU jobs on capacity that has to be waited
for, several slices under one queue, teams that share a quota, jobs that must not stand still, a training pipeline with
shared data. Each of five such tutorials is a stack here, with nothing left to be typed by hand. This page says for each
what it is, how to run it, what had to be corrected and why, and where every flag and every field of it has gone.

The page is made of [seeds.yaml](seeds.yaml), which names for each flag and field the registered resource, the
property and the value, or the command or test that stands for it. Tests run the program on every stack file and compare
the values.
"""


def page() -> str:
    """The whole page."""
    blocks = [_INTRODUCTION, "\n".join(_contents()), *(_seed(each) for each in seeds().values())]
    return "\n".join(blocks)


def _contents() -> Iterator[str]:
    rows = ([f"[{seed.title}](#{_anchor(seed.title)})", _code(seed.stacks)] for seed in seeds().values())
    yield from _table(["tutorial", "stacks"], rows)


def _seed(seed: Seed) -> str:
    run = "\n".join(["```sh", *seed.run, "```", ""])
    blocks = [
        f"## {seed.title}\n",
        f"{seed.about}\n",
        "\n".join(_table(["stack", "what it is"], ([f"`{name}`", text] for name, text in seed.stacks.items()))),
        run,
        *(f"{note}\n" for note in seed.notes),
        "### What was corrected, and why\n",
        "\n".join(_corrections(seed)),
        "### What the tutorial promises, and where it is seen\n",
        "\n".join(_claims(seed)),
        "### Where everything is\n",
        _everything(seed),
    ]
    return "\n".join(blocks)


def _corrections(seed: Seed) -> Iterator[str]:
    rows = (
        [str(number), each.there, each.here, each.because] for number, each in enumerate(seed.corrections.values(), 1)
    )
    yield from _table(["", "in the tutorial", "here", "because"], rows)


def _claims(seed: Seed) -> Iterator[str]:
    rows = ([_lines(each), each.tells, _home(seed, None, each)] for each in seed.claims)
    yield from _table(["line", "the tutorial says", "seen in"], rows)


def _lines(claim: Claim) -> str:
    return ", ".join(map(str, claim.lines))


def _everything(seed: Seed) -> str:
    count = sum(len(part.rows) for part in seed.parts)
    parts = "\n".join(_part(seed, part) for part in seed.parts)
    summary = (
        f"<summary>{count} flags and fields, line by line; a number in brackets is that of the correction</summary>"
    )
    return f"<details>\n{summary}\n\n{parts}\n</details>\n"


def _part(seed: Seed, part: Part) -> str:
    where = f": `{part.resource}`" if part.resource else ""
    rows = ([str(row.line), _shown_element(row), _told(row), _home(seed, part, row)] for row in part.rows)
    table = "\n".join(_table(["line", "flag or field", "there", "here"], rows))
    return f"**{part.title}** ({_code(part.stacks)}){where}\n\n{table}"


def _element(row: Row) -> str:
    return _COUNT.sub("", row.element)


def _path(path: str) -> str:
    """A path of a field, from the pod or the Job on where it is in the template of one."""
    for prefix, label in _TEMPLATES.items():
        if path.startswith(prefix):
            return f"{label} `{path.removeprefix(prefix)}`"
    return f"`{path}`"


def _shown_element(row: Row) -> str:
    kind, _, path = _element(row).partition(".")
    return _path(path) if kind in KINDS else f"`{_element(row)}`"


def _told(row: Row) -> str:
    if row.tells is not None:
        return row.tells
    return "" if row.says is None else f"`{_value(row.says)}`"


def _home(seed: Seed, part: Part | None, home: Home) -> str:
    told: list[str] = []
    if home.place:
        told.append(_place(part, home))
    if isinstance(home, Row) and home.dropped:
        told.append("not needed")
    if elsewhere := _elsewhere(home):
        told.append(elsewhere)
    only = f"{_code(home.stacks)}: " if home.stacks else ""
    return only + _with_reason(seed, home, "<br>".join(told))


def _place(part: Part | None, home: Home) -> str:
    """The place of a value, and the value."""
    value = "not there" if home.absent else f"has `{home.holds.strip()}`" if home.holds else f"`{_value(home.wanted)}`"
    if home.property is None:
        kind = "stack file" if home.setting else "output" if home.output else "streamed Job"
        return f"{kind} {_path(home.place or '')}: {value}"
    resource = "" if part and home.resource in (None, part.resource) else f"`{home.resource}` "
    if isinstance(home, Row) and not resource and home.property == _element(home).partition(".")[2]:
        return "the same" if value == _told(home) else value
    return f"{resource}{_path(home.property)}: {value}"


def _elsewhere(home: Home) -> str:
    """Commands, tests, and what is still to be made."""
    told = [f"`{each}`" for each in (*home.command, *home.test)]
    return "<br>".join([*told, *([f"still to come: {home.pending}"] if home.pending else [])])


def _with_reason(seed: Seed, home: Home, text: str) -> str:
    if home.because is None:
        return text
    return f"{text} ({list(seed.corrections).index(home.because) + 1})"


def _value(value: object) -> str:
    if isinstance(value, str):
        return value
    return yaml.safe_dump(value, default_flow_style=True, width=10_000).removesuffix("...\n").strip()


def _code(names: Iterable[str]) -> str:
    return ", ".join(f"`{each}`" for each in names)


def _anchor(title: str) -> str:
    """The anchor that a heading gets."""
    return re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-")


def _table(header: list[str], rows: Iterable[list[str]]) -> Iterator[str]:
    yield _row(header)
    yield _row(["---"] * len(header))
    yield from (_row(each) for each in rows)
    yield ""


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(each.replace('|', chr(92) + '|') for each in cells)} |"
