from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from toolchain.provision import locate
from toolchain.tools import REHEARSE

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def command() -> Path:
    """The built `rehearse`."""
    return locate([REHEARSE]).binary(REHEARSE)
