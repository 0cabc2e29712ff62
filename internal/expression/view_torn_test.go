package expression

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/profilecollection/pct/internal/object/debuginfo"
	"github.com/profilecollection/pct/internal/plan"
)

// Objects that do not hold together show their members, and nothing that they would hold.
func TestTornViews(t *testing.T) {
	torn := strings.Fields("lost_text null_text too_long no_end short_too_long lost_view null_view backwards ragged beyond lost_vector null_vector huge strange lost_unique lost_counts no_users")
	for _, cc := range []string{"g++", "g++ -D_GLIBCXX_USE_CXX11_ABI=0", "clang++ -stdlib=libc++ -fstandalone-debug"} {
		t.Run(cc, func(t *testing.T) {
			s := start(t, build(t, "torn.cpp", append(strings.Fields(cc), "-std=c++17", "-g", "-O0")...))
			if !s.runTo("look", 3) {
				t.Fatal("look has no code")
			}
			view := func(x string) asked {
				q := asked{expression: x, pc: s.path[1].Vaddr()}
				q.evaluate(s, 1, 0)
				if q.refused != "" {
					t.Errorf("%s: %s", x, q.refused)
				}
				return q
			}
			for _, name := range torn {
				if q := view("*" + name); q.viewed != q.ours {
					t.Errorf("%s is shown as %s", name, q.viewed)
				}
			}
			for name, want := range map[string]string{"sound": "'x' <repeats 50 times>", "vector": "std::vector of length 3, capacity 3 = {1, 2, 3}"} {
				if q := view("*" + name); q.viewed != want {
					t.Errorf("%s is shown as %s", name, q.viewed)
				}
			}
			if q := view("*half"); !strings.HasPrefix(q.viewed, `std::vector of length 2, capacity 2 = {"whole", {`) {
				t.Errorf("half is shown as %s", q.viewed)
			}
		})
	}
}

// noise is a frame whose memory holds anything: addresses, small numbers, zeros, ones, and is not everywhere.
type noise struct {
	anything
	random *rand.Rand
}

func (f noise) Register(n int) (uint64, bool) {
	if n == framePointer {
		return 1<<20 - 16, true
	}
	return f.anything.Register(n)
}

func (f noise) Read(b []byte, addr uint64) bool {
	if f.random.IntN(8) == 0 {
		return false
	}
	for at := 0; at < len(b); at += 8 {
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], f.random.Uint64()>>f.random.IntN(64))
		switch f.random.IntN(4) {
		case 0:
			word = [8]byte{byte(f.random.IntN(30))}
		case 1:
			word = [8]byte{0: byte(4 * f.random.IntN(60)), 2: 1}
		}
		copy(b[at:], word[:])
	}
	return true
}

// Whatever the memory holds and the debug data say, what is written for views is a value within the bounds that are
// told before, and both are bounded.
func TestViewsOfAnything(t *testing.T) {
	names := []string{"*this"}
	for name := range shownViews {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, cc := range []string{"g++ -O0", "clang++ -O0 -stdlib=libc++"} {
		s, _, _ := sectionsOf(t, build(t, "views.cpp", append(strings.Fields(cc), "-std=c++17", "-g")...))
		random := rand.New(rand.NewPCG(9, 9))
		find := func(o *Object) uint64 {
			for e := range o.data.Named("work") {
				if low, ok := e.Begins(); ok {
					return low + 1000
				}
			}
			return 0
		}
		pc := find(NewObject(debuginfo.New(s, nil, 1)))
		values, viewed := 0, 0
		evaluate := func(times int) {
			o := NewObject(debuginfo.New(s, nil, 1))
			for _, name := range names {
				code, err := o.Compile(name, pc, 0)
				if err != nil {
					continue
				}
				most, err := plan.Fits(code.Code)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				for range times {
					b, why := plan.Run(code.Code, noise{random: random}, nil)
					if why == plan.TooLong || len(b) > most {
						t.Fatalf("%s: %v, %d bytes of %d", name, why, len(b), most)
					}
					if why != plan.Got {
						continue
					}
					v, ok := code.Value(b)
					if !ok {
						t.Fatalf("%s: what is written is no value: % x", name, b)
					}
					values++
					if v.Viewed(nil) != v.Text(nil) {
						viewed++
					}
				}
			}
		}
		evaluate(200)
		if values < 3000 || viewed < 300 {
			t.Errorf("%s: %d values, %d are viewed", cc, values, viewed)
		}
		t.Logf("%d values, %d are viewed", values, viewed)
		for round := range 40 {
			section := []*[]byte{&s.Info, &s.Abbrev, &s.Str, &s.LineStr}[round%4]
			if len(*section) == 0 {
				continue
			}
			at := random.IntN(len(*section))
			old := (*section)[at]
			(*section)[at] = []byte{0, 0xff, old ^ 1, old ^ 0x80, old + 1, 0x7f}[random.IntN(6)]
			begin := used(t)
			evaluate(2)
			if d := used(t) - begin; d > 4*time.Second {
				t.Errorf("byte %d of section %d: %v", at, round%4, d)
			}
			(*section)[at] = old
		}
	}
}
