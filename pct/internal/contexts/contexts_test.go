package contexts

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/profilecollection/pct/pct/internal/calltree"
)

// build makes a tree of samples: a line is their number and the path, outermost first.
func build(samples string) *calltree.Tree {
	b := calltree.NewBuilder()
	self := map[int32]calltree.Weight{}
	for line := range strings.Lines(samples) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		var n int
		fmt.Sscan(words[0], &n)
		var node int32
		for _, name := range words[1:] {
			node = b.Child(node, b.Frame(calltree.Frame{Name: name}))
		}
		self[node] = self[node].Plus(calltree.Weight{Weight: uint64(n) * 10000, Samples: n})
	}
	return b.Compact(self)
}

// find writes the contexts of samples, a line each: weight, fresh, and the path, which
// ends with * if only the last function itself counts.
func find(samples string) string {
	t := build(samples)
	found := Find(t, Options{Name: func(f *calltree.Frame) string { return f.Name }, Least: Least(t.Whole().Samples), Most: 5})
	var b strings.Builder
	for _, c := range found.List {
		star := ""
		if c.Itself {
			star = " *"
		}
		fmt.Fprintf(&b, "%d %d (%s)%s\n", c.Weight.Samples, c.Fresh.Samples, strings.Join(c.Path, " "), star)
	}
	return b.String()
}

func TestKnownAnswers(t *testing.T) {
	for _, of := range []struct{ name, samples, want string }{
		{"the forms program of the 1993 paper, section 4.4", `
			85 main invoice address_information db_get_property db_read_record
			22 main invoice db_get_property db_read_record
			84 main loan_application address_information db_get_property db_read_record
			22 main loan_application db_get_property db_read_record
			85 main envelope address_information db_get_property db_read_record
			21 main envelope db_get_property db_read_record
			84 main form_US_1040 address_information db_get_property db_read_record
			22 main form_US_1040 db_get_property db_read_record
			84 main form_NJ_1040 address_information db_get_property db_read_record
			21 main form_NJ_1040 db_get_property db_read_record
			84 main db_update_record db_read_record`, `
			422 422 (address_information db_get_property db_read_record)
			530 108 (db_get_property db_read_record)
			84 84 (db_update_record db_read_record)`},
		{"process_db, section 4", `
			18 main
			215 main uniquify_db build_db_ptrs
			320 main uniquify_db merge_adjacent_records
			1820 main uniquify_db qsort
			303 main print_salary_list extract_salary_fields`, `
			1820 1820 (uniquify_db qsort)
			320 320 (uniquify_db merge_adjacent_records)
			303 303 (print_salary_list extract_salary_fields)
			215 215 (uniquify_db build_db_ptrs)`},
		{"process_db, with what qsort calls", `
			1020 main uniquify_db qsort msort msort name_field_lt
			800 main uniquify_db qsort msort
			535 main uniquify_db
			100 main print_salary_stats qsort msort integer_lt
			203 main print_salary_stats stat_summary`, `
			1820 1820 (uniquify_db qsort msort)
			2355 535 (main uniquify_db)
			203 203 (print_salary_stats stat_summary)`},
		{"Figure 1 of the csprof paper", `
			250 main a c d
			250 main a c
			251 main b c d
			249 main b c`, `
			500 500 (a c)
			500 500 (b c)`},
		{"the same, with no work in c itself", `
			250 main a c d
			251 main b c d`, `
			251 251 (b c d)
			250 250 (a c d)`},
		{"a chain is named by its end", `
			100 start main run loop handle parse scan`, `
			100 100 (parse scan)`},
		{"recursion", `
			50 main expr term factor expr term factor expr lex
			50 main expr term factor lex
			20 main other`, `
			50 50 (expr lex)
			50 50 (factor lex)
			20 20 (main other)`},
		{"many small functions count for what unites them", `
			4 main parse a
			4 main parse b
			4 main parse c
			4 main parse d
			80 main work
			4 main parse e`, `
			80 80 (main work)
			20 20 (main parse)`},
		{"what a dispatcher does itself", `
			20 main
			31 main x
			30 main y
			29 main z`, `
			31 31 (main x)
			30 30 (main y)
			29 29 (main z)
			110 20 (main)`},
		{"all in one body", `
			100 main`, `
			100 100 (main)`},
		{"no callers are known", `
			60 inflate
			40 crc`, `
			60 60 (inflate)
			40 40 (crc)`},
		{"called from all over", `
			10 main a malloc
			10 main b malloc
			10 main c malloc
			10 main d malloc
			10 main e malloc`, `
			50 50 (malloc)`},
		{"too few samples to say anything", `
			1 main a
			1 main b
			1 main c
			1 main d`, `
			4 4 (main)`},
		{"no paths at all", `
			5`, ``},
	} {
		want := strings.TrimPrefix(strings.ReplaceAll(of.want, "\t", ""), "\n")
		if want != "" {
			want += "\n"
		}
		if got := find(of.samples); got != want {
			t.Errorf("%s:\n%swant\n%s", of.name, got, want)
		}
	}
}

