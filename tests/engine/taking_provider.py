"""A plugin of the engine for the tests of examples/bootstrap: takes any resource of Google Cloud, for previews alone.

Doubles the official provider where it is asked what would be made: inputs stay as the program gives them, and what the
cloud would add is not known. It checks nothing, has no API and makes nothing. The engine starts this file.
"""

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
    from simulator.providers.base import Request
    from simulator.providers.values import Properties


class TakingProvider(StandIn):
    """Says yes."""

    package = "gcp"
    version = plugin_version("pulumi-gcp")

    def configure(self, config: Properties) -> None:
        """Needs nothing."""

    def check(self, request: Request) -> Checked:
        """The inputs as they are."""
        return Checked(dict(request.new))

    def diff(self, request: Request) -> Difference:
        """Nothing is there that could differ."""
        raise _nothing_there(request)

    def create(self, request: Request) -> Created:
        """The inputs, and a name that the cloud gives."""
        if not request.preview:
            raise _nothing_there(request)
        return Created("", {"name": UNKNOWN, **request.new})

    def read(self, request: Request) -> Found | None:
        """Nothing is there."""
        raise _nothing_there(request)

    def update(self, request: Request) -> Properties:
        """Nothing is there."""
        raise _nothing_there(request)

    def delete(self, request: Request) -> None:
        """Nothing is there."""
        raise _nothing_there(request)


def _nothing_there(request: Request) -> ProviderError:
    return ProviderError(f"{request.type}: nothing is ever made here, this is for previews of what is not there")


if __name__ == "__main__":
    serve(TakingProvider, sys.argv[1:])
