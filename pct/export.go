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
		{"weights", "", "amounts of the resource (µs of a time, bytes) instead of numbers of samples",
			func(o *options, _ string) error { o.exported.weights = true; return nil }},
		{"samples", "", "with every sample: its time, thread, call path and sampled values",
			func(o *options, _ string) error { o.exported.samples = true; return nil }},
	}
}

func exportCommands() []command {
	exact := slices.DeleteFunc(slices.Clone(callFlags), func(name string) bool { return name == "g FRAMES" })
	return []command{
		{
			name:    "folded",
			summary: "Call paths as folded stacks, for flamegraph.pl, inferno and speedscope",
			details: `
A line for each call path, "main;uniquify_db;qsort 1820": the outermost frame first,
and the number of samples that ended there. A semicolon in a name becomes a colon.
With -by, the outermost frame is the value, NAME=VALUE.
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
			summary: "Costs of functions, lines and calls, for KCachegrind and callgrind_annotate",
			details: `
Functions are told apart by object, source file and name. A function within itself is
f'2, within that f'3, as with Callgrind's --separate-recs: the inclusive cost of f has
each sample once, and none is above the total. Two events are recorded: the resource,
and Samples. How often functions were called is not known from samples; each line of
calls has the count 1, so that costs per call mean nothing. With -by, a value NAME=VALUE
is the caller of what is outermost.
`,
			flags:   exact,
			example: "-O callgrind.out.gzip /tmp/pct/gzip.4711; callgrind_annotate --inclusive=yes callgrind.out.gzip",
			run:     func(v *invocation) error { return v.export(path.Location, export.Callgrind) },
		},
		{
			name:    "speedscope",
			summary: "Samples in their order, for https://www.speedscope.app",
			details: `
A profile for each thread, its samples in the order of their times; the horizontal axis
is the resource that was used so far. Where times are not known there is a profile for
each process, and with -by one for each value, in the order of the call paths.
`,
			flags:   callFlags,
			example: "-O gzip.json /tmp/pct/gzip.4711; speedscope gzip.json",
			run:     func(v *invocation) error { return v.export(v.Granularity, export.Speedscope) },
		},
		{
			name:    "firefox",
			summary: "Samples with their times, for https://profiler.firefox.com",
			details: `
Each thread of each process is a thread there, with the real times of its samples;
sampled values are markers. Where times are not known, each process is one, and with
-by each value; samples then follow each other in the order of the call paths.
`,
			flags:   exact,
			example: "-O gzip.json -tree /tmp/pct/gzip.4711",
			run:     func(v *invocation) error { return v.export(path.Location, export.Firefox) },
		},
		{
			name:    "json",
			summary: "Calling context trees as JSON, for programs",
			details: `
An object with these members; others may be added to it later:
  format, version      "pct", 1
  creator, commands, selected, resource, unit, period_ns, start
                       what was sampled; weights are in unit
  frames               an array: name and, as far as -g keeps them apart, function,
                       file, line, object, address ("0x401136"), inlined (true)
  groups               an array of trees, of which there is one, with the name "", or
                       with -by one for each value, NAME=VALUE; each has name, weight,
                       samples, and nodes
  groups[].nodes       an array: id, parent (the id of the caller, 0 of an outermost
                       frame; parents come first), frame (an index into frames), self
                       and total (weights), self_samples and total_samples; with
                       -calls, calls: how many of its function samples saw in this
                       context, left out where that is not known; long_calls: those
                       of them that two samples saw; long_cost, long_error,
                       longest_cost: their mean, its standard error, the longest;
                       other_cost_bound: what each other call took at most;
                       share_error: the standard error of total
  samples              with -samples, an array: process (a number), pid, program,
                       thread, time_ns (since the start of the run), cpu_ns (of the
                       process so far), node (an id), weight, samples (how many it
                       stands for), partial (true), fields (an object: the sampled
                       values); what is not known is left out
`,
			flags:   append(slices.Clone(callFlags), "samples", "calls"),
			example: "/tmp/pct/gzip.4711 | jq '.groups[].nodes | length'",
			run: func(v *invocation) error {
				if v.exported.samples && v.By != "" {
					return v.misuse("-samples can't be with -by; each sample has its values anyway")
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
A box for each function with the share that it took itself and in total, an arrow with
the share of the samples in which the one called the other; a sample counts once for
each. Shares are computed from whole call paths. What has a share below -threshold,
0.005 unless it is given, is left out. With -by, a value NAME=VALUE is the caller of
what is outermost.
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
		if len(r.Samples) > 0 {
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
