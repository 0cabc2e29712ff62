package main

import (
	"time"

	"github.com/profilecollection/pct/pct/internal/calltree"
	"github.com/profilecollection/pct/pct/internal/contexts"
	"github.com/profilecollection/pct/pct/internal/path"
	"github.com/profilecollection/pct/pct/internal/report"
)

const (
	timeSlices  = 10
	sliceLeast  = 10  // samples of a slice in the mean that say which context is the heaviest
	maxPhases   = 4   // more of them are no phases, but noise or a loop
	phaseChange = 0.2 // by which the share of a context differs from that in the whole
)

// phasesOf returns stretches of time in each of which another context is the heaviest;
// none if that is the same all the time, or changes too often.
func phasesOf(c *path.Calls, t *calltree.Tree, found *contexts.Contexts) []report.OverviewPhase {
	timed := func(yield func(s *path.CallSample) bool) {
		for s := range c.Samples() {
			if !s.Untimed && int(s.Node) < len(found.Of) && t.Self[s.Node].Samples > 0 && !yield(&s) {
				return
			}
		}
	}
	var last time.Duration
	samples := 0
	for s := range timed {
		last = max(last, s.Time)
		samples += s.Weight.Samples
	}
	if samples < timeSlices*sliceLeast || last == 0 {
		return nil
	}
	weights := make([][]uint64, timeSlices)
	totals := make([]uint64, len(found.List)+1)
	var whole uint64
	for i := range weights {
		weights[i] = make([]uint64, len(found.List)+1)
	}
	for s := range timed {
		slice, context := min(int(float64(s.Time)/float64(last)*timeSlices), timeSlices-1), found.Of[s.Node]+1
		weights[slice][context] += s.Weight.Weight
		totals[context] += s.Weight.Weight
		whole += s.Weight.Weight
	}
	var phases []report.OverviewPhase
	var sums []uint64 // of the last phase
	before := -1
	for i, slice := range weights {
		from, to := last*time.Duration(i)/timeSlices, last*time.Duration(i+1)/timeSlices
		heaviest, sum := 0, uint64(0)
		for context, w := range slice {
			if sum += w; w > slice[heaviest] {
				heaviest = context
			}
		}
		if sum == 0 {
			if before < 0 {
				continue
			}
			heaviest = before // nothing speaks against it
		}
		if heaviest != before {
			phases, sums = append(phases, report.OverviewPhase{From: from, Context: heaviest}), make([]uint64, 2)
		}
		before = heaviest
		sums[0], sums[1] = sums[0]+slice[heaviest], sums[1]+sum
		ph := &phases[len(phases)-1]
		if ph.To = to; sums[1] > 0 {
			ph.Share = float64(sums[0]) / float64(sums[1])
		}
	}
	if len(phases) < 2 || len(phases) > maxPhases {
		return nil
	}
	for _, ph := range phases {
		if ph.Share-float64(totals[ph.Context])/float64(whole) >= phaseChange {
			return phases
		}
	}
	return nil
}
