package debuginfo

import "debug/dwarf"

// An abbrev describes the entries that have its code.
type abbrev struct {
	tag      dwarf.Tag
	children bool
	fixed    int // bytes of all attributes together, -1 where that varies
	attrs    []attribute
}

type attribute struct {
	attr     dwarf.Attr
	form     form
	implicit int64
}

// An abbrevTable holds the abbreviations of a unit. Their codes are small and
// dense in all that compilers write; stray ones go to the map.
type abbrevTable struct {
	dense []abbrev
	stray map[uint64]abbrev
}

func (t *abbrevTable) get(code uint64) (*abbrev, bool) {
	if code < uint64(len(t.dense)) {
		a := &t.dense[code]
		return a, a.tag != 0
	}
	a, ok := t.stray[code]
	return &a, ok
}

func (t *abbrevTable) put(code uint64, a abbrev) {
	if code == uint64(len(t.dense)) {
		t.dense = append(t.dense, a)
		return
	}
	if t.stray == nil {
		t.stray = map[uint64]abbrev{}
	}
	t.stray[code] = a
}

// readAbbrevs reads the whole table at off.
func readAbbrevs(section []byte, off uint64, e encoding) *abbrevTable {
	t := &abbrevTable{dense: make([]abbrev, 1, 128)}
	var room []attribute // many tables are read: their parts are made in pieces
	c := at(section, off)
	for {
		code := c.uleb()
		if code == 0 || c.bad {
			return t
		}
		if cap(room) < 16 {
			room = make([]attribute, 0, 128)
		}
		a := readAbbrev(&c, e, room)
		room = a.attrs[len(a.attrs):]
		t.put(code, a)
	}
}

// findAbbrev reads the one abbreviation of the given code from the table at off.
func findAbbrev(section []byte, off uint64, e encoding, code uint64) (abbrev, bool) {
	c := at(section, off)
	for {
		switch next := c.uleb(); {
		case next == 0 || c.bad:
			return abbrev{}, false
		case next == code:
			a := readAbbrev(&c, e, nil)
			return a, !c.bad
		}
		c.uleb()
		c.u8()
		for {
			attr, form := c.uleb(), form(c.uleb())
			if form == formImplicit {
				c.sleb()
			}
			if attr == 0 && form == 0 {
				break
			}
		}
	}
}

// readAbbrev reads one; its attributes are put behind room, which is empty.
func readAbbrev(c *cursor, e encoding, room []attribute) abbrev {
	a := abbrev{tag: dwarf.Tag(c.uleb()), children: c.u8() != 0, attrs: room}
	for {
		at := attribute{attr: dwarf.Attr(c.uleb()), form: form(c.uleb())}
		if at.form == formImplicit {
			at.implicit = c.sleb()
		}
		if at.attr == 0 && at.form == 0 {
			return a
		}
		if n := e.size(at.form); n < 0 || a.fixed < 0 {
			a.fixed = -1
		} else {
			a.fixed += n
		}
		a.attrs = append(a.attrs, at)
	}
}
