package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
)

// heapFloor is the variable with the size, in MiB, to which the heap may grow before garbage is collected.
const heapFloor = "HEAP_FLOOR_MIB"

// liveBytes is the metric of the bytes that the last collection has found in use.
const liveBytes = "/gc/heap/live:bytes"

// mostPercent is the GOGC to which that of a large heap grows: each collection marks all of it.
const mostPercent = 70

// heap chooses GOGC anew after each collection: so much that a heap below the floor grows to it, and for one above more
// than was set, the more the larger it is.
type heap struct {
	floor   uint64 // bytes
	percent int
}

// sentinel holds a pointer: Go may never finalize a small object without one.
type sentinel struct{ of *heap }

// keepHeap applies heapFloor. A server that starts makes much garbage while little of its heap is in use. Collecting in
// proportion to that costs a quarter of its processor time, and saves memory that it needs a moment later.
func keepHeap() {
	floor, err := strconv.ParseUint(os.Getenv(heapFloor), 10, 32)
	if err != nil || floor == 0 {
		return
	}
	(&heap{floor: floor << 20, percent: debug.SetGCPercent(-1)}).choose()
}

// choose applies to the next collection, which frees an object and so calls it again.
func (h *heap) choose() {
	live := []metrics.Sample{{Name: liveBytes}}
	metrics.Read(live)
	size := max(live[0].Value.Uint64(), 1)
	toFloor := int(h.floor*100/size) - 100
	withSize := min(mostPercent, h.percent*int(size)/int(h.floor))
	debug.SetGCPercent(max(h.percent, toFloor, withSize))
	runtime.SetFinalizer(&sentinel{of: h}, func(*sentinel) { h.choose() })
}
