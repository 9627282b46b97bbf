package main

import (
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	"sigs.k8s.io/kueue/pkg/webhooks"
)

// readWorkload reads the Workload of an entry, with the defaults of the CustomResourceDefinition and without what is not
// modelled. `number` is its place in the document.
func readWorkload(entry *entry, number int, o *objects) (*kueue.Workload, error) {
	read, err := decoded[kueue.Workload](entry.Workload)
	if err != nil {
		return nil, err
	}
	if read.APIVersion != kueue.SchemeGroupVersion.String() || read.Kind != "Workload" {
		return nil, fmt.Errorf("it must be a Workload in %s", kueue.SchemeGroupVersion)
	}
	if read.Name == "" || read.Namespace == "" {
		return nil, errors.New("it needs a name and a namespace")
	}
	if len(read.Spec.PodSets) == 0 {
		return nil, errors.New("spec.podSets is empty")
	}
	made := &kueue.Workload{TypeMeta: read.TypeMeta, Spec: read.Spec}
	made.ObjectMeta = metav1.ObjectMeta{
		Name: read.Name, Namespace: read.Namespace, Labels: read.Labels, Annotations: read.Annotations, Generation: 1,
	}
	made.UID = types.UID(fmt.Sprintf("%010d", number))
	made.ResourceVersion = "1"
	made.CreationTimestamp = metav1.NewTime(moment(entry.At).Add(time.Duration(number)))
	byDefault(&made.Spec.Active, new(true))
	for i := range made.Spec.PodSets {
		set := &made.Spec.PodSets[i]
		byDefault(&set.Name, kueue.DefaultPodSetName)
		if set.Count == 0 {
			set.Count = 1
		}
		set.TopologyRequest = nil
	}
	if err := setPriority(made, o); err != nil {
		return nil, err
	}
	if entry.Admitted != nil {
		if err := setAdmission(made, read, entry); err != nil {
			return nil, err
		}
	}
	return made, webhooks.ValidateWorkload(made, nil).ToAggregate()
}

func setPriority(w *kueue.Workload, o *objects) error {
	reference := w.Spec.PriorityClassRef
	if reference == nil || w.Spec.Priority != nil {
		return nil
	}
	value, found := o.priorities[reference.Name]
	if !found || reference.Kind != kueue.WorkloadPriorityClassKind {
		return fmt.Errorf("spec.priorityClassRef names the %s %s, which is not in the document", reference.Kind, reference.Name)
	}
	w.Spec.Priority = &value
	return nil
}

// setAdmission lets an open Workload hold the quota that its status says.
func setAdmission(w, read *kueue.Workload, entry *entry) error {
	if read.Status.Admission == nil {
		return errors.New("it is admitted, and has no status.admission")
	}
	w.Status.Admission = read.Status.Admission
	for i := range w.Status.Admission.PodSetAssignments {
		w.Status.Admission.PodSetAssignments[i].TopologyAssignment = nil
		w.Status.Admission.PodSetAssignments[i].DelayedTopologyRequest = nil
	}
	at := metav1.NewTime(moment(*entry.Admitted))
	for _, name := range []string{kueue.WorkloadQuotaReserved, kueue.WorkloadAdmitted, kueue.WorkloadPodsReady} {
		w.Status.Conditions = append(w.Status.Conditions, metav1.Condition{
			Type: name, Status: metav1.ConditionTrue, Reason: name, LastTransitionTime: at,
		})
	}
	for _, check := range read.Status.AdmissionChecks {
		w.Status.AdmissionChecks = append(w.Status.AdmissionChecks, kueue.AdmissionCheckState{
			Name: check.Name, State: kueue.CheckStateReady, LastTransitionTime: at,
		})
	}
	return nil
}

// checkQueues refuses Workloads of queues that are not there, and queues of flavors and checks that nothing decides.
func checkQueues(w *kueue.Workload, o *objects) error {
	for _, queue := range o.localQueues {
		if queue.Namespace == w.Namespace && queue.Name == string(w.Spec.QueueName) {
			return nil
		}
	}
	return fmt.Errorf("spec.queueName is %q, and the namespace %s has no such LocalQueue", w.Spec.QueueName, w.Namespace)
}
