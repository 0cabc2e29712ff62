package report

import (
	"bufio"
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/profilecollection/pct/pct/internal/path"
)

// The picture is the one that int-hist makes of the same numbers.
func TestHistogram(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		var numbers []path.Quantity
		var lines strings.Builder
		for range 1 + random.IntN(300) {
			x := math.Round(1000*math.Exp(4*random.NormFloat64())) / 1000
			if random.IntN(3) == 0 {
				x = -math.Round(x)
			}
			q := path.Quantity{Number: x, Samples: 1 + random.IntN(3)}
			numbers = append(numbers, q)
			lines.WriteString(strings.Repeat(fmt.Sprintln(x), q.Samples))
		}
		slices.SortFunc(numbers, func(a, b path.Quantity) int { return cmp.Compare(a.Number, b.Number) })
		cmd := exec.Command("../../../scripts/int-hist")
		cmd.Stdin = strings.NewReader(lines.String())
		want, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		out := bufio.NewWriter(&got)
		histogram(out, numbers)
		out.Flush()
		if got.String() != string(want) {
			t.Fatalf("got:\n%s\nint-hist:\n%s", got.String(), want)
		}
	}
}
