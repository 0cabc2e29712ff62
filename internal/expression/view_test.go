package expression

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// viewsOf evaluates all that is visible in the functions of the program, by us alone.
func (s *standing) viewsOf(functions ...string) []asked {
	var all []asked
	number := 0
	for level, f := range s.path {
		if f.Object == nil || f.Object.Path != s.exe {
			continue
		}
		blocks := s.data.ScopeAt(f.Vaddr()).Blocks
		end := len(blocks)
		for i, fn := range s.object.Activations(f.Vaddr()) {
			from := slices.Index(blocks, fn)
			if slices.Contains(functions, fn.Name()) {
				for _, name := range visible(blocks[from:end]) {
					q := asked{frame: number, function: fn.Name(), expression: name, pc: f.Vaddr()}
					q.evaluate(s, level, i)
					all = append(all, q)
				}
			}
			end = from
			number++
		}
	}
	return all
}

var (
	anAddress = regexp.MustCompile(`0x[0-9a-f]{2,}`)
	aTarget   = regexp.MustCompile(`, \*get\(\) = .*\}$`)
)

// shownViews are the variables of testdata/views.cpp as people see them. Addresses are @.
var shownViews = map[string]string{
	"text": `"hello \"you\"\n"`, "empty": `""`, "long_text": `'x' <repeats 40 times>`, "longest": `'y' <repeats 200 times>...`, "zeros": `"a\000b"`,
	"view": `"xxxxx"`, "none": `""`, "numbers": "std::vector of length 3, capacity 10 = {1, 2, 3}", "no_numbers": "std::vector of length 0, capacity 0",
	"many":          "std::vector of length 50, capacity 50 = {" + strings.Repeat("9, ", 19) + "9...}",
	"words":         `std::vector of length 3, capacity 3 = {"one", 't' <repeats 30 times>, ""}`,
	"nested":        "std::vector of length 3, capacity 3 = {std::vector of length 1, capacity 1 = {1}, std::vector of length 0, capacity 0, std::vector of length 2, capacity 2 = {2, 3}}",
	"names":         `std::vector of length 3, capacity 3 = {@ "first", @ "second", 0x0}`,
	"points":        "std::vector of length 2, capacity 2 = {{x = 1, y = 2}, {x = 3, y = 4}}",
	"list":          `std::vector of length 2, capacity 2 = {{label = "", n = 0}, {label = "", n = 0}}`,
	"some":          "std::optional<int> = {[contained value] = 5}",
	"nothing":       "std::optional<int> [no contained value]",
	"maybe":         `std::optional<std::string> = {[contained value] = "there"}`,
	"where":         "std::optional<point> = {[contained value] = {x = 5, y = 6}}",
	"unique":        "std::unique_ptr<int> = {get() = @, *get() = 11}",
	"spot":          "std::unique_ptr<point> = {get() = @, *get() = {x = 7, y = 8}}",
	"nowhere":       "std::unique_ptr<point> = {get() = 0x0}",
	"array":         "std::unique_ptr<int []> = {get() = @}",
	"released":      "std::unique_ptr<int> = {get() = @, *get() = 12}",
	"shared":        `std::shared_ptr<std::string> (use count 2, weak count 1) = {get() = @, *get() = "shared text"}`,
	"weak":          `std::weak_ptr<std::string> (use count 2, weak count 1) = {get() = @, *get() = "shared text"}`,
	"expired":       "std::weak_ptr<int> (expired, weak count 1) = {get() = @}",
	"no_weak":       "std::weak_ptr<int> (empty) = {get() = 0x0}",
	"empty_shared":  "std::shared_ptr<point> (empty) = {get() = 0x0}",
	"r":             `{command = "GET", sizes = std::vector of length 2, capacity 2 = {4, 5}, origin = @ "here", limit = std::optional<double> = {[contained value] = 2.5}}`,
	"one":           `{static made = 3, label = "label", n = 4}`,
	"alias":         `"hello \"you\"\n"`,
	"numbers_alias": "std::vector of length 3, capacity 10 = {1, 2, 3}",
	"number_alias":  "2",
	"point_alias":   "{x = 3, y = 4}",
	"name_alias":    `@ "first"`,
}

