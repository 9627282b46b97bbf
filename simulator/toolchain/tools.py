"""The table of tools: what each is built from, and which installed ones can replace it.

Each version is in one place, the tool's go.mod; this table only says which package of it is the command. How a tool is
built is in `build.py`, where it is kept in `cache.py`.
"""

from __future__ import annotations

from typing import Final

from simulator.toolchain.tool import Accept, ModuleFile, Tool, ToolchainError

LANGUAGE_HOST: Final = "pulumi-language-python"
"""The name under which the Pulumi CLI looks for the host of Python programs, beside itself."""
YAML_HOST: Final = "pulumi-language-yaml"
"""The host of programs in Pulumi YAML, which the CLI looks for beside itself and on the PATH."""
LANGUAGE_EXEC: Final = "pulumi-language-python-exec"
"""The program with which a language host runs a Pulumi program."""

KUBERNETES_PLUGIN: Final = "pulumi-resource-kubernetes"
"""Pulumi's own provider for Kubernetes, with which `make test-official` compares the simulator's stand-in."""

REHEARSE: Final = "rehearse"
"""The command of this project that decides about Workloads with Kueue as a library."""

POD_SHELL: Final = "pod-shell"
"""The command of this project that interprets the shell scripts of simulated pods."""

DEFINITIONS: Final = "autoscaling-definitions"
"""The APIs of GKE's cluster autoscaler and Ray operator, in the releases that Kueue is compiled against."""
CHART: Final = "chart"
"""The folder of a controller's Helm chart beside its command."""
PROVISIONING_REQUESTS: Final = "provisioningrequests.yaml"  # the autoscaler's own among `DEFINITIONS`

CONTROLLER_APIS: Final = "controller-apis"
"""Files of the pinned controllers' sources: which fields they serve, for `apis/`, and `KUEUE_INTERNALS`."""
KUEUE_INTERNALS: Final = "kueue-internals"
"""Folders of Kueue in which `REHEARSE` uses what Kueue does not export, for the test that compares them."""
API_KUEUE_DEFINITIONS: Final = "kueue-definitions"
API_KUEUE_CONFIGURATION: Final = "kueue-configuration"
API_KUEUE_GATES: Final = "kueue-gates.go"
API_KUEUE_VALUES: Final = "kueue-values.yaml"
API_JOBSET_DEFINITIONS: Final = "jobset-definitions"
API_LEADER_ELECTION: Final = "leader-election.go"
API_META: Final = "meta.go"
API_SCHEDULING: Final = "scheduling.go"
API_CORE: Final = "core.go"
API_KUBERNETES: Final = "swagger.json"
API_LEADER_WORKER_SET_DEFINITIONS: Final = "leader-worker-set-definitions"
API_RAY_DEFINITIONS: Final = "ray-definitions"

KUBERNETES: Final = "k8s.io/kubernetes"
LEADER_WORKER_SET: Final = "sigs.k8s.io/lws"
KUEUE: Final = "sigs.k8s.io/kueue"
JOBSET: Final = "sigs.k8s.io/jobset"
RAY_OPERATOR: Final = "github.com/ray-project/kuberay/ray-operator"


_COMPONENT_BASE: Final = "k8s.io/component-base/version"
_CLIENT_GO: Final = "k8s.io/client-go/pkg/version"
_KUBERNETES_STAMPS: Final = (
    # Without them the API server calls itself v0.0.0-master+$Format:%H$, which Kueue cannot parse: it exits.
    *((f"{package}.gitVersion", "{version}") for package in (_COMPONENT_BASE, _CLIENT_GO)),
    *((f"{package}.gitMajor", "{major}") for package in (_COMPONENT_BASE, _CLIENT_GO)),
    *((f"{package}.gitMinor", "{minor}") for package in (_COMPONENT_BASE, _CLIENT_GO)),
    (f"{_COMPONENT_BASE}.gitTreeState", "clean"),
    (f"{_COMPONENT_BASE}.buildDate", "1970-01-01T00:00:00Z"),
)
_CONTROL_PLANE_MODULE: Final = "control-plane"
_OWN: Final = "tpu-platform/toolchain/controlplane"
"""The module of that name, for the commands of this project in it."""
_OLDER_MODULE: Final = "older-controllers"
_CONTROL_PLANE: Final = ("kube-apiserver", "kube-controller-manager", "kube-scheduler")
_AUTOSCALER_API: Final = "k8s.io/autoscaler/cluster-autoscaler/apis"
_PULUMI_SDK: Final = "github.com/pulumi/pulumi/sdk/v3"
_KUBERNETES_PROVIDER: Final = "github.com/pulumi/pulumi-kubernetes/provider/v4"


