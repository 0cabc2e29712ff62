package main

import (
	"os"
	"testing"
)

// The library's table is that of the Go packages.
func TestHeaderIsCurrent(t *testing.T) {
	const file = "../../../collector/resources.h"
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(b) != text() {
		t.Errorf("%s is stale: go generate ./internal/resource", file)
	}
}
