package value

import "testing"

func TestWithoutAddress(t *testing.T) {
	for text, want := range map[string]string{
		`0x4006 "GET"`: `"GET"`, `0x4006 <buffer+8> "GET"`: `"GET"`, `0x4006 <operator<<> "a> \"b"`: `"a> \"b"`, `0x4006 ""`: `""`,
		`0x4006 'a' <repeats 12 times>, "bc"...`: `'a' <repeats 12 times>, "bc"...`, `0x40 <x> 'a' <repeats 12 times>, "> \"c"`: `'a' <repeats 12 times>, "> \"c"`,
		`0x4006 L"GET"`: `L"GET"`, `0x4006 <buffer> u"a", 'b' <repeats 12 times>`: `u"a", 'b' <repeats 12 times>`, `0x40 U'x' <repeats 20 times>`: `U'x' <repeats 20 times>`, `0x40 <f<a> > "x"`: `"x"`,
		// All others are as they are.
		`0x0`: `0x0`, `0x4006`: `0x4006`, `0x4006 <table+8>`: `0x4006 <table+8>`, `0x4006 `: `0x4006 `, `0x "x"`: `0x "x"`, `"0x4006 x"`: `"0x4006 x"`,
		`0x8 <error: Cannot access memory at address 0x8>`: `0x8 <error: Cannot access memory at address 0x8>`, `120 'x'`: `120 'x'`, `0x4006 'a'`: `0x4006 'a'`,
		`{s = 0x4006 "GET"}`: `{s = 0x4006 "GET"}`, ``: ``, `0x4006 <a`: `0x4006 <a`,
	} {
		if got := WithoutAddress(text); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}
