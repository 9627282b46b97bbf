package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	"sigs.k8s.io/kueue/pkg/controller/core/indexer"
)

// store takes the place of the API server: the objects, and the changes of Workloads that Kueue has not observed yet.
// Objects in it are never changed, only replaced. A method that Kueue begins to use and that is not here panics.
type store struct {
	client.Client
	clock clock.Clock

	lock          sync.Mutex
	workloads     map[types.NamespacedName]*kept
	clusterQueues map[string]*kueue.ClusterQueue
	localQueues   map[types.NamespacedName]*kueue.LocalQueue
	namespaces    map[string]*corev1.Namespace
	updates       []update
	// isFrozen says that the rehearsal is over: what is still written does not count.
	isFrozen bool
	// blocked is called when the scheduler begins to wait for pods.
	blocked func()
}

// kept is a Workload in the store, with its number in the document.
type kept struct {
	number   int
	workload *kueue.Workload
}

// update is a write to a Workload.
type update struct {
	number   int
	old, new *kueue.Workload
}

func newStore(virtual clock.Clock) *store {
	return &store{
		clock:         virtual,
		workloads:     map[types.NamespacedName]*kept{},
		clusterQueues: map[string]*kueue.ClusterQueue{},
		localQueues:   map[types.NamespacedName]*kueue.LocalQueue{},
		namespaces:    map[string]*corev1.Namespace{},
	}
}

// Get copies an object of the kinds that Kueue's scheduler and controllers read.
func (s *store) Get(_ context.Context, key client.ObjectKey, object client.Object, _ ...client.GetOption) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	switch into := object.(type) {
	case *kueue.Workload:
		if found := s.workloads[key]; found != nil {
			found.workload.DeepCopyInto(into)
			return nil
		}
	case *kueue.LocalQueue:
		if found := s.localQueues[key]; found != nil {
			found.DeepCopyInto(into)
			return nil
		}
	case *kueue.ClusterQueue:
		if found := s.clusterQueues[key.Name]; found != nil {
			found.DeepCopyInto(into)
			return nil
		}
	case *corev1.Namespace:
		if found := s.namespaces[key.Name]; found != nil {
			found.DeepCopyInto(into)
			return nil
		}
	}
	return apierrors.NewNotFound(schema.GroupResource{Resource: fmt.Sprintf("%T", object)}, key.String())
}

// List returns the objects that an index of Kueue finds; kinds that a rehearsal does not have are empty lists.
func (s *store) List(_ context.Context, list client.ObjectList, opts ...client.ListOption) error {
	options := client.ListOptions{}
	options.ApplyOptions(opts)
	s.lock.Lock()
	defer s.lock.Unlock()
	switch into := list.(type) {
	case *kueue.LocalQueueList:
		for _, each := range s.localQueues {
			if isMatch(&options, indexer.QueueClusterQueueKey, string(each.Spec.ClusterQueue)) {
				into.Items = append(into.Items, *each.DeepCopy())
			}
		}
	case *kueue.WorkloadList:
		for _, each := range s.inOrder() {
			holder := ""
			if each.workload.Status.Admission != nil {
				holder = string(each.workload.Status.Admission.ClusterQueue)
			}
			if (options.Namespace == "" || options.Namespace == each.workload.Namespace) &&
				isMatch(&options, indexer.WorkloadQueueKey, string(each.workload.Spec.QueueName)) &&
				isMatch(&options, indexer.WorkloadClusterQueueKey, holder) {
				into.Items = append(into.Items, *each.workload.DeepCopy())
			}
		}
	}
	return nil
}

func isMatch(options *client.ListOptions, index, value string) bool {
	if options.FieldSelector == nil {
		return true
	}
	wanted, found := options.FieldSelector.RequiresExactMatch(index)
	return !found || wanted == value
}

