package funcname_test

import (
	"testing"

	"github.com/profilecollection/pct/internal/funcname"
)

func TestOfSymbol(t *testing.T) {
	for given, want := range map[string]string{
		"walk": "walk", "walk.constprop.0": "walk", "walk.isra.0.constprop.12": "walk", "_ZN1a1bEv.lto_priv.3": "_ZN1a1bEv",
		"walk.cold": "walk.cold", "walk.part.0": "walk.part.0", "main.worker": "main.worker", "walk.constprop": "walk.constprop", "": "",
	} {
		if got := funcname.OfSymbol(given); got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
}
