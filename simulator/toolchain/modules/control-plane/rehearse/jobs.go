package main

import (
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	"sigs.k8s.io/kueue/pkg/workload"
	workloadevict "sigs.k8s.io/kueue/pkg/workload/evict"
	workloadfinish "sigs.k8s.io/kueue/pkg/workload/finish"
	workloadpatching "sigs.k8s.io/kueue/pkg/workload/patching"
)

// job is the part of a Workload that is not Kueue's: its nodes, its pods, and how far it has come.
type job struct {
	key    types.NamespacedName
	number int
	entry  *entry
	// saved is the work that an eviction does not take away.
	saved time.Duration
	// started is when its pods became ready, zero while they are not.
	started time.Time
	// hold counts its reservations of quota: what was planned for an earlier one is void.
	hold int
	// orders are the nodes that it has or waits for, by flavor, and missing is how many of them have not come.
	orders  map[string]*order
	missing int
	// asked are the admission checks that are on their way.
	asked map[kueue.AdmissionCheckReference]bool
	// timer is when the Workload controller looks at it next.
	timer time.Time
	// words are what Kueue said last while it waited.
	words string
	// isTalking says that Kueue said something about it at this moment.
	isTalking bool
}

func (j *job) hasNodes() bool { return j.missing == 0 }

// amounts is how much of each flavor's capacity an admission needs.
func (e *engine) amounts(admission *kueue.Admission) map[string]int64 {
	amounts := map[string]int64{}
	for _, set := range admission.PodSetAssignments {
		for resource, flavor := range set.Flavors {
			stock := e.nodes.flavors[string(flavor)]
			if stock != nil && stock.Resource == string(resource) {
				usage := set.ResourceUsage[resource]
				amounts[string(flavor)] += usage.Value()
			}
		}
	}
	return amounts
}

// order asks for the nodes of a Workload that got quota.
func (e *engine) order(j *job, admission *kueue.Admission) {
	j.hold++
	hold := j.hold
	j.asked = map[kueue.AdmissionCheckReference]bool{}
	amounts := e.amounts(admission)
	j.orders = map[string]*order{}
	j.missing = len(amounts)
	for _, flavor := range slices.Sorted(maps.Keys(amounts)) {
		j.orders[flavor] = &order{amount: amounts[flavor], come: func() error {
			if j.hold != hold {
				return nil
			}
			j.missing--
			if !j.hasNodes() {
				return nil
			}
			return e.advance(j)
		}}
		e.nodes.flavors[flavor].request(e, j.orders[flavor])
	}
}

// own gives a Workload that runs already the nodes that it has.
func (e *engine) own(j *job, admission *kueue.Admission) {
	j.orders = map[string]*order{}
	for flavor, amount := range e.amounts(admission) {
		j.orders[flavor] = &order{amount: amount}
		e.nodes.flavors[flavor].taken += amount
	}
}

// giveBack returns its nodes.
func (e *engine) giveBack(j *job) {
	orders := j.orders
	j.orders = nil
	j.missing = 0
	j.hold++
	for _, flavor := range slices.Sorted(maps.Keys(orders)) {
		e.nodes.flavors[flavor].release(e, orders[flavor])
	}
}

// advance does what can be done when nodes came or Kueue wrote the status: it answers checks and starts the pods.
func (e *engine) advance(j *job) error {
	found := e.store.workloads[j.key]
	if found == nil {
		return nil
	}
	current := found.workload
	if !workload.HasQuotaReservation(current) || workloadevict.IsEvicted(current) || workloadfinish.IsFinished(current) {
		return nil
	}
	if workload.IsAdmitted(current) {
		if j.hasNodes() && j.started.IsZero() {
			return e.startPods(j, e.clock.Now())
		}
		return nil
	}
	for _, check := range current.Status.AdmissionChecks {
		if check.State == kueue.CheckStatePending && !j.asked[check.Name] {
			e.answer(j, check.Name)
		}
	}
	return nil
}

// answer lets an admission check become ready: one that provisions nodes when they came, another after its time.
func (e *engine) answer(j *job, name kueue.AdmissionCheckReference) {
	after, isTimed := e.checks[string(name)]
	if !isTimed && !j.hasNodes() {
		return
	}
	j.asked[name] = true
	hold := j.hold
	e.agenda.add(e.clock.Now().Add(after), rankNodes, func() error {
		if j.hold != hold {
			return nil
		}
		changed := e.store.workloads[j.key].workload.DeepCopy()
		workloadpatching.SetAdmissionCheckState(&changed.Status.AdmissionChecks, kueue.AdmissionCheckState{
			Name: name, State: kueue.CheckStateReady, Message: "Ready in the rehearsal",
		}, e.clock)
		return e.store.Status().Update(e.context, changed)
	})
}

