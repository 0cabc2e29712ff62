package debuginfo

import (
	"cmp"
	"path"
	"slices"
	"sort"
	"strings"
)

// A lineTable is the line number program of one unit, run.
type lineTable struct {
	files     []string // by file number
	rows      []row
	sequences []sequence
	code      []segment // by index of sequence
}

// A row says that the code from addr to the next row's is of a line.
type row struct {
	addr       uint64
	file, line uint32
}

// A sequence is a run of rows by rising address; the last one has no code.
type sequence struct{ from, to int }

// find returns file and line of addr.
func (t *lineTable) find(addr uint64) (file string, line int) {
	id := lookup(t.code, addr)
	if id < 0 {
		return "", 0
	}
	rows := t.rows[t.sequences[id].from:t.sequences[id].to]
	// Of several rows at one address the last one has the code.
	i := sort.Search(len(rows), func(i int) bool { return rows[i].addr > addr }) - 1
	if i < 0 {
		return "", 0
	}
	return t.file(uint64(rows[i].file)), int(rows[i].line)
}

// Body returns where the code of a function's body begins by the lines of its code: behind the prologue, which
// is all that the first of them has. The code begins at low.
func (d *Data) Body(low uint64) uint64 {
	rows := d.rowsFrom(low)
	if len(rows) < 2 {
		return low
	}
	return rows[1].addr
}

// SecondLine returns where the code of another line begins than that of a function's first instruction, at low;
// low where there is none below high.
func (d *Data) SecondLine(low, high uint64) uint64 {
	rows := d.rowsFrom(low)
	for i := range rows {
		if rows[i].addr < high && (rows[i].line != rows[0].line || rows[i].file != rows[0].file) {
			return rows[i].addr
		}
	}
	return low
}

// FirstAgain returns where the code of the first line begins with which the code of a function ends, from low to
// high: high where it ends with that of another line, low where there is no other.
func (d *Data) FirstAgain(low, high uint64) uint64 {
	rows := d.rowsFrom(low)
	at := high
	for i := len(rows) - 1; i >= 0; i-- {
		if rows[i].addr >= high {
			continue
		}
		if rows[i].line != rows[0].line || rows[i].file != rows[0].file {
			break
		}
		at = rows[i].addr
	}
	return at
}

// rowsFrom are the rows of a sequence from the last one on that is at an address, none where there is no such row.
func (d *Data) rowsFrom(low uint64) []row {
	id := lookup(d.code, low)
	if id < 0 {
		return nil
	}
	t := d.lineTable(d.units[id])
	if id = lookup(t.code, low); id < 0 {
		return nil
	}
	rows := t.rows[t.sequences[id].from:t.sequences[id].to]
	i := sort.Search(len(rows), func(i int) bool { return rows[i].addr > low })
	if i == 0 || rows[i-1].addr != low {
		return nil
	}
	return rows[i-1:]
}

// file returns the path of a file by its number.
func (t *lineTable) file(n uint64) string {
	if n < uint64(len(t.files)) {
		return t.files[n]
	}
	return ""
}

// lineTable returns the line table of u, an empty one where there is none that
// can be read.
func (d *Data) lineTable(u *unit) *lineTable {
	u.readLines.Do(func() {
		u.lines = &lineTable{}
		if u.lineOff.ok() {
			d.readLines(u, u.lines)
		}
	})
	return u.lines
}

// program is the state of the line number program as the standard has it.
type program struct {
	encoding
	d          *Data
	t          *lineTable
	minLength  uint64
	lineBase   int64
	lineRange  uint64
	opcodeBase uint8
	operands   []uint8 // of the standard opcodes, how many
}

func (d *Data) readLines(u *unit, t *lineTable) {
	c := at(d.s.Line, u.lineOff.u)
	p := program{d: d, t: t}
	n, offsize := c.length()
	if n > uint64(len(c.data)-c.off) {
		return
	}
	c.data = c.data[:c.off+int(n)]
	p.encoding = encoding{version: int(c.uint(2)), addrsize: u.addrsize, offsize: offsize}
	if p.version < 2 || p.version > 5 {
		return
	}
	if p.version == 5 {
		p.addrsize = int(c.u8())
		c.u8() // segment selector size
	}
	headerLength := c.uint(offsize)
	if headerLength > uint64(len(c.data)-c.off) || p.addrsize != 4 && p.addrsize != 8 {
		return
	}
	start := c.off + int(headerLength)
	p.minLength = uint64(c.u8())
	if p.version >= 4 {
		c.u8() // operations per instruction: 1 but on VLIW machines
	}
	c.u8() // is_stmt at first
	p.lineBase = int64(int8(c.u8()))
	p.lineRange = uint64(c.u8())
	p.opcodeBase = c.u8()
	if p.lineRange == 0 || p.opcodeBase == 0 {
		return
	}
	for i := uint8(1); i < p.opcodeBase; i++ {
		p.operands = append(p.operands, c.u8())
	}
	if p.version == 5 {
		p.files5(u, &c)
	} else {
		p.files4(u, &c)
	}
	if c.bad {
		return
	}
	c.off = start
	p.run(&c)
	t.index()
}

