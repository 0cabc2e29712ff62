// Header writes the C library's table of resources: what libpct.so can measure.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/profilecollection/pct/internal/resource"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: header FILE")
		os.Exit(2)
	}
	if err := os.WriteFile(os.Args[1], []byte(text()), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, "header:", err)
		os.Exit(1)
	}
}

const head = `/*
 * resources.h: the resources that the library can measure.
 *
 * Generated from internal/resource/table.go by "go generate ./internal/resource": do not edit.
 */
#ifndef PCT_RESOURCES_H
#define PCT_RESOURCES_H

#include "resource.h"

#include <linux/perf_event.h>

/* Bits of MXCSR. */
enum { INVALID = 1, DENORMAL = 2, DIVIDE = 4, OVERFLOW = 8, UNDERFLOW = 16, INEXACT = 32 };

static const struct resource_kind resource_kinds[] = {
`

const tail = `};

#endif
`

// text is the file.
func text() string {
	var b strings.Builder
	b.WriteString(head)
	for _, k := range resource.All() {
		source := sources[k.Inside.Source]
		if source == "" {
			continue
		}
		which := k.Inside.Which
		if which == "" {
			which = "0"
		}
		fmt.Fprintf(&b, "\t{ %q, \"%s\", %d, %s, %s },\n", k.Name, k.Unit, k.Interval, source, which)
	}
	b.WriteString(tail)
	return b.String()
}

// The constants of collector/resource.h.
var sources = map[resource.Source]string{
	resource.Clock: "RESOURCE_TIME", resource.AllocCalls: "RESOURCE_ALLOC", resource.IOCalls: "RESOURCE_IO",
	resource.Traps: "RESOURCE_FPE", resource.Events: "RESOURCE_EVENT",
}
