package main

import (
	"bytes"
	"debug/elf"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/translators"
)

// templateSource is a C++ program of many functions, most of them inlined into
// others: instances of the standard library's templates.
const templateSource = `
#include <algorithm>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>
template <int N> struct T {
	int a[N];
	std::string s;
	bool operator<(const T &o) const { return a[0] < o.a[0] || s < o.s; }
};
template <int N> int work(const std::vector<std::string> &in)
{
	std::map<T<N>, std::set<std::string>> m;
	std::unordered_map<std::string, std::list<T<N>>> u;
	std::vector<T<N>> v;
	for (auto &s : in) {
		T<N> t{{(int)s.size()}, s};
		m[t].insert(s + "x");
		u[s].push_back(t);
		v.push_back(t);
	}
	std::stable_sort(v.begin(), v.end());
	auto p = std::make_shared<std::map<std::string, T<N>>>();
	for (auto &t : v)
		(*p)[t.s] = t;
	return p->size() + u.size() + m.size();
}
template <int N> int all(const std::vector<std::string> &in)
{
	if constexpr (N == 0)
		return 0;
	else
		return work<N>(in) + all<N - 1>(in);
}
int main(int argc, char **argv) { return all<12>(std::vector<std::string>(argv, argv + argc)); }
`

const benchSamples = 1_000_000

// BenchmarkReport makes reports of a million samples in a C++ program with debug
// data, at random places of its code, by the real translator, and by what that answered
// before ("symbols cached"). docs/BENCHMARKS.md has figures of a program thirty times as large.
func BenchmarkReport(b *testing.B) {
	dir := b.TempDir()
	b.Setenv("PATH", os.Getenv("PATH")+string(os.PathListSeparator)+dir)
	source, prog := filepath.Join(dir, "t.cc"), filepath.Join(dir, "prog")
	benchCheck(b, os.WriteFile(source, []byte(templateSource), 0o600))
	for _, argv := range [][]string{
		{"g++", "-O2", "-g", "-o", prog, source},
		{"go", "build", "-o", filepath.Join(dir, translators.Default), "../tools"},
	} {
		if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
	}
	counts := randomCounts(b, prog)
	c := &data.Counts{Object: prog, Clock: "prof", Resource: "cpu", Period: 10 * time.Millisecond, Start: time.Unix(1, 0), Width: 4}
	histogram := filepath.Join(dir, "histogram")
	benchCheck(b, data.WriteCounts(histogram, c, counts))
	paths := benchPaths(b, dir, prog, counts)
	for _, source := range []string{histogram, paths} {
		for _, verb := range []string{"obj%", "sym%", "line%"} {
			for _, cached := range []bool{false, true} {
				if cached && verb == "obj%" {
					continue // no symbols
				}
				name, kept := fmt.Sprintf("%s/%s", strings.TrimSuffix(verb, "%"), filepath.Base(source)), "none"
				if cached {
					name, kept = name+"/symbols cached", filepath.Join(dir, "cache")
				}
				b.Setenv("PCT_CACHE", kept)
				report := func(b *testing.B) {
					var complaints bytes.Buffer
					if run([]string{verb, source}, nil, io.Discard, &complaints) != succeeded {
						b.Fatal(complaints.String())
					}
				}
				if cached {
					report(b)
				}
				b.Run(name, func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						report(b)
					}
					b.ReportMetric(float64(len(counts)), "addresses")
				})
			}
		}
	}
}

// randomCounts places the samples at a twentieth of the addresses of the code.
func randomCounts(b *testing.B, prog string) map[uint64]uint64 {
	f, err := elf.Open(prog)
	benchCheck(b, err)
	defer f.Close()
	text := f.Section(".text")
	random := rand.New(rand.NewPCG(1, 2))
	places := make([]uint64, text.Size/20)
	for i := range places {
		places[i] = text.Addr + random.Uint64N(text.Size)
	}
	counts := map[uint64]uint64{}
	for range benchSamples {
		counts[places[random.IntN(len(places))]]++
	}
	return counts
}

// benchPaths writes the same samples one by one, as a debugger's collector does.
func benchPaths(b *testing.B, dir, prog string, counts map[uint64]uint64) string {
	d, err := data.Create(dir, "paths", 1)
	benchCheck(b, err)
	w, err := d.NewWriter(data.Header{Resource: "cpu", Unit: "µs", Clock: "perf", Period: 10 * time.Millisecond})
	benchCheck(b, err)
	o := w.Object(prog, "", 0, 0, 0, 0)
	for vaddr, n := range counts {
		node := w.Node(0, o, vaddr)
		for range n {
			benchCheck(b, w.Sample(data.Sample{Node: node, Weight: 10000}))
		}
	}
	benchCheck(b, w.Close())
	return d.Path()
}

func benchCheck(b *testing.B, err error) {
	if err != nil {
		b.Fatal(err)
	}
}
