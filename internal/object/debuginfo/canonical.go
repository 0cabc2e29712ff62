package debuginfo

import (
	"regexp"
	"strings"
)

// Canonical spells the name of a type of C++ as gdb does, whichever compiler wrote it: "int const*" for
// "const int *" and "0ul" for "0UL" among the arguments of templates. It is not changed where no template is in it.
func Canonical(name string) string {
	if !strings.Contains(name, "<") {
		return name
	}
	s := speller{words: nameWords.FindAllString(numbers.Replace(name), -1)}
	return s.list("")
}

var (
	nameWords   = regexp.MustCompile(`\(anonymous namespace\)|[\w:.~]+|&&|\S`)
	nameNumbers = regexp.MustCompile(`^\d+[uUlL]+$`)
	nameWord    = regexp.MustCompile(`^[\w:(]`)
)

// numbers are those of C's types that compilers spell in several ways.
var numbers = strings.NewReplacer("long long unsigned int", "unsigned long long", "long unsigned int", "unsigned long", "short unsigned int", "unsigned short",
	"long long int", "long long", "long int", "long", "short int", "short")

// CanonicalNumber is the name of a type of numbers in the spelling of debuggers: "long" of "long int".
func CanonicalNumber(name string) string { return numbers.Replace(name) }

// A speller writes the words of a name anew.
type speller struct {
	words []string
	next  int
}

// list writes types, apart by commas, up to the word that ends them.
func (s *speller) list(end string) string {
	var all []string
	for {
		all = append(all, s.one())
		if s.next >= len(s.words) {
			break
		}
		w := s.words[s.next]
		s.next++
		if w != "," {
			break
		}
	}
	text := strings.Join(all, ", ")
	if end == ">" && strings.HasSuffix(text, ">") {
		text += " "
	}
	return text + end
}

// one writes a type or a number: its words, with those behind the base that stand before it.
func (s *speller) one() string {
	var b strings.Builder
	before := ""
	base := false
	put := func(w string) {
		if b.Len() > 0 && nameWord.MatchString(w) {
			if last := b.String()[b.Len()-1]; last != '(' && last != ')' && last != ':' {
				b.WriteByte(' ')
			}
		}
		b.WriteString(w)
	}
	settle := func() {
		if base {
			b.WriteString(before)
			before = ""
		}
	}
	for ; s.next < len(s.words); s.next++ {
		switch w := s.words[s.next]; w {
		case ",", ">", ")", "]":
			settle()
			return b.String()
		case "<":
			s.next++
			b.WriteString("<" + s.list(">"))
			s.next--
		case "(", "[":
			end := map[string]string{"(": ")", "[": "]"}[w]
			settle()
			s.next++
			put(w + s.list(end))
			s.next--
		case "const", "volatile":
			if !base {
				before += " " + w
			} else {
				settle()
				put(w)
			}
		case "*", "&", "&&":
			settle()
			b.WriteString(w)
		default:
			if nameNumbers.MatchString(w) {
				w = strings.ToLower(w)
			}
			if strings.HasPrefix(w, "::") && b.Len() > 0 {
				b.WriteString(w)
			} else {
				put(w)
			}
			base = true
		}
	}
	settle()
	return b.String()
}
