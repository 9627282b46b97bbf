package main

import (
	"context"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	configapi "sigs.k8s.io/kueue/apis/config/v1beta2"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	qcache "sigs.k8s.io/kueue/pkg/cache/queue"
	schdcache "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/controller/core"
	"sigs.k8s.io/kueue/pkg/scheduler"
	"sigs.k8s.io/kueue/pkg/scheduler/preemption/expectations"
	"sigs.k8s.io/kueue/pkg/scheduler/preemption/fairsharing"
)

// platform is Kueue itself: its caches, its scheduler and the event handlers of its controllers, on a virtual clock.
type platform struct {
	clock     *clocktesting.FakeClock
	store     *store
	recorder  *recorder
	cache     *schdcache.Cache
	queues    *qcache.Manager
	requeuer  requeuer
	scheduler *scheduler.Scheduler

	workloads     *core.WorkloadReconciler
	clusterQueues *core.ClusterQueueReconciler
	localQueues   *core.LocalQueueReconciler

	names []kueue.ClusterQueueReference
}

// inline runs what the scheduler would run in a goroutine.
type inline struct{}

func (inline) Run(write func()) { write() }

func newPlatform(configuration *configapi.Configuration) (*platform, error) {
	virtual := clocktesting.NewFakeClock(start)
	p := &platform{clock: virtual, store: newStore(virtual), recorder: newRecorder()}
	preemptions := expectations.New()
	cacheOptions := []schdcache.Option{
		schdcache.WithPodsReadyTracking(blocksAdmission(configuration)),
		schdcache.WithFairSharing(fairsharing.Enabled(configuration.FairSharing)),
	}
	queueOptions := []qcache.Option{
		qcache.WithClock(virtual),
		qcache.WithPodsReadyRequeuingTimestamp(requeuingTimestamp(configuration)),
		qcache.WithPreemptionExpectations(preemptions),
	}
	if resources := configuration.Resources; resources != nil {
		cacheOptions = append(cacheOptions,
			schdcache.WithExcludedResourcePrefixes(resources.ExcludeResourcePrefixes),
			schdcache.WithResourceTransformations(resources.Transformations))
		queueOptions = append(queueOptions,
			qcache.WithExcludedResourcePrefixes(resources.ExcludeResourcePrefixes),
			qcache.WithResourceTransformations(resources.Transformations))
	}
	p.cache = schdcache.New(p.store, cacheOptions...)
	p.queues, p.requeuer = newQueues(p.store, p.cache, queueOptions)
	p.scheduler = scheduler.New(p.queues, p.cache, p.store, p.recorder,
		scheduler.WithClock(nil, virtual),
		scheduler.WithPodsReadyRequeuingTimestamp(requeuingTimestamp(configuration)),
		scheduler.WithFairSharing(configuration.FairSharing),
		scheduler.WithQuotaCheckStrategy(quotaCheck(configuration)),
		scheduler.WithPreemptionExpectations(preemptions),
	)
	setAdmissionRoutineWrapper(p.scheduler, inline{})
	p.workloads = core.NewWorkloadReconciler(p.store, p.queues, p.cache, p.recorder,
		core.WithPreemptionExpectations(preemptions),
		withWaitForPodsReady(waitForPodsReady(configuration.WaitForPodsReady)),
	)
	p.clusterQueues = core.NewClusterQueueReconciler(p.store, p.queues, p.cache)
	p.localQueues = core.NewLocalQueueReconciler(p.store, p.queues, p.cache, core.WithClock(virtual))
	return p, setClock(p.workloads, virtual)
}

func newQueues(s *store, cache *schdcache.Cache, options []qcache.Option) (*qcache.Manager, requeuer) {
	manager, requeuer := qcache.NewManagerForUnitTestsWithRequeuer(s, cache, options...)
	return manager, requeuer
}

