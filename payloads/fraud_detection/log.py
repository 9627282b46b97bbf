"""A command's output: lines for people, or one JSON object a line."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from typing import TextIO


class Log:
    """The output of a command."""

    def __init__(self, *, is_json: bool = False, to: TextIO | None = None) -> None:
        """`to` is the standard output by default."""
        self._is_json = is_json
        self._to = sys.stdout if to is None else to

    def say(self, event: str, text: str, **fields: object) -> None:
        """One line: `text`, or as JSON the time, the event, the text and the fields. Undecodable names are escaped."""
        if self._is_json:
            when = datetime.now(UTC).isoformat(timespec="milliseconds")
            line = json.dumps({"time": when, "event": event, "message": text, **fields})
        else:
            line = text.encode(errors="backslashreplace").decode()
        print(line, file=self._to, flush=True)
