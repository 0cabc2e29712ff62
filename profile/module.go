package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	values "github.com/profilecollection/pct/internal/expression"
	"github.com/profilecollection/pct/internal/object"
	"github.com/profilecollection/pct/internal/object/debuginfo"
	executor "github.com/profilecollection/pct/internal/plan"
)

// A module is the program that is started, or a library that it is loaded with.
type module struct {
	path   string
	file   *object.File
	debug  *object.File   // with the debug data; nil: there are none
	object *values.Object // nil: there are no debug data
}

func openModule(path string) (*module, error) {
	f, err := object.Map(path)
	if err != nil {
		return nil, err
	}
	m := &module{path: path, file: f, debug: object.Installed().DebugFile(f)}
	if m.debug != nil {
		m.object = values.NewObject(debuginfo.Open(object.Installed(), m.debug, f.LowestCode()))
	}
	return m, nil
}

// hasDebugData reports whether a file has debug data itself: not in another one.
func hasDebugData(path string) (bool, error) {
	f, err := object.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	return f.DebugSection("info") != nil, nil
}

func (m *module) close() {
	if m.debug != nil && m.debug != m.file {
		m.debug.Close()
	}
	m.file.Close()
}

// planned is the module for a file of plans.
func (m *module) planned(stretches []executor.Stretch) executor.Object {
	id, _ := hex.DecodeString(m.file.BuildID())
	thread, _ := m.file.ThreadOffset()
	return executor.Object{ID: id, Path: m.path, Thread: thread, Stretches: stretches}
}

// libraries are those that the program is loaded with, by its dynamic linker itself.
func (m *module) libraries() ([]string, error) {
	const patience = 2 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	list := exec.CommandContext(ctx, m.file.Interpreter(), "--list", m.path)
	list.Env = []string{}
	for _, name := range []string{"LD_LIBRARY_PATH", "LD_PRELOAD"} {
		if v, ok := os.LookupEnv(name); ok {
			list.Env = append(list.Env, name+"="+v)
		}
	}
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("its dynamic linker does not tell its libraries: %w", err)
	}
	var paths []string
	for line := range strings.Lines(string(out)) {
		path, _, _ := strings.Cut(line, " (0x")
		if _, to, found := strings.Cut(path, " => "); found {
			path = to
		}
		if path = strings.TrimSpace(path); strings.HasPrefix(path, "/") {
			paths = append(paths, path)
		}
	}
	return paths, nil
}
