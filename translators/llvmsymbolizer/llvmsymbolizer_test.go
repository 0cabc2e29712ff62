package main

import (
	"testing"

	"github.com/profilecollection/pct/translators/internal/wrapper/wrappertest"
)

func Test(t *testing.T) {
	wrappertest.Command{Run: run, Tool: "llvm-symbolizer"}.Test(t)
}
