package funcname

import "testing"

func TestPlain(t *testing.T) {
	for name, want := range map[string]string{
		"main":                          "main",
		"ns::Box<int, ns::A<3> >::f":    "ns::Box::f",
		"ns::f(int, std::vector<int>)":  "ns::f",
		"ns::operator<":                 "ns::operator<",
		"ns::operator()<int>(ns::A<3>)": "ns::operator()<int>(ns::A<3>)",
	} {
		if got := Plain(name); got != want {
			t.Errorf("Plain(%q) = %q, want %q", name, got, want)
		}
	}
}
