package export

import (
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/profilecollection/pct/pct/internal/calltree"
)

// processedVersion is that of the processed profile format. The profiler upgrades what is
// older than itself; this is the first version with one stack table for all threads.
const processedVersion = 60

// Firefox writes the processed profile format of the Firefox Profiler
// (https://profiler.firefox.com, "Load a profile from file"). The frames must be of
// path.Location.
//
// Each thread of each process is a thread there, with the real times of its samples; where
// times are not known, or there are groups, each process or group is one, and its samples
// follow each other in the order of the call paths. Weights are in ms of a time, in bytes, or
// else numbers; of CPU time the CPU usage of the thread is drawn, too. Categories are
// the program, libraries and the kernel. Sampled values are markers, one a sample.
func Firefox(out io.Writer, p *Profile) error {
	f := &firefox{jsonWriter: newJSONWriter(out), Profile: p, strings: map[string]int{}}
	f.tracks, f.tree = p.tracks(true)
	f.collect()
	f.begin('{')
	f.meta()
	f.newline()
	f.libs()
	f.newline()
	f.key("threads")
	f.begin('[')
	for i, t := range f.tracks {
		f.newline()
		f.thread(i, t)
	}
	f.close(']')
	f.newline()
	f.key("shared") // last, as the strings of all else are known now
	f.shared()
	f.close('}')
	return f.end()
}

// Categories, by their numbers.
const (
	categoryOther = iota
	categoryProgram
	categoryLibrary
	categoryKernel
)

type firefox struct {
	*jsonWriter
	*Profile
	tracks []*track
	main   map[int]int // of each process: the number of the track that stands for it
	// earliest is the first of the processes that had a number.
	earliest map[int]int
	tree     *calltree.Tree
	stacks   []int32 // of each node
	nodes    []int32 // of each stack
	frame    []int32 // of each stack: index into frames

	frames    []firefoxFrame
	functions []functionName
	function  []int32 // of each frame
	objects   []string
	library   map[string]int32
	programs  map[string]bool
	strings   map[string]int
	texts     []string
	fields    []string // names of the sampled values
}

type firefoxFrame struct {
	frame int32 // of the tree
	depth int32 // how many frames it is inlined into at its address
}

// collectProcesses finds the track that stands for each process: the thread that the process
// started with or, where that has no samples, the one that comes first.
func (f *firefox) collectProcesses() {
	f.main, f.earliest = map[int]int{}, map[int]int{}
	for number, t := range f.tracks {
		main, found := f.main[t.process]
		if !found || t.startedProcess() && !f.tracks[main].startedProcess() {
			f.main[t.process] = number
		}
		if earliest, found := f.earliest[t.pid]; !found || t.process < earliest {
			f.earliest[t.pid] = t.process
		}
	}
}

// startedProcess reports whether the thread is the one that its process started with.
func (t *track) startedProcess() bool { return t.timed && int(t.thread) == t.pid }

// collect numbers all that the tables have.
func (f *firefox) collect() {
	f.collectProcesses()
	f.library, f.programs = map[string]int32{}, map[string]bool{}
	names := map[string]bool{}
	used := onPaths(f.tree, f.tracks)
	for _, t := range f.tracks {
		f.programs[t.program] = true
		for name := range t.fields {
			names[name] = true
		}
	}
	f.fields = slices.Sorted(maps.Keys(names))
	f.stacks = make([]int32, len(f.tree.Nodes))
	depth := make([]int32, len(f.tree.Nodes))
	frames, functions := map[firefoxFrame]int32{}, map[functionName]int32{}
	for n := 1; n < len(used); n++ {
		if !used[n] {
			continue
		}
		node := f.tree.Nodes[n]
		if f.tree.Frames[node.Frame].Inlined {
			depth[n] = depth[node.Parent] + 1
		}
		key := firefoxFrame{node.Frame, depth[n]}
		number, ok := frames[key]
		if !ok {
			number = int32(len(f.frames))
			frames[key] = number
			f.frames = append(f.frames, key)
			f.addFunction(&f.tree.Frames[node.Frame], functions)
		}
		f.stacks[n] = int32(len(f.nodes))
		f.nodes, f.frame = append(f.nodes, int32(n)), append(f.frame, number)
	}
}

