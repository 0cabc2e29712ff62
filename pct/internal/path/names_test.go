package path

import "testing"

func TestWithoutTemplates(t *testing.T) {
	for name, want := range map[string]string{
		"main":                                 "main",
		"std::map<int, std::less<int> >::find": "std::map::find",
		"ns::Q<int>::operator<":                "ns::Q::operator<",
		"operator<< <char>":                    "operator<< <char>",
		"ns::A<int>::operator->":               "ns::A::operator->",
		"f<(A<3> > 2)>":                        "f",
		"<alloc::vec::Vec<T> as core::ops::Drop>::drop": "<alloc::vec::Vec as core::ops::Drop>::drop",
		"core::ops::FnOnce<fn() -> i32>::call":          "core::ops::FnOnce::call",
		"odd<":                                          "odd<",
		"(anonymous namespace)::g<int>":                 "(anonymous namespace)::g",
		"ns::f<int>::{lambda(int)#1}::operator()":       "ns::f::{lambda(int)#1}::operator()",
	} {
		if got := withoutTemplates(name); got != want {
			t.Errorf("%s becomes %s, want %s", name, got, want)
		}
	}
}
