package main

import (
	"cmp"
	"slices"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	"sigs.k8s.io/kueue/pkg/workload"
	workloadevict "sigs.k8s.io/kueue/pkg/workload/evict"
	workloadfinish "sigs.k8s.io/kueue/pkg/workload/finish"
)

// follow writes what a change of a Workload means into the output, and lets its job follow.
func (e *engine) follow(old, next *kueue.Workload) error {
	j := e.jobs[keyOf(next)]
	if j == nil {
		return nil
	}
	if workloadfinish.IsFinished(next) {
		return e.followEnd(j)
	}
	for _, step := range []func(*job, *kueue.Workload, *kueue.Workload) error{
		e.followReservation, e.followEviction, e.followRelease, e.followQueue, e.followWords,
	} {
		if err := step(j, old, next); err != nil {
			return err
		}
	}
	return e.advance(j)
}

func (e *engine) made(j *job, event string) decision {
	return decision{At: seconds(e.clock.Now()), Workload: j.key.String(), Event: event}
}

func (e *engine) followEnd(j *job) error {
	e.isDirty = true
	e.giveBack(j)
	e.forget(j.key)
	return e.journal.decide(e.made(j, eventFinished))
}

func (e *engine) followReservation(j *job, old, next *kueue.Workload) error {
	if !workload.HasQuotaReservation(next) {
		return nil
	}
	isNew := !workload.HasQuotaReservation(old)
	isAdmitted := workload.IsAdmitted(next) && !workload.IsAdmitted(old)
	if isNew {
		e.isMoving = true
		j.words = ""
		e.order(j, next.Status.Admission)
	}
	if !isNew && !isAdmitted {
		return nil
	}
	event := eventReserved
	if isAdmitted {
		event = eventAdmitted
	}
	made := e.made(j, event)
	made.Queue = string(next.Status.Admission.ClusterQueue)
	made.Flavors = flavorsOf(next.Status.Admission)
	made.Usage = usageOf(next.Status.Admission)
	made.Words = e.recorder.takeAdmission(j.key)
	return e.journal.decide(made)
}

func (e *engine) followEviction(j *job, old, next *kueue.Workload) error {
	if !workloadevict.IsEvicted(next) || workloadevict.IsEvicted(old) {
		return nil
	}
	e.isMoving = true
	made := e.made(j, eventEvicted)
	condition := apimeta.FindStatusCondition(next.Status.Conditions, kueue.WorkloadEvicted)
	made.Reason, made.Words = condition.Reason, condition.Message
	made.By = e.recorder.takeEvictor(j.key)
	if preempted := apimeta.FindStatusCondition(next.Status.Conditions, kueue.WorkloadPreempted); made.By != "" && preempted != nil {
		made.Cause = preempted.Reason
	}
	after := e.eviction
	if j.started.IsZero() { // pods that wait for nodes end at once
		after = 0
	}
	ran, lost := e.stopPods(j)
	made.Ran, made.Lost = new(int64(ran.Seconds())), new(int64(lost.Seconds()))
	hold := j.hold
	if workload.HasQuotaReservation(next) {
		e.agenda.add(e.clock.Now().Add(after), rankEnd, func() error {
			if j.hold != hold {
				return nil
			}
			return e.release(j)
		})
	}
	return e.journal.decide(made)
}

func (e *engine) followRelease(j *job, old, next *kueue.Workload) error {
	if !workload.HasQuotaReservation(old) || workload.HasQuotaReservation(next) {
		return nil
	}
	e.isDirty = true
	e.giveBack(j)
	made := e.made(j, eventReleased)
	if state := next.Status.RequeueState; state != nil && state.RequeueAt != nil {
		made.Until = new(seconds(state.RequeueAt.Time))
	}
	return e.journal.decide(made)
}

// followQueue says when a Workload is back in its queue, or out of it for good.
func (e *engine) followQueue(j *job, old, next *kueue.Workload) error {
	if workload.IsActive(old) && !workload.IsActive(next) {
		made := e.made(j, eventDeactivated)
		if target := apimeta.FindStatusCondition(next.Status.Conditions, kueue.WorkloadDeactivationTarget); target != nil {
			made.Reason, made.Words = target.Reason, target.Message
		}
		return e.journal.decide(made)
	}
	if isRequeued(old) || !isRequeued(next) {
		return nil
	}
	e.isDirty = true
	return e.journal.decide(e.made(j, eventRequeued))
}

// isRequeued says whether a Workload waits in its queue again after an eviction.
func isRequeued(w *kueue.Workload) bool {
	return apimeta.IsStatusConditionTrue(w.Status.Conditions, kueue.WorkloadRequeued) &&
		!workload.HasQuotaReservation(w) && workload.IsActive(w)
}

// followWords notes that Kueue said why a Workload waits.
func (e *engine) followWords(j *job, _, next *kueue.Workload) error {
	if wordsOf(next) != j.words && !j.isTalking {
		j.isTalking = true
		e.talking = append(e.talking, j)
	}
	return nil
}

// wordsOf are Kueue's words about a Workload that waits, other than those with which it was evicted.
func wordsOf(w *kueue.Workload) string {
	condition := apimeta.FindStatusCondition(w.Status.Conditions, kueue.WorkloadQuotaReserved)
	if condition == nil || condition.Status != metav1.ConditionFalse {
		return ""
	}
	if evicted := apimeta.FindStatusCondition(w.Status.Conditions, kueue.WorkloadEvicted); evicted != nil &&
		evicted.Message == condition.Message {
		return ""
	}
	return condition.Message
}

// talk writes why Workloads wait, when the scheduler has come to rest and says something else than before.
func (e *engine) talk() error {
	talking := e.talking
	e.talking = nil
	slices.SortFunc(talking, func(a, b *job) int { return cmp.Compare(a.number, b.number) })
	for _, j := range talking {
		j.isTalking = false
		found := e.store.workloads[j.key]
		if found == nil {
			continue
		}
		words := wordsOf(found.workload)
		if words == "" || words == j.words {
			continue
		}
		j.words = words
		made := e.made(j, eventWaiting)
		made.Words = words
		if err := e.journal.decide(made); err != nil {
			return err
		}
	}
	return nil
}

// conclude says what became of the Workloads that have not ended.
func (e *engine) conclude() error {
	isStill := len(e.agenda.queue) == 0
	for _, each := range e.store.inOrder() {
		j := e.jobs[keyOf(each.workload)]
		made := e.made(j, eventWaiting)
		made.At = seconds(e.end)
		made.Words = j.words
		switch {
		case workload.HasQuotaReservation(each.workload):
			made.Event = eventRunning
			if j.started.IsZero() {
				made.Event = eventReserved
			}
			made.Words = ""
		case isStill || !workload.IsActive(each.workload):
			made.Event = eventNever
		}
		if err := e.journal.decide(made); err != nil {
			return err
		}
	}
	return nil
}
