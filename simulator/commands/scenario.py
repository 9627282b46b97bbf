"""`scenario`: what happens to machines while the workloads of a stack run, from a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from simulator.client import ensure
from simulator.commands import CommandError
from simulator.scenario import Step

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.home import Home

FOLDER: Final = Path(__file__).parents[1] / "scenarios"
"""One file for each stack that has a scenario: STACK.yaml."""


class _Entry(BaseModel):
    """A step as the file has it."""

    model_config = ConfigDict(extra="forbid", strict=True)

    after: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    workload: str
    lose: list[str] = Field(default_factory=list[str])
    out: list[str] = Field(default_factory=list[str], alias="out_of_stock")
    back: list[str] = Field(default_factory=list[str], alias="back_in_stock")


_FILE: Final = TypeAdapter(list[_Entry])


def scenario(home: Home, what: str) -> Iterator[str]:
    """Play the scenario of a stack, or of a file; a stack that has none ends the scenario before.

    Raises:
        CommandError: there is no such file, or it is not a scenario.
    """
    steps = steps_of(what)
    ensure(home).call("scenario.play", steps=[step.document() for step in steps])
    yield from (f"scenario: {step.text}" for step in steps)


def steps_of(what: str) -> list[Step]:
    """The steps of a stack, by its name, or of a file, by its path.

    Raises:
        CommandError: there is no such file, or it is not a scenario.
    """
    is_file = what.endswith((".yaml", ".yml"))
    path = Path(what) if is_file else FOLDER / f"{what}.yaml"
    if not is_file and not path.exists():
        return []
    try:
        return [_step(entry) for entry in _FILE.validate_python(yaml.safe_load(path.read_text(encoding="utf-8")))]
    except OSError as error:
        raise CommandError(f"{what}: {error.strerror}") from error
    except yaml.YAMLError as error:
        raise CommandError(f"{what} is not YAML: {error}") from error
    except ValidationError as error:
        raise CommandError(f"{what} is not a scenario: {'; '.join(map(_told, error.errors()))}") from error


def _told(error: Any) -> str:  # noqa: ANN401  pydantic's own dictionary
    place = ".".join(str(part) for part in error["loc"])
    return f"{place or 'the file'}: {error['msg']}"


def _step(entry: _Entry) -> Step:
    return Step(
        workload=entry.workload,
        seconds=entry.after,
        lose=tuple(entry.lose),
        out=tuple(entry.out),
        back=tuple(entry.back),
    )
