package export

import (
	"fmt"
	"path/filepath"

	"github.com/profilecollection/pct/internal/resource"
)

// thread writes a track.
func (f *firefox) thread(number int, t *track) {
	f.begin('{')
	f.member("processType", "default")
	for _, name := range []string{"processStartupTime", "registerTime"} {
		f.key(name)
		f.int(0)
	}
	for _, name := range []string{"processShutdownTime", "unregisterTime"} {
		f.key(name)
		f.word("null")
	}
	f.key("pausedRanges")
	f.begin('[')
	f.close(']')
	f.member("name", t.name())
	f.key("isMainThread")
	f.bool(f.first(number, t))
	f.member("processName", f.process(t))
	f.member("pid", f.pid(t))
	f.key("tid")
	if t.timed {
		f.uint(uint64(t.thread))
	} else {
		f.string(fmt.Sprintf("track %d", number))
	}
	f.samples(t)
	f.markers(t)
	f.close('}')
}

// first reports whether a track stands for its process.
func (f *firefox) first(number int, t *track) bool {
	if t.process < 0 {
		return number == 0
	}
	return f.main[t.process] == number
}

func (f *firefox) process(t *track) string {
	if t.process < 0 {
		return f.title()
	}
	return t.processName()
}

// pid is the text that tells processes apart: a number can be there again in another run.
func (f *firefox) pid(t *track) string {
	if t.process < 0 {
		return "0"
	}
	if f.earliest[t.pid] < t.process {
		return fmt.Sprintf("%d (%d)", t.pid, t.process+1)
	}
	return fmt.Sprint(t.pid)
}

// weightType is the word for the unit of weights, and what one of ours is in it.
func (f *firefox) weightType() (word string, factor float64) {
	switch speedscopeUnit(f.Unit) {
	case "nanoseconds":
		return "tracing-ms", 1e-6
	case "microseconds":
		return "tracing-ms", 1e-3
	case "milliseconds":
		return "tracing-ms", 1
	case "seconds":
		return "tracing-ms", 1e3
	case "bytes":
		return "bytes", 1
	}
	return "samples", 1
}

func (f *firefox) samples(t *track) {
	word, factor := f.weightType()
	f.key("samples")
	f.begin('{')
	f.column("stack", len(t.points), func(i int) {
		if t.points[i].node == 0 {
			f.word("null")
			return
		}
		f.int(int(f.stacks[t.points[i].node]))
	})
	sum := uint64(0)
	f.column("time", len(t.points), func(i int) {
		if t.timed {
			f.number(milliseconds(t.points[i].time))
			return
		}
		f.number(float64(sum) * factor) // where it would be if all were in this order
		sum += t.points[i].weight.Weight
	})
	f.column("weight", len(t.points), func(i int) { f.number(float64(t.points[i].weight.Weight) * factor) })
	f.member("weightType", word)
	if f.Resource == resource.CPU && word == "tracing-ms" && t.timed {
		f.column("threadCPUDelta", len(t.points), func(i int) { f.number(float64(t.points[i].weight.Weight) * factor * 1e3) })
	}
	f.length(len(t.points))
	f.close('}')
}

// markers writes the sampled values of a track's points.
func (f *firefox) markers(t *track) {
	var marked []int
	for i := range t.points {
		for _, column := range t.fields {
			if column[i] != "" {
				marked = append(marked, i)
				break
			}
		}
	}
	f.key("markers")
	f.begin('{')
	f.column("data", len(marked), func(i int) {
		f.begin('{')
		f.member("type", markerName)
		for k, name := range f.fields {
			if column := t.fields[name]; column != nil && column[marked[i]] != "" {
				f.member(fieldKey(k), line(column[marked[i]]))
			}
		}
		f.close('}')
	})
	f.column("name", len(marked), func(int) { f.int(f.text(markerName)) })
	f.column("startTime", len(marked), func(i int) { f.number(milliseconds(t.points[marked[i]].time)) })
	f.column("endTime", len(marked), func(int) { f.word("null") })
	for _, zero := range []string{"phase", "category"} { // an instant, Other
		f.column(zero, len(marked), func(int) { f.int(0) })
	}
	f.length(len(marked))
	f.close('}')
}

