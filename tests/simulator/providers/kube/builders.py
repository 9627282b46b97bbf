"""A Helm and an engine that are scripted, and the inputs of resources."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from simulator.providers.base import Request
from simulator.providers.kube.charts import Charts
from simulator.providers.kube.helm import HelmTool

if TYPE_CHECKING:
    from pathlib import Path

    from simulator.providers.kube.provider import KubernetesProvider
    from simulator.providers.values import Properties
    from tests.simulator.providers.kube.cluster import ApplyCluster

_HELM: Final = """#!/bin/sh
# Doubles Helm: notes its arguments and what it was given in files, and answers with the files `out-VERB` beside it; a
# file `fail-VERB` holds the words with which that command fails; with a file `stay-VERB` it writes its process id there
# and never ends.
here=${0%/*}
echo "$*" >> "$here/asked"
cp "$KUBECONFIG" "$here/kubeconfig-seen"
for word; do
  case "$word" in
    --values=*) cp "${word#--values=}" "$here/values-seen" ;;
    --post-renderer=*) [ -e "$here/manifests" ] && "${word#--post-renderer=}" < "$here/manifests" > "$here/rendered" ;;
  esac
done
[ -e "$here/stay-$1" ] && { echo $$ > "$here/stay-$1"; exec tail -f /dev/null; }
[ -e "$here/fail-$1" ] && { cat "$here/fail-$1" >&2; exit 1; }
[ -e "$here/out-$1" ] && cat "$here/out-$1"
exit 0
"""


@dataclass
class ScriptedHelm:
    """The folder of the Helm that is a script."""

    folder: Path

    def __post_init__(self) -> None:
        self.folder.mkdir()
        path = self.folder / "helm"
        path.write_text(_HELM)
        path.chmod(0o755)
        releases = {"kueue": ("0.19.2", "0.16.2"), "jobset": ("0.12.0",)}
        charts = {name: {each: self.folder / name / each for each in versions} for name, versions in releases.items()}
        self.tool = HelmTool(path, Charts(charts), {"PATH": os.environ["PATH"], "HELM_CACHE_HOME": "/cache"})

    def says(self, verb: str, text: str) -> None:
        """What a command prints."""
        (self.folder / f"out-{verb}").write_text(text)

    def fails(self, verb: str, words: str) -> None:
        """Let a command fail with these words."""
        (self.folder / f"fail-{verb}").write_text(words)

    def stays(self, verb: str) -> Path:
        """Let a command never end; the file gets its process id."""
        path = self.folder / f"stay-{verb}"
        path.touch()
        return path

    def asked(self) -> list[str]:
        """The commands so far."""
        path = self.folder / "asked"
        return path.read_text().splitlines() if path.exists() else []

    def seen(self, name: str) -> str:
        """What it was given in a file: `kubeconfig`, `values`."""
        return (self.folder / f"{name}-seen").read_text()


@dataclass
class Told:
    """Doubles the engine and the outage reporter: keeps warnings and questions, and answers as the test says."""

    warnings: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    outages: list[tuple[bool, str] | None] = field(default_factory=list[tuple[bool, str] | None])
    """The reporter's answers, the next one first."""
    asked: list[str] = field(default_factory=list[str])
    """The servers that the reporter was asked about."""

    def warn(self, urn: str, text: str) -> None:
        """As `Engine.warn`."""
        self.warnings.append((urn, text))

    def status(self, urn: str, text: str) -> None:
        """As `Engine.status`."""
        self.warnings.append((urn, text))

    def outage(self, server: str) -> tuple[bool, str] | None:
        """As `OutageReporter.outage`."""
        self.asked.append(server)
        return self.outages.pop(0)


@dataclass
class Kube:
    """The provider, configured for the cluster, with calls that need no more than what a test is about."""

    provider: KubernetesProvider
    cluster: ApplyCluster

    def configure(self, **config: Any) -> None:  # noqa: ANN401  any property
        """Configure it for the cluster with further settings."""
        self.provider.configure({"kubeconfig": self.cluster.kubeconfig, **config})


def target(type_: str, name: str = "it") -> Request:
    """The resource that a call is about."""
    return Request(urn=f"urn:pulumi:dev::shop::{type_}::{name}", type=type_, name=name)


QUEUE = target("kubernetes:kueue.x-k8s.io/v1beta2:ClusterQueue")
CONFIG = target("kubernetes:core/v1:ConfigMap")
RELEASE = target("kubernetes:helm.sh/v3:Release", "kueue")


def a_queue(**spec: Any) -> Properties:  # noqa: ANN401  any property
    """The inputs of a ClusterQueue."""
    return {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueue", "metadata": {"name": "q"}, "spec": spec}


def a_config(name: str = "c", namespace: str | None = "default", **data: str) -> Properties:
    """The inputs of a ConfigMap."""
    metadata: Properties = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {**data}}
