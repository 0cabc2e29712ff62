package expression

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/internal/plan"
	"github.com/profilecollection/pct/internal/value"
	"github.com/profilecollection/pct/unwind"
)

// spelled are expressions with a variable in a language.
func spelled(of string, member string) func(name string, code *Code) []string {
	return func(name string, code *Code) []string {
		switch t := code.Type; t.Kind {
		case value.Structure:
			var list []string
			for _, f := range t.Whole().Fields {
				// gdb's grammar of Go does not take len and cap for names.
				if f.Name != "" && f.Name != "len" && f.Name != "cap" {
					list = append(list, name+member+strings.TrimPrefix(f.Name, "__"))
				}
			}
			return list
		case value.Integer, value.Float:
			list := []string{name + " + 1", name + " * 2 - 3", "0 - " + name, name + " / 2", name + " < 3", name + " > 3"}
			if of == "fortran" || of == "ada" {
				return append(list, name+" /= 5")
			}
			return append(list, name+" == 5", name+" != 5")
		}
		return nil
	}
}

// asGDB spells names as gdb finds them, which does not know where they are.
var asGDB = strings.NewReplacer("crate::", "shapes::")

// TestLanguages compares values with gdb's in other languages than C and C++, in their own spelling.
func TestLanguages(t *testing.T) {
	const (
		f90 = "counter COUNTER shapes::counter grid grid(2,3) grid(1,1) cube cube(0,-1,2) ratios ratios(4) title small byte wide z chain limit a(1) a(n) A(2) d*2 s b b%corner b%CORNER%x b%sizes(2) b%filled b%label b%marks b%marks(2) b%marks(4) b%next b%next%corner%y b%next%next%sizes t(1,2) t(2,3) t(1,1) q q(1) q(2) local Local(-2) local(2) local(n-4) yes no yes.and.no .not.yes n.eq.5 n==5~.or.no (n>3).and..not.no m(1,0) m(2,1) m points points(2) points(2)%x points(1)%y points(2)%y<0 nosuch a(99) values values(3) other(1,2) every(1) every(2) every i*2 counter+n d+n n/2 n**2 mod(n,2) b%sizes(1)+b%sizes(2)*2 .true. ratios(1)+1 byte+1 many ten long wall rows fence mixed posts eleven cubes run text facts spots words words(2) goal aim extended pair first second second(2) many(300) rows(2,120) deep base::away"
		adb = "counter shapes.counter Shapes.Counter ratio grid grid(1,0) grid(2,2) offsets offsets(3) shades shades(red) wide first shapes.first.corner.x hidden n b b.corner.x B.Corner.Y b.dimensions b.dimensions(2) b.label b.filled b.shade b.next b.next.all b.next.next.dimensions(3) p p.all p.dimensions(1) p.corner text text(2) list list(3) local local(1) local(n-3) many yes small part price letter shade bits here varied choice points points(0) points(1).x empty name half rows rows(2) deep m n=5 n/=5 n>3 n>3~and~yes not~yes yes~or~else~yes n+1 n*2 n~rem~3 n~mod~3 half+1.5 half*2 outer outer(2) nosuch shade=green small+1 part+1 tiny+1 tiny-1 large+1 large*2 brief+0.1 small-1 n+large 1+large -n/2 first many ten eleven long run odd late facts all_same infinite undefined letter_of late(blue) facts(true) run(2) shapes.long(250)"
		gol = "main.counter main.grid main.grid[1] main.grid[1][2] main.grid[0][1] main.ratio main.bytes main.bytes[0] main.bytes[1] main.wide main.first *main.first main.first.corner main.first.corner.y main.first.sizes[2] main.first.marks main.first.next main.first.label main.first.filled main.first.kind main.first.named main.first.table main.first.call main.letter main.z main.sink s s.corner.x s.sizes[1] s.sizes s.label *s n text list p p.x p.y f local local[1] local[n-4] small yes !yes yes&&n>3 half inner inner.corner inner.next.corner.x inner.marks inner.named pointer *pointer i v doubled values values.len n+1 n*2 n%3 n/2 half*2 nosuch local[99] main.wide+1 small+1 -small &main.counter &local main.bytes[3]+1 main.ratio+1 main.first.corner.x main.many main.long main.names main.table main.channel main.text main.empty main.nested main.nested.b.c main.any1 main.err main.names[0].x runtime.ncpu"
		rs  = "COUNTER shapes::COUNTER crate::COUNTER GRID shapes::GRID crate::GRID[1][2] crate::WORDS crate::inner::LIMIT shapes::inner::LIMIT shapes::inner::DEPTH self.corner self self.corner.x self.corner.y self.sizes self.sizes[1] self.filled self.color self.pair self.pair.0 self.figure *self n text list list[1] list[0] p p.x p.y local local[1] bytes bytes[1] tuple tuple.0 tuple.1 tuple.2 yes !yes yes&&n>3 letter unit nothing boxed boxed.0 *boxed maybe reference bits bits.whole nested nested[1] nested[1].0 small wide points points.x *points empty size f raw *raw n+1 n*2 n%3 n/2 -n n==5 n!=5 size+1 p.y*2.0 nosuch local[99] shape shape.corner.x values i &n self.sizes[0]+self.sizes[1] small+1 tuple.1+1.0 letters letters[3] many long ten floats floats.1"
	)
	for _, p := range []struct {
		name, source, member, others string
		build                        []string
		stops                        string
		least                        int
		refused                      float64
	}{
		{"fortran -O0", "languages/shapes.f90", "%", f90, []string{"gfortran", "-g", "-O0"}, "shapes::leaf", 200, 12},
		{"fortran -O2", "languages/shapes.f90", "%", f90, []string{"gfortran", "-g", "-O2"}, "shapes::leaf", 140, 40},
		{"ada -O0", "languages/ada/work.adb", ".", adb, []string{"gnatmake", "-q", "-g", "-O0"}, "shapes__leaf shapes__leaf__inner", 450, 10},
		{"ada -O2", "languages/ada/work.adb", ".", adb, []string{"gnatmake", "-q", "-g", "-O2"}, "shapes__leaf", 220, 12},
		{"go -O0", "languages/shapes.go", ".", gol, []string{"go", "build", "-gcflags=-N -l"}, "main.(*shape).leaf", 180, 12},
		{"go -O2", "languages/shapes.go", ".", gol, []string{"go", "build"}, "main.(*shape).leaf", 160, 14},
		{"rust -O0", "languages/shapes.rs", ".", rs, []string{"rustc", "-g"}, "shapes::inner::Shape::leaf", 140, 12},
		{"rust -O2", "languages/shapes.rs", ".", rs, []string{"rustc", "-g", "-O"}, "shapes::inner::Shape::leaf", 160, 10},
	} {
		t.Run(p.name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, 15))
			s := start(t, build(t, p.source, p.build...))
			of, _, _ := strings.Cut(p.name, " ")
			s.forms, s.innermost, s.outermost = spelled(of, p.member), true, map[string]string{"go": "main.main", "fortran": "demo", "rust": "main"}[of]
			s.spelled = asGDB.Replace
			n := &tally{t: t, why: map[string]int{}, seen: map[string]bool{}}
			for i, f := range strings.Fields(p.stops) {
				if i > 0 {
					s.attach()
				}
				// Go's scheduler, whose assembly is no Go to gdb, comes between where steps are slow.
				for steps := 400 + random.IntN(300); ; steps /= 2 {
					if !s.runTo(f, steps) {
						t.Fatalf("%s has no code", f)
					}
					if steps == 0 || !strings.HasPrefix(s.innermostFunction(), "runtime.") {
						break
					}
				}
				var others []string
				for _, x := range strings.Fields(p.others) {
					others = append(others, strings.ReplaceAll(x, "~", " "))
				}
				n.add(s.compare(others, 0, random))
			}
			n.check(p.least, p.refused)
		})
	}
}

