package main

import (
	"container/heap"
	"time"
)

// start is the virtual moment 0. It is long ago, because Kueue's queues compare the end of a backoff with the wall
// clock: for them every backoff is over, and the condition Requeued alone holds a Workload back.
var start = time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)

// What happens in one second happens in this order.
type rank int

const (
	rankRequeue rank = iota // Workloads that did not fit are looked at again
	rankChange              // an object changes
	rankNodes               // nodes come, a check answers
	rankEnd                 // pods end
	rankTimer               // Kueue looks at a Workload again
	rankArrival             // Workloads are created
)

// happening is something that happens at a moment; within a second, ranks decide what is first.
type happening struct {
	at     time.Time
	second int64
	rank   rank
	number int
	run    func() error
}

// agenda has the happenings of the future, the next one first.
type agenda struct {
	queue []*happening
	count int
}

func (a *agenda) add(at time.Time, rank rank, run func() error) {
	a.count++
	heap.Push(a, &happening{at, seconds(at), rank, a.count, run})
}

// next takes the first happening that is not after the end.
func (a *agenda) next(end time.Time) *happening {
	if len(a.queue) == 0 || a.queue[0].at.After(end) {
		return nil
	}
	return heap.Pop(a).(*happening)
}

func (a *agenda) Len() int { return len(a.queue) }

func (a *agenda) Less(i, j int) bool {
	left, right := a.queue[i], a.queue[j]
	if left.second != right.second {
		return left.second < right.second
	}
	if left.rank != right.rank {
		return left.rank < right.rank
	}
	return left.number < right.number
}

func (a *agenda) Swap(i, j int) { a.queue[i], a.queue[j] = a.queue[j], a.queue[i] }

func (a *agenda) Push(x any) { a.queue = append(a.queue, x.(*happening)) }

func (a *agenda) Pop() any {
	last := a.queue[len(a.queue)-1]
	a.queue[len(a.queue)-1] = nil
	a.queue = a.queue[:len(a.queue)-1]
	return last
}

// moment is a number of seconds of the document as a virtual time.
func moment(seconds int64) time.Time {
	return start.Add(time.Duration(seconds) * time.Second)
}

// seconds is a virtual time as the output has it.
func seconds(at time.Time) int64 {
	return int64(at.Sub(start).Truncate(time.Second) / time.Second)
}