// add gives Kueue the objects in the order in which they depend on each other.
func (p *platform) add(o *objects) error {
	quiet := logr.Discard()
	for _, each := range o.namespaces {
		p.addNamespace(each)
	}
	for _, each := range o.flavors {
		p.cache.AddOrUpdateResourceFlavor(quiet, each)
	}
	for _, each := range o.checks {
		p.cache.AddOrUpdateAdmissionCheck(quiet, each)
	}
	for _, each := range o.cohorts {
		if err := p.addCohort(each); err != nil {
			return err
		}
	}
	for _, each := range o.clusterQueues {
		p.names = append(p.names, kueue.ClusterQueueReference(each.Name))
		p.store.clusterQueues[each.Name] = each
		p.clusterQueues.Create(event.TypedCreateEvent[*kueue.ClusterQueue]{Object: each})
	}
	for _, each := range o.localQueues {
		p.store.localQueues[client.ObjectKeyFromObject(each)] = each
		p.addNamespace(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: each.Namespace}})
		p.localQueues.Create(event.TypedCreateEvent[*kueue.LocalQueue]{Object: each})
	}
	return nil
}

func (p *platform) addNamespace(namespace *corev1.Namespace) {
	if p.store.namespaces[namespace.Name] != nil {
		return
	}
	if namespace.Labels == nil {
		namespace.Labels = map[string]string{}
	}
	namespace.Labels[corev1.LabelMetadataName] = namespace.Name
	p.store.namespaces[namespace.Name] = namespace
}

// addCohort does what the Cohort controller's Reconcile does.
func (p *platform) addCohort(cohort *kueue.Cohort) error {
	if err := p.cache.AddOrUpdateCohort(cohort); err != nil {
		return err
	}
	p.queues.AddOrUpdateCohort(context.Background(), cohort)
	return nil
}

// change replaces an object, and returns the Workloads that Kueue looks at again: those that the handlers
// workloadQueueHandler of its Workload controller find.
func (p *platform) change(o *objects) ([]types.NamespacedName, error) {
	quiet := logr.Discard()
	for _, each := range o.flavors {
		p.cache.AddOrUpdateResourceFlavor(quiet, each)
	}
	for _, each := range o.cohorts {
		if err := p.addCohort(each); err != nil {
			return nil, err
		}
	}
	affected := map[types.NamespacedName]bool{}
	for _, each := range o.clusterQueues {
		old := p.store.clusterQueues[each.Name]
		p.store.clusterQueues[each.Name] = each
		p.clusterQueues.Update(event.TypedUpdateEvent[*kueue.ClusterQueue]{ObjectOld: old, ObjectNew: each})
		for key, queue := range p.store.localQueues {
			affected[key] = affected[key] || string(queue.Spec.ClusterQueue) == each.Name
		}
	}
	for _, each := range o.localQueues {
		key := client.ObjectKeyFromObject(each)
		old := p.store.localQueues[key]
		p.store.localQueues[key] = each
		p.localQueues.Update(event.TypedUpdateEvent[*kueue.LocalQueue]{ObjectOld: old, ObjectNew: each})
		affected[key] = true
	}
	return p.workloadsOf(affected), nil
}

func (p *platform) workloadsOf(queues map[types.NamespacedName]bool) []types.NamespacedName {
	var found []types.NamespacedName
	for _, each := range p.store.inOrder() {
		queue := types.NamespacedName{Namespace: each.workload.Namespace, Name: string(each.workload.Spec.QueueName)}
		if queues[queue] {
			found = append(found, client.ObjectKeyFromObject(each.workload))
		}
	}
	return found
}

// hasHeads says whether a queue has a Workload to look at; the scheduler would wait for one for ever.
func (p *platform) hasHeads() bool {
	for _, name := range p.names {
		if !p.cache.ClusterQueueActive(name) {
			continue
		}
		queue := getClusterQueue(p.queues, name)
		active, _ := queue.Pending()
		if active > 1 {
			return true
		}
		if active == 1 { // it may be one that the scheduler has taken out and not put back
			if _, found := queue.Dump(); found {
				return true
			}
		}
	}
	return false
}

// turn sets the clock to a moment, and a nanosecond later than before when it is the same second: no two happenings
// share a time, so that Kueue's order does not depend on the order of Go's maps.
func (p *platform) turn(at time.Time) {
	now := p.clock.Now()
	if !at.After(now) {
		at = now.Add(time.Nanosecond)
	}
	p.clock.SetTime(at)
}
