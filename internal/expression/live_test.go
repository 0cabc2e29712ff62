package expression

import (
	"debug/dwarf"
	"errors"
	"flag"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/profilecollection/pct/internal/object/debuginfo"
	"github.com/profilecollection/pct/internal/plan"
	"github.com/profilecollection/pct/internal/value"
)

// visible are the names of the variables in the blocks of an activation.
func visible(blocks []debuginfo.Entry) []string {
	var names []string
	for _, b := range blocks {
		for _, of := range []debuginfo.Entry{b, b.Origin()} {
			for e := range of.Children() {
				if tag := e.Tag(); (tag == dwarf.TagVariable || tag == dwarf.TagFormalParameter) && e.Name() != "" && !slices.Contains(names, e.Name()) {
					names = append(names, e.Name())
				}
			}
		}
	}
	return names
}

// compare evaluates expressions in all frames of the program, by us and by gdb: the names of what is visible,
// the others, and some of the forms that a value's type has; and in each function at most so many expressions of more sources
// of random ones.
func (s *standing) compare(others []string, most int, random *rand.Rand, more ...*rand.Rand) []asked {
	var all []asked
	number := 0
	for level, f := range s.path {
		if f.Object == nil || f.Object.Path != s.exe {
			continue
		}
		if n := len(all); n > 0 && all[n-1].function == s.outermost {
			break
		}
		pc := f.Vaddr()
		scope := s.data.ScopeAt(pc)
		acts := s.object.Activations(pc)
		end := len(scope.Blocks)
		for i, fn := range acts {
			from := slices.Index(scope.Blocks, fn)
			grow := false
			early := false // gdb reads parameters that are not stored yet
			fn.Ranges(func(low, _ uint64) { early = early || low <= pc && pc < s.data.Body(low) })
			one := func(x string) *Code {
				q := asked{frame: number, function: fn.Name(), expression: x, pc: pc, grown: grow, early: early}
				code := q.evaluate(s, level, i)
				all = append(all, q)
				return code
			}
			seen := visible(scope.Blocks[from:end])
			asked := slices.Clone(seen)
			if number == 0 || !s.innermost {
				asked = append(asked, others...)
			}
			for _, name := range asked {
				code := one(name)
				if code == nil {
					continue
				}
				list := s.forms(name, code)
				random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
				for _, x := range list[:min(len(list), 3)] {
					one(x)
				}
			}
			grow = true
			for _, random := range more {
				g := grower{random: random, names: slices.Concat(seen, globals(scope.Blocks, random)), compile: func(x string) *Code {
					code, _ := s.object.Compile(x, pc, i)
					return code
				}}
				for range min(most, len(g.names)) {
					one(g.expression())
				}
			}
			end = from
			number++
		}
	}
	s.leave()
	return s.ask(all)
}

// globals are some of the variables of the unit that a function is in.
func globals(blocks []debuginfo.Entry, random *rand.Rand) []string {
	if len(blocks) == 0 {
		return nil
	}
	var all []string
	for e := range blocks[0].Unit().Children() {
		if e.Tag() == dwarf.TagVariable && len(e.Path()) == 1 && e.Has(dwarf.AttrLocation) {
			all = append(all, e.Name())
		}
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(len(all), 5)]
}

// evaluate has the expression evaluated in an activation of a frame, and returns its code.
func (q *asked) evaluate(s *standing, level, number int) *Code {
	code, err := s.object.Compile(q.expression, q.pc, number)
	var r *Refusal
	switch {
	case errors.As(err, &r):
		q.refused = r.Why
		return nil
	case err != nil:
		q.refused = err.Error()
		return nil
	}
	q.lacking = code.Lacking
	b, out := plan.Run(code.Code, activation{s: s, level: level}, nil)
	if v, ok := code.Value(b); out == plan.NoEntry {
		q.refused = notTold
	} else if out != plan.Got {
		q.refused = out.String()
	} else if ok {
		q.ours, q.viewed = v.Text(nil), v.Viewed(nil)
	}
	return code
}

