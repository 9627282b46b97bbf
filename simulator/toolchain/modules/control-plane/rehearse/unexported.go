package main

import (
	"context"
	"fmt"
	"reflect"
	"unsafe"

	"k8s.io/utils/clock"
	configapi "sigs.k8s.io/kueue/apis/config/v1beta2"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	qcache "sigs.k8s.io/kueue/pkg/cache/queue"
	"sigs.k8s.io/kueue/pkg/controller/core"
	"sigs.k8s.io/kueue/pkg/scheduler"
	"sigs.k8s.io/kueue/pkg/util/routine"
	"sigs.k8s.io/kueue/pkg/util/wait"
)

// Everything that this command uses of Kueue without Kueue exporting it. The linker finds the functions by name and does
// not compare their parameters: tests/rehearsal/test_unexported.py compares them with the source of the pinned release.

// schedule runs one cycle of the scheduler. It blocks when no queue has a head.
//
//go:linkname schedule sigs.k8s.io/kueue/pkg/scheduler.(*Scheduler).schedule
func schedule(s *scheduler.Scheduler, ctx context.Context) wait.SpeedSignal

// setAdmissionRoutineWrapper replaces the goroutine in which the scheduler writes an admission.
//
//go:linkname setAdmissionRoutineWrapper sigs.k8s.io/kueue/pkg/scheduler.(*Scheduler).setAdmissionRoutineWrapper
func setAdmissionRoutineWrapper(s *scheduler.Scheduler, wrapper routine.Wrapper)

// getClusterQueue finds the waiting Workloads of a ClusterQueue.
//
//go:linkname getClusterQueue sigs.k8s.io/kueue/pkg/cache/queue.(*Manager).getClusterQueue
func getClusterQueue(m *qcache.Manager, name kueue.ClusterQueueReference) *qcache.ClusterQueue

// waitForPodsReady translates the configuration for the Workload controller; the result is a *waitForPodsReadyConfig.
//
//go:linkname waitForPodsReady sigs.k8s.io/kueue/pkg/controller/core.waitForPodsReady
func waitForPodsReady(configuration *configapi.WaitForPodsReady) unsafe.Pointer

// withWaitForPodsReady is the option that takes such a result.
//
//go:linkname withWaitForPodsReady sigs.k8s.io/kueue/pkg/controller/core.WithWaitForPodsReady
func withWaitForPodsReady(value unsafe.Pointer) core.Option

// requeuer moves Workloads that did not fit back into their queues.
type requeuer interface {
	ProcessRequeues(ctx context.Context) int
}

// setClock gives the Workload controller the virtual clock; only Kueue's own tests can.
func setClock(controller *core.WorkloadReconciler, virtual clock.Clock) error {
	field := reflect.ValueOf(controller).Elem().FieldByName("clock")
	if !field.IsValid() || field.Type() != reflect.TypeFor[clock.Clock]() {
		return fmt.Errorf("Kueue's WorkloadReconciler has no field clock of type clock.Clock")
	}
	reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem().Set(reflect.ValueOf(virtual))
	return nil
}

// isNotified says whether a queue or a cohort waits for ProcessRequeues.
func isNotified(r requeuer) (bool, error) {
	for _, name := range []string{"cqs", "cohorts"} {
		field := reflect.ValueOf(r).Elem().FieldByName(name)
		if !field.IsValid() || field.Kind() != reflect.Map {
			return false, fmt.Errorf("Kueue's requeuer has no set called %s", name)
		}
		if field.Len() > 0 {
			return true, nil
		}
	}
	return false, nil
}
