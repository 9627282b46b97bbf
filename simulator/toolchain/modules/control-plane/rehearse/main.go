// Command rehearse decides with Kueue's own scheduler, on a virtual clock, what happens to Workloads: when each is
// admitted, in which flavor, what it evicts and what it waits for. docs/rehearsal.md describes its input and output.
package main

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
)

// collectLate and memoryLimit trade memory for time: garbage is collected late, until there is much of it.
const (
	collectLate = 400
	memoryLimit = 400 << 20
)

// badInput and failed are the exit codes.
const (
	failed   = 1
	badInput = 2
)

func main() {
	debug.SetGCPercent(collectLate)
	debug.SetMemoryLimit(memoryLimit)
	ctrl.SetLogger(logr.Discard())
	klog.SetLogger(logr.Discard())
	input := io.Reader(os.Stdin)
	if len(os.Args) > 2 {
		end(badInput, fmt.Errorf("usage: rehearse [FILE]"))
	}
	if len(os.Args) == 2 && os.Args[1] != "-" {
		file, err := os.Open(os.Args[1])
		if err != nil {
			end(badInput, err)
		}
		defer file.Close()
		input = file
	}
	document, err := readDocument(input)
	if err != nil {
		end(badInput, err)
	}
	rehearsal, remarks, err := prepare(document)
	if err != nil {
		end(badInput, err)
	}
	if err := rehearse(rehearsal, document, remarks); err != nil {
		end(failed, err)
	}
}

func end(code int, err error) {
	fmt.Fprintf(os.Stderr, "rehearse: %v\n", err)
	os.Exit(code)
}
