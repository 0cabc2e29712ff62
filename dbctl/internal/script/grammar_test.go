package script

import (
	"math/rand"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/alecthomas/participle/v2/ebnf"
)

// productions reads the EBNF that Grammar prints.
func productions(t testing.TB) map[string]*ebnf.Expression {
	text, _, _ := strings.Cut(Grammar(), "\n\n")
	g, err := ebnf.ParseString(text)
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string]*ebnf.Expression)
	for _, p := range g.Productions {
		out[p.Production] = p.Expression
	}
	return out
}

// A speaker makes sentences of a grammar.
type speaker struct {
	*rand.Rand
	t     testing.TB
	rules map[string]*ebnf.Expression
	out   []string
	depth int
}

func (s *speaker) expression(e *ebnf.Expression) {
	s.depth++
	for _, term := range e.Alternatives[s.Intn(len(e.Alternatives))].Terms {
		n := 1
		switch term.Repetition {
		case "?":
			n = s.Intn(2)
		case "*":
			n = s.Intn(4)
		case "+":
			n = 1 + s.Intn(4)
		case "":
		default:
			s.t.Fatalf("unknown repetition %q", term.Repetition)
		}
		for range n {
			s.term(term)
		}
	}
	s.depth--
}

func (s *speaker) term(term *ebnf.Term) {
	word := func(list ...string) { s.out = append(s.out, list[s.Intn(len(list))]) }
	switch {
	case term.Group != nil:
		s.expression(term.Group.Expr)
	case term.Name == "Include":
		word("\n#include \"x.dbctl\"\n") // it needs a line of its own
	case term.Name != "":
		s.expression(s.rules[term.Name])
	case term.Token == "string":
		word(`""`, `"a \" b"`, `"\\"`, `"^x(.*)$"`, `"é # ; { }"`)
	case term.Token == "number":
		word("0", "-1", "10000")
	case term.Token == "name":
		word("x", "default", "GOTO", "SET", "OUT", "a_1", "t.x", "a.x")
	case term.Token == "variable":
		word("$x", "${x}", "$0", "${9}", "$t.x", "${t.x}", "$a.1", "${a.x}")
	case term.Literal != "":
		literal, err := strconv.Unquote(term.Literal)
		if err != nil {
			s.t.Fatal(err)
		}
		word(literal)
	default:
		s.t.Fatalf("unknown term %v", term)
	}
}

func sentence(t testing.TB, rules map[string]*ebnf.Expression, seed int64) string {
	s := &speaker{Rand: rand.New(rand.NewSource(seed)), t: t, rules: rules}
	s.expression(s.rules["File"])
	between := []string{" ", "  ", "\n", "\t\r\n\n", " # a comment\n", "\n#\n"}
	var b strings.Builder
	for _, w := range s.out {
		b.WriteString(w + between[s.Intn(len(between))])
	}
	return b.String()
}

// What the printed grammar says is what the loader reads.
func TestSentences(t *testing.T) {
	seen := make(map[string]bool)
	rules := productions(t)
	for seed := range int64(200) {
		text := sentence(t, rules, seed)
		for _, w := range regexp.MustCompile(`[A-Z_]{2,}|[#(){}|,;=]`).FindAllString(text, -1) {
			seen[w] = true
		}
		p := &parser{}
		p.script(&source{name: "f", text: []byte(text)})
		if len(p.list) > 0 {
			t.Fatalf("seed %d: %v\nof\n%s", seed, p.list[0].String(), text)
		}
		if _, err := grammar.ParseString("f", tokensOnly(text)); err != nil {
			t.Fatalf("seed %d: %v\nof\n%s", seed, err, text)
		}
		formatted, err := Format("f", []byte(text))
		if err != nil {
			t.Fatalf("seed %d: %v\nof\n%s", seed, err, text)
		}
		checkFormatted(t, text, string(formatted))
	}
	for _, w := range []string{"EXEC", "PAT", "PAT_GROUP", "SET", "RAW", "IF", "OUT", "PIPE", "VAR", "FIELD", "(", "{", "|", ",", ";", "=", "#"} {
		if !seen[w] {
			t.Errorf("no sentence has %s", w)
		}
	}
}

// tokensOnly is a text without what the lexer of the whole grammar does not know:
// blanks, comments and includes.
func tokensOnly(text string) string {
	p := &parser{broken: make(map[int]bool)}
	var words []string
	tokens := p.scan(&source{id: "0", text: []byte(text)})
	for i, t := range tokens {
		if t.Type != commentType && t.Value != includeWord && (i == 0 || tokens[i-1].Value != includeWord) {
			words = append(words, t.Value)
		}
	}
	return strings.Join(words, "")
}

func TestGrammarText(t *testing.T) {
	text := Grammar()
	for _, w := range append(verbWords(), "EXEC", "PAT", "PAT_GROUP", "SET", "RAW", "OUT", "PIPE", "VAR", "FIELD", "#include") {
		if !regexp.MustCompile(`(?m)(\b|"|#)` + w + `\b`).MatchString(text) {
			t.Errorf("the grammar does not mention %s", w)
		}
	}
	for i := range verbs {
		if !strings.Contains(text, "#   "+verbs[i].usage()+"\n") {
			t.Errorf("the grammar does not show %s", verbs[i].usage())
		}
	}
	// Every word of the grammar is one that its comments explain or its rules define.
	rules := productions(t)
	for _, m := range regexp.MustCompile(`<(\w+)>`).FindAllStringSubmatch(text, -1) {
		if !strings.Contains(text, "# "+m[0]) {
			t.Errorf("%s is not explained", m[0])
		}
	}
	for name := range rules {
		if strings.Count(text, name) < 2 && name != "File" {
			t.Errorf("%s is never used", name)
		}
	}
}