// Update replaces a Workload, as after a change of its spec.
func (s *store) Update(_ context.Context, object client.Object, _ ...client.UpdateOption) error {
	changed, isWorkload := object.(*kueue.Workload)
	if !isWorkload {
		return fmt.Errorf("a rehearsal does not write a %T", object)
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.replace(changed, func(old, next *kueue.Workload) {
		status := old.Status.DeepCopy()
		changed.DeepCopyInto(next)
		next.Status = *status
		next.Generation = old.Generation + 1
	})
}

// Status is the writer of the status alone.
func (s *store) Status() client.SubResourceWriter {
	return &statusWriter{store: s}
}

type statusWriter struct {
	client.SubResourceWriter
	store *store
}

// Update replaces the status of a Workload.
func (w *statusWriter) Update(_ context.Context, object client.Object, _ ...client.SubResourceUpdateOption) error {
	changed, isWorkload := object.(*kueue.Workload)
	if !isWorkload {
		return fmt.Errorf("a rehearsal does not write the status of a %T", object)
	}
	w.store.lock.Lock()
	defer w.store.lock.Unlock()
	return w.store.replace(changed, func(_, next *kueue.Workload) { changed.Status.DeepCopyInto(&next.Status) })
}

// Patch writes the status of a Workload: an apply patch has all that Kueue's admission owns, another the whole status.
func (w *statusWriter) Patch(
	_ context.Context, object client.Object, patch client.Patch, _ ...client.SubResourcePatchOption,
) error {
	changed, isWorkload := object.(*kueue.Workload)
	if !isWorkload {
		return fmt.Errorf("a rehearsal does not write the status of a %T", object)
	}
	w.store.lock.Lock()
	err := w.store.replace(changed, func(_, next *kueue.Workload) {
		if patch.Type() == types.ApplyPatchType {
			applyAdmission(&next.Status, &changed.Status)
		} else {
			changed.Status.DeepCopyInto(&next.Status)
		}
	})
	w.store.lock.Unlock()
	if err == nil && w.store.blocked != nil && waitsForPods(changed) {
		w.store.blocked()
	}
	return err
}

// applyAdmission does what the API server does with the patch of pkg/workload/patching: it has every field of the status
// that Kueue's admission owns, and a field that is missing in it goes.
func applyAdmission(status, patch *kueue.WorkloadStatus) {
	reclaimable := status.ReclaimablePods
	patch.DeepCopyInto(status)
	status.ReclaimablePods = reclaimable
}

// replace writes a Workload and answers with it, as the API server does.
func (s *store) replace(changed *kueue.Workload, edit func(old, next *kueue.Workload)) error {
	key := client.ObjectKeyFromObject(changed)
	found := s.workloads[key]
	if found == nil || s.isFrozen {
		return apierrors.NewNotFound(schema.GroupResource{Resource: "workloads"}, key.String())
	}
	old := found.workload
	next := old.DeepCopy()
	edit(old, next)
	s.settle(&next.Status)
	found.workload = next
	s.updates = append(s.updates, update{found.number, old, next})
	next.DeepCopyInto(changed)
	return nil
}

// settle replaces what Kueue takes from the wall clock or from chance: times that apimachinery sets, and the random
// milliseconds of a backoff, which the API's format of times cuts off too.
func (s *store) settle(status *kueue.WorkloadStatus) {
	now := metav1.NewTime(s.clock.Now())
	for i := range status.Conditions {
		at := &status.Conditions[i].LastTransitionTime
		if at.IsZero() || at.After(now.Time) {
			*at = now
		}
	}
	if state := status.RequeueState; state != nil && state.RequeueAt != nil {
		cut := metav1.NewTime(state.RequeueAt.Truncate(time.Second))
		state.RequeueAt = &cut
	}
}

// take returns the writes since the last call, those of one Workload together, in the order of the document.
func (s *store) take() []update {
	s.lock.Lock()
	defer s.lock.Unlock()
	taken := s.updates
	s.updates = nil
	return sortedUpdates(taken)
}

// waitsForPods says whether the scheduler wrote that it now waits for pods: waitForPodsReadyIfNeeded in
// pkg/scheduler/scheduler.go.
func waitsForPods(w *kueue.Workload) bool {
	condition := apimeta.FindStatusCondition(w.Status.Conditions, kueue.WorkloadQuotaReserved)
	return condition != nil && condition.Status == metav1.ConditionFalse &&
		condition.Message == "waiting for all admitted workloads to be in PodsReady condition"
}
