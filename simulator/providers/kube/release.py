"""Helm releases (`kubernetes:helm.sh/v3:Release`): the real Helm installs them, and waits until they are ready."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, Final, cast

from simulator.providers.base import (
    Change,
    Checked,
    Created,
    Difference,
    Failure,
    Found,
    PartlyCreatedError,
    ProviderError,
)
from simulator.providers.differences import changes_between, is_within
from simulator.providers.kube.charts import ChartError
from simulator.providers.kube.helm import HelmError, HelmTool
from simulator.providers.values import UNKNOWN, Properties, contains_unknown

if TYPE_CHECKING:
    from simulator.providers.base import Request
    from simulator.providers.kube.access import Access

__all__ = ["HelmTool", "Releases"]

_MODELLED: Final = frozenset(
    {
        "allowNullValues",
        "atomic",
        "chart",
        "cleanupOnFail",
        "compat",
        "createNamespace",
        "description",
        "name",
        "namespace",
        "repositoryOpts",
        "resourceNames",
        "skipAwait",
        "skipCrds",
        "timeout",
        "values",
        "version",
        "waitForJobs",
    }
)
_FLAGS: Final = {
    "atomic": "--atomic",
    "cleanupOnFail": "--cleanup-on-fail",
    "skipCrds": "--skip-crds",
    "waitForJobs": "--wait-for-jobs",
}
_REPLACING: Final = ("name", "namespace")
_DEFAULT_TIMEOUT: Final = 300
"""Seconds that Helm waits for what it installed, as the official provider."""
_NAME_LENGTH: Final = 8
_NOTHING_DONE: Final = (
    "cannot re-use a name that is still in use",
    "another operation (install/upgrade/rollback) is in progress",
    "has no deployed releases",
)
"""Helm's refusals before it stores a revision. The release of that name is another's then, so the official provider
stores nothing of a create, and leaves the state of an update (helm_release.go, helmCreate and helmUpdate: Helm returns
no release)."""


class Releases:
    """Handles Helm releases."""

    def __init__(self, access: Access, helm: HelmTool) -> None:
        self._access = access
        self._helm = helm

    def check(self, request: Request) -> Checked:
        """Name, namespace and timeout filled in; a chart or an option that is not modelled is refused."""
        inputs: Properties = {"namespace": "default", "timeout": _DEFAULT_TIMEOUT, **request.new}
        if inputs.get("name") is None:
            suffix = hashlib.sha256(request.seed + request.urn.encode()).hexdigest()[:_NAME_LENGTH]
            inputs["name"] = request.old.get("name") or f"{request.name}-{suffix}"
        failures = [
            Failure(key, f"the simulator does not model {key} of a Release; see simulator/__init__.py")
            for key in sorted(set(request.new) - _MODELLED)
            if request.new[key] is not None
        ]
        chart, version = inputs.get("chart"), inputs.get("version")
        if isinstance(chart, str) and not contains_unknown(version):
            try:
                self._helm.charts.folder(chart, None if version is None else str(version))
            except ChartError as error:
                failures.append(Failure("chart", str(error)))
        return Checked(inputs, failures)

    def diff(self, request: Request) -> Difference:
        """Changed properties; another name or namespace is another release."""
        changes: dict[str, Change] = {}
        for path, change in changes_between(request.old, request.new):
            if not any(is_within(path, item) for item in request.ignored):
                changes[path] = Change(f"{change.value}-replace") if path in _REPLACING else change
        return Difference(changes)

    def create(self, request: Request) -> Created:
        """The chart installed and ready."""
        return Created(_id(request.new), self._install(request, "install"))

    def update(self, request: Request) -> Properties:
        """The release upgraded and ready."""
        return self._install(request, "upgrade")

    def read(self, request: Request) -> Found | None:
        """The release if Helm knows it; changes of its objects since are not compared, as with Helm itself."""
        id_, inputs = request.id, request.old
        namespace, _, name = id_.rpartition("/")
        status = self._status(request, namespace or "default", name)
        if status is None:
            return None
        if inputs:
            before = request.outputs.get("status")
            of_chart = before if isinstance(before, dict) else {}  # `helm status` leaves out the chart
            seen = {key: value for key, value in _status_output(status).items() if value is not None}
            return Found(id_, inputs, {**inputs, "status": {**of_chart, **seen}})
        return self._imported(request, status)

    def _imported(self, request: Request, status: dict[str, Any]) -> Found:
        """The release as Helm recorded it, without the source of its chart, as with the official provider."""
        name, namespace = str(status["name"]), str(status["namespace"])
        try:
            chart = self._access.ask(request.urn, lambda: self._helm.chart_of(self._access.kubeconfig, namespace, name))
        except HelmError as error:
            raise ProviderError(f"helm get metadata {name}: {error}") from error
        seen: Properties = {"name": name, "namespace": namespace, "chart": chart["chart"], "version": chart["version"]}
        seen["values"] = status.get("config") or {}
        of_chart = {"chart": chart["chart"], "version": chart["version"], "appVersion": chart.get("appVersion")}
        return Found(request.id, seen, {**seen, "status": _status_output(status) | of_chart})

    def delete(self, request: Request) -> None:
        """The release uninstalled and its objects gone."""
        namespace, name = str(request.old["namespace"]), str(request.old["name"])
        if self._status(request, namespace, name) is None:
            return
        seconds = _seconds(request.old, request.timeout)
        arguments = ["uninstall", name, f"--namespace={namespace}", "--wait", f"--timeout={seconds}s"]
        try:
            self._access.ask(request.urn, lambda: self._helm.run(self._access.kubeconfig, arguments))
        except HelmError as error:
            raise ProviderError(f"helm uninstall {name}: {error}") from error

    def _install(self, request: Request, verb: str) -> Properties:
        """The outputs of the release, installed or upgraded; Helm prints it, so nobody has to ask for it again."""
        inputs = request.new
        if request.preview:
            return {**inputs, "status": UNKNOWN}
        namespace, name = str(inputs["namespace"]), str(inputs["name"])
        version = inputs.get("version")
        try:
            chart = self._helm.charts.folder(str(inputs["chart"]), None if version is None else str(version))
            arguments = [verb, name, str(chart), *_flags(verb, inputs, request.timeout)]
            values = cast("dict[str, Any]", inputs.get("values") or {})
            printed = self._access.ask(
                request.urn,
                lambda: self._helm.run(self._access.kubeconfig, arguments, values=values, install=True),
            )
        except (ChartError, HelmError) as error:
            text = f"helm {verb} {name}: {error}"
            is_refused = any(words in str(error) for words in _NOTHING_DONE)
            status = None if is_refused else self._status(request, namespace, name)
            if status is None:
                raise ProviderError(text) from error
            outputs: Properties = {**inputs, "status": _status_output(status)}
            raise PartlyCreatedError(_id(inputs), inputs, outputs, [text]) from error
        return {**inputs, "status": _status_output(json.loads(printed))}

    def _status(self, request: Request, namespace: str, name: str) -> dict[str, Any] | None:
        try:
            return self._access.ask(request.urn, lambda: self._helm.status(self._access.kubeconfig, namespace, name))
        except HelmError as error:
            raise ProviderError(f"helm status {name}: {error}") from error


def _flags(verb: str, inputs: Properties, timeout: float) -> list[str]:
    """The flags of the command."""
    flags = [f"--namespace={inputs['namespace']}", f"--timeout={_seconds(inputs, timeout)}s", "--output=json"]
    flags += [flag for key, flag in _FLAGS.items() if inputs.get(key)]
    if inputs.get("createNamespace") and verb == "install":
        flags.append("--create-namespace")
    if not inputs.get("skipAwait"):
        flags.append("--wait")
    return flags


def _id(inputs: Properties) -> str:
    if contains_unknown([inputs["namespace"], inputs["name"]]):
        return ""  # which means unknown to the engine
    return f"{inputs['namespace']}/{inputs['name']}"


def _seconds(inputs: Properties, timeout: float) -> int:
    return int(timeout or float(str(inputs.get("timeout") or _DEFAULT_TIMEOUT)))


def _status_output(status: dict[str, Any]) -> Properties:
    metadata = status.get("chart", {}).get("metadata", {})
    return {
        "appVersion": metadata.get("appVersion"),
        "chart": metadata.get("name"),
        "name": status["name"],
        "namespace": status["namespace"],
        "revision": status["version"],
        "status": status["info"]["status"],
        "version": metadata.get("version"),
    }
