package main

import (
	"bufio"
	"encoding/json"
	"io"
	"runtime/debug"
)

// header is the first line of the output.
type header struct {
	Format string `json:"format"`
	Kueue  string `json:"kueue"`
	Until  int64  `json:"until"`
	// Remarks say what of this input the rehearsal does not model.
	Remarks []string `json:"remarks"`
}

// decision is a line of the output: something that happened to a Workload.
type decision struct {
	At       int64  `json:"at"`
	Workload string `json:"workload"`
	Event    string `json:"event"`
	Queue    string `json:"queue,omitempty"`
	// Flavors are the flavors by resource by pod set.
	Flavors map[string]map[string]string `json:"flavors,omitempty"`
	// Usage is what it holds, by flavor and resource.
	Usage  map[string]map[string]int64 `json:"usage,omitempty"`
	Reason string                      `json:"reason,omitempty"`
	Cause  string                      `json:"cause,omitempty"`
	By     string                      `json:"by,omitempty"`
	// Until is when a backoff ends.
	Until *int64 `json:"until,omitempty"`
	// Ran is for how long the pods of an evicted Workload ran, and Lost the part of it that must be done again.
	Ran   *int64 `json:"ran,omitempty"`
	Lost  *int64 `json:"lost,omitempty"`
	Words string `json:"words,omitempty"`
}

// The events of decisions.
const (
	eventQueued      = "queued"
	eventWaiting     = "waiting"
	eventReserved    = "reserved"
	eventAdmitted    = "admitted"
	eventStarted     = "started"
	eventEvicted     = "evicted"
	eventReleased    = "released"
	eventRequeued    = "requeued"
	eventDeactivated = "deactivated"
	eventFinished    = "finished"
	eventRunning     = "running"
	eventNever       = "never"
	eventEnd         = "end"
)

// footer is the last line; an output without it is cut short.
type footer struct {
	At        int64  `json:"at"`
	Event     string `json:"event"`
	Decisions int    `json:"decisions"`
	Cycles    int    `json:"cycles"`
}

// journal writes the output line by line.
type journal struct {
	buffer  *bufio.Writer
	encoder *json.Encoder
	lines   int
}

func newJournal(output io.Writer) *journal {
	buffer := bufio.NewWriterSize(output, 1<<16)
	encoder := json.NewEncoder(buffer)
	encoder.SetEscapeHTML(false)
	return &journal{buffer: buffer, encoder: encoder}
}

func (j *journal) decide(made decision) error {
	j.lines++
	return j.encoder.Encode(made)
}

// kueueVersion is the release that this command was built with.
func kueueVersion() string {
	build, _ := debug.ReadBuildInfo()
	if build != nil {
		for _, module := range build.Deps {
			if module.Path == "sigs.k8s.io/kueue" {
				return module.Version
			}
		}
	}
	return "unknown"
}
