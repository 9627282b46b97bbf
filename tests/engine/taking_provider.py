"""A plugin of the engine's for the tests of bootstrap/: takes any resource of Google Cloud, for previews alone.

Doubles the official provider where it is asked what would be made: inputs stay as the program gives them, and what the
cloud would add is not known. It checks nothing, has no API and makes nothing. The engine starts this file.
"""
# ruff: noqa: ARG002  the protocol asks for more than a double needs

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from simulator.providers.stubs import import_stubs_only

import_stubs_only()

from simulator.providers.base import Checked, Created, Difference, Found, ProviderError, StandIn  # noqa: E402  after the stubs
from simulator.providers.plugins import plugin_version  # noqa: E402
from simulator.providers.serve import serve  # noqa: E402
from simulator.providers.values import UNKNOWN  # noqa: E402

if TYPE_CHECKING:
    from simulator.providers.base import Target
    from simulator.providers.values import Properties


class TakingProvider(StandIn):
    """Says yes."""

    package = "gcp"
    version = plugin_version("pulumi-gcp")

    def configure(self, config: Properties) -> None:
        """Needs nothing."""

    def check(self, target: Target, old: Properties | None, new: Properties, seed: bytes) -> Checked:
        """The inputs as they are."""
        return Checked(dict(new))

    def diff(
        self, target: Target, id_: str, old: Properties, outputs: Properties, new: Properties, ignored: list[str]
    ) -> Difference:
        """Nothing is there that could differ."""
        raise _nothing_there(target)

    def create(self, target: Target, inputs: Properties, *, preview: bool, timeout: float) -> Created:
        """The inputs, and a name that the cloud gives."""
        if not preview:
            raise _nothing_there(target)
        return Created("", {"name": UNKNOWN, **inputs})

    def read(self, target: Target, id_: str, inputs: Properties, outputs: Properties) -> Found | None:
        """Nothing is there."""
        raise _nothing_there(target)

    def update(
        self,
        target: Target,
        id_: str,
        old: Properties,
        outputs: Properties,
        new: Properties,
        *,
        preview: bool,
        timeout: float,
    ) -> Properties:
        """Nothing is there."""
        raise _nothing_there(target)

    def delete(self, target: Target, id_: str, inputs: Properties, outputs: Properties, *, timeout: float) -> None:
        """Nothing is there."""
        raise _nothing_there(target)


def _nothing_there(target: Target) -> ProviderError:
    return ProviderError(f"{target.type}: nothing is ever made here, this is for previews of what is not there")


if __name__ == "__main__":
    serve(TakingProvider, sys.argv[1:])
