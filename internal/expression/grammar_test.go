package expression

import (
	"errors"
	"strings"
	"testing"

	"github.com/profilecollection/pct/internal/plan"
	"github.com/profilecollection/pct/internal/value"
)

func TestParse(t *testing.T) {
	isType := func(n string) bool { return n == "u8t" || n == "ns::T" }
	for _, s := range strings.Split(`n|p->x.y[3]|a[i]@3|(char)n + 1|(struct s *)p|sizeof(int)|sizeof n|x ? y : z|'file.c'::x|f::x|$rip|-1 << 2 * 3|n<0 && u>1|*(unsigned long*)p|'a'|'\n'|(u8t)x|(ns::T *)x|(n)+1|&p->f|1.5f|a::b::c|this->x|p->u8t|!~-+n|::x`, "|") {
		if _, err := parse(s, nil, isType); err != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
	for _, s := range strings.Split(`|n +|(|p->|)|1 2|x ? y|a[|@|n;m|#|"`, "|") {
		if _, err := parse(s, nil, isType); err == nil {
			t.Errorf("%s: no error", s)
		}
	}
	for _, s := range strings.Split("n=3|n += 1|*p++|--n|n <<= 2|p->x = 0", "|") {
		_, err := parse(s, nil, isType)
		var r *Refusal
		if !errors.As(err, &r) || !r.Writes || !Writes(s) {
			t.Errorf("%s: %v, not that it would write", s, err)
		}
	}
}

// An expression of great depth is refused before it takes the stack.
func TestParseDepth(t *testing.T) {
	for _, s := range []string{strings.Repeat("(", 100000) + "n" + strings.Repeat(")", 100000), strings.Repeat("-", 100000) + "n", strings.Repeat("n+", 100000) + "n", strings.Repeat("n?", 50000) + "n" + strings.Repeat(":n", 50000)} {
		if _, err := parse(s, nil, func(string) bool { return false }); err == nil {
			t.Errorf("%.10s… of %d bytes: no error", s, len(s))
		}
	}
}

func TestPrecedence(t *testing.T) {
	c := &compiler{}
	for s, want := range map[string]int64{"1+2*3": 7, "(1+2)*3": 9, "1<<2+1": 8, "10-2-3": 5, "7&3|8": 11, "6%4*2": 4, "1?2:0?4:5": 2, "~0": -1, "!5": 0, "-7/2": -3, "1<2==1": 1, "0x10": 16, "'a'+1": 98} {
		e, err := parse(s, nil, func(string) bool { return false })
		if err != nil {
			t.Fatal(err)
		}
		p, err := c.expression(e)
		if err != nil {
			t.Fatal(err)
		}
		if got := ran(t, p.word); got != want {
			t.Errorf("%s: %d, not %d", s, got, want)
		}
	}
}

// ran is the number that instructions leave.
func ran(t *testing.T, code []plan.Instr) int64 {
	t.Helper()
	b, why := plan.Run(join(code, []plan.Instr{{Op: plan.Out, Size: 8}, {Op: plan.End}}), nil, nil)
	if why != plan.Got {
		t.Fatal(why)
	}
	return int64(value.Number(b))
}
