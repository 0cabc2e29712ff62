package path

import "strings"

// withoutTemplates leaves the template arguments out of a C++ or Rust name:
// std::map<int, int>::find becomes std::map::find. Operators, and what is in
// angle brackets for itself, such as Rust's <T as Trait>, stay.
func withoutTemplates(name string) string {
	if !strings.Contains(name, "<") {
		return name
	}
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		if name[i] == '<' && i > 0 && identifier(name[i-1]) && !strings.HasSuffix(name[:i], "operator") {
			if end := closing(name, i); end > 0 {
				i = end
				continue
			}
		}
		b.WriteByte(name[i])
	}
	return b.String()
}

// closing finds the bracket that closes the one at i; 0 if none does.
func closing(name string, i int) int {
	depth := 0
	for ; i < len(name); i++ {
		switch name[i] {
		case '<':
			depth++
		case '>':
			if name[i-1] == '-' {
				continue // an arrow
			}
			if depth--; depth == 0 {
				return i
			}
		case '(':
			// A comparison or a shift among the arguments stands in parentheses.
			for nested := 1; nested > 0 && i+1 < len(name); {
				i++
				switch name[i] {
				case '(':
					nested++
				case ')':
					nested--
				}
			}
		}
	}
	return 0
}

func identifier(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
