"""The API server that a kubeconfig names, with the cause when it is gone.

A request that finds no API server asks the simulator whether the process died. If it did, the error says so instead of
a time-out; once the simulator has started it again, the request is sent again. Requests here are safe to repeat: reads,
server-side apply, deletion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from components.kubeapi import Api, ApiError, Discovery, KubeconfigError, UnreachableError, connection_from
from simulator.providers.base import Engine, ProviderError

if TYPE_CHECKING:
    from collections.abc import Callable

_Result = TypeVar("_Result")


class OutageReporter(Protocol):
    """Knows what happened to an API server."""

    def outage(self, server: str) -> tuple[bool, str] | None:
        """Whether the API server at `https://host:port` answers again, and what happened to it.

        Waits while it is being started again. None when it is not one of the simulator's.
        """
        ...


class Access:
    """One cluster, as the provider's configuration names it; connects when it is first needed."""

    def __init__(self, kubeconfig: str, context: str | None, engine: Engine, reporter: OutageReporter) -> None:
        self._kubeconfig = kubeconfig
        self._context = context
        self._engine = engine
        self._reporter = reporter
        self._api: Api | None = None
        self._discovery: Discovery | None = None

    @property
    def kubeconfig(self) -> str:
        """The kubeconfig's text."""
        return self._kubeconfig

    @property
    def api(self) -> Api:
        """The connection.

        Raises:
            ProviderError: the kubeconfig gives none.
        """
        if self._api is None:
            try:
                self._api = Api(connection_from(self._kubeconfig, context=self._context))
            except KubeconfigError as error:
                raise ProviderError(f"kubeconfig: {error}") from error
        return self._api

    @property
    def discovery(self) -> Discovery:
        """The kinds that the cluster serves."""
        if self._discovery is None:
            self._discovery = Discovery(self.api)
        return self._discovery

    def ask(self, urn: str, request: Callable[[], _Result]) -> _Result:
        """The result of `request`, made a second time when the API server had to be started again.

        Raises:
            ProviderError: the API server is gone for good; says why.
        """
        try:
            return request()
        except (ApiError, UnreachableError) as error:
            if isinstance(error, ApiError) and not error.is_not_ready:
                raise
            self._await_return(urn, error)
        try:
            return request()
        except UnreachableError as error:
            raise _unreachable(str(error)) from error

    def _await_return(self, urn: str, error: Exception) -> None:
        outage = self._reporter.outage(self.api.connection.server)
        if outage is None:
            raise _unreachable(str(error)) from error
        answers, story = outage
        if not answers:
            raise _unreachable(story) from error
        self._engine.warn(urn, f"the cluster's API server was away: {story}. It runs again; going on.")


def _unreachable(reason: str) -> ProviderError:
    return ProviderError(f"configured Kubernetes cluster is unreachable: {reason}")