// Strings, containers and pointers of the libraries show what they hold, as gdb with the printers of GNU's library,
// which knows no others. What is added to gdb's form is left out to compare.
func TestViews(t *testing.T) {
	const lost = "<optimized out>"
	unlike := []string{
		"many", "longest", "list", // gdb shows more elements, and the static members of each
		"number_alias", "point_alias", "name_alias", // gdb shows addresses here, in print also what is there
		"bits", // which gdb alone shows otherwise than with their members
	}
	for _, p := range []struct {
		cc    string
		gnu   bool // its library has printers in gdb
		least int  // variables that are not lost
		also  map[string]string
	}{
		{cc: "g++ -O0", gnu: true, least: 34},
		{cc: "g++ -O2", gnu: true, least: 20},
		{cc: "g++ -O1 -gdwarf-4 -fdebug-types-section", gnu: true, least: 20},
		{cc: "g++ -O0 -D_GLIBCXX_USE_CXX11_ABI=0", gnu: true, least: 34},
		{cc: "clang++ -O0 -fstandalone-debug", gnu: true, least: 34},
		{cc: "clang++ -O2 -fstandalone-debug", gnu: true, least: 20},
		{cc: "clang++ -O0 -stdlib=libc++", least: 34},
		{cc: "clang++ -O2 -stdlib=libc++ -fstandalone-debug", least: 20},
		{cc: "clang++ -O2 -stdlib=libc++", least: 20, also: map[string]string{ // no debug data of counts
			"shared":       `std::shared_ptr<std::string> = {get() = @, *get() = "shared text"}`,
			"empty_shared": "std::shared_ptr<point> = {get() = 0x0}",
			"weak":         "{__ptr_ = @, __cntrl_ = @}",
			"expired":      "{__ptr_ = @, __cntrl_ = @}",
			"no_weak":      "{__ptr_ = 0x0, __cntrl_ = 0x0}",
		}},
	} {
		t.Run(p.cc, func(t *testing.T) {
			s := start(t, build(t, "views.cpp", append(strings.Fields(p.cc), "-std=c++17", "-g")...))
			s.viewed = true
			got := map[string]bool{}
			for i, function := range []string{"look", "seen"} {
				if i > 0 {
					s.attach()
				}
				if !s.runTo(function, 12) {
					t.Fatalf("%s has no code", function)
				}
				all := s.viewsOf("look", "seen", "work")
				for _, q := range all {
					want, known := p.also[q.expression]
					if !known {
						want, known = shownViews[q.expression]
					}
					switch ours := anAddress.ReplaceAllString(q.viewed, "@"); {
					case q.refused != "" || strings.Contains(q.ours, lost):
						t.Logf("%s in %s: %s", q.expression, q.function, q.refused)
					case known && (q.function == "work" || q.expression == "r") && ours != want:
						t.Errorf("%s in %s:\n  %s, want\n  %s\n  members %s", q.expression, q.function, ours, want, q.ours)
					default:
						got[q.expression] = true
					}
				}
				s.leave()
				if !p.gnu {
					continue
				}
				for _, q := range s.ask(all) {
					ours, theirs := brief(aTarget.ReplaceAllString(q.viewed, "}")), brief(withoutNames(q.theirs))
					if q.refused == "" && !strings.Contains(q.ours, lost) && ours != theirs && !slices.Contains(unlike, q.expression) {
						t.Errorf("%s in %s:\n  ours %s\n  gdb  %s", q.expression, q.function, ours, theirs)
					}
				}
			}
			t.Logf("%d variables", len(got))
			if len(got) < p.least {
				t.Errorf("%d variables, at least %d wanted", len(got), p.least)
			}
		})
	}
}