def _kubernetes(name: str, *, release_of: str = KUBERNETES, together: tuple[str, ...] = _CONTROL_PLANE) -> Tool:
    return Tool(
        name=name,
        module=_CONTROL_PLANE_MODULE,
        package=f"{_OWN}/kubernetes",
        sources="kubernetes",
        release_of=release_of,
        stamps=_KUBERNETES_STAMPS,
        stamps_of=KUBERNETES,
        accept=Accept.SAME_MINOR,
        version_arguments=("--version",),
        together=together,
    )


def _controller(name: str, package: str, *, is_older: bool = False) -> Tool:
    module = f"sigs.k8s.io/{name}"
    return Tool(
        name=f"older-{name}" if is_older else name,
        module=_OLDER_MODULE if is_older else _CONTROL_PLANE_MODULE,
        package=package,
        is_for_up=not is_older,
        is_by_name=is_older,
        older_of=name if is_older else "",
        stamps=((f"{module}/pkg/version.GitVersion", "{version}"),),
        artefacts=(ModuleFile(module=module, path=f"charts/{name}", target=CHART),),
    )


TOOLS: Final = (  # in the order of building: those of one module are next to each other
    Tool(
        name="pulumi",
        module="pulumi",
        package="github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
        sources=LANGUAGE_HOST,
        also=(f"tpu-platform/toolchain/pulumi/{LANGUAGE_HOST}",),
        stamps=((f"{_PULUMI_SDK}/go/common/version.Version", "{version}"),),  # `pulumi version` is blank without it
        artefacts=(
            ModuleFile(module=_PULUMI_SDK, path=f"python/cmd/{LANGUAGE_EXEC}", target=f"bin/{LANGUAGE_EXEC}"),
            ModuleFile(  # runs a program's dynamic resources
                module=_PULUMI_SDK,
                path="python/dist/pulumi-resource-pulumi-python",
                target="bin/pulumi-resource-pulumi-python",
            ),
        ),
        accept=Accept.SAME_MAJOR,
        version_arguments=("version",),
        beside=(LANGUAGE_HOST, LANGUAGE_EXEC),
    ),
    _kubernetes("kube-apiserver"),
    _kubernetes("kube-controller-manager"),
    _kubernetes("kube-scheduler"),
    Tool(
        name="etcd",
        module=_CONTROL_PLANE_MODULE,
        package="go.etcd.io/etcd/server/v3",
        accept=Accept.SAME_MINOR,
        version_arguments=("--version",),
    ),
    _kubernetes("kwok", release_of="sigs.k8s.io/kwok", together=()),
    _controller("jobset", "sigs.k8s.io/jobset"),
    _controller("kueue", "sigs.k8s.io/kueue/cmd/kueue"),
    Tool(  # a key of its own: the definitions may change without Kueue's being compiled again
        name=DEFINITIONS,
        module=_CONTROL_PLANE_MODULE,
        package=_AUTOSCALER_API,
        is_command=False,
        artefacts=(
            ModuleFile(
                module=_AUTOSCALER_API,
                path="config/crd/autoscaling.x-k8s.io_provisioningrequests.yaml",
                target=PROVISIONING_REQUESTS,
            ),
            ModuleFile(module=RAY_OPERATOR, path="config/crd/bases", target=API_RAY_DEFINITIONS),
        ),
    ),
    Tool(  # the API of each release is read once; like `DEFINITIONS`, nothing that is compiled depends on it
        name=CONTROLLER_APIS,
        module=_CONTROL_PLANE_MODULE,
        package=KUEUE,
        is_command=False,
        is_for_up=False,
        artefacts=(
            ModuleFile(module=KUEUE, path="config/components/crd/bases", target=API_KUEUE_DEFINITIONS),
            ModuleFile(module=KUEUE, path="apis/config", target=API_KUEUE_CONFIGURATION),
            ModuleFile(module=KUEUE, path="pkg/features/kube_features.go", target=API_KUEUE_GATES),
            ModuleFile(module=KUEUE, path="charts/kueue/values.yaml", target=API_KUEUE_VALUES),
            ModuleFile(module=JOBSET, path="config/components/crd/bases", target=API_JOBSET_DEFINITIONS),
            ModuleFile(module="k8s.io/component-base", path="config/v1alpha1/types.go", target=API_LEADER_ELECTION),
            ModuleFile(module="k8s.io/apimachinery", path="pkg/apis/meta/v1/types.go", target=API_META),
            ModuleFile(module="k8s.io/api", path="scheduling/v1/types.go", target=API_SCHEDULING),
            ModuleFile(module="k8s.io/api", path="core/v1/types.go", target=API_CORE),
            ModuleFile(module=KUBERNETES, path="api/openapi-spec/swagger.json", target=API_KUBERNETES),
            ModuleFile(module=LEADER_WORKER_SET, path="config/crd/bases", target=API_LEADER_WORKER_SET_DEFINITIONS),
            ModuleFile(module=RAY_OPERATOR, path="config/crd/bases", target=API_RAY_DEFINITIONS),
            *(
                ModuleFile(module=KUEUE, path=folder, target=f"{KUEUE_INTERNALS}/{folder}")
                for folder in ("pkg/cache/queue", "pkg/controller/core", "pkg/scheduler", "pkg/util/routine")
            ),
        ),
    ),
    Tool(
        name="helm",
        module=_CONTROL_PLANE_MODULE,
        package="helm.sh/helm/v3/cmd/helm",
        stamps=(("helm.sh/helm/v3/internal/version.version", "{version}"),),
        accept=Accept.SAME_MINOR,
        version_arguments=("version", "--short"),
    ),
    Tool(  # Kueue's scheduler on a virtual clock, for `rehearsal/`
        name=REHEARSE,
        module=_CONTROL_PLANE_MODULE,
        package=f"{_OWN}/{REHEARSE}",
        sources=REHEARSE,
        release_of=KUEUE,
        is_for_up=False,
    ),
    Tool(  # for `simulator/pods/shell.py`
        name=POD_SHELL,
        module=POD_SHELL,
        package=f"tpu-platform/toolchain/podshell/{POD_SHELL}",
        sources=POD_SHELL,
        release_of="mvdan.cc/sh/v3",
    ),
    Tool(  # part of the same releases as the CLI, so it is built against the CLI's own
        name=YAML_HOST,
        module="pulumi-yaml",
        package="github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml",
        stamps=(("github.com/pulumi/pulumi-yaml/pkg/version.Version", "{version}"),),
        is_for_up=False,
    ),
    Tool(  # tests check the workflows of .github/ with it
        name="actionlint",
        module="actionlint",
        package="github.com/rhysd/actionlint/cmd/actionlint",
        is_for_up=False,
    ),
    Tool(
        name=KUBERNETES_PLUGIN,
        module="pulumi-kubernetes",
        package="tpu-platform/toolchain/pulumikubernetes/plugin",
        sources="plugin",
        release_of=_KUBERNETES_PROVIDER,
        is_for_up=False,
        is_by_name=True,
        artefacts=tuple(  # its command reads them beside itself
            ModuleFile(module=_KUBERNETES_PROVIDER, path=f"cmd/pulumi-resource-kubernetes/{name}", target=f"bin/{name}")
            for name in ("schema.json", "terraform-mapping.json")
        ),
    ),
    _controller("jobset", "sigs.k8s.io/jobset", is_older=True),
    _controller("kueue", "sigs.k8s.io/kueue/cmd/kueue", is_older=True),
)


def find_tool(name: str) -> Tool:
    """The tool called `name`.

    Raises:
        ToolchainError: there is none of that name.
    """
    for tool in TOOLS:
        if tool.name == name:
            return tool
    raise ToolchainError(f"{name} is not a tool of this project. There are: {', '.join(t.name for t in TOOLS)}.")
