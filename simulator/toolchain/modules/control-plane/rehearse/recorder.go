package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// recorder takes the events that Kueue writes about Workloads.
type recorder struct {
	lock sync.Mutex
	// said is what the scheduler said in the cycle, a line for each Workload and event.
	said []string
	// evictors are the Workloads for which others were evicted, by the evicted one.
	evictors map[types.NamespacedName]types.NamespacedName
	// admissions are the words with which the scheduler reserved quota in this cycle.
	admissions map[types.NamespacedName]string
}

func newRecorder() *recorder {
	return &recorder{
		evictors:   map[types.NamespacedName]types.NamespacedName{},
		admissions: map[types.NamespacedName]string{},
	}
}

// Eventf is called by several goroutines at once while Workloads are evicted.
func (r *recorder) Eventf(regarding, _ runtime.Object, _, reason, _, note string, args ...any) {
	about, isObject := regarding.(client.Object)
	if !isObject {
		return
	}
	key := client.ObjectKeyFromObject(about)
	text := note
	if len(args) > 0 {
		text = fmt.Sprintf(note, args...)
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	r.said = append(r.said, key.String()+" "+reason+" "+text)
	switch reason {
	case "QuotaReserved":
		r.admissions[key] = text
	case "PreemptedWorkload": // its first argument is the evicted Workload: pkg/scheduler/preemption/preemption.go
		if evicted, isReference := args[0].(klog.ObjectRef); isReference {
			r.evictors[types.NamespacedName{Namespace: evicted.Namespace, Name: evicted.Name}] = key
		}
	}
}

// cycle returns what was said since the last call as one text, and forgets it.
func (r *recorder) cycle() string {
	r.lock.Lock()
	defer r.lock.Unlock()
	slices.Sort(r.said)
	text := strings.Join(r.said, "\n")
	r.said = r.said[:0]
	return text
}

// takeEvictor returns for whom a Workload was evicted.
func (r *recorder) takeEvictor(key types.NamespacedName) string {
	r.lock.Lock()
	defer r.lock.Unlock()
	found, isThere := r.evictors[key]
	delete(r.evictors, key)
	if !isThere {
		return ""
	}
	return found.String()
}

// takeAdmission returns with which words a Workload got quota.
func (r *recorder) takeAdmission(key types.NamespacedName) string {
	r.lock.Lock()
	defer r.lock.Unlock()
	text := r.admissions[key]
	delete(r.admissions, key)
	return text
}
