package main

import "time"

// nodes says when the nodes of a Workload come. Kueue does not see nodes: it sees pods that are ready, or the answer of
// an admission check that provisions nodes.
type nodes struct {
	flavors map[string]*stocked
}

// stocked is the capacity of a flavor.
type stocked struct {
	capacity
	// taken is what Workloads have, and waiting are those for which there is no stock, the first one first.
	taken   int64
	waiting []*order
}

// order is what a Workload needs of a flavor.
type order struct {
	amount int64
	come   func() error
}

func newNodes(all []capacity) nodes {
	made := nodes{flavors: map[string]*stocked{}}
	for _, each := range all {
		made.flavors[each.Flavor] = &stocked{capacity: each}
	}
	return made
}

// hasStock says whether a flavor has this much left at a moment.
func (s *stocked) hasStock(amount int64, now time.Time) bool {
	if len(s.Stock) == 0 {
		return true
	}
	there := int64(0)
	for _, step := range s.Stock {
		if !moment(step.At).After(now) {
			there = step.Amount
		}
	}
	return s.taken+amount <= there
}

// request asks for nodes behind those who wait already.
func (s *stocked) request(e *engine, wanted *order) {
	s.waiting = append(s.waiting, wanted)
	s.deliver(e)
}

// deliver gives stock to those who wait for it, in their order.
func (s *stocked) deliver(e *engine) {
	for len(s.waiting) > 0 && s.hasStock(s.waiting[0].amount, e.clock.Now()) {
		first := s.waiting[0]
		s.waiting = s.waiting[1:]
		s.taken += first.amount
		e.agenda.add(e.clock.Now().Add(time.Duration(s.Queue+s.Startup)*time.Second), rankNodes, first.come)
	}
}

// release gives back what a Workload has of a flavor, or no longer waits for.
func (s *stocked) release(e *engine, released *order) {
	for i, each := range s.waiting {
		if each == released {
			s.waiting = append(s.waiting[:i:i], s.waiting[i+1:]...)
			s.deliver(e)
			return
		}
	}
	s.taken -= released.amount
	s.deliver(e)
}

// plan lets those who wait have new stock when it comes.
func (n *nodes) plan(e *engine, flavors []capacity) {
	for _, each := range flavors {
		flavor := n.flavors[each.Flavor]
		for _, step := range each.Stock {
			e.agenda.add(moment(step.At), rankNodes, func() error {
				flavor.deliver(e)
				return nil
			})
		}
	}
}
