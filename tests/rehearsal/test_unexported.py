"""What the command uses of Kueue without Kueue exporting it, compared with the source of the pinned release.

The linker finds functions by name and does not compare parameters, so that a release that changes them would build, and
crash or decide wrongly. A failure here names what changed: adapt `unexported.go` to it, and what uses it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from simulator.toolchain.provision import locate
from simulator.toolchain.tools import CONTROLLER_APIS, KUEUE_INTERNALS, REHEARSE, find_tool

if TYPE_CHECKING:
    from pathlib import Path

DECLARED = {
    "pkg/scheduler/scheduler.go": (
        "func (s *Scheduler) schedule(ctx context.Context) wait.SpeedSignal {",
        "func (s *Scheduler) setAdmissionRoutineWrapper(wrapper routine.Wrapper) {",
        '"waiting for all admitted workloads to be in PodsReady condition"',
    ),
    "pkg/util/routine/wrapper.go": ("type Wrapper interface {\n\tRun(func())\n}",),
    "pkg/cache/queue/manager.go": (
        "func (m *Manager) getClusterQueue(cqName kueue.ClusterQueueReference) *ClusterQueue {",
    ),
    "pkg/cache/queue/test_util.go": (
        "cqs     sets.Set[kueue.ClusterQueueReference]",
        "cohorts sets.Set[kueue.CohortReference]",
        "ProcessRequeues(ctx context.Context) int {",
    ),
    "pkg/cache/queue/inadmissible_workloads.go": ("requeueBatchPeriod     = 1 * time.Second",),
    "pkg/controller/core/core.go": (
        "func waitForPodsReady(cfg *configapi.WaitForPodsReady) *waitForPodsReadyConfig {",
    ),
    "pkg/controller/core/workload_controller.go": (
        "func WithWaitForPodsReady(value *waitForPodsReadyConfig) Option {",
        "clock                     clock.Clock",
    ),
    "pkg/scheduler/preemption/preemption.go": (
        'p.recorder.Eventf(preemptor.Obj, nil, corev1.EventTypeNormal, "PreemptedWorkload", "PreemptedWorkload",',
    ),
}


@pytest.fixture(scope="module")
def source() -> Path:
    """The folder of Kueue's source, taken out of its module when the tools were built."""
    return locate([CONTROLLER_APIS]).artefact(CONTROLLER_APIS, KUEUE_INTERNALS)


@pytest.mark.parametrize("file", DECLARED)
def test_what_is_used_of_kueue_is_still_declared_so(file: str, source: Path) -> None:
    text = (source / file).read_text(encoding="utf-8")
    assert [declaration for declaration in DECLARED[file] if declaration not in text] == []


def test_every_linked_function_is_compared() -> None:
    own = (find_tool(REHEARSE).folder / REHEARSE / "unexported.go").read_text(encoding="utf-8")
    linked = [line.rpartition(".")[2] for line in own.splitlines() if line.startswith("//go:linkname")]
    declarations = "\n".join(text for texts in DECLARED.values() for text in texts)
    assert linked == [name for name in linked if f"{name}(" in declarations]
    assert len(linked) == 5
