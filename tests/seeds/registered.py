"""What a stack registers, states and exports: the places that a row can point at."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import yaml

from operations.stream.document import Shape, job
from operations.stream.teams import DEFAULT_TEAMS
from tests.program.harness import run_program
from tests.seeds.places import NothingThereError
from tests.stacks import PLATFORM_KEY, stack_file

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.program.harness import Run
    from tests.seeds.mapping import Home, Part


@dataclass(frozen=True)
class Stack:
    """A stack as the program makes it of the committed stack file."""

    run: Run
    config: Mapping[str, Any]

    def whole(self, home: Home, part: Part | None) -> object:
        """The mapping that the place of a home is in.

        Raises:
            NothingThereError: there is no such resource.
        """
        if home.setting is not None:
            return self.config
        if home.output is not None:
            return self.run.outputs
        if home.streamed is not None:
            return job(DEFAULT_TEAMS[0], Shape())
        return self.inputs(home.resource or (part and part.resource) or "")

    def inputs(self, reference: str) -> dict[str, Any]:
        """The inputs of the resource of that type and name.

        Raises:
            NothingThereError: there is none.
        """
        for each in self.run.resources:
            if each.reference == reference:
                return each.inputs
        kind, _, _ = reference.partition("::")
        like = ", ".join(each.name for each in self.run.resources if each.type == kind)
        raise NothingThereError(f"no {reference}; of this type there are: {like}")


@functools.cache
def stack_of(name: str) -> Stack:
    """The stack of that name.

    Raises:
        OSError: it has no stack file.
        AssertionError: the program refuses the stack file; its words are the text.
    """
    config = cast("dict[str, Any]", yaml.safe_load(stack_file(name))["config"])
    run = run_program(name, {"gcp:project": config["gcp:project"], PLATFORM_KEY: json.dumps(config[PLATFORM_KEY])})
    assert run.exit_code is None, run.log
    return Stack(run, config)
