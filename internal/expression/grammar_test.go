package expression

import "testing"

func TestParse(t *testing.T) {
	for _, s := range []string{"n", "p->x.y[3]", "a[i]@3", "(char)n + 1", "(struct s *)p", "sizeof(int)", "sizeof n", "*p++ ", "n=3", "x ? y : z", "'file.c'::x", "f::x", "$rip", "-1 << 2 * 3", "n<0 && u>1", "*(unsigned long*)p", "'a'", "'\\n'", "u8t(x)", "(n)+1", "&p->f", "1.5f", "\"GET\"", "f(x)", "a::b::c", "this->x"} {
		e, err := parse(s, func(n string) bool { return n == "u8t" })
		t.Logf("%s: %v %v", s, e != nil, err)
	}
}
