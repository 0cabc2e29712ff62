package collector_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What strings and containers hold is read in the handler, of the same instant as all other values of the sample.
func TestValuesThatAreHeld(t *testing.T) {
	anAddress := regexp.MustCompile(`0x[0-9a-f]+`)
	for _, cc := range []string{"g++ -O0", "g++ -O2", "clang++ -O0 -stdlib=libc++"} {
		t.Run(cc, func(t *testing.T) {
			exe := filepath.Join(t.TempDir(), "held")
			args := append(strings.Fields(cc), "-std=c++17", "-g", "-fno-optimize-sibling-calls", "-o", exe, "testdata/held.cpp")
			if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			file, codes, of := planned(t, exe, "work@turn", "work@name", "work@words", "work@numbers", "work@odd", "work@shared")
			s := prepare(t, "s q500", exe, "400").setenv("PCT_PLANS=" + file).run().ok("done\n")
			records, lost := readValues(t, filepath.Join(s.dirs(s.state.Pid())[0], "values.cpu"), codes, of)
			whole := 0
			for _, r := range records {
				var turn int
				if n, _ := fmt.Sscan(r.values["work@turn"], &turn); n == 0 {
					continue
				}
				name, longer := fmt.Sprintf("turn %d", turn), fmt.Sprintf(`"turn %d", '.' <repeats 40 times>`, turn)
				held := fmt.Sprintf("%q", name)
				odd := "std::optional<int> [no contained value]"
				if turn%2 == 1 {
					held, odd = longer, fmt.Sprintf("std::optional<int> = {[contained value] = %d}", turn)
				}
				numbers := fmt.Sprintf("std::vector of length %d, capacity %d", turn, turn)
				if turn > 0 {
					all := strings.TrimSuffix(strings.Repeat(fmt.Sprintf("%d, ", turn), min(turn, 20)), ", ")
					if turn > 20 {
						all += "..."
					}
					numbers += " = {" + all + "}"
				}
				same := true
				for word, want := range map[string]string{
					"work@name": held, "work@odd": odd, "work@numbers": numbers,
					"work@words":  fmt.Sprintf(`std::vector of length 2, capacity 2 = {"%s", %s}`, name, longer),
					"work@shared": fmt.Sprintf("std::shared_ptr<int> (use count 1, weak count 0) = {get() = @, *get() = %d}", turn),
				} {
					got, known := r.values[word]
					same = same && known
					if got = anAddress.ReplaceAllString(got, "@"); known && got != want {
						t.Fatalf("%s is %s, want %s", word, got, want)
					}
				}
				if same {
					whole++
				}
			}
			t.Logf("%d records, %d lost, %d whole", len(records), lost, whole)
			if len(records) < 20 || whole < len(records)/2 || lost > 0 {
				t.Errorf("%d records, %d lost; all values in %d", len(records), lost, whole)
			}
		})
	}
}
