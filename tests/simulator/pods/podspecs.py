"""Pods as the Job and JobSet controllers make them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from components.kubeapi import Document


@dataclass
class PodBuilder:
    """A pod, part by part."""

    document: Document = field(
        default_factory=lambda: {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "p", "namespace": "team", "uid": "uid-p", "labels": {}, "annotations": {}},
            "spec": {"nodeName": "n1", "nodeSelector": {}, "containers": []},
        }
    )

    def named(self, name: str, namespace: str = "team") -> Self:
        """With that name; the uid follows from it."""
        self.document["metadata"] |= {"name": name, "namespace": namespace, "uid": f"uid-{name}"}
        return self

    def container(
        self, image: str = "busybox:1", *command: str, args: tuple[str, ...] = (), chips: int = 0, **more: object
    ) -> Self:
        """One more container; `more` are further fields of it."""
        spec: Document = {"name": f"c{len(self.document['spec']['containers'])}", "image": image, **more}
        if command:
            spec["command"] = list(command)
        if args:
            spec["args"] = list(args)
        if chips:
            spec["resources"] = {"limits": {"google.com/tpu": str(chips)}}
        self.document["spec"]["containers"].append(spec)
        return self

    def on_tpus(self, accelerator: str, topology: str) -> Self:
        """On the nodes of such slices."""
        self.document["spec"]["nodeSelector"] |= {
            "cloud.google.com/gke-tpu-accelerator": accelerator,
            "cloud.google.com/gke-tpu-topology": topology,
        }
        return self

    def of_job(self, job: str, index: int, *, subdomain: str | None = None) -> Self:
        """The pod with that completion index of an indexed Job."""
        self.document["metadata"]["labels"]["batch.kubernetes.io/job-name"] = job
        self.document["metadata"]["annotations"]["batch.kubernetes.io/job-completion-index"] = str(index)
        if subdomain is not None:
            self.document["spec"]["subdomain"] = subdomain
        return self

    def of_jobset(self, jobset: str, replicated: str, slice_: int, host: int, *, slices: int) -> Self:
        """The pod of a host of a slice of a JobSet."""
        self.document["metadata"]["labels"] |= {
            "jobset.sigs.k8s.io/jobset-name": jobset,
            "jobset.sigs.k8s.io/replicatedjob-name": replicated,
            "jobset.sigs.k8s.io/replicatedjob-replicas": str(slices),
            "jobset.sigs.k8s.io/job-index": str(slice_),
        }
        return self.of_job(f"{jobset}-{replicated}-{slice_}", host, subdomain=jobset)

    def annotated(self, **annotations: str) -> Self:
        """With annotations of the simulator, by their short names."""
        self.document["metadata"]["annotations"] |= {
            f"simulator.tpu-platform.dev/{key.replace('_', '-')}": value for key, value in annotations.items()
        }
        return self

    def mounting(self, name: str, path: str, volume: Document, **more: object) -> Self:
        """With a volume, mounted in the last container; `more` are further fields of the mount."""
        self.document["spec"].setdefault("volumes", []).append({"name": name, **volume})
        mounts = self.document["spec"]["containers"][-1].setdefault("volumeMounts", [])
        mounts.append({"name": name, "mountPath": path, **more})
        return self


def a_pod() -> PodBuilder:
    """A pod without containers, bound to a node."""
    return PodBuilder()
