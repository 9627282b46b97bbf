package main

import (
	"cmp"
	"slices"
)

// sortedUpdates orders writes by the document: the scheduler evicts several Workloads of a cycle in parallel.
func sortedUpdates(updates []update) []update {
	slices.SortStableFunc(updates, func(a, b update) int { return cmp.Compare(a.number, b.number) })
	return updates
}

// inOrder lists the Workloads in the order of the document.
func (s *store) inOrder() []*kept {
	all := make([]*kept, 0, len(s.workloads))
	for _, each := range s.workloads {
		all = append(all, each)
	}
	slices.SortFunc(all, func(a, b *kept) int { return cmp.Compare(a.number, b.number) })
	return all
}
