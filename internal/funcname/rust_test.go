package funcname_test

import (
	"testing"

	"github.com/ianlancetaylor/demangle"
	"github.com/profilecollection/pct/internal/funcname"
)

func TestForDemangler(t *testing.T) {
	const hash = "17h1234567890abcdefE"
	for symbol, want := range map[string]string{
		"_ZN3std10sys_common9backtrace28__rust_begin_short_backtrace" + hash:                       "std::sys_common::backtrace::__rust_begin_short_backtrace",
		"_ZN3std10sys_common9backtrace28__rust_begin_short_backtrace" + hash + ".llvm.1234":        "std::sys_common::backtrace::__rust_begin_short_backtrace",
		"_ZN4main4_one5__two6___six" + hash:                                                        "main::_one::__two::___six",
		"_ZN71_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..ops..drop..Drop$u20$$GT$4drop" + hash: "<alloc::vec::Vec<T> as core::ops::drop::Drop >::drop",
		"_ZN4main4work" + hash: "main::work",
		// The newer mangling does separate, and C++ has neither.
		"_RNvCs1234_7___rustc12___rust_alloc": "__rustc::__rust_alloc",
		"_ZN3one5__twoEv":                     "one::__two",
		"_ZN3one5__two17h1111111111111111E":   "one::__two::h1111111111111111", // no hash
		"__rust_alloc":                        "__rust_alloc",
		"":                                    "",
	} {
		if got := demangle.Filter(funcname.ForDemangler(symbol), demangle.NoParams); got != want {
			t.Errorf("%s: %s, want %s", symbol, got, want)
		}
	}
	for _, other := range []string{"_ZN9x" + hash, "_ZNx" + hash, "_ZN99999999999999999999x" + hash, "_ZN" + hash, "walk"} {
		if got := funcname.ForDemangler(other); got != other {
			t.Errorf("%s became %s", other, got)
		}
	}
}
