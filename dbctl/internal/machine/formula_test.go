package machine

import "testing"

func TestFormula(t *testing.T) {
	vars := map[string]string{
		"n": "5", "x": "2.5", "t.begin": "1.25", "time": "1.5", "char": "120 'x'", "p": `0x10 "text"`, "name": "worker", "same": `0x20 "text"`, "empty": `0x30 ""`, "big": "0xffffffffffffffff",
	}
	get := func(of reference) string { return vars[of.name] }
	for text, want := range map[string]string{
		"1": "1", "1 + 2 * 3": "7", "(1 + 2) * 3": "9", "7 / 2": "3.5", "6 / 2": "3", "7 % 4": "3", "-3 + 1": "-2", "2 - 3 - 4": "-5", "--2": "2",
		"$n": "5", "$n*$x": "12.5", "${n}+1": "6", "$time - $t.begin": "0.25", "$time-${t.begin}": "0.25", "$char": "120", "$p + 1": "17", "$big": "1.84467441e+19",
		"$n > 4": "1", "$n <= 4": "0", "$n == 5.0": "1", "$x != 2.5": "0", "$n > 4 && $x < 3": "1", "$n > 5 || $x > 3": "0", "!$n": "0", "!($n > 9)": "1",
		"$name == 'worker'": "1", "$name != 'worker'": "0", "$name": "worker", "$name == $name": "1", "'a' == 'b'": "0", "0x10": "16", "010 + 0": "10", "0x1f + 0": "31", "1e3 * 2": "2000", ".5": "0.5",
		"$p == 'text'": "1", "$p != 'text'": "0", "$p == $same": "1", "$p == 'tex'": "0", "$char == 'x'": "1", "$char == 'y'": "0", "$empty == ''": "1",
		"1 / 0": "", "$unset + 1": "", "$unset > 1": "", "$unset": "", "$name + 1": "", "$name > 1": "", "$unset || 1": "1", "$unset && 1": "0", "1 / 3": "0.333333333", "1e300 * 1e300": "",
	} {
		f, err := ParseFormula(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got, ok := f.value(get)
		if got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v, want %q", text, got, ok, want)
		}
		if holds := f.holds(get); holds != (want != "" && want != "0") {
			t.Errorf("%s holds: %v", text, holds)
		}
	}
	for text, want := range map[string]string{
		"": "a number, a $variable or a 'text' is expected, not the end", "1 +": "a number, a $variable or a 'text' is expected, not the end",
		"(1": "a ) is expected, not the end", "1 2": `an operator is expected, not "2"`, "n > 1": `a number, a $variable or a 'text' is expected, not "n > 1"`,
		"'a": `a ' at the end of the text is expected, not "'a"`, "1 = 1": `an operator is expected, not "= 1"`, "$$": `a number, a $variable or a 'text' is expected, not "$$"`,
	} {
		if _, err := ParseFormula(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// Whatever stands there, it is read or refused.
func FuzzFormula(f *testing.F) {
	for _, s := range []string{"1 + 2 * $n", "($t.a - 'x') / 0", "((((", "!!-1", "$n >= 0x1 && ${x} != .5"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if formula, err := ParseFormula(s); err == nil {
			formula.value(func(reference) string { return s })
		}
	})
}