// startPods lets the pods run: they are ready, and end when their work is done.
func (e *engine) startPods(j *job, at time.Time) error {
	j.started = at
	if err := e.journal.decide(decision{At: seconds(e.clock.Now()), Workload: j.key.String(), Event: eventStarted}); err != nil {
		return err
	}
	e.planEnd(j)
	return e.setReady(j, metav1.ConditionTrue, kueue.WorkloadStarted, "All pods reached readiness and the workload is running")
}

// planEnd plans the end of pods that run.
func (e *engine) planEnd(j *job) {
	if j.entry.Runs == nil {
		return
	}
	hold := j.hold
	left := time.Duration(*j.entry.Runs)*time.Second - j.saved
	e.agenda.add(j.started.Add(left), rankEnd, func() error {
		if j.hold != hold || j.started.IsZero() {
			return nil
		}
		ended := e.store.workloads[j.key].workload.DeepCopy()
		return workloadfinish.Finish(e.context, e.store, ended, kueue.WorkloadFinishedReasonSucceeded, "Job finished successfully", e.clock)
	})
}

// setReady writes the condition that the job's controller writes while Kueue waits for pods.
func (e *engine) setReady(j *job, status metav1.ConditionStatus, reason, message string) error {
	if !e.isReady {
		return nil
	}
	changed := e.store.workloads[j.key].workload.DeepCopy()
	apimeta.SetStatusCondition(&changed.Status.Conditions, metav1.Condition{
		Type: kueue.WorkloadPodsReady, Status: status, Reason: reason, Message: message,
		LastTransitionTime: metav1.NewTime(e.clock.Now()),
	})
	return e.store.Status().Update(e.context, changed)
}

// stopPods ends the pods of an evicted Workload, and returns for how long they ran and what of it is lost.
func (e *engine) stopPods(j *job) (ran, lost time.Duration) {
	if j.started.IsZero() {
		return 0, 0
	}
	ran = time.Duration(seconds(e.clock.Now())-seconds(j.started)) * time.Second
	whole := j.saved + ran
	if j.entry.Checkpoint != nil {
		j.saved = whole.Truncate(time.Duration(*j.entry.Checkpoint) * time.Second)
	}
	j.started = time.Time{}
	return ran, whole - j.saved
}

// release gives the quota of an evicted Workload back, when its pods are gone: what the job's controller does.
// Source: step 6, "handle eviction", in ReconcileGenericJob of pkg/controller/jobframework/reconciler.go.
func (e *engine) release(j *job) error {
	evicted := e.store.workloads[j.key].workload.DeepCopy()
	condition := apimeta.FindStatusCondition(evicted.Status.Conditions, kueue.WorkloadEvicted)
	return workloadpatching.PatchAdmissionStatus(e.context, e.store, evicted, e.clock, func(w *kueue.Workload) (bool, error) {
		isRequeued := condition.Reason == kueue.WorkloadEvictedByPreemption ||
			condition.Reason == kueue.WorkloadEvictedDueToNodeFailures
		workload.SetRequeuedCondition(w, condition.Reason, condition.Message, isRequeued)
		reason := workload.UnadmittedWorkloadReasonWithFallback(kueue.WorkloadQuotaReservedReasonPendingEvaluation, "Pending")
		workload.UnsetQuotaReservationWithCondition(w, reason, condition.Message, e.clock.Now())
		if e.isReady {
			apimeta.SetStatusCondition(&w.Status.Conditions, workload.CreatePodsReadyCondition(
				metav1.ConditionFalse, kueue.WorkloadWaitForStart, "Not all pods are ready or succeeded", e.clock))
		}
		return true, nil
	})
}

// usageOf is what a Workload holds, by flavor and resource.
func usageOf(admission *kueue.Admission) map[string]map[string]int64 {
	usage := map[string]map[string]int64{}
	for _, set := range admission.PodSetAssignments {
		for resource, flavor := range set.Flavors {
			if usage[string(flavor)] == nil {
				usage[string(flavor)] = map[string]int64{}
			}
			quantity := set.ResourceUsage[resource]
			usage[string(flavor)][string(resource)] += valueOf(resource, quantity.MilliValue(), quantity.Value())
		}
	}
	return usage
}

// valueOf counts processors in thousandths, as Kueue does, and everything else whole.
func valueOf(resource corev1.ResourceName, thousandths, whole int64) int64 {
	if resource == corev1.ResourceCPU {
		return thousandths
	}
	return whole
}

// flavorsOf are the flavors of an admission, by pod set and resource.
func flavorsOf(admission *kueue.Admission) map[string]map[string]string {
	flavors := map[string]map[string]string{}
	for _, set := range admission.PodSetAssignments {
		flavors[string(set.Name)] = map[string]string{}
		for resource, flavor := range set.Flavors {
			flavors[string(set.Name)][string(resource)] = string(flavor)
		}
	}
	return flavors
}

func keyOf(w *kueue.Workload) types.NamespacedName { return client.ObjectKeyFromObject(w) }
