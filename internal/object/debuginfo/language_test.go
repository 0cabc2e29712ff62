package debuginfo

import "testing"

// The codes of languages are in no order, and what is C for us is evaluated.
func TestLanguages(t *testing.T) {
	for language, codes := range map[Language][]uint64{
		C:             {0x01, 0x02, 0x0c, 0x1d, 0x2c},
		CPlusPlus:     {0x04, 0x19, 0x1a, 0x21, 0x2a, 0x2b, 0x3a},
		Ada:           {0x03, 0x0d, 0x2e, 0x2f},
		Fortran:       {0x07, 0x08, 0x0e, 0x22, 0x23, 0x2d},
		Pascal:        {0x09, 0x0a, 0x17},
		Go:            {0x16},
		Rust:          {0x1c},
		OtherLanguage: {0, 0x8001}, // none, an assembler's
	} {
		for _, code := range codes {
			if got := languageOf(code); got != language || got.CFamily() != (language == C || language == CPlusPlus) {
				t.Errorf("%#x: %d, want %d", code, got, language)
			}
		}
	}
}
