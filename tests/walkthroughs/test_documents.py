"""The documents whose commands need a control plane, each walked through from its first command to its last."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from tests.docs.covering import costly_documents
from tests.docs.walk import walk_through

if TYPE_CHECKING:
    from pathlib import Path

_SPEED: Final = 30.0


@pytest.mark.parametrize("document", costly_documents())
def test_what_the_document_says_can_be_done(document: str, tmp_path: Path) -> None:
    walk_through(document, tmp_path, _SPEED)
