package session

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/profilecollection/pct/dbctl/internal/tracer"
	"github.com/profilecollection/pct/internal/object"
	"github.com/profilecollection/pct/internal/proc"
	"github.com/profilecollection/pct/unwind"
)

// forkSite finds where a process forks: in its C library, or, if it has none
// mapped, in the program itself.
func (t *tree) forkSite(pid int) (tracer.Site, error) {
	u, err := unwind.New(pid, t.cache)
	if err != nil {
		return tracer.Site{}, err
	}
	defer u.Close()
	exe, err := proc.Exe(pid)
	if err != nil {
		return tracer.Site{}, err
	}
	var program, library *unwind.Object
	for _, o := range u.Objects() {
		switch {
		case o.Kind != unwind.File:
		case o.Path == exe:
			program = o
		case cLibrary(o.Path):
			library = o
		}
	}
	object, path := library, proc.Entry(pid, "exe")
	if object == nil {
		object = program
	} else {
		path = proc.Entry(pid, "root"+object.Path)
	}
	if object == nil {
		return tracer.Site{}, errors.New("the process has no C library")
	}
	key := object.Path + " " + object.BuildID
	site, known := t.traps.sites[key]
	if !known {
		if site, err = readSite(path); err != nil {
			return tracer.Site{}, fmt.Errorf("%s: %w", filepath.Base(object.Path), err)
		}
		t.traps.sites[key] = site
	}
	return tracer.Site{
		Fork: site.Fork + object.Bias, Size: site.Size, Pause: site.Pause + object.Bias,
		Restorer: site.Restorer + object.Bias, Call: site.Call + object.Bias,
	}, nil
}

// cLibrary knows one by its name: glibc's and musl's.
func cLibrary(path string) bool {
	name := filepath.Base(path)
	return strings.HasPrefix(name, "libc.so") || strings.HasPrefix(name, "libc-2") ||
		strings.HasPrefix(name, "libc.musl-") || strings.HasPrefix(name, "ld-musl-")
}

// forkNames are the functions that fork, those that others call first: fork
// itself calls _Fork, where there is one.
var forkNames = [...]string{"_Fork", "__libc_fork", "fork"}

// Code that is looked for in a library: a system call and a return, and what
// every signal handler returns to.
var (
	callCode     = []byte{0x0f, 0x05, 0xc3}
	restorerCode = []byte{0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05}
)

// readSite finds the addresses, as the ELF file has them.
func readSite(path string) (site tracer.Site, err error) {
	f, err := object.Open(path)
	if err != nil {
		return site, err
	}
	defer f.Close()
	if f.Machine != elf.EM_X86_64 || f.Class != elf.ELFCLASS64 {
		return site, errors.New("not x86-64 code")
	}
	found := make(map[string]elf.Symbol)
	for _, s := range f.FunctionSymbols() {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			found[s.Name] = s
		}
	}
	for i := len(forkNames) - 1; i >= 0; i-- {
		if s, ok := found[forkNames[i]]; ok {
			site.Fork, site.Size = s.Value, s.Size
		}
	}
	site.Pause = found["pause"].Value
	if site.Fork == 0 || site.Pause == 0 {
		return site, errors.New("no symbols fork and pause")
	}
	for _, segment := range f.Progs {
		if segment.Type != elf.PT_LOAD || segment.Flags&elf.PF_X == 0 {
			continue
		}
		code := make([]byte, segment.Filesz)
		if _, err := segment.ReadAt(code, 0); err != nil {
			return site, err
		}
		if i := bytes.Index(code, callCode); i >= 0 && site.Call == 0 {
			site.Call = segment.Vaddr + uint64(i)
		}
		if i := bytes.Index(code, restorerCode); i >= 0 && site.Restorer == 0 {
			site.Restorer = segment.Vaddr + uint64(i)
		}
	}
	if site.Call == 0 || site.Restorer == 0 {
		return site, errors.New("no code to return from a signal handler")
	}
	return site, nil
}

// entry is where a program begins, once its libraries are mapped: AT_ENTRY of
// the auxiliary vector.
func entry(pid int) (uint64, error) {
	vector, err := proc.Auxv(pid)
	if err != nil {
		return 0, err
	}
	const atEntry = 9
	for ; len(vector) >= 16; vector = vector[16:] {
		if binary.LittleEndian.Uint64(vector) == atEntry {
			return binary.LittleEndian.Uint64(vector[8:]), nil
		}
	}
	return 0, errors.New("the entry point of the program is unknown")
}
