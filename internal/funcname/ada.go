package funcname

import (
	"strings"
	"unicode"
)

// adaOperators are the names of operators in symbols.
var adaOperators = map[string]string{
	"Oabs": "abs", "Oadd": "+", "Oand": "and", "Oconcat": "&", "Odivide": "/", "Oeq": "=", "Oexpon": "**",
	"Oge": ">=", "Ogt": ">", "Ole": "<=", "Olt": "<", "Omod": "mod", "Omultiply": "*", "One": "/=",
	"Onot": "not", "Oor": "or", "Orem": "rem", "Osubtract": "-", "Oxor": "xor",
}

// DemangleAda is Demangle for the symbols of an object that is known to be made of
// Ada: PACKAGE__SUBPROGRAM, as GNAT writes them, is package.subprogram. Symbols of
// what the compiler made by itself (with capital letters) stay as they are, as gdb
// has it.
func DemangleAda(symbol string) string {
	if name, ok := ada(symbol); ok {
		return name
	}
	return Demangle(symbol)
}

func ada(symbol string) (string, bool) {
	s, main := strings.CutPrefix(symbol, "_ada_") // of a main program
	s, _, _ = strings.Cut(s, ".")                 // clones, and numbers of nested subprograms
	if s == "" || !main && !strings.Contains(s, "__") || s[0] < 'a' || s[0] > 'z' {
		return "", false
	}
	if before, after, found := strings.Cut(s, "___"); found {
		if !strings.HasPrefix(after, "X") {
			return "", false // of elaboration, sizes and the like
		}
		s = before
	}
	parts := strings.Split(s, "__")
	if n := len(parts); n > 1 && isNumber(parts[n-1]) {
		parts = parts[:n-1] // one of several of this name
	}
	out := parts[:0]
	for i, part := range parts {
		last := i == len(parts)-1
		if number, block := strings.CutPrefix(part, "B_"); block && isNumber(number) {
			continue // a block within a subprogram
		}
		if operator, ok := adaOperators[part]; ok {
			out = append(out, `"`+operator+`"`)
			continue
		}
		part = strings.TrimSuffix(part, "TK") // a task
		if last {
			part = strings.TrimSuffix(part, "TKB") // its body
			part = strings.TrimSuffix(part, "TB")
		}
		if x := strings.IndexByte(part, 'X'); x > 0 && strings.Trim(part[x+1:], "nb") == "" {
			part = part[:x] // within a body
		}
		if part == "" || strings.ContainsFunc(part, unicode.IsUpper) {
			return "", false
		}
		out = append(out, part)
	}
	return strings.Join(out, "."), len(out) > 0
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
