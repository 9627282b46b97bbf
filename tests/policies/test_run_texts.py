"""What the rules over runs say, and what they advise, at cases of the catalogue: for each way to say it, one."""

from __future__ import annotations

import pytest

from components.model.objects.rules import judge
from tests.policies.cases import cases

_NODE_POOL = "cloud.google.com/gke-nodepool"
_EXCLUSIVE = f"alpha.jobset.sigs.k8s.io/exclusive-topology: {_NODE_POOL}"
_TPU = "cloud.google.com/gke-tpu-"
_ACTIONS = "Values: FailJobSet, RestartJobSet and RestartJobSetAndIgnoreMaxRestarts."
_ACCELERATORS = (
    "tpu-v3-device, tpu-v3-slice, tpu-v4-podslice, tpu-v5-lite-device, tpu-v5-lite-podslice, tpu-v5p-slice, "
    "tpu-v6e-slice and tpu7x"
)
_REASONS = "BackoffLimitExceeded, DeadlineExceeded, FailedIndexes, MaxFailedIndexesExceeded and PodFailurePolicy"
_V5E = f"{_TPU}accelerator=tpu-v5-lite-podslice and {_TPU}topology=2x4"
_LABEL = "small letters, digits and hyphens, a letter first."
_TEXTS = {
    ("pod-takes-its-whole-host", "one chip of a host of four"): (
        "a pod asks for 1 chip; a host of a 2x4 slice has 4 or 8.",
        "Set 4 or 8.",
    ),
    ("pod-takes-its-whole-host", "two containers that ask for two chips each of a host of eight"): (
        "a pod asks for 4 chips in 2 containers; a host of a 2x4 slice has 8.",
        "Set 8.",
    ),
    ("tpu-request-is-limit", "a request that is not the limit"): (
        "2 are requested, and the limit is 4.",
        "State limits: {google.com/tpu: 4} and no request.",
    ),
    ("tpu-request-is-limit", "a request without a limit"): (
        "4 are requested, and the limit is not stated.",
        "State limits: {google.com/tpu: 4} and no request.",
    ),
    ("chips-are-whole", "a chip and a half"): ("1500m is not a whole number of chips.", "Such as 2."),
    ("slice-has-a-pod-per-host", "a plain Job with one pod on two hosts"): (
        "1 pod at a time; a 2x4 slice of hosts with 4 chips is 2 hosts.",
        "Set parallelism and completions to 2.",
    ),
    ("slice-has-a-pod-per-host", "a JobSet with three pods on two hosts"): (
        "3 pods at a time; a 2x4 slice of hosts with 4 chips is 2 hosts.",
        "Set parallelism and completions to 2; more slices are more replicas.",
    ),
    ("slice-ends-as-one", "more completions than pods"): ("4 completions, but 2 pods run at a time.", "Set 2."),
    ("slice-ends-as-one", "completions not stated, of a JobSet"): (
        "no completions, but 2 pods run at a time.",
        "Set 2.",
    ),
    ("hosts-are-numbered", "a plain Job with no word of it"): (
        "NonIndexed, so its 2 pods have no numbers.",
        "Set Indexed.",
    ),
    ("multislice-is-multi-host", "two slices of one host"): (
        "2 slices of 2x2 cannot work together: each is a single host.",
        "Ask for 1 slice, or for a topology of several hosts.",
    ),
    ("multislice-is-multi-host", "two slices of v3"): (
        "2 slices of 4x4 cannot work together: TPU v3 has no multislice.",
        "Ask for 1 slice, or for another generation.",
    ),
    ("job-stays-in-a-slice", "a plain Job beside two equal slices"): (
        "slice-a and slice-b are alike, and the pods of train may be spread over them.",
        f"Select one of them ({_NODE_POOL}: slice-a), or make it a JobSet of one Job with the annotation {_EXCLUSIVE}.",
    ),
    ("job-stays-in-a-slice", "a JobSet of one Job that is not exclusive"): (
        "slice-a and slice-b are alike, and the pods of slice may be spread over them.",
        f"Select one of them ({_NODE_POOL}: slice-a), or add the annotation {_EXCLUSIVE}.",
    ),
    ("run-has-enough-slices", "three slices of two"): (
        "3 slices, but slice-a and slice-b have 2.",
        "Ask for 2 or fewer, or declare 1 pool more.",
    ),
    ("run-has-enough-slices", "two replicated jobs that share one"): (
        "2 slices, but slice-a has 1.",
        "Ask for 1 or fewer, or declare 1 pool more.",
    ),
    ("selected-slice-exists", "a topology of no slice"): (
        "tpu-v5-lite-podslice makes no 4x5 slices.",
        "Its topologies: 1x1, 2x2, 2x4, 4x4, 4x8, 8x8, 8x16 and 16x16.",
    ),
    ("flex-start-selector-is-true", "yes"): (
        "yes; nodes carry true.",
        'Set "true", with quotation marks, or remove the key.',
    ),
    ("some-pool-serves-pods", "only ordinary pools"): (
        f"no pool has nodes with 4 chips and {_V5E}.",
        "Declare one, or select another. Pools of TPU hosts: none.",
    ),
    ("subdomain-is-a-service", "a Service of another namespace"): (
        "no Service of namespace default is named hosts.",
        "Declare it, headless, or name another. Services of default: none.",
    ),
    ("subdomain-is-a-service", "no Service of the name"): (
        "no Service of namespace default is named hosts.",
        "Declare it, headless, or name another. Services of default: host.",
    ),
    ("hosts-service-is-headless", "an address of its own"): (
        "not stated, but the pods of train find each other by hosts.",
        "Set None, as text.",
    ),
    ("host-network-resolves-names", "no policy"): (
        "ClusterFirst with hostNetwork: true, so names of pods are not resolved.",
        "Set ClusterFirstWithHostNet.",
    ),
    ("autopilot-pods-are-plain", "privileges"): ("Autopilot does not allow privileged.", "Remove the key."),
    ("autopilot-pods-are-plain", "a node pool"): ("Autopilot's node pools are its own.", "Remove the key."),
    ("namespace-takes-pods", "a port of the host"): (
        "namespace lab enforces baseline, which does not allow hostPort.",
        "Remove the key, or label the namespace pod-security.kubernetes.io/enforce: privileged.",
    ),
    ("tpu-ports-are-declared", "the coordinator's is missing between slices"): (
        "8080 is not declared.",
        "Add {containerPort: 8080}.",
    ),
    ("queue-is-a-label-of-the-run", "an annotation of a JobSet"): (
        "lab is named in an annotation, which Kueue does not read.",
        "Move it to metadata.labels of the JobSet: kueue.x-k8s.io/queue-name: lab.",
    ),
    ("queue-is-a-label-of-the-run", "a label of a pod template"): (
        "lab is named in a label of a template, which Kueue does not read.",
        "Move it to metadata.labels of the Job: kueue.x-k8s.io/queue-name: lab.",
    ),
    ("kueue-has-the-label", "managed-by"): (
        "Kueue knows no such key.",
        "Remove it; a run is Kueue's by its label kueue.x-k8s.io/queue-name.",
    ),
    ("restart-strategy-exists", "one that is behind a gate"): (
        "InPlaceRestart needs a feature gate of JobSet that is off.",
        "Values: Recreate and BlockingRecreate.",
    ),
    ("failure-rules-exist", "an action behind a gate"): (
        "RestartJob needs a feature gate of JobSet that is off.",
        f"Did you mean RestartJobSet? {_ACTIONS}",
    ),
    ("failure-rules-exist", "another behind a gate"): (
        "RestartJobAndIgnoreMaxRestarts needs a feature gate of JobSet that is off.",
        f"Did you mean RestartJobSetAndIgnoreMaxRestarts? {_ACTIONS}",
    ),
    ("failure-rules-exist", "an action that there is not"): (
        "Ignore is no value that JobSet has.",
        _ACTIONS,
    ),
    ("coordinator-exists", "one Job too far"): ("2, and slice has 2 Jobs.", "Set 0 to 1."),
    ("coordinator-exists", "a job without completions"): (
        "0, and slice has 0 completions.",
        "State completions of slice.",
    ),
    ("coordinator-exists", "none is named"): ("it names no replicated job.", "Replicated jobs: slice."),
    ("workload-pod-names", "a dot"): (
        f"its pods' names, such as train.7b-slice-0-1-abcde, are no DNS labels: {_LABEL}",
        "Such as train-7b.",
    ),
    ("workload-pod-names", "a replicated job in capitals"): (
        f"its pods' names, such as train-Slice-0-1-abcde, are no DNS labels: {_LABEL}",
        "Such as slice.",
    ),
    ("jobset-subdomain-is-a-label", "a digit first"): (f"7b is no DNS label: {_LABEL}", "Such as run-7b."),
    ("jobset-subdomain-is-a-label", "one too long"): (
        "it has 64 characters; it may have 63 at most.",
        "Shorten it by 1.",
    ),
    ("kueue-suspends", "a queued JobSet"): (
        "Kueue sets it: whoever writes it too fights Kueue over it.",
        "Remove the key.",
    ),
    ("kueue-suspends", "suspended without a queue"): (
        "no queue is named, so nothing will ever let it start.",
        "Remove the key, or name a queue.",
    ),
    ("slices-are-exclusive", "two Jobs and no annotation"): (
        "nothing keeps the 2 Jobs of slice in slices of their own.",
        f"Set {_NODE_POOL}: every multi-host slice is a node pool.",
    ),
    ("slices-are-exclusive", "by such a label, on the replicated job"): (
        "kubernetes.io/hostname does not tell slices apart.",
        f"Set {_NODE_POOL}: every multi-host slice is a node pool.",
    ),
    ("selected-slice-exists", "a machine type for an accelerator"): (
        "ct5lp-hightpu-4t is no TPU accelerator.",
        f"Accelerators: {_ACCELERATORS}.",
    ),
    ("pod-selects-its-slice", "nothing is selected"): (
        f"it does not select {_TPU}accelerator or {_TPU}topology.",
        "Select the accelerator and the topology of the slice, as the node pool has them.",
    ),
    ("flex-start-selector-is-true", "beside spot"): (
        "it is selected beside flex-start, and no node is both.",
        "Remove it, or cloud.google.com/gke-flex-start.",
    ),
    ("flex-start-is-selected", "two pools, both flex-start"): (
        "its slices are those of slice-a and slice-b, which come with flex-start.",
        'Add cloud.google.com/gke-flex-start: "true".',
    ),
    ("some-pool-serves-pods", "a pool of another name"): (
        f"no pool has nodes with 4 chips and {_NODE_POOL}=slice-b, {_V5E}.",
        "Declare one, or select another. Pools of TPU hosts: slice-a (2x4 of ct5lp-hightpu-4t, on-demand).",
    ),
    ("selectors-name-one-machine", "pools of both"): (
        "pods of 4 chips may also start on hosts of single, which have more.",
        'Add cloud.google.com/gke-accelerator-count: "4".',
    ),
    ("hosts-have-names", "a plain Job on two hosts"): (
        "none, so the pods of train have no names for each other.",
        "Name a headless Service of namespace default, or make it a JobSet of one Job.",
    ),
    ("hosts-service-selects-them", "a label that the pods do not carry"): (
        "it selects job-name=train and role=host, and the pods of train carry job-name=train.",
        "Set {job-name: train}.",
    ),
    ("jobset-service-is-its-own", "of the subdomain"): (
        "there is a Service hosts in namespace default that does not name the pods of this JobSet.",
        "Choose another name, or remove the Service: JobSet makes its own.",
    ),
    ("tpu-ports-are-declared", "none, between slices"): (
        "8471 and 8080 are not declared.",
        "Add {containerPort: 8471} and {containerPort: 8080}.",
    ),
    ("priority-is-a-label-of-the-run", "an annotation"): (
        "high is named in an annotation, which Kueue does not read.",
        "Move it to metadata.labels of the Job: kueue.x-k8s.io/priority-class: high.",
    ),
    ("priority-label-is-kueues", "a PriorityClass"): (
        "high is a PriorityClass, and the label names a WorkloadPriorityClass.",
        "Declare a WorkloadPriorityClass high with the same value.",
    ),
    ("queued-priority-is-the-queues", "the pods' alone"): (
        "high decides who is evicted in the queue, and which pods the scheduler evicts too.",
        "Name a WorkloadPriorityClass in the label kueue.x-k8s.io/priority-class.",
    ),
    ("run-states-its-priority", "every class is above it"): (
        "none, which counts as 0, and runs of low (100) and high (1000) evict it in tpus.",
        "Name one of low and high.",
    ),
    ("pod-priority-exists", "none of the name"): (
        "no PriorityClass here is named high.",
        "PriorityClasses: low.",
    ),
    ("image-is-pinned", "no tag"): ("jax names no fixed version.", "Add the tag of a release, or a digest."),
    ("packages-are-in-the-image", "pip3 of a module, with options"): (
        "it runs pip3 --quiet install in each container that starts.",
        "Build an image with the packages, and name it by its tag.",
    ),
    ("failure-rules-exist", "a reason that there is not"): (
        "OutOfMemory is no reason for which a Job fails.",
        f"Reasons: {_REASONS}.",
    ),
    ("failure-rules-exist", "a job that there is not"): (
        "no replicated job is named slices.",
        "Did you mean slice? Replicated jobs: slice.",
    ),
    ("failure-rules-exist", "no action"): ("it is not stated.", _ACTIONS),
    ("failure-rules-exist", "a name with a hyphen"): (
        "a-b is no name of a rule.",
        "Use letters, digits and any of _ , : with a letter first, 128 at most.",
    ),
    ("failure-rules-exist", "two rules of one name"): ("another rule is named a.", "Choose another name."),
    ("start-order-is-possible", "both"): (
        "startupPolicyOrder is InOrder, and JobSet takes one of them.",
        "Remove the key.",
    ),
    ("start-order-is-possible", "the first waits for a later one"): ("nothing is before it.", "Remove the key."),
    ("start-order-is-possible", "for a job that there is not"): (
        "no replicated job before this one is named drivers.",
        "Did you mean driver? Replicated jobs before it: driver.",
    ),
    ("replicated-jobs-differ", "two of one name"): ("another replicated job is named a.", "Choose another name."),
    ("coordinator-exists", "a job that there is not"): (
        "no replicated job is named driver.",
        "Replicated jobs: slice.",
    ),
    ("workload-pod-names", "of eleven Jobs, whose indexes have two digits"): (
        f"its longest pod name, {'a' * 47}-slice-10-1-abcde, has 64 characters; it may have 63 at most.",
        "Shorten the name by 1.",
    ),
    ("pods-of-jobs-end", "a Job with no word of it"): ("Always; pods of Jobs end.", "Set OnFailure or Never."),
    ("declared-runs-stay", "a JobSet"): (
        "3600 seconds after its end it is gone, and whoever declares it makes it again.",
        "Remove the key where a program or a repository declares the run.",
    ),
}
_KEYS = {
    *("autopilot-pods-are-plain", "declared-runs-stay", "kueue-has-the-label", "kueue-suspends"),
    *("namespace-takes-pods", "priority-is-a-label-of-the-run", "queue-is-a-label-of-the-run"),
    ("flex-start-selector-is-true", "beside spot"),
    ("start-order-is-possible", "both"),
    ("start-order-is-possible", "the first waits for a later one"),
}
"""Rules, or cases of one, in which the key itself is what should not be there."""
_CASES = {(case.rule, case.name): case for case in cases()}


@pytest.mark.parametrize("key", _TEXTS, ids=[": ".join(key) for key in _TEXTS])
def test_a_finding_says_what_is_there_and_what_would_be_right(key: tuple[str, str]) -> None:
    case = _CASES[key]
    findings = [each for each in judge(case.world, case.settings).findings if each.rule == case.rule]
    assert [(each.says, each.remedy) for each in findings] == [_TEXTS[key]]
    is_about_key = key[0] in _KEYS or key in _KEYS
    assert {each.is_about_key for each in findings} == {is_about_key}
