package script

import (
	"fmt"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// The grammar. A statement begins with a word of its own, so that one token of
// lookahead decides everything. Grammar prints it; the loader parses by its
// productions, a statement at a time, to go on after an error.

// file is a whole script: rules, or the patterns alone of one for all executables.
type file struct {
	Items []*fileItem  `parser:"( @@+"`
	First *pat         `parser:"| @@"`
	Pats  []*groupItem `parser:"@@* )?"`
}

// fileItem is a statement at file level.
type fileItem struct {
	Include *include `parser:"@@"`
	Set     *set     `parser:"| @@"`
	Exec    *exec    `parser:"| @@"`
}

// include stands for the statements of another file.
type include struct {
	File lexer.Token `parser:"'#include' @String"`
}

// set gives a variable its first value.
type set struct {
	Name  lexer.Token `parser:"'SET' '(' @Name"`
	Value lexer.Token `parser:"',' @String ')' ';'"`
}

// exec is a rule for some executables.
type exec struct {
	Head  execHead    `parser:"@@"`
	Items []*execItem `parser:"'{' @@* '}'"`
}

// execHead says which.
type execHead struct {
	Options []*option   `parser:"'EXEC' '(' ( @@ ( ',' @@ )* )? ')'"`
	Regex   lexer.Token `parser:"@String"`
}

// option is an option of a rule.
type option struct {
	Name  lexer.Token `parser:"@Name '='"`
	Value lexer.Token `parser:"@String"`
}

// execItem is a statement of a rule.
type execItem struct {
	Include *include `parser:"@@"`
	Set     *set     `parser:"| @@"`
	Group   *group   `parser:"| @@"`
}

// group is a state.
type group struct {
	Head  groupHead    `parser:"@@"`
	Items []*groupItem `parser:"'{' @@* '}'"`
}

// groupHead names it.
type groupHead struct {
	Name lexer.Token `parser:"'PAT_GROUP' '(' @Name ')'"`
}

// groupItem is a statement of a state.
type groupItem struct {
	Include *include `parser:"@@"`
	Pat     *pat     `parser:"| @@"`
}

// pat is a transition.
type pat struct {
	Head  patHead      `parser:"@@"`
	Items []*blockItem `parser:"( '{' @@* '}' | ';' )"`
}

// patHead says what it matches and where the matched line goes.
type patHead struct {
	Rank  *lexer.Token `parser:"'PAT' '(' @Number? ')'"`
	Raw   bool         `parser:"@'RAW'?"`
	Regex lexer.Token  `parser:"@String"`
	If    *lexer.Token `parser:"( 'IF' '(' @String ')' )?"`
	Sinks []*sink      `parser:"( '|' @@ )*"`
}

// blockItem is a statement of a block.
type blockItem struct {
	Include *include `parser:"@@"`
	Command *command `parser:"| @@"`
	Call    *call    `parser:"| @@"`
}

// command is sent to the debugger.
type command struct {
	Text  lexer.Token  `parser:"@String"`
	If    *lexer.Token `parser:"( 'IF' '(' @String ')' )?"`
	Sinks []*sink      `parser:"( '|' @@ )* ';'"`
}

// call is an action of the controller.
type call struct {
	Verb  lexer.Token  `parser:"@Name"`
	Args  []*arg       `parser:"'(' ( @@ ( ',' @@ )* )? ')'"`
	If    *lexer.Token `parser:"( 'IF' '(' @String ')' )?"`
	Sinks []*sink      `parser:"( '|' @@ )* ';'"`
}

// arg is an argument of a verb.
type arg struct {
	Value lexer.Token `parser:"@( String | Number | Name | Variable )"`
}

// sink is where a text goes.
type sink struct {
	Kind lexer.Token `parser:"@( 'OUT' | 'PIPE' | 'VAR' | 'FIELD' )"`
	Arg  lexer.Token `parser:"'(' @( String | Name ) ')'"`
}

// grammar commits to a production with its first token.
var grammar = participle.MustBuild[file](participle.Lexer(lexicon), participle.UseLookahead(0))

// production gives a parser of one production of the grammar; what follows it is
// left. It reads the statement that begins at the lexer's position.
func production[P any]() func(*lexer.PeekingLexer) (any, error) {
	sub, err := participle.ParserForProduction[P](grammar)
	if err != nil {
		panic(err) // a mistake in the table of statements
	}
	return func(lex *lexer.PeekingLexer) (any, error) {
		return sub.ParseFromLexer(lex, participle.AllowTrailing(true))
	}
}

// Grammar returns the grammar in EBNF: "*" is any number of times, "+" at least
// once, "?" at most once, and what stands in <> is a token. The tokens and the verbs follow it as
// comments.
func Grammar() string {
	var b strings.Builder
	b.WriteString(grammar.String())
	b.WriteString("\n\n")
	for _, row := range [][2]string{
		{"<string>", `"text" on one line; \" is a quote, \\ a backslash, any other backslash itself`},
		{"<number>", "digits, perhaps after a minus sign"},
		{"<name>", "letters, digits and _, first no digit; also t.name; not EXEC, PAT_GROUP, PAT, RAW, IF"},
		{"<variable>", "$name, ${name}, $0 … $9, $a.1; also inside strings, except in patterns; $$ is a dollar"},
		{"", "only there: ${name[key]}; as the first argument of SET and LET \"name[key]\""},
		{"#include", "the first word of its line; any other # begins a comment, to the end of the line"},
	} {
		fmt.Fprintf(&b, "# %-11s %s\n", row[0], row[1])
	}
	b.WriteString("#\n# Verbs:\n")
	for i := range verbs {
		fmt.Fprintf(&b, "#   %s\n", verbs[i].usage())
	}
	return b.String()
}
