package flame

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/profilecollection/pct/pct/internal/calltree"
)

// hostile are names that a program may have chosen to harm who looks at them.
var hostile = []string{
	`<script>window.hacked=1</script>`, `</script><script>window.hacked=2</script>`, `]]><script>window.hacked=3</script>`,
	`"onclick="window.hacked=4"`, `'><img src=x onerror=window.hacked=5>`, `</title></svg><b>`, `&lt;&#60;&bogus;`, `<!-- --> <![CDATA[`,
	"a\x00b\x1b[31mc\nd\re\tf\u0085\u2028\ufffe", "\xff\xfe broken \xc3", "", " ", "\u202egnp.exe", "函数::名前<한국어>", "🔥🔥", "e\u0301\u0301\u0301",
	"std::vector<" + strings.Repeat("std::pair<int, std::basic_string<char>>, ", 250) + "int>::push_back", `\Q.*[(`, "%s%n%d",
}

func hostileGraph() *Graph {
	b := calltree.NewBuilder()
	self := map[int32]calltree.Weight{}
	node := int32(0)
	for i, name := range hostile {
		object := hostile[len(hostile)-1-i]
		node = b.Child(node, b.Frame(calltree.Frame{Name: name, Function: name, Object: object}))
		self[node] = calltree.Weight{Weight: 1000, Samples: 1}
		leaf := b.Child(node, b.Frame(calltree.Frame{Name: "leaf"}))
		self[leaf] = calltree.Weight{Weight: 10000, Samples: 10}
	}
	groups := []Group{{hostile[0], b.Compact(self)}, {hostile[2], b.Compact(self)}}
	base := trees("1 <b>gone</b>;]]>;\x00", "1 <script>window.hacked=6</script>")
	return New(groups, Options{Title: hostile[0] + hostile[2], Facts: hostile, Compared: hostile[1], Base: base})
}

func TestHostileNames(t *testing.T) {
	g := hostileGraph()
	var svg, html bytes.Buffer
	if err := g.SVG(&svg); err != nil {
		t.Fatal(err)
	}
	if err := g.HTML(&html); err != nil {
		t.Fatal(err)
	}
	wellFormed(t, svg.Bytes())
	for _, doc := range []string{svg.String(), html.String()} {
		if !utf8.ValidString(doc) {
			t.Error("invalid UTF-8")
		}
		if strings.ContainsAny(doc, "\x00\x1b\ufffe\u202e\u2028") {
			t.Error("control characters")
		}
		for _, tag := range []string{"<script", "</script", "<![CDATA[", "]]>", "<img", "<b>"} {
			want := 0
			switch tag {
			case "<script", "</script":
				want = 1
			case "<![CDATA[", "]]>":
				want = strings.Count(doc[:5], "<?xml")
			}
			if n := strings.Count(doc, tag); n != want {
				t.Errorf("%s is there %d times, want %d", tag, n, want)
			}
		}
		if outside := regexp.MustCompile(`(?:href|src)=|@import|url\(`).FindString(regexp.MustCompile(`>[^<]*<`).ReplaceAllString(doc, "><")); outside != "" {
			t.Errorf("there is %s", outside)
		}
		if n := len(longest(doc)); n > 6*longestName {
			t.Errorf("a name of %d bytes", n)
		}
	}
}

// longest returns the longest name of a frame in a document.
func longest(doc string) (name string) {
	for _, m := range regexp.MustCompile(`<title>([^\n<]*)\n`).FindAllStringSubmatch(doc, -1) {
		if len(m[1]) > len(name) {
			name = m[1]
		}
	}
	return name
}

func TestFit(t *testing.T) {
	for _, c := range []struct {
		label string
		width int
		want  string
	}{
		{"malloc", 6, "malloc"}, {"malloc", 5, "mall…"}, {"malloc", 3, "ma…"}, {"malloc", 2, ""}, {"a", 1, "a"}, {"a", 0, ""}, {"a", -3, ""},
		{"函数名", 6, "函数名"}, {"函数名", 5, "函数…"}, {"函数名", 4, "函…"}, {"", 5, ""}, {"🔥🔥", 3, "🔥…"},
	} {
		if got := fit(c.label, c.width); got != c.want {
			t.Errorf("fit(%q, %d) is %q, want %q", c.label, c.width, got, c.want)
		}
	}
}

func TestWrap(t *testing.T) {
	if got := strings.Join(wrap("one two three four", 9), "|"); got != "one two |three |four" {
		t.Errorf("got %q", got)
	}
	if got := strings.Join(wrap(strings.Repeat("é", 25), 10), "|"); got != "éééééééééé|éééééééééé|ééééé" {
		t.Errorf("got %q", got)
	}
}

func TestOrigins(t *testing.T) {
	for _, c := range []struct {
		object, name string
		want         origin
	}{
		{"/usr/bin/gzip", "main", program}, {"/lib/libc.so.6", "memcpy", library}, {"/opt/x.cpython-311.so", "f", library},
		{"[kernel]", "do_syscall_64", kernel}, {"[kernel:ext4]", "ext4_read", kernel}, {"[vdso]", "clock_gettime", library},
		{"", "?", unknown}, {"", "?:0x123", unknown}, {"//anon", "x", unknown}, {"", "libc.so.6:0x12", library}, {"", "main", program},
		{"", "hash.c:12", program},
	} {
		if got := originOf(c.object, c.name); got != c.want {
			t.Errorf("%s %s is of the %s, want %s", c.object, c.name, origins[got], origins[c.want])
		}
	}
}