// files4 reads the directories and files of versions 2 to 4, whose numbers begin
// with 1: directory 0 is the unit's.
func (p *program) files4(u *unit, c *cursor) {
	dirs := []string{u.compDir}
	for !c.bad {
		dir := c.str()
		if dir == "" {
			break
		}
		dirs = append(dirs, join(u.compDir, dir))
	}
	p.t.files = []string{""}
	for !c.bad {
		name := c.str()
		if name == "" {
			break
		}
		p.add4(c, dirs, name)
	}
}

// add4 reads the rest of a file's entry of versions 2 to 4.
func (p *program) add4(c *cursor, dirs []string, name string) {
	dir := c.uleb()
	c.uleb() // time
	c.uleb() // length
	if dir < uint64(len(dirs)) {
		name = join(dirs[dir], name)
	}
	p.t.files = append(p.t.files, name)
}

// Contents of the entries of version 5.
const (
	lnctPath           = 1
	lnctDirectoryIndex = 2
)

// files5 reads the directories and files of version 5.
func (p *program) files5(u *unit, c *cursor) {
	var dirs []string
	p.entries5(u, c, func(dir string, _ uint64) {
		// The first one is the unit's directory itself, perhaps relative.
		if len(dirs) == 0 {
			dirs = append(dirs, path.Clean(dir))
		} else {
			dirs = append(dirs, join(dirs[0], dir))
		}
	})
	p.entries5(u, c, func(name string, dir uint64) {
		if dir < uint64(len(dirs)) {
			name = join(dirs[dir], name)
		}
		p.t.files = append(p.t.files, name)
	})
}

func (p *program) entries5(u *unit, c *cursor, add func(name string, dir uint64)) {
	type content struct {
		kind uint64
		form form
	}
	var format []content
	for range c.u8() {
		format = append(format, content{c.uleb(), form(c.uleb())})
	}
	n := c.uleb()
	for i := uint64(0); i < n && !c.bad; i++ {
		before := c.off
		name, dir := "", uint64(0)
		for _, f := range format {
			if f.kind == lnctPath && f.form == formString {
				name = c.str() // its text is here, not in .debug_info
				continue
			}
			switch v := p.read(c, f.form, 0); f.kind {
			case lnctPath:
				name = p.d.str(u, v)
			case lnctDirectoryIndex:
				dir = v.u
			}
		}
		if c.off == before {
			return // entries of no size would have no end
		}
		add(name, dir)
	}
}

// join returns name, below dir where it is relative, without its detours.
func join(dir, name string) string {
	if name == "" {
		return dir
	}
	if !strings.HasPrefix(name, "/") {
		name = dir + "/" + name
		if dir == "" {
			name = name[1:]
		}
	}
	return path.Clean(name)
}

// Opcodes of the program.
const (
	lnsCopy           = 1
	lnsAdvancePC      = 2
	lnsAdvanceLine    = 3
	lnsSetFile        = 4
	lnsConstAddPC     = 8
	lnsFixedAdvancePC = 9
	lneEndSequence    = 1
	lneSetAddress     = 2
	lneDefineFile     = 3
)

// run runs the program.
func (p *program) run(c *cursor) {
	t := p.t
	fresh := row{file: 1, line: 1}
	r, from := fresh, 0
	for c.off < len(c.data) {
		op := c.u8()
		if op >= p.opcodeBase {
			op -= p.opcodeBase
			r.addr += uint64(op) / p.lineRange * p.minLength
			r.line += uint32(p.lineBase + int64(uint64(op)%p.lineRange))
			t.rows = append(t.rows, r)
			continue
		}
		switch op {
		case 0:
			n := c.uleb()
			if n == 0 || n > uint64(len(c.data)-c.off) {
				return
			}
			end := c.off + int(n)
			switch c.u8() {
			case lneEndSequence:
				t.rows = append(t.rows, r)
				t.sequences = append(t.sequences, sequence{from, len(t.rows)})
				r, from = fresh, len(t.rows)
			case lneSetAddress:
				if n-1 <= 8 {
					r.addr = c.uint(int(n - 1))
				}
			case lneDefineFile:
				if p.version < 5 {
					p.add4(c, []string{""}, c.str())
				}
			}
			c.off = end
		case lnsCopy:
			t.rows = append(t.rows, r)
		case lnsAdvancePC:
			r.addr += c.uleb() * p.minLength
		case lnsAdvanceLine:
			r.line += uint32(c.sleb())
		case lnsSetFile:
			r.file = uint32(c.uleb())
		case lnsConstAddPC:
			r.addr += uint64(255-p.opcodeBase) / p.lineRange * p.minLength
		case lnsFixedAdvancePC:
			r.addr += c.uint(2)
		default: // of the others only the operands matter
			for range p.operands[op-1] {
				c.uleb()
			}
		}
	}
}

// index makes the sequences ready to be searched.
func (t *lineTable) index() {
	var spans []span
	for id, s := range t.sequences {
		rows := t.rows[s.from:s.to]
		byAddr := func(a, b row) int { return cmp.Compare(a.addr, b.addr) }
		if !slices.IsSortedFunc(rows, byAddr) {
			slices.SortStableFunc(rows, byAddr)
		}
		low, high := rows[0].addr, rows[len(rows)-1].addr
		if low < high {
			spans = append(spans, span{low, high, int32(id), ^(high - low)})
		}
	}
	t.code = flatten(spans)
}