// TestCallers tells who else calls, and where the samples are.
func TestCallers(t *testing.T) {
	tree := build(`
		30 main uniquify_db qsort cmp
		50 main uniquify_db qsort
		20 main print qsort`)
	found := Find(tree, Options{Name: func(f *calltree.Frame) string { return f.Name }, Least: 0.05, Most: 1})
	c := found.List[0]
	if got := fmt.Sprint(c.Callers, c.Bodies, c.Function, found.Rest); got !=
		"[{main {800000 80}}] [{qsort {500000 50}} {cmp {300000 30}}] {1000000 100} {200000 20}" {
		t.Error(got)
	}
	for node, context := range found.Of {
		path := tree.Path(int32(node))
		in := slices.ContainsFunc(path, func(f int32) bool { return tree.Frames[f].Name == "uniquify_db" }) && len(path) > 2
		if tree.Self[node].Samples > 0 && in != (context == 0) {
			t.Errorf("node %d of %v is in context %d", node, path, context)
		}
	}
}

// TestRandom holds what must be true of any tree: contexts are disjoint, add up with the
// rest to the whole, and weigh what the stacks say that pass their path.
func TestRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		var samples strings.Builder
		acyclic := random.IntN(2) == 0
		for range 1 + random.IntN(30) {
			fmt.Fprint(&samples, 1+random.IntN(100), " ")
			at := 0
			for range random.IntN(9) {
				if at += 1 + random.IntN(3); !acyclic {
					at = random.IntN(7)
				}
				fmt.Fprintf(&samples, "f%d ", at)
			}
			samples.WriteByte('\n')
		}
		tree := build(samples.String())
		found := Find(tree, Options{Name: func(f *calltree.Frame) string { return f.Name }, Least: 0.05, Most: 4})
		sum := found.Rest
		for i, c := range found.List {
			sum = sum.Plus(c.Fresh)
			var fresh, weight calltree.Weight
			for node, w := range tree.Self {
				if int(found.Of[node]) == i {
					fresh = fresh.Plus(w)
				}
				if acyclic && passes(tree, int32(node), c.Path) {
					weight = weight.Plus(w)
				}
			}
			if fresh != c.Fresh || acyclic && weight != c.Weight || c.Fresh.Weight > c.Weight.Weight {
				t.Fatalf("%s%v: %v %v", samples.String(), c, fresh, weight)
			}
		}
		if sum != tree.Whole() {
			t.Fatalf("%s%v of %v", samples.String(), sum, tree.Whole())
		}
	}
}

// passes reports whether a node's path has these names next to each other.
func passes(t *calltree.Tree, node int32, names []string) bool {
	var path []string
	for _, f := range slices.Backward(t.Path(node)) {
		path = append(path, t.Frames[f].Name)
	}
	for len(path) >= len(names) {
		if slices.Equal(path[:len(names)], names) {
			return true
		}
		path = path[1:]
	}
	return false
}

// Contexts stand in the order of their size, whichever is found first, and nodes know theirs.
func TestOrder(t *testing.T) {
	tree := build("400 main a f\n310 main b f\n290 main c f\n500 main d g\n")
	found := Find(tree, Options{Name: func(f *calltree.Frame) string { return f.Name }, Least: 0.05, Most: 5})
	sums := make([]int, len(found.List))
	for node, context := range found.Of {
		if context >= 0 {
			sums[context] += tree.Self[node].Samples
		}
	}
	if want := []int{500, 400, 310, 290}; !slices.Equal(sums, want) {
		t.Errorf("contexts of %v samples, want %v: %+v", sums, want, found.List)
	}
	for i, c := range found.List {
		if c.Fresh.Samples != sums[i] {
			t.Errorf("%v has %d samples, and its nodes %d", c.Path, c.Fresh.Samples, sums[i])
		}
	}
}
