package main

import (
	"fmt"
	"os"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

// prepare reads everything, so that an error in the input is found before anything is decided.
func prepare(d *document) (*engine, []string, error) {
	configuration, err := readConfiguration(d.Configuration)
	if err != nil {
		return nil, nil, err
	}
	read, err := readObjects(d.Objects)
	if err != nil {
		return nil, nil, err
	}
	if err := checkPlatform(read, d); err != nil {
		return nil, nil, err
	}
	made, err := newPlatform(configuration)
	if err != nil {
		return nil, nil, err
	}
	e := &engine{
		platform: made,
		end:      moment(d.Until),
		journal:  newJournal(os.Stdout),
		jobs:     map[types.NamespacedName]*job{},
		nodes:    newNodes(d.Capacity),
		checks:   map[string]time.Duration{},
		isReady:  hasPodsReady(configuration),
		eviction: time.Duration(d.Eviction) * time.Second,
		tries:    mostFlavors(read),
		isQueued: map[types.NamespacedName]bool{},
	}
	for name, after := range d.Checks {
		e.checks[name] = time.Duration(after) * time.Second
	}
	if blocksAdmission(configuration) {
		e.store.blocked = e.waitForPods
	}
	remarks := standing(read)
	if err := e.planWorkloads(d, read); err != nil {
		return nil, nil, err
	}
	if err := e.add(read); err != nil {
		return nil, nil, err
	}
	return e, remarks, e.planChanges(d, read)
}

// standing are the remarks of the header.
func standing(o *objects) []string {
	remarks := []string{
		"Nodes and pods are not modelled: a Workload runs when its quota and the capacity of its flavors are there.",
	}
	topologies := o.topologies
	for _, flavor := range o.flavors {
		if flavor.Spec.TopologyName != nil {
			flavor.Spec.TopologyName = nil
			topologies++
		}
	}
	if topologies > 0 {
		remarks = append(remarks, "Topologies are ignored: Kueue's placement on nodes can make Workloads wait that fit here.")
	}
	return remarks
}

func mostFlavors(o *objects) int {
	most := 1
	for _, queue := range o.clusterQueues {
		for _, group := range queue.Spec.ResourceGroups {
			most = max(most, len(group.Flavors))
		}
	}
	return most
}

// checkPlatform refuses what nothing in the document answers.
func checkPlatform(o *objects, d *document) error {
	names := map[string]bool{}
	for _, queue := range o.clusterQueues {
		names[queue.Name] = true
	}
	for _, queue := range o.localQueues {
		if !names[string(queue.Spec.ClusterQueue)] {
			return fmt.Errorf("LocalQueue %s/%s names the ClusterQueue %q, which is not in the document",
				queue.Namespace, queue.Name, queue.Spec.ClusterQueue)
		}
	}
	known := map[string]bool{}
	for _, check := range o.checks {
		known[check.Name] = true
		_, isTimed := d.Checks[check.Name]
		if check.Spec.ControllerName != kueue.ProvisioningRequestControllerName && !isTimed {
			return fmt.Errorf("AdmissionCheck %s of %s: nobody can know when it is ready; say in checks how long it takes",
				check.Name, check.Spec.ControllerName)
		}
	}
	for name := range d.Checks {
		if !known[name] {
			return fmt.Errorf("checks names %s, and no AdmissionCheck has that name", name)
		}
	}
	flavors := map[string]bool{}
	for _, flavor := range o.flavors {
		flavors[flavor.Name] = true
	}
	for i, each := range d.Capacity {
		if !flavors[each.Flavor] {
			return fmt.Errorf("capacity[%d] names the flavor %s, and no ResourceFlavor has that name", i, each.Flavor)
		}
	}
	return nil
}

// planWorkloads reads every Workload, and plans the creation of those that are not open. These are read again when they
// are created, so that a long trace does not need memory for all of them at once. Those that are open are in the store
// before Kueue gets its queues, as after a restart: it lists them then.
func (e *engine) planWorkloads(d *document, o *objects) error {
	seen := map[types.NamespacedName]bool{}
	var admitted, pending []func() error
	for i := range d.Workloads {
		entry := &d.Workloads[i]
		read, err := readWorkload(entry, i, o)
		if err == nil {
			err = checkWorkload(read, o)
		}
		if err == nil && seen[keyOf(read)] {
			err = fmt.Errorf("%s is there twice", keyOf(read))
		}
		if err != nil {
			return fmt.Errorf("workloads[%d]: %w", i, err)
		}
		seen[keyOf(read)] = true
		if entry.At > 0 {
			e.agenda.add(moment(entry.At), rankArrival, func() error { return e.arriveLater(entry, i, o) })
			continue
		}
		entry.Workload = nil
		e.store.workloads[keyOf(read)] = &kept{i, read}
		arrive := func() error { return e.arrive(entry, i, read) }
		if entry.Admitted != nil {
			admitted = append(admitted, arrive)
		} else {
			pending = append(pending, arrive)
		}
	}
	e.agenda.add(start, rankArrival, func() error {
		for _, arrive := range append(admitted, pending...) {
			if err := arrive(); err != nil {
				return err
			}
		}
		return nil
	})
	return nil
}

// arriveLater creates a Workload that is asked for after the start.
func (e *engine) arriveLater(entry *entry, number int, o *objects) error {
	created, err := readWorkload(entry, number, o)
	if err != nil {
		return err
	}
	entry.Workload = nil
	created.CreationTimestamp = metav1.NewTime(e.clock.Now())
	e.store.workloads[keyOf(created)] = &kept{number, created}
	return e.arrive(entry, number, created)
}

// checkWorkload refuses Workloads of queues that are not there.
func checkWorkload(w *kueue.Workload, o *objects) error {
	if err := checkQueues(w, o); err != nil || w.Status.Admission == nil {
		return err
	}
	return checkAdmission(w, o)
}

// checkAdmission refuses an open Workload that holds quota of a queue that is not there.
func checkAdmission(w *kueue.Workload, o *objects) error {
	for _, queue := range o.clusterQueues {
		if queue.Name == string(w.Status.Admission.ClusterQueue) {
			return nil
		}
	}
	return fmt.Errorf("status.admission.clusterQueue is %q, which is not in the document", w.Status.Admission.ClusterQueue)
}

func (e *engine) planChanges(d *document, o *objects) error {
	for i, each := range d.Changes {
		changed, err := readObjects([]rawObject{each.Object})
		if err == nil && len(changed.checks)+len(changed.namespaces)+len(changed.priorities)+changed.topologies > 0 {
			err = fmt.Errorf("only flavors, queues and cohorts can change")
		}
		if err == nil {
			err = checkKnown(changed, o)
		}
		if err != nil {
			return fmt.Errorf("changes[%d]: %w", i, err)
		}
		standing(changed)
		e.agenda.add(moment(each.At), rankChange, func() error {
			affected, err := e.change(changed)
			for _, key := range affected {
				e.enqueue(key)
			}
			e.isDirty = true
			return err
		})
	}
	e.nodes.plan(e, d.Capacity)
	return nil
}

// checkKnown refuses queues that a change would create.
func checkKnown(changed, o *objects) error {
	for name := range changed.seen {
		if !o.seen[name] {
			return fmt.Errorf("%s is not among the objects, and a change replaces one", name)
		}
	}
	return nil
}

// arrive gives Kueue a Workload; one that was admitted before the start runs on.
func (e *engine) arrive(entry *entry, number int, created *kueue.Workload) error {
	j := &job{key: keyOf(created), number: number, entry: entry}
	e.jobs[j.key] = j
	e.create(created)
	made := e.made(j, eventQueued)
	made.At = entry.At
	made.Queue = string(e.store.localQueues[types.NamespacedName{
		Namespace: created.Namespace, Name: string(created.Spec.QueueName),
	}].Spec.ClusterQueue)
	if err := e.journal.decide(made); err != nil || entry.Admitted == nil {
		return err
	}
	return e.resume(j, created)
}

// resume takes an open Workload up where it is: it has its nodes, and its pods run since its admission.
func (e *engine) resume(j *job, open *kueue.Workload) error {
	made := e.made(j, eventAdmitted)
	made.At = *j.entry.Admitted
	made.Queue = string(open.Status.Admission.ClusterQueue)
	made.Flavors = flavorsOf(open.Status.Admission)
	made.Usage = usageOf(open.Status.Admission)
	if err := e.journal.decide(made); err != nil {
		return err
	}
	e.own(j, open.Status.Admission)
	j.started = moment(*j.entry.Admitted)
	e.planEnd(j)
	return nil
}

// rehearse runs everything and writes the output.
func rehearse(e *engine, d *document, remarks []string) error {
	head := header{Format: outputFormat, Kueue: kueueVersion(), Until: d.Until, Remarks: remarks}
	if err := e.journal.encoder.Encode(head); err != nil {
		return err
	}
	if err := e.run(); err != nil {
		return err
	}
	if err := e.conclude(); err != nil {
		return err
	}
	foot := footer{At: d.Until, Event: eventEnd, Decisions: e.journal.lines, Cycles: e.cycles}
	if err := e.journal.encoder.Encode(foot); err != nil {
		return err
	}
	return e.journal.buffer.Flush()
}
