package script

import (
	"slices"
	"strings"
	"testing"
)

func TestFormat(t *testing.T) {
	for _, test := range []struct{ what, src, want string }{
		{"nothing", "", ""},
		{"blank lines only", "\n\n \n", ""},
		{"a comment only", "\n  # x  \n\n", "# x\n"},
		{"statements on one line", `SET(a,"1");EXEC( ) ".*"{PAT_GROUP(default){PAT(1)"x"|OUT("pc")|VAR(y){"bt";GOTO(default);}PAT()"y";}}`, `SET(a, "1");
EXEC() ".*" {
  PAT_GROUP(default) {
    PAT(1) "x" | OUT("pc") | VAR(y) {
      "bt";
      GOTO(default);
    }
    PAT() "y";
  }
}
`},
		{"empty blocks", "EXEC() \"\" {\n\n}\nEXEC() \"\" { PAT_GROUP(a)\n{\n}\n}", `EXEC() "" {}
EXEC() "" {
  PAT_GROUP(a) {}
}
`},
		{"blank lines", "\n\nSET(a, \"\");\n\n\n\nEXEC() \"\" {\n\n  SET(b, \"\");\n\n\n  PAT_GROUP(a) {\n\n  }\n\n}\n\n", `SET(a, "");

EXEC() "" {
  SET(b, "");

  PAT_GROUP(a) {}
}
`},
		{"comments", "# first\nEXEC() \"\" { # rule\n# inside\n    PAT_GROUP(a) {\n\n # last\n\n }# end\n\n\n# after\n}", `# first
EXEC() "" {  # rule
  # inside
  PAT_GROUP(a) {
    # last
  }  # end

  # after
}
`},
		{"comments within a statement", "SET(a, # the name\n\"1\" # the value\n);\nEXEC() # any\n\".*\"\n# then\n{ }", `SET(a,  # the name
    "1"  # the value
    );
EXEC()  # any
    ".*"
    # then
{}
`},
		{"includes", "EXEC() \"\" {\n    #include   \"x\" # why\n PAT_GROUP(a) {\n#include \"y\"\nPAT() \"#include \\\"z\\\"\"; } # #include \"w\"\n}", `EXEC() "" {
#include "x"  # why
  PAT_GROUP(a) {
#include "y"
    PAT() "#include \"z\"";
  }  # #include "w"
}
`},
		{"options and arguments", "EXEC() \"\" { PAT_GROUP(a) { PAT( -1 )RAW\"x\"{ CLOCK( best,10,$r ); } } }", `EXEC() "" {
  PAT_GROUP(a) {
    PAT(-1) RAW "x" {
      CLOCK(best, 10, $r);
    }
  }
}
`},
		{"part of an EXEC", "SET(a,\"1\");PAT_GROUP(b){PAT()\"x\";}", "SET(a, \"1\");\nPAT_GROUP(b) {\n  PAT() \"x\";\n}\n"},
		{"part of a group", "PAT()\"x\"{GOTO(b);}", "PAT() \"x\" {\n  GOTO(b);\n}\n"},
		{"part of a block", "\"bt\"|VAR(x);SET(a,$x);", "\"bt\" | VAR(x);\nSET(a, $x);\n"},
		{"carriage returns", "SET(a, \"1\"); # x\r\nSET(b, \"2\");\r\n", "SET(a, \"1\");  # x\nSET(b, \"2\");\n"},
	} {
		t.Run(test.what, func(t *testing.T) {
			got, err := Format("f", []byte(test.src))
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
			checkFormatted(t, test.src, string(got))
		})
	}
	for _, src := range []string{`EXEC(`, `SET(a, "1")`, `"`, `}`} {
		if _, err := Format("f", []byte(src)); err == nil {
			t.Errorf("Format(%s) gives no error", src)
		}
	}
	if _, err := Format("f", []byte(`EXEC() "(" {`+"\n#include \"missing\"\n"+`PAT_GROUP(a) { PAT() "" { GOTO(b); WRONG(); } } }`)); err != nil {
		t.Errorf("Format judges the meaning: %v", err)
	}
}

// checkFormatted: formatting again changes nothing, and the tokens and comments
// are those of the source.
func checkFormatted(t testing.TB, src, formatted string) {
	t.Helper()
	again, err := Format("f", []byte(formatted))
	if err != nil {
		t.Fatalf("%v\nof the formatted\n%s\nof\n%s", err, formatted, src)
	}
	if string(again) != formatted {
		t.Fatalf("formatted\n%s\nis formatted again to\n%s", formatted, again)
	}
	if a, b := scanned(src), scanned(formatted); !slices.Equal(a, b) {
		t.Fatalf("the tokens %q became %q", a, b)
	}
}

func scanned(src string) []string {
	p := &parser{broken: make(map[int]bool)}
	var out []string
	for _, tok := range p.scan(&source{id: "0", text: []byte(src)}) {
		out = append(out, strings.TrimRight(tok.Value, " \t\r"))
	}
	return out
}
