"""The errors between a client and an API server."""

from __future__ import annotations

from typing import Final

from components.kubeapi.documents import Document, section

_STATUS_FORBIDDEN: Final = 403
_STATUS_NOT_FOUND: Final = 404
_STATUS_GONE: Final = 410
"""A watch asked for changes that the server has forgotten."""
_STATUSES_NOT_READY: Final = (429, 503)


class ApiError(Exception):
    """The API server refused a request."""

    def __init__(self, status: int, body: Document) -> None:
        self.status = status
        """The HTTP status code."""
        self.reason = str(body.get("reason") or "")
        """The machine-readable reason, such as `Conflict` or `AlreadyExists`."""
        self.details = section(body, "details")
        super().__init__(str(body.get("message") or f"HTTP {status}"))

    @property
    def is_not_found(self) -> bool:
        """Whether the object or its kind does not exist."""
        return self.status == _STATUS_NOT_FOUND

    @property
    def is_forbidden(self) -> bool:
        """Whether the credentials do not allow it."""
        return self.status == _STATUS_FORBIDDEN

    @property
    def is_expired(self) -> bool:
        """Whether the server has forgotten the changes that were asked for: only a fresh list helps."""
        return self.status == _STATUS_GONE

    @property
    def is_not_ready(self) -> bool:
        """Whether the server is still starting: its paths or its storage are not all there yet."""
        return self.status in _STATUSES_NOT_READY


class UnreachableError(Exception):
    """The API server could not be reached or broke the connection off."""


class WaitError(Exception):
    """A condition did not come true in time; the text says what was awaited and what was seen last."""
