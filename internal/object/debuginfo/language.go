package debuginfo

import "debug/dwarf"

// A Language is that of a unit's source.
type Language byte

const (
	OtherLanguage Language = iota
	C
	CPlusPlus
	Fortran
	Ada
	Pascal // Modula too
	Go
	Rust
)

// CFamily reports whether it is C or C++.
func (l Language) CFamily() bool { return l == C || l == CPlusPlus }

// Language is that of the unit that e is in.
func (e Entry) Language() Language {
	if !e.OK() {
		return OtherLanguage
	}
	code, _, _ := e.Unit().Const(dwarf.AttrLanguage)
	return languageOf(code)
}

// languageOf reads the attribute DW_AT_language.
func languageOf(code uint64) Language {
	switch code {
	case 0x01, 0x02, 0x0c, 0x1d, 0x2c: // C89, C, C99, C11, C17
		return C
	case 0x04, 0x19, 0x1a, 0x21, 0x2a, 0x2b, 0x3a: // C++ 98, 03, 11, 14, 17, 20, 23
		return CPlusPlus
	case 0x03, 0x0d, 0x2e, 0x2f: // Ada 83, 95, 2005, 2012
		return Ada
	case 0x07, 0x08, 0x0e, 0x22, 0x23, 0x2d: // Fortran 77, 90, 95, 03, 08, 18
		return Fortran
	case 0x09, 0x0a, 0x17: // Pascal, Modula-2, Modula-3
		return Pascal
	case 0x16:
		return Go
	case 0x1c:
		return Rust
	}
	return OtherLanguage
}