// innermostFunction is that of the program's code.
func (s *standing) innermostFunction() string {
	for _, f := range s.path {
		if f.Object != nil && f.Object.Path == s.exe {
			if all := s.object.Activations(f.Vaddr()); len(all) > 0 {
				return all[len(all)-1].Name()
			}
			break
		}
	}
	return ""
}

// What gdb does not know in a language has values, too, and what has another meaning than in C is refused.
func TestOwnSpelling(t *testing.T) {
	const beyond = "the index is outside of the bounds"
	for _, p := range []struct {
		source, stop, in string // a program, where it stops, and in which function on the call path
		steps            int    // instructions further
		build            []string
		want             [][2]string // an expression, and its value or why it has none
	}{
		{"types.c", "leaf", "leaf", 40, []string{"gcc", "-g"}, [][2]string{
			{"settings", "{level = 3}"}, {"settings.level + 1", "4"}, {"((struct settings *)&settings)->level", "3"}, {"sizeof(point)", "8"}, {"(settings *)p", ""},
		}},
		{"languages/shapes.go", "main.twice", "main.(*shape).leaf", 0, []string{"go", "build", "-gcflags=-N -l"}, [][2]string{
			{"grid", "{{1, 2, 3}, {4, 5, 6}}"}, {"grid[1][2]", "6"}, {"first.sizes[2]", "6"}, {"first.corner.y * 2", "5"}, {"wide", "9223372036854775808"},
			{"list[0]", "20"}, {"list[n-3]", "40"}, {"list[3]", beyond}, {"list[-1]", beyond}, {"list[0-1]", beyond}, {"len(list)", "3"}, {"cap(list) + len(text)", "7"}, {"len(n)", "len of a value of type int"},
			{"text[1]", "101 'e'"}, {"text[4]", beyond}, {"first.marks[2]", "9"}, {"inner.next.marks[0]", "7"}, {"local[3]", beyond},
			{"f(n)", "a call of a function"}, {"n & 1", "the operator & of Go"}, {"n << 1", "the operator << of Go"}, {"n &^ 1", "the operator &^ of Go"},
			{"n == 5 == yes", "two operators of Go without brackets"}, {"n && yes", "&& of Go with a value of type int"}, {"pointer[1]", "an index of a value of type *[2][3]int16"},
			{"sizeof n", "sizeof in Go"}, {"first + 1", "+ of Go with a value of type *main.shape"}, {"n ? 1 : 2", "the operator ? of Go"},
		}},
		{"languages/shapes.go", "main.thrice", "main.escape", 0, []string{"go", "build", "-gcflags=-N -l"}, [][2]string{{"moved", "15"}, {"moved + taken", "35"}, {"main.moved", "99"}, {"counter", "3"}}},
		{"languages/shapes.go", "main.thrice", "main.escape.func1", 0, []string{"go", "build", "-gcflags=-N -l"}, [][2]string{{"moved", "15"}, {"counter", ""}, {"main.moved", "99"}}},
		{"languages/shapes.rs", "shapes::twice", "leaf", 0, []string{"rustc", "-g"}, [][2]string{
			{"LIMIT", "9223372036854775808"}, {"self::LIMIT", "9223372036854775808"}, {"crate::inner::LIMIT", "9223372036854775808"}, {"crate::GRID[1][2]", "6"}, {"list[1]", "30"}, {"list[3]", beyond},
			{"COUNTER", `No symbol "COUNTER" in current context.`}, {"super::COUNTER", `No symbol "super::COUNTER" in current context.`}, {"nested[1].0", "3"}, {"n as i64", ""},
		}},
		{"languages/shapes.f90", "shapes::leaf", "leaf", 600, []string{"gfortran", "-g"}, [][2]string{
			{"grid(3,1)", beyond}, {"grid(1)", "fewer indices than dimensions"}, {"grid(1,1,1)", "more indices than dimensions"}, {"a(6)", beyond}, {"a(1,1)", "2 indices of an array of 1 dimensions"},
			{"n ** 2", "the operator ** of Fortran"}, {".not. n == 5", "two operators of Fortran without brackets"}, {"s // s", "the operator // of Fortran"}, {"title(1:2)", ""}, {"grid.x", "the operator . of Fortran"},
			{"yes .and. no .or. yes", "two operators of Fortran without brackets"}, {"010", "a number with a leading zero"}, {"1.0d0", ""},
		}},
		{"languages/shapes.f90", "inside", "inside", 8, []string{"gfortran", "-g"}, [][2]string{{"k", "3"}, {"values(2)", "20"}, {"deep", "31"}, {"counter", "3"}, {"i", "a variable of an enclosing function"}}},
		{"languages/ada/work.adb", "shapes__leaf__inner", "shapes__leaf", 0, []string{"gnatmake", "-q", "-g"}, [][2]string{
			{"p.dimensions (3)", "6"}, {"list (4)", beyond}, {"text (5)", beyond}, {"n ** 2", "the operator ** of Ada"}, {"n mod 3", "the operator mod of Ada"}, {"n := 3", "the operator := of Ada"},
			{"yes and yes or yes", "two operators of Ada without brackets"}, {"not n = 5", "two operators of Ada without brackets"}, {"n'last", ""}, {"name & name", "the operator & of Ada"},
		}},
	} {
		t.Run(p.source, func(t *testing.T) {
			s := start(t, build(t, p.source, p.build...))
			if !s.runTo(p.stop, p.steps) {
				t.Fatalf("%s has no code", p.stop)
			}
			level := slices.IndexFunc(s.path, func(f unwind.Frame) bool {
				if f.Object == nil || f.Object.Path != s.exe {
					return false
				}
				of := s.object.Activations(f.Vaddr())
				return len(of) == 1 && of[0].Name() == p.in
			})
			if level < 0 {
				t.Fatalf("%s is not on the call path", p.in)
			}
			for _, x := range p.want {
				q := asked{expression: x[0], pc: s.path[level].Vaddr()}
				q.evaluate(s, level, 0)
				if got := q.ours + q.refused; got != x[1] && (x[1] != "" || q.refused == "") {
					t.Errorf("%s: %s, want %s", x[0], got, x[1])
				}
			}
		})
	}
}

