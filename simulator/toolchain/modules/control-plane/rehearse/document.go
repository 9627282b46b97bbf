package main

import (
	"errors"
	"fmt"
	"io"

	jsonutil "sigs.k8s.io/json"
)

// inputFormat and outputFormat name the versions of the two documents; docs/rehearsal.md describes them.
const (
	inputFormat  = "tpu-rehearsal-input/1"
	outputFormat = "tpu-rehearsal-output/1"
	largestInput = 128 << 20
)

// document is the input. All times are whole seconds since the start of the rehearsal.
type document struct {
	Format string `json:"format"`
	// Until is when the rehearsal ends.
	Until int64 `json:"until"`
	// Configuration is Kueue's own, as in its configuration file.
	Configuration rawObject `json:"configuration,omitempty"`
	// Objects are Kueue's objects, and the Namespaces that have labels.
	Objects []rawObject `json:"objects"`
	// Capacity says when the nodes of flavors come; those of other flavors are always there.
	Capacity []capacity `json:"capacity,omitempty"`
	// Checks says how long each admission check takes that does not provision nodes.
	Checks map[string]int64 `json:"checks,omitempty"`
	// Eviction is how long the pods of an evicted Workload take to end.
	Eviction int64 `json:"eviction,omitempty"`
	// Workloads are in the order in which they are created.
	Workloads []entry `json:"workloads"`
	// Changes are objects that replace those of the same name.
	Changes []change `json:"changes,omitempty"`
}

// entry is one Workload: open at the start, or created later.
type entry struct {
	Workload rawObject `json:"workload"`
	// At is when it is created: zero or less for one that is open at the start.
	At int64 `json:"at"`
	// Admitted is when an open Workload was admitted, with the flavors in its status.
	Admitted *int64 `json:"admitted,omitempty"`
	// Runs is for how long its pods run, or nil for one that does not end.
	Runs *int64 `json:"runs,omitempty"`
	// Checkpoint is after how many seconds of work it saves its progress; without, it begins anew after an eviction.
	Checkpoint *int64 `json:"checkpoint,omitempty"`
}

// capacity is when the nodes of one flavor come.
type capacity struct {
	Flavor   string `json:"flavor"`
	Resource string `json:"resource"`
	// Queue is how long a request waits before its nodes are provisioned, as with flex-start.
	Queue int64 `json:"queue,omitempty"`
	// Startup is how long the nodes take from then on.
	Startup int64 `json:"startup,omitempty"`
	// Stock is how much of the resource there is, from each moment on; without, there is always enough.
	Stock []step `json:"stock,omitempty"`
}

type step struct {
	At     int64 `json:"at"`
	Amount int64 `json:"amount"`
}

type change struct {
	At     int64     `json:"at"`
	Object rawObject `json:"object"`
}

// rawObject is the JSON of one object, which is decoded when its kind is known.
type rawObject []byte

func (r *rawObject) UnmarshalJSON(data []byte) error {
	*r = append((*r)[:0], data...)
	return nil
}

// readDocument reads and checks everything but the objects.
func readDocument(input io.Reader) (*document, error) {
	data, err := io.ReadAll(io.LimitReader(input, largestInput+1))
	if err != nil {
		return nil, err
	}
	if len(data) > largestInput {
		return nil, fmt.Errorf("the document is larger than %d MiB", largestInput>>20)
	}
	read := &document{}
	strict, err := jsonutil.UnmarshalStrict(data, read)
	if err != nil {
		return nil, fmt.Errorf("the document of %d bytes is not whole JSON of this format: %w", len(data), err)
	}
	if len(strict) > 0 {
		return nil, fmt.Errorf("the document has keys that the format does not: %w", errors.Join(strict...))
	}
	return read, read.check()
}

func (d *document) check() error {
	if d.Format != inputFormat {
		return fmt.Errorf("format is %q; this command reads %q", d.Format, inputFormat)
	}
	if d.Until <= 0 {
		return fmt.Errorf("until is %d; it must be a number of seconds above 0", d.Until)
	}
	if d.Eviction < 0 {
		return fmt.Errorf("eviction is %d seconds; it must not be negative", d.Eviction)
	}
	for name, seconds := range d.Checks {
		if seconds < 0 {
			return fmt.Errorf("checks.%s is %d seconds; it must not be negative", name, seconds)
		}
	}
	last := int64(0)
	for i := range d.Workloads {
		if err := d.Workloads[i].check(i, last); err != nil {
			return err
		}
		if i == 0 || d.Workloads[i].At > last {
			last = d.Workloads[i].At
		}
	}
	for i, each := range d.Changes {
		if each.At < 0 || i > 0 && each.At < d.Changes[i-1].At {
			return fmt.Errorf("changes[%d].at is %d; times must not be negative and must not go back", i, each.At)
		}
	}
	return d.checkCapacity()
}

func (e *entry) check(i int, last int64) error {
	place := fmt.Sprintf("workloads[%d]", i)
	if i > 0 && e.At < last {
		return fmt.Errorf("%s.at is %d and the Workload before has %d: times must not go back", place, e.At, last)
	}
	if e.Runs != nil && *e.Runs < 0 {
		return fmt.Errorf("%s.runs is %d; a run time must not be negative", place, *e.Runs)
	}
	if e.Checkpoint != nil && *e.Checkpoint <= 0 {
		return fmt.Errorf("%s.checkpoint is %d; it must be above 0", place, *e.Checkpoint)
	}
	if e.Admitted != nil && (*e.Admitted > 0 || *e.Admitted < e.At) {
		return fmt.Errorf("%s.admitted is %d; it must be between its at (%d) and 0", place, *e.Admitted, e.At)
	}
	return nil
}

func (d *document) checkCapacity() error {
	seen := map[string]bool{}
	for i, each := range d.Capacity {
		place := fmt.Sprintf("capacity[%d]", i)
		if each.Flavor == "" || each.Resource == "" {
			return fmt.Errorf("%s needs a flavor and a resource", place)
		}
		if seen[each.Flavor] {
			return fmt.Errorf("%s is a second entry of the flavor %s", place, each.Flavor)
		}
		seen[each.Flavor] = true
		if each.Queue < 0 || each.Startup < 0 {
			return fmt.Errorf("%s has a negative time", place)
		}
		for j, step := range each.Stock {
			if step.At < 0 || step.Amount < 0 || j > 0 && step.At <= each.Stock[j-1].At {
				return fmt.Errorf("%s.stock[%d]: times and amounts must not be negative, and times must go forward", place, j)
			}
		}
	}
	return nil
}