func (f *firefox) addFunction(frame *calltree.Frame, functions map[functionName]int32) {
	name := functionName{frame.Object, frame.File, line(frame.Name)}
	number, ok := functions[name]
	if !ok {
		number = int32(len(f.functions))
		functions[name] = number
		f.functions = append(f.functions, name)
	}
	f.function = append(f.function, number)
	if _, ok := f.library[frame.Object]; !ok && frame.Object != "" {
		f.library[frame.Object] = int32(len(f.objects))
		f.objects = append(f.objects, frame.Object)
	}
}

// text returns the number of a string, which it adds to the table.
func (f *firefox) text(s string) int {
	n, ok := f.strings[s]
	if !ok {
		n = len(f.texts)
		f.strings[s] = n
		f.texts = append(f.texts, s)
	}
	return n
}

func (f *firefox) member(name, value string) {
	f.key(name)
	f.string(value)
}

func (f *firefox) meta() {
	interval := 1.0
	if f.Period > 0 {
		interval = milliseconds(f.Period)
	}
	f.key("meta")
	f.begin('{')
	f.key("version")
	f.int(0) // of the format of the browser itself
	f.key("preprocessedProfileVersion")
	f.int(processedVersion)
	f.key("interval")
	f.number(interval)
	f.key("startTime")
	start := 0.0
	if !f.Start.IsZero() {
		start = float64(f.Start.UnixNano()) / 1e6
	}
	f.number(start)
	for _, name := range []string{"processType", "stackwalk"} {
		f.key(name)
		f.int(0)
	}
	f.member("product", f.title())
	f.member("importedFrom", f.Creator)
	f.member("arguments", strings.Join(f.Commands, "; "))
	for _, name := range []string{"symbolicated", "symbolicationNotSupported", "usesOnlyOneStackType", "sourceCodeIsNotOnSearchfox", "keepProfileThreadOrder"} {
		f.key(name)
		f.bool(true)
	}
	f.key("sampleUnits")
	f.begin('{')
	f.member("time", "ms")
	f.member("eventDelay", "ms")
	f.member("threadCPUDelta", "µs")
	f.close('}')
	f.key("extensions")
	f.begin('{')
	for _, name := range []string{"baseURL", "id", "name"} {
		f.list(name, nil)
	}
	f.length(0)
	f.close('}')
	f.key("categories")
	f.begin('[')
	for _, c := range [][2]string{{"Other", "grey"}, {"Program", "blue"}, {"Library", "green"}, {"Kernel", "orange"}} {
		f.begin('{')
		f.member("name", c[0])
		f.member("color", c[1])
		f.list("subcategories", []string{"Other"})
		f.close('}')
	}
	f.close(']')
	f.markerSchema()
	f.close('}')
}

func milliseconds(d time.Duration) float64 { return float64(d) / 1e6 }

// markerName is that of the markers with sampled values.
const markerName = "Sampled values"

func fieldKey(i int) string { return "value" + strconv.Itoa(i) }

func (f *firefox) markerSchema() {
	f.key("markerSchema")
	f.begin('[')
	if len(f.fields) > 0 {
		var label []string
		for i, name := range f.fields {
			label = append(label, strings.NewReplacer("{", "(", "}", ")").Replace(line(name))+"={marker.data."+fieldKey(i)+"}")
		}
		f.begin('{')
		f.member("name", markerName)
		f.member("tableLabel", strings.Join(label, " "))
		f.member("chartLabel", strings.Join(label, " "))
		f.list("display", []string{"marker-chart", "marker-table"})
		f.key("fields")
		f.begin('[')
		for i, name := range f.fields {
			f.begin('{')
			f.member("key", fieldKey(i))
			f.member("label", line(name))
			f.member("format", "string")
			f.close('}')
		}
		f.close(']')
		f.close('}')
	}
	f.close(']')
}

func (f *firefox) libs() {
	f.key("libs")
	f.begin('[')
	for _, object := range f.objects {
		f.begin('{')
		f.member("arch", "")
		for _, name := range []string{"name", "debugName"} {
			f.member(name, line(filepath.Base(object)))
		}
		for _, name := range []string{"path", "debugPath"} {
			f.member(name, line(object))
		}
		f.member("breakpadId", strings.Repeat("0", 33))
		f.key("codeId")
		f.word("null")
		f.close('}')
	}
	f.close(']')
}

// category is that of a frame, by its object.
func (f *firefox) category(object string) int {
	switch {
	case object == "":
		return categoryOther
	case strings.HasPrefix(object, "[kernel"):
		return categoryKernel
	case f.programs[object]:
		return categoryProgram
	}
	return categoryLibrary
}
