package debuginfo

// A language is what the names of functions depend on.
type language byte

const (
	otherLanguage language = iota
	fortran
	ada
)

// languageOf reads the attribute DW_AT_language.
func languageOf(code uint64) language {
	switch code {
	case 0x03, 0x0d, 0x2e, 0x2f: // Ada 83, 95, 2005, 2012
		return ada
	case 0x07, 0x08, 0x0e, 0x22, 0x23, 0x2d: // Fortran 77, 90, 95, 03, 08, 18
		return fortran
	}
	return otherLanguage
}
