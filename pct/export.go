package main

import (
	"io"
	"os"
	"slices"

	"github.com/profilecollection/pct/pct/internal/export"
	"github.com/profilecollection/pct/pct/internal/path"
)

// formatOptions are the values of flags that only exports have.
type formatOptions struct {
	weights bool
	samples bool
}

func formatFlags() []flag {
	return []flag{
		{"weights", "", "print amounts of the resource instead of sample counts",
			func(o *options, _ string) error { o.exported.weights = true; return nil }},
		{"samples", "", "add each sample: time, thread, call path, sampled values",
			func(o *options, _ string) error { o.exported.samples = true; return nil }},
	}
}

func exportCommands() []command {
	exact := slices.DeleteFunc(slices.Clone(callFlags), func(name string) bool { return name == "g FRAMES" })
	return []command{
		{
			name:    "folded",
			summary: "Folded stacks, for flamegraph.pl, inferno and speedscope",
			details: `
A line for each call path, "main;uniquify_db;qsort 1820": outermost frame first,
then the number of samples. A semicolon in a name becomes a colon. With -by, the
outermost frame is NAME=VALUE.
`,
			flags:   append(slices.Clone(callFlags), "weights"),
			example: "/tmp/pct/gzip.4711 | flamegraph.pl >gzip.svg",
			run: func(v *invocation) error {
				return v.export(v.Granularity, func(w io.Writer, p *export.Profile) error {
					return export.Folded(w, p, v.exported.weights)
				})
			},
		},
		{
			name:    "callgrind",
			summary: "Costs, for KCachegrind and callgrind_annotate",
			details: `
Functions are distinguished by object, source file and name. A recursive call of
f is f'2, then f'3, as with --separate-recs of Callgrind, so that inclusive
costs count each sample once. The events are the resource and Samples. The count
of calls is always 1: costs per call are meaningless. With -by, NAME=VALUE is
the caller of outermost functions.
`,
			flags:   exact,
			example: "-O gzip.out /tmp/pct/gzip.4711; callgrind_annotate gzip.out",
			run:     func(v *invocation) error { return v.export(path.Location, export.Callgrind) },
		},
		{
			name:    "speedscope",
			summary: "Samples in order, for https://www.speedscope.app",
			details: `
A profile for each thread, with its samples in order of time; the horizontal
axis is the resource used so far. Without times, a profile for each process, or
with -by for each value, in order of the call paths.
`,
			flags:   callFlags,
			example: "-O gzip.json /tmp/pct/gzip.4711; speedscope gzip.json",
			run:     func(v *invocation) error { return v.export(v.Granularity, export.Speedscope) },
		},
		{
			name:    "firefox",
			summary: "Samples with times, for https://profiler.firefox.com",
			details: `
A thread for each thread of each process, with real times; sampled values are
markers. Without times, a thread for each process, or with -by for each value,
in order of the call paths.
`,
			flags:   exact,
			example: "-O gzip.json -tree /tmp/pct/gzip.4711",
			run:     func(v *invocation) error { return v.export(path.Location, export.Firefox) },
		},
		{
			name:    "json",
			summary: "Calling context trees as JSON, for programs",
			details: `
An object with these members; more may be added later:
  format, version      "pct", 1
  creator, commands, selected, resource, unit, period_ns, start
                       what was sampled; weights are in unit
  frames               array of frames: name and, as far as -g distinguishes
                       them, function, file, line, object, address ("0x401136"),
                       inlined (true)
  groups               array of trees: one with the name "", or with -by one for
                       each NAME=VALUE; each with name, weight, samples, nodes
  groups[].nodes       array: id, parent (id of the caller, 0 if outermost;
                       parents come first), frame (index into frames), self and
                       total (weights), self_samples, total_samples; with -calls
                       also calls (number seen, absent if unknown), long_calls
                       (seen by two samples), long_cost, long_error,
                       longest_cost (mean, standard error, maximum of these),
                       other_cost_bound (bound for each other call),
                       share_error (standard error of total)
  samples              with -samples, array: process (a number), pid, program,
                       thread, time_ns (since the start of the run), cpu_ns (of
                       the process so far), node (an id), weight, samples
                       (number), partial (true: truncated), fields (object of
                       sampled values); unknown members are absent
`,
			flags:   append(slices.Clone(callFlags), "samples", "calls"),
			example: "/tmp/pct/gzip.4711 | jq '.groups[].nodes | length'",
			run: func(v *invocation) error {
				if v.exported.samples && v.By != "" {
					return v.misuse("-samples cannot be combined with -by: each sample contains its values")
				}
				return v.export(v.Granularity, func(w io.Writer, p *export.Profile) error {
					return export.JSON(w, p, v.exported.samples)
				})
			},
		},
		{
			name:    "dot",
			summary: "The call graph, for Graphviz",
			details: `
A box for each function with its shares, self and total; an arrow with the share
of the samples in which one calls the other, each counted once. Parts below
-threshold (default 0.005) are left out. With -by, NAME=VALUE is the caller of
outermost functions.
`,
			flags:   append(slices.Clone(callFlags), "threshold"),
			least:   0.005,
			example: "-threshold 2% /tmp/pct/gzip.4711 | dot -Tsvg >gzip.svg",
			run: func(v *invocation) error {
				return v.export(v.Granularity, func(w io.Writer, p *export.Profile) error {
					return export.Dot(w, p, v.Threshold)
				})
			},
		},
	}
}

// export writes call paths in a format of their own, straight to where they are wanted: they
// can be large.
func (v *invocation) export(g path.Granularity, write func(io.Writer, *export.Profile) error) error {
	runs, selected, calls, err := v.calls(g)
	if err != nil {
		return err
	}
	summary := runs.Summary()
	p := &export.Profile{
		Creator:  "pct " + version(),
		Commands: summary.Commands,
		Limits:   selected.Limits(),
		Resource: summary.Resource,
		Start:    runs.Start(),
		Groups:   calls.Groups,
		Seen:     calls.Seen,
		Samples:  calls.Samples(),
	}
	for _, r := range runs.Data() {
		if r.Packed.Len() > 0 {
			p.Unit, p.Period = r.Header.Unit, r.Header.Period
			break
		}
	}
	if v.outFile == "" {
		return write(v.stdout, p)
	}
	file, err := os.Create(v.outFile)
	if err != nil {
		return err
	}
	if err := write(file, p); err != nil {
		file.Close()
		return err
	}
	v.outFile = "" // it is written: nothing is left to deliver
	return file.Close()
}