// forms are expressions with a variable.
func forms(name string, code *Code) []string {
	switch t := code.Type; t.Kind {
	case value.Pointer:
		list := []string{"*" + name, "&" + name, name + "+1", "!" + name}
		if t.Elem.Kind == value.Structure {
			for _, f := range t.Elem.Whole().Fields {
				if f.Name != "" && !f.Base {
					list = append(list, name+"->"+f.Name)
				}
			}
		} else {
			list = append(list, name+"[1]")
		}
		return list
	case value.Structure:
		list := []string{"&" + name, "sizeof(" + name + ")"}
		for _, f := range t.Whole().Fields {
			if f.Name != "" && !f.Base {
				list = append(list, name+"."+f.Name)
			}
		}
		return list
	case value.Array:
		if !slices.ContainsFunc(code.Code, func(i plan.Instr) bool { return i.Op == plan.OutMem }) {
			// For the address of another gdb calls malloc in the program.
			return []string{name + "[1]", "sizeof " + name}
		}
		return []string{name + "[1]", "&" + name, "*" + name, name + "[0]@2", "sizeof " + name}
	case value.Integer, value.Character, value.Enumeration, value.Boolean:
		return []string{name + "+1", "-" + name, name + "*2-3", name + " < 3", name + "==5", "~" + name, name + " >> 1", name + " << 2", name + "/2", name + "%7", "(char)" + name, "(unsigned char)" + name, name + "/2.0", name + " && 1", "!" + name, name + "+4000000000u", "(long)" + name + " * 3000000000", name + " ? 1 : 2", "(short)" + name, "(unsigned)" + name}
	case value.Float:
		return []string{name + "*2", "(int)" + name, name + "/3", name + " > 1", "-" + name, "(float)" + name}
	}
	return nil
}

// A tally is how answers compared.
type tally struct {
	t       *testing.T
	equal   int
	refused int
	wrong   int
	grown   int // random ones of which the answers are equal
	why     map[string]int
	seen    map[string]bool // names of functions
}

func (n *tally) add(all []asked) {
	n.t.Helper()
	for i := range all {
		q := &all[i]
		n.seen[q.function] = true
		verdict := q.compare()
		switch {
		case q.grown && verdict == isEqual:
			n.grown++
		case q.grown && verdict == isRefused:
		case verdict == isEqual:
			n.equal++
		case verdict == isRefused:
			n.refused++
			n.why[q.expression+": "+q.refused+" (gdb: "+q.theirs+")"]++
		case verdict == isWrong:
			if n.wrong++; n.wrong < 30 {
				n.t.Errorf("%s at %#x: %s\n  ours %s%s\n  gdb  %s", q.function, q.pc, q.expression, q.ours, q.refused, q.theirs)
			}
		}
	}
}

// check tells the result, and fails where too few are equal or too many refused, in percent.
func (n *tally) check(least int, most float64) {
	n.t.Helper()
	for why, k := range n.why {
		n.t.Logf("%d refused: %.200s", k, why)
	}
	rate := 100 * float64(n.refused) / float64(max(1, n.equal+n.refused+n.wrong))
	n.t.Logf("of random expressions %d are equal", n.grown)
	n.t.Logf("equal %d, refused %d (%.1f %%), wrong %d", n.equal, n.refused, rate, n.wrong)
	if n.equal < least || rate > most {
		n.t.Errorf("equal %d, at least %d wanted; refused %.1f %%, at most %.1f %% wanted", n.equal, least, rate, most)
	}
}

// names are those of a list; what has blanks within angles or brackets is one.
func names(list string) []string { return listed.FindAllString(list, -1) }

var listed = regexp.MustCompile(`(\w<[^>]*>|\([^)]*\)|\S)+`)

// options of programs that are not of this repository.
var (
	programs = flag.String("program", "", "compare values of this program, with its arguments")
	rounds   = flag.Int("rounds", 5, "so often")
	grown    = flag.Int("grown", 20, "and so many random expressions in each function")
)

// compareProgram compares all that is visible in a program with debug data, at instants that are never the
// same.
func compareProgram(t *testing.T, argv []string) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	s := start(t, argv...)
	n := &tally{t: t, why: map[string]int{}, seen: map[string]bool{}}
	for i := range *rounds {
		if i > 0 {
			s.attach()
		}
		d := time.Duration(50+random.IntN(100)) * time.Millisecond
		if i == 0 {
			d += 2 * time.Second // a server has clients by then
		}
		s.run(d)
		n.add(s.compare(nil, *grown, random, random))
	}
	n.check(1, 3)
}

