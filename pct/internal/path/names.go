package path

import "strings"

// withoutTemplates leaves the template arguments out of a C++ or Rust name:
// std::map<int, int>::find becomes std::map::find. Operators stay, without theirs, and
// so does what is in angle brackets for itself, such as Rust's <T as Trait>.
func withoutTemplates(name string) string {
	if !strings.Contains(name, "<") {
		return name
	}
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		if end := operator(name, i); end > 0 {
			b.WriteString(name[i:end])
			arguments := end
			if strings.HasPrefix(name[end:], " <") { // as in operator< <char>
				arguments++
			}
			if arguments < len(name) && name[arguments] == '<' {
				if closed := closing(name, arguments); closed > 0 {
					end = closed + 1
				}
			}
			i = end - 1
			continue
		}
		if name[i] == '<' && i > 0 && identifier(name[i-1]) {
			if end := closing(name, i); end > 0 {
				// A conversion has its own behind those of its type.
				for end+1 < len(name) && name[end+1] == '<' && closing(name, end+1) > 0 {
					end = closing(name, end+1)
				}
				i = end
				continue
			}
		}
		b.WriteByte(name[i])
	}
	return b.String()
}

// operator returns where the name of an operator that begins at i ends; 0 if none does.
// Conversions, as operator std::vector<int>, are names of types like any other, and those
// such as operator new have no brackets in their names.
func operator(name string, i int) int {
	const word = "operator"
	// Each stands before those that it begins with.
	symbolic := [...]string{
		"<=>", "<<=", ">>=", "->*", "()", "[]", "<<", ">>", "<=", ">=", "->", "<", ">",
		"==", "!=", "&&", "||", "++", "--", "+=", "-=", "*=", "/=", "%=", "^=", "&=", "|=",
		"+", "-", "*", "/", "%", "^", "&", "|", "~", "!", "=", ",",
	}
	if !strings.HasPrefix(name[i:], word) || i > 0 && identifier(name[i-1]) {
		return 0
	}
	rest := name[i+len(word):]
	for _, s := range symbolic {
		if !strings.HasPrefix(rest, s) {
			continue
		}
		// operator<<int> is operator< of int, which compilers and demanglers write with a
		// blank; without one it is taken for operator<<, unless that leaves a bracket open.
		if s == "<<" && len(rest) > 2 && !strings.ContainsRune("< (>", rune(rest[2])) && closing(rest, 1) > 0 {
			s = "<"
		}
		return i + len(word) + len(s)
	}
	return 0
}

// closing finds the bracket that closes the one at i; 0 if none does.
func closing(name string, i int) int {
	depth := 0
	for ; i < len(name); i++ {
		if end := operator(name, i); end > 0 {
			i = end - 1
			continue
		}
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
