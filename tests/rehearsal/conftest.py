from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from simulator.toolchain.provision import locate
from simulator.toolchain.tools import REHEARSE

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def command() -> Path:
    """The built `rehearse`."""
    return locate([REHEARSE]).binary(REHEARSE)
