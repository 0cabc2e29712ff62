package debuginfo

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

func TestRarity(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	section := make([]byte, 1<<16)
	for i := range section {
		section[i] = byte(random.ExpFloat64() * 3) // as in data, most are small
	}
	var r rarity
	found := 0
	for range 20000 {
		low := random.IntN(len(section))
		part := section[low:][:random.IntN(min(200, len(section)-low)+1)]
		text := make([]byte, random.IntN(5))
		for i := range text {
			text[i] = byte(random.ExpFloat64() * 3)
		}
		if len(part) > 4 && random.IntN(2) == 0 {
			at := random.IntN(len(part) - len(text) + 1)
			text = part[at : at+len(text)]
		}
		want := bytes.Contains(part, text)
		if got := r.contains(section, part, text); got != want {
			t.Fatalf("%x in %x: %v", text, part, got)
		}
		if want {
			found++
		}
	}
	if found < 1000 || found > 19000 {
		t.Errorf("%d of 20000 are found", found)
	}
}

// What is not of a function's name, or only a part of it, is not looked at.
func TestWordsOfFunctions(t *testing.T) {
	w := newWord("work", true)
	table := []byte("\x00work\x00prework\x00work<int>\x00worker\x00work_2\x00f<work(int)::<lambda()> >\x00work [clone]\x00work<(ns::operator+)(int)>\x00works\x00work")
	var got []string
	for at := range table {
		if w.places(table)[uint64(at)] {
			c := cursor{data: table, off: at}
			got = append(got, c.str())
		}
	}
	want := []string{"work", "work", "work<int>", "work<(ns::operator+)(int)>"}
	if len(got) != len(want) {
		t.Fatalf("%q, want %q", got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("%q, want %q", got[i], want[i])
		}
	}
}
