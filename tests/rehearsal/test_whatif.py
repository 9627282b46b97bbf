"""`tpu whatif` from its command line: the question of the documents, other ones, and what is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import Mock

import pytest
import yaml

from components.kubeapi.jobs import CLUSTER_QUEUES, LOCAL_QUEUES, WORKLOADS
from simulator.clusters.pki import write_cluster_files
from simulator.toolchain.tools import REHEARSE
from tests.kubeapi.server import FakeApiServer, listed
from tests.stacks import committed_plan, stack_file
from tests.tracked import ROOT
from tpu.rehearsal.platform import configuration_of, objects_of
from tpu.rehearsal.whatif.__main__ import main
from tpu.rehearsal.whatif.platform_state import CONFIGURATION_KEY
from tpu.trace.lines import HOUR, Admitted, Asked, Finished, Line, Trace, as_json

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from components.kubeapi.documents import Document

_EXAMPLES: Final = ROOT / "examples" / "whatif"
_TRAIN: Final = str(_EXAMPLES / "train.yaml")
_LISTED: Final = ("--workloads", str(_EXAMPLES / "workloads.json"), "--now", "2026-11-25T08:00:00Z")
_VERSION: Final = "kueue.x-k8s.io/v1beta2"
_KUEUE: Final = f"/apis/{_VERSION}"
_PLURALS: Final = {
    "ResourceFlavor": f"{_KUEUE}/resourceflavors",
    "ClusterQueue": CLUSTER_QUEUES,
    "LocalQueue": LOCAL_QUEUES,
    "Cohort": f"{_KUEUE}/cohorts",
    "WorkloadPriorityClass": f"{_KUEUE}/workloadpriorityclasses",
    "AdmissionCheck": f"{_KUEUE}/admissionchecks",
}
_CONFIG_MAPS: Final = "/api/v1/namespaces/kueue-system/configmaps"
_PRIORITIES: Final = "/apis/scheduling.k8s.io/v1/priorityclasses"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Path) -> None:
    """A folder with the stack files that tests name."""
    del command  # it is built
    monkeypatch.chdir(tmp_path)
    for stack in ("dev", "training"):
        (tmp_path / f"Pulumi.{stack}.yaml").write_text(stack_file(stack))


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Callable[..., dict[str, Any]]:
    """Answers about the job of the example, in the stack `dev`, as data."""

    def asked(*words: str, job: str = _TRAIN, where: tuple[str, ...] = ("--stack", "dev")) -> dict[str, Any]:
        capsys.readouterr()
        assert main([job, *where, *words, "--format", "json"]) == 0, capsys.readouterr().err
        return json.loads(capsys.readouterr().out)

    return asked


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """What is said of a question that has no answer."""

    def refusal(*words: str) -> str:
        assert main(list(words)) == 1
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("whatif: ")
        return err

    return refusal


def _edited(folder: Path, edit: Callable[[Document], object]) -> str:
    """The job of the example with an edit, in a file."""
    document: Document = yaml.safe_load((_EXAMPLES / "train.yaml").read_text())
    edit(document)
    (folder / "job.yaml").write_text(yaml.safe_dump(document))
    return "job.yaml"


def _variants(answer: dict[str, Any]) -> dict[tuple[str, int], dict[str, Any]]:
    return {(each["priorityClass"], each["slices"]): each for each in (answer["asked"], *answer["variants"])}


def _hours(variant: dict[str, Any]) -> tuple[float | None, float | None]:
    """From when to when it is admitted, without the seconds that Kueue takes to look again."""
    first, last = [
        None if each is None else round(each / 3600, 2)
        for each in (variant["shortest"]["admitted"], variant["longest"]["admitted"])
    ]
    return first, last


def _evicts(variant: dict[str, Any]) -> list[str]:
    return sorted({each["name"] for case in ("shortest", "longest") for each in variant[case]["evicts"]})


def test_a_job_waits_for_a_limit_and_its_variants_for_less(ask: Callable[..., dict[str, Any]]) -> None:
    answer = ask(*_LISTED, "--runtime", "4h")
    assert answer["answer"] == "admitted at once, or up to 8 h later, in flavor v5e or v6e-flex"
    found = _variants(answer)
    assert list(found) == [("normal", 2), ("urgent", 2), ("urgent", 1), ("normal", 1), ("idle", 2), ("idle", 1)]
    assert [each["chips"] for each in found.values()] == [16, 16, 8, 8, 16, 8]
    assert {key: (_hours(each), _evicts(each)) for key, each in found.items()} == {
        ("normal", 2): ((0, 8), []),
        ("urgent", 2): ((0, 8), []),
        ("urgent", 1): ((0, 0), ["sweep"]),
        ("normal", 1): ((0, 0), ["sweep"]),
        ("idle", 2): ((0, 8), []),
        ("idle", 1): ((0, 3), []),
    }


def test_a_record_narrows_the_range(ask: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    hours = (("applied", "finetune", 4), ("applied", "finetune", 5), ("research", "distill", 5))
    lines: list[Line] = [Trace(at=0)]
    for team, name, took in (*hours, ("research", "distill", 6), ("research", "sweep", 3)):
        uid = f"{name}-{took}"
        asked = Asked(at=0, uid=uid, namespace=team, name=uid, job=f"JobSet/{name}", team=team, queue=team, pod_sets=())
        end = Finished(at=took * HOUR, uid=uid, reason="Succeeded")
        lines += [asked, Admitted(at=0, uid=uid), end]
    (tmp_path / "past.jsonl").write_bytes(b"".join(map(as_json, lines)))
    answer = ask(*_LISTED, "--record", "past.jsonl")
    assert _hours(answer["asked"]) == (1, 2)
    assert "The latest end is known of 3 of 3 running jobs." in answer["basis"]


def test_an_empty_platform_admits_at_once(ask: Callable[..., dict[str, Any]]) -> None:
    answer = ask("--empty")
    assert answer["answer"] == "admitted at once, in flavor v5e"
    assert "Workloads: none; the platform counts as empty." in answer["basis"]


def test_a_job_that_is_too_large_is_never_admitted(ask: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    job = _edited(tmp_path, lambda d: d["spec"]["replicatedJobs"][0].update(replicas=8))
    answer = ask("--empty", job=job)
    assert answer["answer"].startswith("never: 8 slices of v5e are 64 chips, but research has 8 and can borrow 8")
    assert [each["slices"] for each in answer["variants"] if each["priority"] == 500] == [4, 2, 1]
    assert _hours(_variants(answer)["normal", 2]) == (0, 0)


def test_workloads_of_other_queues_are_left_out(ask: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    document = json.loads((_EXAMPLES / "workloads.json").read_text())
    for each in document["items"]:
        each["spec"]["queueName"] = "elsewhere"
    (tmp_path / "other.json").write_text(json.dumps(document))
    answer = ask("--workloads", "other.json", "--now", "2026-11-25T08:00:00Z")
    assert answer["answer"] == "admitted at once, in flavor v5e"
    assert any("Left out: 3 Workloads of queues that are not on the platform." in each for each in answer["basis"])


def _container(job_set: Document) -> Document:
    job = job_set["spec"]["replicatedJobs"][0]["template"]["spec"]
    return job["template"]["spec"]["containers"][0]


_BAD: Final[dict[str, tuple[Callable[[Document], object], str]]] = {
    "no queue": (
        lambda d: d["metadata"]["labels"].pop("kueue.x-k8s.io/queue-name"),
        "queue-name: not stated, so no queue admits it. LocalQueues of research: research.",
    ),
    "an unknown queue": (
        lambda d: d["metadata"]["labels"].update({"kueue.x-k8s.io/queue-name": "reserch"}),
        "kueue.x-k8s.io/queue-name: no local queue of namespace research is named reserch",
    ),
    "an unknown priority": (
        lambda d: d["metadata"]["labels"].update({"kueue.x-k8s.io/priority-class": "hihg"}),
        "metadata.labels.kueue.x-k8s.io/priority-class",
    ),
    "another kind": (
        lambda d: d.update(kind="Deployment", apiVersion="apps/v1"),
        "job.yaml: kind: Deployment. Valid: a Job, JobSet or RayJob.",
    ),
    "a placeholder for a number": (
        lambda d: d["spec"]["replicatedJobs"][0].update(replicas="${SLICES}"),
        "job.yaml: replicas: ${SLICES} is not a whole number. Fill in its placeholders first.",
    ),
    "a placeholder for chips": (
        lambda d: _container(d)["resources"]["limits"].update({"google.com/tpu": "${CHIPS}"}),
        "job.yaml: resources.limits.google.com/tpu: ${CHIPS} is not an amount.",
    ),
    "a field that does not exist": (lambda d: d["spec"].update(replicas=2), "spec.replicas"),
}


@pytest.mark.parametrize("name", _BAD)
def test_a_job_with_errors_is_refused_with_its_place(refused: Callable[..., str], tmp_path: Path, name: str) -> None:
    edit, said = _BAD[name]
    assert said in refused(_edited(tmp_path, edit), "--stack", "dev", "--empty")


def test_a_file_has_one_job(refused: Callable[..., str], tmp_path: Path) -> None:
    text = (_EXAMPLES / "train.yaml").read_text()
    (tmp_path / "two.yaml").write_text("---\n".join([text, text.replace("name: train", "name: tune", 1)]))
    said = refused("two.yaml", "--stack", "dev", "--empty")
    assert said == "whatif: two.yaml: it has 2 jobs: JobSet train and JobSet tune. Ask about one at a time.\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("none.yaml", "--stack", "dev", "--empty"), "none.yaml: No such file or directory"),
        ((_TRAIN, "--stack", "none", "--empty"), "Pulumi.none.yaml: No such file or directory"),
        ((_TRAIN, "--stack", "dev", "--workloads", _TRAIN), "train.yaml:1: it is not JSON"),
        ((_TRAIN, "--stack", "dev", "--workloads", "list.json"), "list.json: items[0] is v1 Pod, not a Workload"),
        ((_TRAIN, "--cluster", "none"), "no kubeconfig: [Errno 2] No such file or directory: 'none'"),
    ],
)
def test_what_cannot_be_read_is_named(
    refused: Callable[..., str], tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    (tmp_path / "list.json").write_text(json.dumps({"items": [{"apiVersion": "v1", "kind": "Pod"}]}))
    assert said in refused(*words)


def test_a_platform_that_cannot_be_rehearsed_is_named(refused: Callable[..., str], tmp_path: Path) -> None:
    def edit(document: Document) -> None:
        document["metadata"] |= {"namespace": "training", "labels": {"kueue.x-k8s.io/queue-name": "training"}}

    said = refused(_edited(tmp_path, edit), "--stack", "training", "--empty")
    assert said.startswith("whatif: this cannot be rehearsed: ")
    assert "ClusterQueue /training: a rehearsal does not model concurrentAdmissionPolicy" in said


def test_a_tool_that_is_missing_is_named_with_its_command(
    refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("simulator.toolchain.provision.place", Mock(return_value=None))
    said = refused(_TRAIN, "--stack", "dev", "--empty")
    assert "rehearse" in said
    assert said.endswith(f"build {REHEARSE}\n")


@pytest.mark.parametrize("words", [("--workloads", "x"), ("--empty",)])
def test_a_cluster_has_its_own_workloads(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([_TRAIN, "--cluster", "k", *words])
    assert "--workloads and --empty need --stack" in capsys.readouterr().err


# --- a cluster


@pytest.fixture
def server(tmp_path: Path) -> Generator[FakeApiServer]:
    """An API server with the queues of the stack `dev` and the Workloads of the example."""
    fake = FakeApiServer(write_cluster_files(tmp_path / "pki", "10.0.0.1"))
    (tmp_path / "kubeconfig").write_text(fake.kubeconfig())
    plan = committed_plan("dev")
    objects = objects_of(plan)
    for kind, path in _PLURALS.items():
        _serve(fake, path, kind, [_as_stored(each) for each in objects if each["kind"] == kind])
    text = yaml.safe_dump(configuration_of(plan))
    _serve(fake, _CONFIG_MAPS, "ConfigMap", [{"metadata": {"name": "c"}, "data": {CONFIGURATION_KEY: text}}], "v1")
    _serve(fake, _PRIORITIES, "PriorityClass", [{"metadata": {"name": "normal"}, "value": 500}], "scheduling.k8s.io/v1")
    workloads = json.loads((_EXAMPLES / "workloads.json").read_text())["items"]
    for each in workloads:  # their limits have passed
        each["spec"].pop("maximumExecutionTimeSeconds", None)
    _serve(fake, WORKLOADS, "Workload", workloads)
    yield fake
    fake.close()


def _serve(fake: FakeApiServer, path: str, kind: str, items: list[Document], version: str = _VERSION) -> None:
    fake.routes[f"GET {path}"] = listed(kind, *items, api_version=version)


def _as_stored(document: Document) -> Document:
    """An object of a list: without its kind, and with what the server adds."""
    metadata = {**document["metadata"], "uid": "u", "resourceVersion": "1", "managedFields": [{"manager": "pulumi"}]}
    rest = {key: value for key, value in document.items() if key not in ("apiVersion", "kind")}
    return {**rest, "metadata": metadata, "status": {"conditions": []}}


_OF_CLUSTER: Final = ("--cluster", "kubeconfig")


@pytest.mark.usefixtures("server")
def test_a_cluster_is_rehearsed_as_it_is(ask: Callable[..., dict[str, Any]]) -> None:
    answer = ask(where=_OF_CLUSTER)
    assert _evicts(_variants(answer)["urgent", 1]) == ["sweep"]
    assert answer["basis"][0] == "Platform: the cluster."
    assert answer["basis"][1].startswith("Workloads: 3 open ones of the cluster, as of ")


def test_permissions_that_are_missing_are_named_together(refused: Callable[..., str], server: FakeApiServer) -> None:
    for path in (_CONFIG_MAPS, _PLURALS["Cohort"]):
        server.routes[f"GET {path}"] = (403, {"reason": "Forbidden", "message": "no"})
    assert refused(_TRAIN, *_OF_CLUSTER) == (
        "whatif: the credentials may not list cohorts (kueue.x-k8s.io/v1beta2), "
        "configmaps (v1/namespaces/kueue-system). Grant the verb list for each.\n"
    )


def test_a_cluster_without_kueue_is_named(refused: Callable[..., str], server: FakeApiServer) -> None:
    for path in _PLURALS.values():
        del server.routes[f"GET {path}"]
    said = refused(_TRAIN, *_OF_CLUSTER)
    assert said == "whatif: the cluster does not serve kueue.x-k8s.io/v1beta2: is Kueue installed?\n"


def test_the_time_of_a_check_can_be_stated(
    ask: Callable[..., dict[str, Any]], refused: Callable[..., str], server: FakeApiServer
) -> None:
    check = {"metadata": {"name": "budget"}, "spec": {"controllerName": "example.com/budget"}}
    _serve(server, _PLURALS["AdmissionCheck"], "AdmissionCheck", [check])
    assert refused(_TRAIN, *_OF_CLUSTER) == (
        "whatif: AdmissionCheck budget of example.com/budget: nobody knows how long it takes. "
        "State it: --check budget=1h\n"
    )
    assert "--check bugdet: the platform has no such AdmissionCheck. Valid: budget." in refused(
        _TRAIN, *_OF_CLUSTER, "--check", "bugdet=1h"
    )
    assert ask("--check", "budget=30s", where=_OF_CLUSTER)["asked"]["shortest"]["admitted"] == 0
