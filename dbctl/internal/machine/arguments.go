package machine

import (
	"strconv"
	"strings"
)

// argumentOf returns the text of an argument of an event; of number 0 the value that is returned.
func argumentOf(line, which string) string {
	if which == "0" {
		_, text := argumentName(EventField(line, "value"))
		return text
	}
	return argument(EventField(line, "args"), which)
}

// argument returns the text of one of an event's arguments, by its number from 1 or by its name; "" if there is none.
// args are as an event has them: n=3, name=0x55… "x, y", or AT_FDCWD, "x", {st_mode=S_IFREG}.
func argument(args, which string) string {
	number, err := strconv.Atoi(which)
	for i := 1; args != ""; i++ {
		var arg string
		arg, args = cutArgument(args)
		name, text := argumentName(arg)
		if err == nil && i == number || err != nil && name == which {
			return text
		}
	}
	return ""
}

// cutArgument cuts the first argument off: commas in quotes and brackets are its own.
func cutArgument(args string) (first, rest string) {
	depth := 0
	for i := 0; i < len(args); i++ {
		switch c := args[i]; c {
		case '"', '\'':
			i += closing(args[i+1:], c)
			i++
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case '<': // of 0x401136 <f<int, int>+4> and 3</a, b>, not of a < b and 1<<3
			if !strings.HasPrefix(args[i:], "< ") && !strings.HasPrefix(args[i:], "<<") && !strings.HasSuffix(args[:i], "<") {
				i += symbolEnd(args[i:])
			}
		case ',':
			if depth <= 0 {
				return args[:i], strings.TrimLeft(args[i+1:], " ")
			}
		}
	}
	return args, ""
}

// symbolEnd is the index of the > that ends the symbol at whose < s begins; 0: none does.
func symbolEnd(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '<':
			depth++
		case '>':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return 0
}

// closing is the index of the first c in s that no backslash precedes, or len(s).
func closing(s string, c byte) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case c:
			return i
		}
	}
	return len(s)
}

// argumentName splits name=text; text alone has no name.
func argumentName(arg string) (name, text string) {
	if n := nameLength(arg); n > 0 && n < len(arg) && arg[n] == '=' {
		return arg[:n], arg[n+1:]
	}
	return "", arg
}
