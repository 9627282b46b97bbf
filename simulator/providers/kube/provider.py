"""The provider itself: its configuration, and which part answers for which type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from simulator.providers.base import (
    Change,
    Checked,
    Created,
    Difference,
    Engine,
    Failure,
    Found,
    ProviderError,
    Request,
    StandIn,
)
from simulator.providers.differences import changes_between
from simulator.providers.kube.access import Access, OutageReporter
from simulator.providers.kube.objects import Objects
from simulator.providers.kube.release import HelmTool, Releases
from simulator.providers.plugins import plugin_version

if TYPE_CHECKING:
    from simulator.providers.values import Properties, Value

_RELEASE: Final = "kubernetes:helm.sh/v3:Release"
_MODELLED: Final = frozenset(
    {
        "clusterIdentifier",
        "context",
        "deleteUnreachable",
        "enablePatchForce",
        "enableServerSideApply",
        "kubeconfig",
        "namespace",
        "suppressDeprecationWarnings",
        "suppressHelmHookWarnings",
        "version",
    }
)
_NOT_OBJECTS: Final = ("kubernetes:helm.sh/", "kubernetes:yaml", "kubernetes:kustomize")
"""Types of the package that are neither API objects nor releases (charts, YAML groups, kustomizations)."""


class KubernetesProvider(StandIn):
    """Stands in for pulumi-resource-kubernetes."""

    package = "kubernetes"
    version = plugin_version("pulumi-kubernetes")

    def __init__(self, engine: Engine, reporter: OutageReporter, helm: HelmTool) -> None:
        super().__init__(engine)
        self._reporter = reporter
        self._helm = helm
        self._objects: Objects | None = None
        self._releases: Releases | None = None

    def check_config(self, urn: str, old: Properties, new: Properties) -> Checked:
        """The configuration; settings that are not modelled are refused."""
        del urn, old
        failures = [
            Failure(key, f"the simulator does not model the kubernetes provider's {key}")
            for key in sorted(set(new) - _MODELLED)
        ]
        if new.get("enableServerSideApply") in (False, "false"):
            failures.append(Failure("enableServerSideApply", "the simulator models server-side apply only"))
        return Checked(new, failures)

    def diff_config(self, urn: str, old: Properties, new: Properties) -> Difference:
        """Another cluster replaces everything in it; the same `clusterIdentifier` says that it is the same one."""
        del urn
        changes = dict(changes_between(old, new))
        one, other = old.get("clusterIdentifier"), new.get("clusterIdentifier")
        if "kubeconfig" in changes and (one is None or one != other):
            changes["kubeconfig"] = Change.UPDATE_REPLACE
        if one is not None and one != other:
            changes["clusterIdentifier"] = Change.UPDATE_REPLACE
        return Difference(changes)

    def configure(self, config: Properties) -> None:
        """Take the kubeconfig; nothing is contacted yet."""
        kubeconfig, context = config.get("kubeconfig"), config.get("context")
        if not isinstance(kubeconfig, str):
            raise ProviderError(
                "the kubernetes provider needs an explicit kubeconfig here: the simulator reads no ambient one"
            )
        access = Access(kubeconfig, context if isinstance(context, str) else None, self.engine, self._reporter)
        namespace = config.get("namespace")
        self._objects = Objects(
            access,
            force=_is_on(config.get("enablePatchForce")),
            namespace=namespace if isinstance(namespace, str) else "default",
        )
        self._releases = Releases(access, self._helm)

    def check(self, request: Request) -> Checked:
        """As the part that answers for the type."""
        return self._for(request).check(request)

    def diff(self, request: Request) -> Difference:
        """As the part that answers for the type."""
        return self._for(request).diff(request)

    def create(self, request: Request) -> Created:
        """As the part that answers for the type."""
        return self._for(request).create(request)

    def read(self, request: Request) -> Found | None:
        """As the part that answers for the type."""
        return self._for(request).read(request)

    def update(self, request: Request) -> Properties:
        """As the part that answers for the type."""
        return self._for(request).update(request)

    def delete(self, request: Request) -> None:
        """As the part that answers for the type."""
        self._for(request).delete(request)

    def _for(self, request: Request) -> Objects | Releases:
        if self._objects is None or self._releases is None:
            raise ProviderError("the kubernetes provider was not configured")
        if request.type == _RELEASE:
            return self._releases
        if request.type.startswith(_NOT_OBJECTS) or request.type.endswith(("List", "Patch")):
            raise ProviderError(
                f"stand-in provider kubernetes: {request.type} is not modelled by the simulator;"
                " see simulator/__init__.py"
            )
        return self._objects


def _is_on(value: Value) -> bool:
    return value in (True, "true")