// Parameters have their values from the first instruction of a function on, or none where it has not stored them yet.
func TestFirstInstructions(t *testing.T) {
	for _, p := range []struct {
		source, stop string
		build        []string
		want         map[string]string
	}{
		{"languages/shapes.go", "main.(*shape).leaf", []string{"go", "build", "-gcflags=-N -l"}, map[string]string{"n": "5", "p.x": "-1", "list[0]": "20", "len(text)": "4", "s.sizes[1]": "5"}},
		{"languages/shapes.go", "main.(*shape).leaf", []string{"go", "build"}, map[string]string{"n": "5", "p.x": "-1", "list[0]": "20", "len(text)": "4", "s.sizes[1]": "5"}},
		{"languages/shapes.rs", "shapes::inner::Shape::leaf", []string{"rustc", "-g"}, map[string]string{"n": "5", "p.x": "-1", "list[0]": "20", "self.sizes[1]": "5"}},
		{"languages/shapes.f90", "shapes::leaf", []string{"gfortran", "-g"}, map[string]string{"n": "5", "a(2)": "20", "d": "0.25", "b%sizes(1)": "4", "q(2)": "6", "t(1,1)": "4"}},
		{"languages/ada/work.adb", "shapes__leaf", []string{"gnatmake", "-q", "-g"}, map[string]string{"n": "5", "b.label": `"label"`, "p.dimensions(1)": "4", "text(2)": "101 'e'", "list(1)": "40"}},
	} {
		t.Run(strings.Join(p.build, " "), func(t *testing.T) {
			s := start(t, build(t, p.source, p.build...))
			if !s.runTo(p.stop, 0) {
				t.Fatalf("%s has no code", p.stop)
			}
			low := s.path[0].Vaddr()
			function := s.object.Activations(low)[0]
			got := map[string]int{}
			// Go begins the function anew with a larger stack, and whenever it has run for some time.
			const most, around, wanted = 2500, 100, 30
			enough := func() bool {
				for x := range p.want {
					if got[x] < wanted {
						return false
					}
				}
				return true
			}
			for n := 0; n < around || n < most && !enough(); n++ {
				if n > 0 && n%around == 0 {
					s.runTo(p.stop, 0)
				}
				pc := s.path[0].Vaddr()
				if acts := s.object.Activations(pc); len(acts) > 0 && acts[len(acts)-1] == function {
					for x, value := range p.want {
						q := asked{expression: x, pc: pc}
						q.evaluate(s, 0, len(acts)-1)
						switch q.ours {
						case "", "<optimized out>":
						case value:
							got[x]++
						default:
							t.Errorf("%s is %s after %d instructions, at %#x", x, q.ours, n, pc)
						}
					}
				}
				if err := unix.PtraceSingleStep(s.pid); err != nil {
					t.Fatal(err)
				}
				s.wait()
				s.look()
			}
			t.Logf("values %v", got)
			for x := range p.want {
				if got[x] < wanted {
					t.Errorf("%s has a value at %d instructions", x, got[x])
				}
			}
		})
	}
}

