package funcname

import (
	"strings"
	"testing"
)

func TestDemangle(t *testing.T) {
	for symbol, want := range map[string]string{
		"main":                                           "main",
		"_ZN2ns1S3outEi":                                 "ns::S::out",
		"_Z4tmaxIiET_S0_S0_":                             "tmax<int>",
		"_ZNKSt6vectorIiSaIiEE4sizeEv":                   "std::vector<int, std::allocator<int> >::size",
		"_ZN2nsL4statEi.constprop.0":                     "ns::stat",
		"_RNvCs15kBYyAo9fc_7mycrate7example":             "mycrate::example",
		"_ZN4core3fmt9Formatter3pad17h0123456789abcdefE": "core::fmt::Formatter::pad",
		"__shapes_MOD_area":                              "shapes::area",
		"__shapes_MOD_area.constprop.0.isra.0":           "shapes::area",
		"_MOD_odd":                                       "_MOD_odd",
		"runtime.mallocgc":                               "runtime.mallocgc",
		"_Zbroken":                                       "_Zbroken",
	} {
		if got := Demangle(symbol); got != want {
			t.Errorf("Demangle(%q) = %q, want %q", symbol, got, want)
		}
	}
	for symbol, want := range map[string]string{
		"shapes__area":              "shapes.area",
		"shapes__inner__twice":      "shapes.inner.twice",
		"shapes__area__square.3":    "shapes.area.square",
		"_ada_work":                 "work",
		"_ada_work.cold":            "work",
		"shapes__Oadd":              `shapes."+"`,
		"shapes__grow__2":           "shapes.grow",
		"work__worker_taskTKB":      "work.worker_task",
		"work__p__B_12__f":          "work.p.f",
		"shapes__areaXn":            "shapes.area",
		"ada__text_io__put_line__2": "ada.text_io.put_line",
		"shapes___elabb":            "shapes___elabb",
		"shapes__shapeIP":           "shapes__shapeIP",
		"__gnat_runtime_initialize": "__gnat_runtime_initialize",
		"main":                      "main",
		"_ZN2ns1S3outEi":            "ns::S::out",
		"system__secondary_stack__": "system__secondary_stack__",
		"_ada_":                     "_ada_",
	} {
		if got := DemangleAda(symbol); got != want {
			t.Errorf("DemangleAda(%q) = %q, want %q", symbol, got, want)
		}
	}
	// A name that refers to itself again and again is cut, not built.
	bomb := "_Z1fI" + strings.Repeat("St4pairI", 60) + "i" + strings.Repeat("E", 61) + "vv"
	if got := Demangle(bomb); len(got) > 1<<longestName {
		t.Errorf("name of %d bytes", len(got))
	}
}