// shared writes the tables of stacks, frames, functions and strings.
func (f *firefox) shared() {
	f.begin('{')
	f.key("stackTable")
	f.begin('{')
	f.column("frame", len(f.nodes), func(i int) { f.int(int(f.frame[i])) })
	f.column("prefix", len(f.nodes), func(i int) {
		if parent := f.tree.Nodes[f.nodes[i]].Parent; parent != 0 {
			f.int(int(f.stacks[parent]))
		} else {
			f.word("null")
		}
	})
	f.length(len(f.nodes))
	f.close('}')
	f.newline()
	f.frameTable()
	f.newline()
	f.funcTable()
	f.newline()
	f.key("resourceTable")
	f.begin('{')
	f.column("lib", len(f.objects), func(i int) { f.int(i) })
	f.column("name", len(f.objects), func(i int) { f.int(f.text(line(filepath.Base(f.objects[i])))) })
	f.nulls("host", len(f.objects))
	f.column("type", len(f.objects), func(int) { f.int(1) }) // a library
	f.length(len(f.objects))
	f.close('}')
	f.key("nativeSymbols")
	f.begin('{')
	for _, name := range []string{"libIndex", "address", "name", "functionSize"} {
		f.nulls(name, 0)
	}
	f.length(0)
	f.close('}')
	f.newline()
	files, _ := f.files()
	f.key("sources")
	f.begin('{')
	f.nulls("uuid", len(files))
	f.column("filename", len(files), func(i int) { f.int(f.text(files[i])) })
	f.length(len(files))
	f.close('}')
	f.newline()
	f.list("stringArray", f.texts)
	f.close('}')
}

func (f *firefox) length(n int) {
	f.key("length")
	f.int(n)
}

func (f *firefox) nulls(name string, n int) {
	f.column(name, n, func(int) { f.word("null") })
}

func (f *firefox) frameTable() {
	n := len(f.frames)
	each := func(name string, value func(i int)) { f.column(name, n, value) }
	f.key("frameTable")
	f.begin('{')
	each("address", func(i int) {
		const exact = 1 << 53 // from here on JavaScript has no whole numbers
		if at := f.tree.Frames[f.frames[i].frame]; at.Object != "" && at.Addr > 0 && at.Addr < exact {
			f.uint(at.Addr)
		} else {
			f.int(-1)
		}
	})
	each("inlineDepth", func(i int) { f.int(int(f.frames[i].depth)) })
	each("category", func(i int) { f.int(f.category(f.tree.Frames[f.frames[i].frame].Object)) })
	each("subcategory", func(int) { f.int(0) })
	each("func", func(i int) { f.int(int(f.function[i])) })
	f.nulls("nativeSymbol", n)
	f.nulls("innerWindowID", n)
	each("line", func(i int) {
		if line := f.tree.Frames[f.frames[i].frame].Line; line > 0 {
			f.int(line)
		} else {
			f.word("null")
		}
	})
	f.nulls("column", n)
	f.length(n)
	f.close('}')
}

func (f *firefox) funcTable() {
	n := len(f.functions)
	_, source := f.files()
	f.key("funcTable")
	f.begin('{')
	f.column("name", n, func(i int) { f.int(f.text(f.functions[i].name)) })
	for _, name := range []string{"isJS", "relevantForJS"} {
		f.column(name, n, func(int) { f.bool(false) })
	}
	f.column("resource", n, func(i int) {
		if object := f.functions[i].object; object != "" {
			f.int(int(f.library[object]))
		} else {
			f.int(-1)
		}
	})
	f.column("source", n, func(i int) {
		if file := f.functions[i].file; file != "" {
			f.int(source[file])
		} else {
			f.word("null")
		}
	})
	f.nulls("lineNumber", n)
	f.nulls("columnNumber", n)
	f.length(n)
	f.close('}')
}

// files are the source files of the functions, with the number of each.
func (f *firefox) files() ([]string, map[string]int) {
	var files []string
	number := map[string]int{}
	for _, function := range f.functions {
		if _, ok := number[function.file]; !ok && function.file != "" {
			number[function.file] = len(files)
			files = append(files, function.file)
		}
	}
	return files, number
}
