"""The real Helm as a command: install, upgrade, look at and uninstall a release."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import yaml

from components.kubeapi.errors import UnreachableError
from simulator.providers.kube.charts import Charts, local_charts
from simulator.providers.parent_death import dying_with_parent
from simulator.toolchain.provision import locate

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

_UNREACHABLE: Final = "Kubernetes cluster unreachable"
_LOOK_SECONDS: Final = 2.0
_UNCHECKED: Final = "--disable-openapi-validation"
"""Helm would fetch the OpenAPI documents of all kinds in the chart, and only to learn that the API server checks fields
itself (kubectl/pkg/validation, `paramVerifyingSchema`)."""
_GONE: Final = "the simulator's daemon does not answer, and its clusters are gone with it"


class HelmError(Exception):
    """Helm failed; the text is what it printed."""


@dataclass(frozen=True, slots=True)
class HelmTool:
    """Helm on this machine."""

    binary: Path
    charts: Charts
    environment: Mapping[str, str]
    """The environment of a command inside the simulator: Helm's folders, and PATH with the credential plugin."""
    clusters_are_gone: Callable[[], bool] = lambda: False
    """Asked while Helm runs: it waits five minutes for an API server that nobody starts again."""

    def run(
        self,
        kubeconfig: str,
        arguments: Sequence[str],
        *,
        values: Mapping[str, Any] | None = None,
        install: bool = False,
    ) -> str:
        """The output of `helm ARGUMENTS`.

        Args:
            kubeconfig: text of the kubeconfig.
            arguments: the command and its flags.
            values: chart values, given as a file.
            install: whether manifests are rendered, so that the post-renderer takes part.

        Raises:
            HelmError: it exited with an error, or was killed because its clusters are gone.
            UnreachableError: it did not reach the cluster, and did nothing.
        """
        with _scratch(kubeconfig, values) as folder:
            extra = [f"--values={folder / 'values.yaml'}"] if values is not None else []
            if install:
                extra += [_UNCHECKED, f"--post-renderer={_post_renderer(folder)}"]
            process = subprocess.Popen(
                dying_with_parent([str(self.binary), *arguments, *extra]),
                env={**self.environment, "KUBECONFIG": str(folder / "kubeconfig")},
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            out, err = self._watched(process)
        if process.returncode != 0:
            words = err.strip().removeprefix("Error: ")
            if _UNREACHABLE in words:  # Helm asks for the version first, so nothing was done yet
                raise UnreachableError(words)
            raise HelmError(words)
        return out

    def _watched(self, process: subprocess.Popen[str]) -> tuple[str, str]:
        """What Helm printed, once it has ended; it is killed when its clusters are gone."""
        while True:
            try:
                return process.communicate(timeout=_LOOK_SECONDS)
            except subprocess.TimeoutExpired:
                if self.clusters_are_gone():
                    process.kill()
                    process.communicate()
                    raise HelmError(_GONE) from None

    def chart_of(self, kubeconfig: str, namespace: str, name: str) -> dict[str, Any]:
        """Helm's record of the chart of a release: `chart`, its name, `version` and `appVersion`.

        Raises:
            HelmError: it could not be looked up.
        """
        arguments = ["get", "metadata", name, f"--namespace={namespace}", "--output=json"]
        return json.loads(self.run(kubeconfig, arguments))

    def status(self, kubeconfig: str, namespace: str, name: str) -> dict[str, Any] | None:
        """The release as Helm describes it, or None when there is none of that name.

        Raises:
            HelmError: it could not be looked up.
        """
        arguments = ["status", name, f"--namespace={namespace}", "--output=json"]
        try:
            return json.loads(self.run(kubeconfig, arguments))
        except HelmError as error:
            if "release: not found" in str(error):
                return None
            raise


@contextmanager
def _scratch(kubeconfig: str, values: Mapping[str, Any] | None) -> Generator[Path]:
    with tempfile.TemporaryDirectory(prefix="helm-") as name:
        folder = Path(name)
        path = folder / "kubeconfig"
        path.touch(mode=0o600)
        path.write_text(kubeconfig)
        if values is not None:
            (folder / "values.yaml").write_text(yaml.safe_dump(dict(values)))
        yield folder


def _post_renderer(folder: Path) -> Path:
    """Helm takes an executable without arguments."""
    script = folder / "post-renderer"
    script.write_text(f"#!/bin/sh\nexec {shlex.quote(sys.executable)} -m simulator.providers.kube.post_render\n")
    script.chmod(0o700)
    return script


def helm_tool(environment: Mapping[str, str], clusters_are_gone: Callable[[], bool] = lambda: False) -> HelmTool:
    """Helm with the charts on this machine; `environment` must lead to the clusters' credential plugin."""
    return HelmTool(locate(("helm",)).binary("helm"), local_charts(), environment, clusters_are_gone)
