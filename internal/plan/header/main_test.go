package main

import (
	"os"
	"testing"
)

// The library's table is that of package plan.
func TestHeaderIsCurrent(t *testing.T) {
	const file = "../../../collector/ops.h"
	want, err := text("..")
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(b) != want {
		t.Errorf("%s is stale: go generate ./internal/plan", file)
	}
}
