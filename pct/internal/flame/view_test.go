package flame

import (
	"fmt"
	"image/color"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// write makes the documents of a graph, and returns their addresses.
func write(t *testing.T, g *Graph) (svg, html string) {
	t.Helper()
	dir := t.TempDir()
	address := func(name string, write func(*os.File) error) string {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := write(f); err != nil {
			t.Fatal(err)
		}
		return (&url.URL{Scheme: "file", Path: f.Name()}).String()
	}
	return address("a graph.svg", func(f *os.File) error { return g.SVG(f) }), address("a graph.html", func(f *os.File) error { return g.HTML(f) })
}

// example has 1000 samples: 60% in parse, half of it in a recursion, 30% in emit.
func example() []Group {
	return trees("300 main@/bin/prog;parse@/bin/prog;memcpy@/lib/libc.so.6", "100 main@/bin/prog;parse@/bin/prog;parse@/bin/prog;memcpy@/lib/libc.so.6",
		"200 main@/bin/prog;parse@/bin/prog;parse@/bin/prog", "250 main@/bin/prog;emit@/bin/prog;write@/lib/libc.so.6;ksys_write@[kernel]",
		"50 main@/bin/prog;emit@/bin/prog", "100 main@/bin/prog;std::map<int, std::string>::find(int const&)@/bin/prog")
}

var window = scene{width: 1200, height: 700}

const (
	status = `document.querySelector('.more output').textContent`
	shown  = `[...document.querySelectorAll('svg.pct-flame .f')].filter(f => f.getClientRects().length).map(f => f.querySelector('title').textContent.split('\n')[0])`
	shift  = 8
	ctrl   = 2
)

func TestBrowser(t *testing.T) {
	b := startBrowser(t)
	t.Run("svg", func(t *testing.T) { testSVG(t, b) })
	t.Run("html", func(t *testing.T) { testHTML(t, b) })
	t.Run("keys", func(t *testing.T) { testKeys(t, b) })
	t.Run("still", func(t *testing.T) { testStill(t, b) })
	t.Run("colours", func(t *testing.T) { testColours(t, b) })
	t.Run("hostile", func(t *testing.T) { testHostile(t, b) })
	t.Run("large", func(t *testing.T) { testDeep(t, b) })
}

func testSVG(t *testing.T, b *browser) {
	svg, _ := write(t, New(example(), Options{Title: "An example", Facts: []string{"prog -x", "1000 samples"}}))
	p := b.open(t, svg, window)
	all := []string{"all", "main", "emit", "write", "ksys_write", "parse", "memcpy", "parse", "memcpy", "std::map<int, std::string>::find(int const&)"}
	p.wants(t, `document.documentElement.dataset.ready`, "1")
	p.wants(t, shown, all)
	p.screenshot(t, "svg")

	// Hover tells, a click zooms.
	p.point(t, frameOf("parse"), false)
	p.wants(t, `document.querySelector('.details').textContent`, "parse · in prog · total 60.00% ± 1.55, 600 samples · self 0.00% ± 0.00, 0 samples")
	p.point(t, frameOf("parse"), true)
	p.wants(t, shown, []string{"all", "main", "parse", "memcpy", "parse", "memcpy"})
	p.wants(t, `Math.round((`+frameOf("parse")+`).querySelector('rect').getBoundingClientRect().width)`, 1176)
	p.wants(t, `[...document.querySelectorAll('.above')].map(f => f.querySelector('text').textContent)`, []string{"all", "main"})
	p.wants(t, `location.hash`, "#zoom=5")
	p.screenshot(t, "svg-zoomed")
	p.eval(t, `history.back()`)
	p.wants(t, shown, all)
	p.point(t, frameOf("emit"), true)
	p.wants(t, shown, []string{"all", "main", "emit", "write", "ksys_write"})
	p.key(t, "Escape", 27, 0)
	p.wants(t, shown, all)

	// A search counts each stack once, however often it matches.
	p.key(t, "f", 70, ctrl)
	p.wants(t, `document.activeElement.localName`, "input")
	p.call(t, "Input.insertText", object{"text": "parse|^mem"}, nil)
	p.wants(t, status, "Matched: 60.00%")
	p.wants(t, `document.querySelectorAll('.match').length`, 4)
	p.screenshot(t, "svg-searched")
	p.call(t, "Input.insertText", object{"text": "("}, nil)
	p.wants(t, status, "No such pattern")
	p.key(t, "Escape", 27, 0)
	p.wants(t, status, "")
	p.wants(t, `document.querySelectorAll('.match').length`, 0)

	// The address keeps both.
	p.navigate(t, "about:blank")
	p.navigate(t, svg+"#zoom=2&search="+url.QueryEscape("^(write|memcpy)$"))
	p.wants(t, shown, []string{"all", "main", "emit", "write", "ksys_write"})
	p.wants(t, status, "Matched: 65.00%")
	p.wants(t, `document.querySelector('input').value`, "^(write|memcpy)$")
	p.eval(t, `location.hash = "#zoom=999&search=%5B&view=none"`)
	p.wants(t, status, "No such pattern")
	p.wants(t, shown, all)

	// Frames fit a window of another size, and labels their frames.
	for _, width := range []int{1700, 500} {
		p.call(t, "Emulation.setDeviceMetricsOverride", object{"width": width, "height": 600, "deviceScaleFactor": 1, "mobile": false}, nil)
		p.wants(t, `Math.abs((`+frameOf("all")+`).querySelector('rect').getBoundingClientRect().right + 12 * Math.min(1, innerWidth / 640) - innerWidth) < 1`, true)
		p.wants(t, `[...document.querySelectorAll('.f text')].every(e => e.textContent === '' || e.getComputedTextLength() < e.parentElement.querySelector('rect').width.baseVal.value)`, true)
	}
}

func testHTML(t *testing.T, b *browser) {
	base := trees("900 main;parse", "60 main;emit;write;ksys_write", "40 main;gone")
	_, html := write(t, New(example(), Options{Title: "An example", Facts: []string{"prog -x", "1000 samples"}, Compared: "before", Base: base}))
	p := b.open(t, html, scene{width: 1200, height: 900})
	p.wants(t, `document.documentElement.dataset.ready`, "1")
	p.screenshot(t, "html-diff")
	button := func(label string) string {
		return fmt.Sprintf(`[...document.querySelectorAll('button')].find(b => b.textContent === %q)`, label)
	}
	p.wants(t, `document.querySelector('.about').textContent.trim().split('\n')[1]`, "4.00%: gone ← main")
	p.point(t, button("Inverted"), true)
	p.wants(t, shown, []string{"all", "emit", "main", "ksys_write", "write", "emit", "main", "memcpy", "parse", "main", "parse", "main",
		"parse", "parse", "main", "std::map<int, std::string>::find(int const&)", "main"})
	p.wants(t, `location.hash`, "#view=down")
	p.point(t, frameOf("ksys_write"), true)
	p.wants(t, shown, []string{"all", "ksys_write", "write", "emit", "main"})
	p.screenshot(t, "html-inverted")
	p.point(t, button("Normal"), true)
	p.wants(t, `document.querySelector('section:not([hidden]) svg').dataset.view`, "up")

	// The table is sorted by a click, and a function is searched for.
	column := func(n int) string {
		return fmt.Sprintf(`[...document.querySelector('table').tBodies[0].rows].map(r => r.cells[%d].textContent)`, n)
	}
	p.wants(t, column(5), []string{"main", "parse", "memcpy", "emit", "ksys_write", "write", "std::map<int, std::string>::find(int const&)"})
	p.wants(t, column(1)+`[1]`, "60.00% ± 1.55")
	p.eval(t, button("Self")+`.scrollIntoView({block: 'center'})`)
	p.point(t, button("Self"), true)
	p.wants(t, column(0)+`.slice(0, 3)`, []string{"40.00% ± 1.55", "25.00% ± 1.37", "20.00% ± 1.26"})
	p.wants(t, column(4)+`.slice(0, 3)`, []string{"+40.00", "+19.00", "-30.00"})
	p.eval(t, button("Function")+`.scrollIntoView({block: 'center'})`)
	p.point(t, button("Function"), true)
	p.wants(t, column(5)+`.slice(0, 2)`, []string{"emit", "ksys_write"})
	p.point(t, button("std::map<int, std::string>::find(int const&)"), true)
	p.wants(t, status, "Matched: 10.00%")

	// The policy lets nothing else run, or be fetched.
	strict := b.open(t, html, window)
	strict.eval(t, `document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.injected = 1'}))`)
	strict.wants(t, `window.injected === undefined`, true)
	if len(strict.wrong) == 0 {
		t.Error("a script of somebody else was not refused")
	}
	strict.wrong = nil
}

func testKeys(t *testing.T, b *browser) {
	svg, _ := write(t, New(example(), Options{Title: "Keys"}))
	p := b.open(t, svg, window)
	focused := `document.activeElement.querySelector('title').textContent.split('\n')[0]`
	p.eval(t, `document.querySelector('.f').focus()`)
	for _, step := range []struct {
		key  string
		code int
		at   string
	}{{"ArrowUp", 38, "main"}, {"ArrowUp", 38, "parse"}, {"ArrowRight", 39, "std::map<int, std::string>::find(int const&)"},
		{"ArrowLeft", 37, "parse"}, {"ArrowLeft", 37, "emit"}, {"ArrowLeft", 37, "emit"}, {"ArrowDown", 40, "main"}, {"ArrowUp", 38, "parse"}} {
		p.key(t, step.key, step.code, 0)
		p.wants(t, focused, step.at)
	}
	p.wants(t, `document.querySelector('.details').textContent.split(' ')[0]`, "parse")
	p.key(t, "Enter", 13, 0)
	p.wants(t, shown, []string{"all", "main", "parse", "memcpy", "parse", "memcpy"})
	p.screenshot(t, "keys")
	p.key(t, "/", 191, 0)
	p.wants(t, `document.activeElement.localName`, "input")
	p.key(t, "Tab", 9, shift)
	p.wants(t, `document.activeElement.localName`, "g")
}

// testStill shows the documents without their scripts: all is there, and labels are
// within their frames.
func testStill(t *testing.T, b *browser) {
	still := scene{width: 1200, height: 700, still: true}
	svg, html := write(t, New(example(), Options{Title: "A picture", Facts: []string{"prog -x"}}))
	for _, address := range []string{svg, html} {
		p := b.open(t, address, still)
		p.wants(t, `document.documentElement.dataset.ready === undefined`, true)
		p.wants(t, shown+`.length`, 10)
		p.wants(t, `[...document.querySelectorAll('svg.pct-flame .f text')].filter(e => e.getClientRects().length).map(e => e.textContent)`,
			[]string{"all", "main", "emit", "write", "ksys_write", "parse", "memcpy", "parse", "memcpy", "std::map<int, …"})
		p.wants(t, `[...document.querySelectorAll('section:not([hidden]) .f text, svg > .frames .f text')].every(
			e => e.getClientRects().length === 0 || e.getComputedTextLength() < e.parentElement.querySelector('rect').width.baseVal.value)`, true)
		p.wants(t, `document.querySelectorAll('input, .more').length`, 0)
		p.screenshot(t, "still-"+filepath.Ext(address)[1:])
	}
}

// testColours looks at the pixels of the frames.
func testColours(t *testing.T, b *browser) {
	g := New(example(), Options{Title: "Colours"})
	svg, _ := write(t, g)
	for _, dark := range []bool{false, true} {
		name := map[bool]string{false: "light", true: "dark"}[dark]
		p := b.open(t, svg, scene{width: 1200, height: 400, dark: dark})
		p.wants(t, `document.documentElement.dataset.ready`, "1")
		picture := p.screenshot(t, name)
		for i := range g.up().boxes {
			box := &g.up().boxes[i]
			if box.depth > 2 {
				continue
			}
			at := p.eval(t, fmt.Sprintf(`(r => [r.right - 6, r.y + 9])(document.querySelectorAll('.f rect')[%d].getBoundingClientRect())`, i)).([]any)
			rule := regexp.MustCompile(`\.` + g.colour(box) + ` rect\{fill:#(\w+)\}`).FindStringSubmatch(palette(dark))
			r, gr, bl, _ := picture.At(int(at[0].(float64)), int(at[1].(float64))).RGBA()
			if got := fmt.Sprintf("%02x%02x%02x", r>>8, gr>>8, bl>>8); got != rule[1] {
				t.Errorf("%s: %s is #%s, want #%s", name, g.name(box), got, rule[1])
			}
		}
	}
}

func testHostile(t *testing.T, b *browser) {
	g := hostileGraph()
	svg, html := write(t, g)
	for _, address := range []string{svg, html} {
		p := b.open(t, address+"#search="+url.QueryEscape("script|push_back"), window)
		p.wants(t, `document.documentElement.dataset.ready`, "1")
		p.wants(t, `window.hacked === undefined`, true)
		p.wants(t, `document.querySelectorAll('script').length`, 1)
		p.wants(t, `document.querySelectorAll('img, b, [onclick]').length`, 0)
		var names []string
		for i := range g.up().boxes {
			names = append(names, g.name(&g.up().boxes[i]))
		}
		p.wants(t, shown, names)
		p.wants(t, status, "Matched: 100.00%")
		p.screenshot(t, "hostile-"+filepath.Ext(address)[1:])
	}
}

// testDeep opens a graph higher than the window where its roots are.
func testDeep(t *testing.T, b *browser) {
	svg, html := write(t, New(trees("7 main"+strings.Repeat(";recurse", 10_000), "3 main;leaf"), Options{Title: "Deep"}))
	for _, address := range []string{svg, html} {
		p := b.open(t, address, window)
		p.wants(t, `(r => r.top > 0 && r.bottom < innerHeight)((`+frameOf("main")+`).getBoundingClientRect())`, true)
		p.wants(t, `(r => r.top >= 0 && r.bottom < innerHeight)(document.querySelector('input').getBoundingClientRect())`, true)
		p.screenshot(t, "deep-"+filepath.Ext(address)[1:])
	}
}

// TestContrast holds each colour against that of the labels, as WCAG 2 asks for text
// .
func TestContrast(t *testing.T) {
	for _, c := range []struct {
		dark bool
		text string
	}{{false, "#17191c"}, {true, "#f0f0f2"}} {
		rules := regexp.MustCompile(`\.(\w+) rect\{fill:(#\w+)\}`).FindAllStringSubmatch(palette(c.dark), -1)
		if len(rules) < 40 {
			t.Fatalf("%d rules", len(rules))
		}
		for _, rule := range rules {
			a, b := luminance(t, c.text), luminance(t, rule[2])
			if ratio := (max(a, b) + 0.05) / (min(a, b) + 0.05); ratio < 4.5 {
				t.Errorf("dark %v, class %s, %s: contrast %.1f", c.dark, rule[1], rule[2], ratio)
			}
		}
	}
}

func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	n, err := strconv.ParseUint(hex[1:], 16, 32)
	if err != nil {
		t.Fatal(err)
	}
	channel := func(c uint8) float64 {
		x := float64(c) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	c := color.RGBA{R: uint8(n >> 16), G: uint8(n >> 8), B: uint8(n)}
	return 0.2126*channel(c.R) + 0.7152*channel(c.G) + 0.0722*channel(c.B)
}
