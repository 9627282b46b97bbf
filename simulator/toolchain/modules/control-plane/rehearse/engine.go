package main

import (
	"context"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	"sigs.k8s.io/kueue/pkg/util/wait"
	"sigs.k8s.io/kueue/pkg/workload"
)

// requeuePeriod is how long Kueue collects the queues whose Workloads it looks at again.
// Source: requeueBatchPeriod in pkg/cache/queue/inadmissible_workloads.go.
const requeuePeriod = time.Second

// most is how often the scheduler may run within one moment; more is an endless loop.
const most = 1_000_000

// engine moves the clock from happening to happening, and runs Kueue's scheduler after each until it decides no more.
type engine struct {
	*platform
	context context.Context
	stop    context.CancelFunc
	end     time.Time
	agenda  agenda
	journal *journal
	jobs    map[types.NamespacedName]*job
	nodes   nodes
	checks  map[string]time.Duration
	isReady bool
	// eviction is how long pods take to end.
	eviction time.Duration
	// tries is how often the scheduler may come to the same result before more cycles cannot differ: once, and once
	// for each flavor that it may look at next.
	tries int

	reconciles []types.NamespacedName
	isQueued   map[types.NamespacedName]bool
	// talking are the jobs about which Kueue said something at this moment.
	talking []*job
	// isDue says that the queues wait to be looked at again.
	isDue bool
	// isDirty says that something changed that the scheduler may act upon.
	isDirty bool
	// isMoving says that the cycle reserved quota or evicted something.
	isMoving bool
	// isOver says that the rehearsal ended while the scheduler waited for pods.
	isOver bool
	cycles int
	failed error
}

// run goes through the happenings up to the end.
func (e *engine) run() error {
	background, stop := context.WithCancel(context.Background())
	defer stop()
	e.context, e.stop = ctrl.LoggerInto(background, logr.Discard()), stop
	for {
		if err := e.settle(); err != nil {
			return err
		}
		next := e.agenda.next(e.end)
		if next == nil {
			return nil
		}
		if err := e.happen(next); err != nil {
			return err
		}
	}
}

func (e *engine) happen(next *happening) error {
	e.turn(next.at)
	if err := next.run(); err != nil {
		return err
	}
	return e.observe()
}

// settle runs the scheduler until it decides nothing more. A cycle that admits and evicts nothing depends on the heads
// of the queues alone; when the same heads come again with the same result, nothing can change before the next happening.
func (e *engine) settle() error {
	if !e.isDirty {
		return e.talk()
	}
	e.isDirty = false
	seen := map[string]int{}
	for round := 0; e.hasHeads(); round++ {
		if round > most {
			return fmt.Errorf("the scheduler does not come to rest at %d seconds", seconds(e.clock.Now()))
		}
		e.turn(e.clock.Now())
		e.isMoving = false
		signal := schedule(e.scheduler, e.context)
		e.cycles++
		said := e.recorder.cycle()
		if e.failed != nil || e.isOver {
			return e.failed
		}
		if err := e.observe(); err != nil {
			return err
		}
		if signal == wait.KeepGoing || e.isMoving { // something was admitted or evicted
			clear(seen)
			continue
		}
		seen[said]++
		if seen[said] > e.tries {
			break
		}
	}
	e.isDirty = false
	return e.talk()
}

// observe gives Kueue's controllers the writes to Workloads, and their own writes, until there are none.
func (e *engine) observe() error {
	for {
		updates := e.store.take()
		for _, each := range updates {
			e.workloads.Update(event.TypedUpdateEvent[*kueue.Workload]{ObjectOld: each.old, ObjectNew: each.new})
			e.enqueue(client.ObjectKeyFromObject(each.new))
			if err := e.follow(each.old, each.new); err != nil {
				return err
			}
		}
		if len(updates) == 0 && len(e.reconciles) == 0 {
			return e.batch()
		}
		if err := e.reconcile(); err != nil {
			return err
		}
	}
}

func (e *engine) enqueue(key types.NamespacedName) {
	if !e.isQueued[key] {
		e.isQueued[key] = true
		e.reconciles = append(e.reconciles, key)
	}
}

func (e *engine) reconcile() error {
	keys := e.reconciles
	e.reconciles = nil
	for _, key := range keys {
		delete(e.isQueued, key)
		result, err := e.workloads.Reconcile(e.context, reconcile.Request{NamespacedName: key})
		if err != nil {
			return fmt.Errorf("Kueue's Workload controller: %s: %w", key, err)
		}
		if result.RequeueAfter > 0 {
			e.later(key, result.RequeueAfter)
		}
	}
	return nil
}

// later lets the Workload controller look at a Workload again, once at a time.
func (e *engine) later(key types.NamespacedName, after time.Duration) {
	job := e.jobs[key]
	at := e.clock.Now().Add(after)
	if job == nil || job.timer.Equal(at) {
		return
	}
	job.timer = at
	e.agenda.add(at, rankTimer, func() error {
		if job.timer.Equal(at) {
			job.timer = time.Time{}
			e.enqueue(key)
		}
		return nil
	})
}

// batch plans when Workloads that did not fit are looked at again.
func (e *engine) batch() error {
	found, err := isNotified(e.requeuer)
	if err != nil || !found || e.isDue {
		return err
	}
	e.isDue = true
	e.agenda.add(e.clock.Now().Add(requeuePeriod), rankRequeue, func() error {
		e.isDue = false
		if e.requeuer.ProcessRequeues(e.context) > 0 {
			e.isDirty = true
		}
		return nil
	})
	return nil
}

// create gives Kueue a new Workload, which is in the store.
func (e *engine) create(created *kueue.Workload) {
	e.workloads.Create(event.TypedCreateEvent[*kueue.Workload]{Object: created})
	e.enqueue(keyOf(created))
	e.isDirty = true
}

// forget removes a Workload that is over. Kueue keeps it, but nothing of it decides any more.
func (e *engine) forget(key types.NamespacedName) {
	e.queues.DeleteAndForgetWorkload(logr.Discard(), workload.NewReference(key.Namespace, key.Name))
	delete(e.store.workloads, key)
	delete(e.jobs, key)
}

// waitForPods moves on while the scheduler waits for the pods of admitted Workloads (blockAdmission): jobs end, others
// are created, but nothing is admitted.
func (e *engine) waitForPods() {
	quiet := logr.Discard()
	for e.failed == nil && !e.isOver && !e.cache.PodsReadyForAllAdmittedWorkloads(quiet) {
		next := e.agenda.next(e.end)
		if next == nil {
			e.isOver, e.store.isFrozen = true, true
			e.stop() // the scheduler would wait for ever
			return
		}
		e.failed = e.happen(next)
	}
	if e.failed == nil {
		e.isDirty = true
	}
}
