package main

import (
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	jsonutil "sigs.k8s.io/json"
	configapi "sigs.k8s.io/kueue/apis/config/v1beta2"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	"sigs.k8s.io/kueue/pkg/webhooks"
)

// objects are the objects of a platform by kind, in the order of the document.
type objects struct {
	flavors       []*kueue.ResourceFlavor
	clusterQueues []*kueue.ClusterQueue
	localQueues   []*kueue.LocalQueue
	cohorts       []*kueue.Cohort
	priorities    map[string]int32
	checks        []*kueue.AdmissionCheck
	namespaces    []*corev1.Namespace
	topologies    int
	seen          map[string]bool
}

func readObjects(raw []rawObject) (*objects, error) {
	read := &objects{priorities: map[string]int32{}, seen: map[string]bool{}}
	for i, each := range raw {
		if err := read.add(each); err != nil {
			return nil, fmt.Errorf("objects[%d]: %w", i, err)
		}
	}
	return read, nil
}

func (o *objects) add(raw rawObject) error {
	kind := metav1.PartialObjectMetadata{}
	if err := jsonutil.UnmarshalCaseSensitivePreserveInts(raw, &kind); err != nil {
		return err
	}
	name := kind.Kind + " " + kind.Namespace + "/" + kind.Name
	if kind.Name == "" {
		return fmt.Errorf("a %s without a name", kind.Kind)
	}
	if o.seen[name] {
		return fmt.Errorf("%s is there twice", name)
	}
	o.seen[name] = true
	if err := o.addKind(kind.APIVersion, kind.Kind, raw); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func (o *objects) addKind(version, kind string, raw rawObject) error {
	if wanted := versionOf(kind); version != wanted {
		return fmt.Errorf("apiVersion is %q; a rehearsal reads %s in %q", version, kind, wanted)
	}
	switch kind {
	case "ResourceFlavor":
		return o.addFlavor(raw)
	case "ClusterQueue":
		queue, err := readClusterQueue(raw)
		o.clusterQueues = append(o.clusterQueues, queue)
		return err
	case "LocalQueue":
		queue, err := decoded[kueue.LocalQueue](raw)
		o.localQueues = append(o.localQueues, queue)
		return err
	case "Cohort":
		cohort, err := decoded[kueue.Cohort](raw)
		o.cohorts = append(o.cohorts, cohort)
		return err
	case "WorkloadPriorityClass":
		class, err := decoded[kueue.WorkloadPriorityClass](raw)
		if err == nil {
			o.priorities[class.Name] = class.Value
		}
		return err
	case "AdmissionCheck":
		check, err := decoded[kueue.AdmissionCheck](raw)
		if err == nil { // its controller would set it
			check.Status.Conditions = []metav1.Condition{{Type: kueue.AdmissionCheckActive, Status: metav1.ConditionTrue}}
		}
		o.checks = append(o.checks, check)
		return err
	case "Namespace":
		namespace, err := decoded[corev1.Namespace](raw)
		o.namespaces = append(o.namespaces, namespace)
		return err
	case "Topology":
		o.topologies++
		return nil
	}
	return errors.New("a rehearsal does not read this kind")
}

func versionOf(kind string) string {
	if kind == "Namespace" {
		return "v1"
	}
	return kueue.SchemeGroupVersion.String()
}

func (o *objects) addFlavor(raw rawObject) error {
	flavor, err := decoded[kueue.ResourceFlavor](raw)
	if err != nil {
		return err
	}
	o.flavors = append(o.flavors, flavor)
	return webhooks.ValidateResourceFlavor(flavor).ToAggregate()
}

// readClusterQueue adds the defaults of the CustomResourceDefinition, which the API server would add.
// Source: the markers kubebuilder:default in apis/kueue/v1beta2/clusterqueue_types.go of Kueue.
func readClusterQueue(raw rawObject) (*kueue.ClusterQueue, error) {
	queue, err := decoded[kueue.ClusterQueue](raw)
	if err != nil {
		return nil, err
	}
	if queue.Spec.ConcurrentAdmissionPolicy != nil {
		return nil, errors.New("a rehearsal does not model concurrentAdmissionPolicy")
	}
	spec := &queue.Spec
	byDefault(&spec.QueueingStrategy, kueue.BestEffortFIFO)
	byDefault(&spec.StopPolicy, new(kueue.None))
	byDefault(&spec.FlavorFungibility, &kueue.FlavorFungibility{})
	byDefault(&spec.FlavorFungibility.WhenCanBorrow, kueue.MayStopSearch)
	byDefault(&spec.FlavorFungibility.WhenCanPreempt, kueue.TryNextFlavor)
	byDefault(&spec.Preemption, &kueue.ClusterQueuePreemption{})
	byDefault(&spec.Preemption.ReclaimWithinCohort, kueue.PreemptionPolicyNever)
	byDefault(&spec.Preemption.WithinClusterQueue, kueue.PreemptionPolicyNever)
	byDefault(&spec.Preemption.BorrowWithinCohort, &kueue.BorrowWithinCohort{})
	byDefault(&spec.Preemption.BorrowWithinCohort.Policy, kueue.BorrowWithinCohortPolicyNever)
	return queue, webhooks.ValidateClusterQueue(queue).ToAggregate()
}

func byDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// decoded reads an object strictly: an unknown field may be one that decides.
func decoded[T any](raw rawObject) (*T, error) {
	object := new(T)
	strict, err := jsonutil.UnmarshalStrict(raw, object)
	if err != nil {
		return nil, err
	}
	return object, errors.Join(strict...)
}

// refuseConfiguration refuses what of Kueue's configuration decides and is not modelled.
func refuseConfiguration(configuration *configapi.Configuration) error {
	if configuration.AdmissionFairSharing != nil {
		return errors.New("configuration: a rehearsal does not model admissionFairSharing")
	}
	return nil
}