// TestAgreement compares values with gdb's at the same instants, with -args -program of that program too.
func TestAgreement(t *testing.T) {
	if argv := strings.Fields(*programs); len(argv) > 0 {
		t.Run(filepath.Base(argv[0]), func(t *testing.T) { compareProgram(t, argv) })
	}
	const (
		c       = "global_counter settings settings.level &settings file_static table blank ratio small big origin corner paint mask matrix words raw flag pointer_to origin.x corner->y matrix[1][2] words[1] table[3]@4 nosuch c_wide c_sixteen c_texts RED FC leaf::calls 'types.c'::file_static leaf &leaf mid main (long)leaf"
		cxx     = "ns::counter counter ns::hidden hidden ns::v1::inlined first ns::first ns::Mode::on ns::second shared Derived::shared ns::Derived::shared limit ns::Nest::limit this *this own base low sink (ns::Mode)3 (ns::Derived*)b ::work &work main sizeof(ns::Derived) sizeof(ns::Base) *(ns::Nest*)&copy"
		members = cxx + " this->x x inner.deep" // gdb 13 crashes of them where "this" is not kept
	)
	const rare = "ld ldbig wide uwide negative vector bottom top left *left *top hidden box texts *flexible flexible->text wtext wp u16 wpadded wrun wfull wzero wone wtwo wodd wmixed waccents wdigits wbad upair ulone uodd ucut ucuts urun U32 Ubad to200 to201 wodds wbads wnull wunmapped wempty toc200 toc201 runs upairs ulones Us wides[0] wides *wtexts wtexts wtable w1 w2 w3 w4 w5 w6 w7 w8 w9 u1 u2 u3 u4 unit units to_units wref -wref ~wref wref<<1 to200[3] *to201 wp[0]@3 wp+1 &wtext wtext+1 sizeof(wtext) wides[1].name wides[1].text[1] per_thread function member empty small flags Bottom::fixed Bottom::counted Bottom::label bottom.counted bottom.top left->top ns::Box<long,3>::made box.made alias::Box<long, 3>::made Box<char const*, 1>::made (Bottom*)left (ns::Box<long,3>*)&box *(ns::Box<long,3>*)&box hidden.Left::left hidden.left bottom.Left::top (Left&)bottom (Right*)&bottom (Top*)&bottom (Second*)&both (Right&)bottom (Second&)both (First&)both (Both&)both *(Second*)&both (Both*)(Second*)&both (Top&)bottom (int&)sink (Bottom&)*left (Bottom&)bottom (char&)small (Second)both (First)both (First*)&both (Both*)top (Second&)bottom (const Left&)bottom (Opaque&)both (Left&)*left (Left*)top (int*)&both !wtext !table !box.items flexible->text&&1 !empty (Top*)left *(Top*)&bottom (Top&)*left (Top*)(Bottom*)0 (Plain1*)several (Plain1*)&several[1] (Plain1*)&plains *(Plain1*)&plains (Plain1*)no_plains (Plains*)in_plains (Plain1&)plains (Plain0&)plains (Plains&)plains (Plain1*)&repeated (Plain0*)&repeated (Plains*)&repeated (Twice0*)&repeated (Plain1&)repeated (Plain0&)repeated (Twice0*)&plains (Plains*)&both (Both*)as_first *(Both*)as_first (Both*)as_second (Both&)*as_first (Both&)*as_second sizeof(Left&) (Plain0*)in_plains (Flexible*)&plains (Plain1*)(Plain0*)&plains &(Plain1&)plains (void*)&plains (long)(Plain1*)&plains v twice ld+1 wide+1 vector[1] sizeof(ns::Box<long,3>) $rip $sp $eax *opaque referred sizeof(*opaque) own none of_first of_second plain one nothing two many unknown unknown_function callbacks callbacks.method *callbacks.of *callbacks.function sizeof(plain) *allocate *$pc (-ld) (long)ldbig (int)ld (unsigned)l (float)ld (double)ldbig (long double)d/3 (long double)wide (bool)ld (bool)0.5 !ld ld&&1 ld||0 ld*ldbig ld-0.1L ld==0.1L ld==0.1 ld<=ldbig ld>d ldbig/0 (-ld)/0 (ld-ld)/0 1e4000L*1e4000L ld*1e-4940L ld?1:2 1?ld:ldbig sizeof(1.5L) 0.1L+1 ld%2 ld<<1 ~ld +ld (long double)18446744073709551615u (char)ldbig (ld+1)*(ld-1)/3 !wide wide&&1 uwide||0 negative?1:2 wide+1 (-negative)"
	const calls = "work &work *work work==p12 p12==&work main !work sizeof(work) work+1 'functions.c'::work *p1 *p2 *p3 *p4 p5 *p5[0] *p5[1] *p6 *p7 *s.f *s.next *p8 *p9 *p10 *p11 p12 *p12 **p12 p13 *p13 **p13 p12[1] sizeof(*p12) *nowhere *none &*p12 declared *declared *other sizeof(*declared) declared->x *$pc"
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	// Members of a class that is declared in a function without code of its own: gdb does not read them.
	differs := map[string]bool{"lambda": true, "lambda.moved": true}
	for _, p := range []struct {
		source, others, cc string
		stops              string // functions in which to stop
		steps              int    // and how many instructions further at least
		seen               string // functions that must have been on the call paths
		least              int    // equal answers
		refused            float64
		globals            bool // others are the same in all frames
	}{
		{source: "types.c", others: c, cc: "gcc -g -O0", stops: "leaf outer", seen: "leaf mid outer main", least: 700, refused: 2},
		{source: "types.c", others: c, cc: "gcc -g -O2", stops: "leaf outer", seen: "leaf mid outer main", least: 900, refused: 3},
		{source: "types.c", others: c, cc: "clang -g -O0", stops: "leaf", seen: "leaf mid outer main", least: 450, refused: 2},
		{source: "types.c", others: c, cc: "clang -g -O2", stops: "leaf outer", seen: "leaf mid outer main", least: 950, refused: 4},
		{source: "types.c", others: c, cc: "gcc -g -gdwarf-4 -O1", stops: "leaf outer", seen: "leaf mid outer main", least: 1050, refused: 3},
		{source: "types.c", others: c, cc: "gcc -g -gdwarf-4 -O2 -fdebug-types-section", stops: "leaf", seen: "leaf mid outer main", least: 400, refused: 3},
		{source: "types.c", others: c, cc: "gcc -g -O2 -gsplit-dwarf", stops: "leaf", seen: "leaf mid outer main", least: 400, refused: 3},
		{source: "types.c", others: c, cc: "gcc -g -O2 -gdwarf-4 -gsplit-dwarf", stops: "leaf", seen: "leaf mid outer main", least: 400, refused: 3},
		{source: "types.c", others: c, cc: "clang -g -O0 -gsplit-dwarf -gz", stops: "leaf", seen: "leaf mid outer main", least: 400, refused: 3},
		{source: "classes.cpp", others: members, cc: "g++ -g -O0 -fdebug-types-section", stops: "ns::Derived::f", seen: "f work main", least: 250, refused: 5},
		{source: "classes.cpp", others: members, cc: "clang++ -g -O0 -fdebug-types-section -gsplit-dwarf", stops: "ns::Derived::f", seen: "f work main", least: 250, refused: 5},
		{source: "rare.cpp", others: rare, cc: "g++ -g -O0 -fno-pie -no-pie", stops: "work", seen: "work main", least: 300, refused: 5, globals: true},
		{source: "rare.cpp", others: rare, cc: "g++ -g -O2 -fno-pie -no-pie", stops: "work", seen: "work main", least: 300, refused: 5, globals: true},
		{source: "rare.cpp", others: rare, cc: "clang++ -g -O1 -fno-pie -no-pie", stops: "work", seen: "work main", least: 300, refused: 5, globals: true},
		{source: "functions.c", others: calls, cc: "gcc -g -O0", stops: "work", seen: "work main", least: 55, refused: 0, globals: true},
		{source: "functions.c", others: calls, cc: "clang -g -O0", stops: "work", seen: "work main", least: 55, refused: 2, globals: true},
		{source: "classes.cpp", others: members, cc: "g++ -g -O0", stops: "ns::Derived::f ns::Nest::work", seen: "f work main", least: 550, refused: 5},
		{source: "classes.cpp", others: cxx, cc: "g++ -g -O2", stops: "main", steps: 30000, seen: "work main", least: 250, refused: 6},
		{source: "classes.cpp", others: members, cc: "clang++ -g -O1", stops: "ns::Derived::f ns::Derived::f", seen: "f work main", least: 450, refused: 6},
	} {
		t.Run(p.source+" "+p.cc, func(t *testing.T) {
			random, fixed, drawn := rand.New(rand.NewPCG(1, 15)), rand.New(rand.NewPCG(1, 16)), rand.New(rand.NewPCG(seed, 15))
			s := start(t, build(t, p.source, strings.Fields(p.cc)...))
			s.innermost = p.globals
			n := &tally{t: t, why: map[string]int{}, seen: map[string]bool{}}
			for i, f := range strings.Fields(p.stops) {
				if i > 0 {
					s.attach()
				}
				if !s.runTo(f, p.steps+random.IntN(120)) {
					t.Fatalf("%s has no code", f)
				}
				all := s.compare(names(p.others), 6, random, fixed, drawn)
				if strings.HasPrefix(p.cc, "clang++") {
					all = slices.DeleteFunc(all, func(q asked) bool { return differs[q.expression] })
				}
				n.add(all)
			}
			n.check(p.least, p.refused)
			if n.grown == 0 {
				t.Error("of random expressions none is equal")
			}
			for _, f := range strings.Fields(p.seen) {
				if !n.seen[f] {
					t.Errorf("%s was on no call path", f)
				}
			}
		})
	}
}
