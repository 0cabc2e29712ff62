package session

import (
	"debug/elf"
	"encoding/binary"
	"path/filepath"
	"slices"
	"strings"

	"github.com/profilecollection/pct/internal/value"
	"github.com/profilecollection/pct/unwind"
)

// The dynamic linker numbers the objects that have thread-local variables. Each thread has a vector of them, which says
// where its copies are, once it has some. Where all that lies, the C library tells libthread_db in data named
// _thread_db_*: of a field how many bits it has, how many there are, and its offset.

// threadLayout is the layout of the dynamic linker's and the threads' data, of one build of the C library.
type threadLayout struct {
	list                   uint32 // of lists in _rtld_global
	length, next, slots    uint32 // in a list
	slot, generation, maps uint32 // bytes of a slot, and in it
	vector                 uint32 // in what the thread pointer points to
	entries, entry         uint32 // in a vector: the first, and bytes of each
	counter, address       uint32 // in an entry
	offset                 uint32 // in what the dynamic linker keeps of an object
}

// readThreadLayout reads the layout that the file of a C library tells; false if it tells none.
func (o *debugObject) readThreadLayout() (l threadLayout, ok bool) {
	fields := map[string]*uint32{
		"rtld_global__dl_tls_dtv_slotinfo_list": &l.list, "dtv_slotinfo_list_len": &l.length, "dtv_slotinfo_list_next": &l.next, "dtv_slotinfo_list_slotinfo": &l.slots,
		"dtv_slotinfo_gen": &l.generation, "dtv_slotinfo_map": &l.maps, "pthread_dtvp": &l.vector, "dtv_dtv": &l.entries, "dtv_t_counter": &l.counter, "dtv_t_pointer_val": &l.address,
		"link_map_l_tls_offset": &l.offset,
	}
	o.tables.Lock()
	defer o.tables.Unlock()
	symbols, _ := o.file.DynamicSymbols()
	for _, s := range symbols {
		name, found := strings.CutPrefix(s.Name, "_thread_db_")
		if !found {
			continue
		}
		var b [12]byte // bits, number, offset
		switch n := o.file.Load(b[:], s.Value); {
		case name == "sizeof_dtv_slotinfo" && n >= 4:
			l.slot = binary.LittleEndian.Uint32(b[:])
		case fields[name] != nil && n == len(b):
			*fields[name] = binary.LittleEndian.Uint32(b[8:])
			delete(fields, name)
			if name == "dtv_dtv" {
				l.entry = binary.LittleEndian.Uint32(b[:]) / 8
			}
		}
	}
	return l, len(fields) == 0 && l.slot >= 16 && l.entry >= 16
}

// A module is an object that has thread-local variables, as the dynamic linker numbers it.
type module struct {
	number, generation uint64
	at                 uint64 // what the dynamic linker keeps of it
}

// mostModules bounds how many are looked at, and how many lists of them.
const mostModules = 1 << 16

// threadLocal is what is known of a process's thread-local variables.
type threadLocal struct {
	*threadLayout                           // nil: it is not known
	global        uint64                    // where the dynamic linker's data are
	modules       map[*unwind.Object]module // those that were found
}

// threadModule is the module of an object of the process; 0 if it is none. It is looked up until it is found.
func (p *process) threadModule(o *unwind.Object) module {
	if p.local == nil {
		p.local = p.findLayout()
	}
	m, known := p.local.modules[o]
	if !known && p.local.threadLayout != nil {
		if m = p.findModule(o); m.number != 0 {
			p.local.modules[o] = m
		}
	}
	return m
}

func (p *process) findModule(o *unwind.Object) module {
	l := p.local
	at, ok := p.word(l.global + uint64(l.list))
	number := uint64(0)
	for ok && at != 0 && number < mostModules {
		length, has := p.word(at + uint64(l.length))
		if !has || length == 0 || length > mostModules {
			break
		}
		for i := range length {
			slot := at + uint64(l.slots) + i*uint64(l.slot)
			loaded, has := p.word(slot + uint64(l.maps))
			if !has {
				return module{}
			}
			// What the dynamic linker keeps of an object begins with the object's bias. No module has the number 0.
			if bias, has := p.word(loaded); number+i > 0 && loaded != 0 && has && bias == o.Bias {
				generation, has := p.word(slot + uint64(l.generation))
				if !has {
					return module{}
				}
				return module{number + i, generation, loaded}
			}
		}
		number += length
		at, ok = p.word(at + uint64(l.next))
	}
	return module{}
}

// findLayout looks for the layout that the process's C library tells, and for the dynamic linker's data.
func (p *process) findLayout() *threadLocal {
	l := &threadLocal{modules: make(map[*unwind.Object]module)}
	layout := (*threadLayout)(nil)
	for _, o := range p.unwinder.Objects() {
		name := filepath.Base(o.Path)
		library, linker := strings.HasPrefix(name, "libc.") || strings.HasPrefix(name, "libpthread"), strings.HasPrefix(name, "ld-linux")
		d := (*debugObject)(nil)
		if library || linker {
			d = p.fileOf(o)
		}
		if d == nil {
			continue
		}
		if library {
			if read, ok := d.readThreadLayout(); ok {
				layout = &read
			}
		}
		if linker {
			d.tables.Lock()
			symbols, _ := d.file.DynamicSymbols()
			d.tables.Unlock()
			if i := slices.IndexFunc(symbols, func(s elf.Symbol) bool { return s.Name == "_rtld_global" }); i >= 0 {
				l.global = symbols[i].Value + o.Bias
			}
		}
	}
	if l.global != 0 {
		l.threadLayout = layout
	}
	return l
}

// word reads a word of the process.
func (p *process) word(addr uint64) (uint64, bool) {
	var b [8]byte
	ok := p.unwinder.Read(b[:], addr)
	return value.Number(b[:]), ok
}

// Thread is the address of the thread's copy of a variable of the executable, or of a library if it has one already.
func (a *activation) Thread(offset uint64) (uint64, bool) {
	o := a.p.now.frames[a.level].Object
	r, stands := a.p.now.thread.registers()
	pointer := r.General.Fs_base
	if !stands || pointer == 0 {
		return 0, false
	}
	if o.Path == a.p.exe {
		below, ok := a.d.file.ThreadOffset()
		return pointer - below + offset, ok
	}
	m := a.p.threadModule(o)
	if m.number == 0 {
		return 0, false
	}
	base, ok := a.p.copyOf(m, pointer)
	return base + offset, ok
}

// copyOf is where a thread's copy of the variables of a module begins; false if it has none yet.
func (p *process) copyOf(m module, pointer uint64) (uint64, bool) {
	l := p.local
	// Beside the thread's own data, below the thread pointer: no offset, and all bits, mean that it is not there.
	if below, ok := p.word(m.at + uint64(l.offset)); ok && below+1 > 1 {
		return pointer - below, true
	}
	vector, ok := p.word(pointer + uint64(l.vector))
	if !ok {
		return 0, false
	}
	first := vector + uint64(l.entries)
	// A vector that is older than the module has no entry of it, or that of another one before it.
	generation, ok := p.word(first + uint64(l.counter))
	if !ok || generation < m.generation {
		return 0, false
	}
	base, ok := p.word(first + m.number*uint64(l.entry) + uint64(l.address))
	return base, ok && base != 0 && base&1 == 0 // odd: it has none yet
}
