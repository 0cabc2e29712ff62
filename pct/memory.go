package main

import (
	"github.com/profilecollection/pct/pct/internal/path"
	"github.com/profilecollection/pct/translators"
)

// memory is a translator that asks another one only what it has not asked before.
type memory struct {
	next  path.Translator
	known map[question][]translators.Location
}

type question struct {
	object, buildID string
	vaddr           uint64
}

func newMemory(next path.Translator) *memory {
	return &memory{next: next, known: map[question][]translators.Location{}}
}

func (m *memory) TranslateBuild(object, buildID string, vaddrs []uint64) ([][]translators.Location, error) {
	var fresh []uint64
	for _, vaddr := range vaddrs {
		if _, ok := m.known[question{object, buildID, vaddr}]; !ok {
			fresh = append(fresh, vaddr)
		}
	}
	if len(fresh) > 0 {
		answers, err := m.next.TranslateBuild(object, buildID, fresh)
		if err != nil {
			return nil, err
		}
		for i, vaddr := range fresh {
			m.known[question{object, buildID, vaddr}] = answers[i]
		}
	}
	all := make([][]translators.Location, len(vaddrs))
	for i, vaddr := range vaddrs {
		all[i] = m.known[question{object, buildID, vaddr}]
	}
	return all, nil
}