// The arguments of functions in these languages are those that their names have as expressions.
func TestArgumentsOfLanguages(t *testing.T) {
	for _, p := range []struct {
		source, stop string
		steps        int
		build        []string
		want         string // an argument that is a number
		function     string // as debuggers name it
	}{
		{"languages/shapes.go", "main.twice", 0, []string{"go", "build", "-gcflags=-N -l"}, "n=5", "main.twice"},
		{"languages/shapes.rs", "shapes::twice", 0, []string{"rustc", "-g"}, "n=5", "shapes::twice"},
		{"languages/shapes.f90", "shapes::leaf", 600, []string{"gfortran", "-g"}, "n=5", "shapes::leaf"},
		{"languages/ada/work.adb", "shapes__leaf__inner", 0, []string{"gnatmake", "-q", "-g"}, "n=5", "shapes.leaf.inner"},
	} {
		t.Run(p.source, func(t *testing.T) {
			s := start(t, build(t, p.source, p.build...))
			if !s.runTo(p.stop, p.steps) {
				t.Fatalf("%s has no code", p.stop)
			}
			all, err := s.object.Arguments(1 << 20)
			if err != nil {
				t.Fatal(err)
			}
			var shown, functions []string
			for level, f := range s.path {
				if f.Object == nil || f.Object.Path != s.exe {
					continue
				}
				at := slices.IndexFunc(all, func(c Calls) bool { return c.Low <= f.Vaddr() && f.Vaddr() < c.High })
				if at < 0 {
					continue
				}
				for number, of := range all[at].Functions {
					functions = append(functions, of.Name)
					for _, a := range of.Arguments {
						if a.Code == nil {
							continue
						}
						q := asked{expression: a.Name, pc: f.Vaddr()}
						q.evaluate(s, level, number)
						b, out := plan.Run(a.Code.Code, activation{s: s, level: level}, nil)
						if out != plan.Got {
							if q.refused == "" {
								t.Errorf("%s of %s: %s, want %s", a.Name, of.Name, out, q.ours)
							}
							continue
						}
						v, _ := a.Code.Value(b)
						if got := v.Text(nil); got != q.ours {
							t.Errorf("%s of %s: %s, want %s %s", a.Name, of.Name, got, q.ours, q.refused)
						}
						shown = append(shown, a.Name+"="+q.ours)
					}
				}
			}
			t.Log(shown)
			if !slices.Contains(shown, p.want) || !slices.Contains(functions, p.function) {
				t.Errorf("no argument is %s, or no function of %q is %s", p.want, functions, p.function)
			}
		})
	}
}
