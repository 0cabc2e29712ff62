package export

import (
	"bufio"
	"encoding/json"
	"io"
	"strconv"

	"github.com/profilecollection/pct/internal/visible"
)

// A jsonWriter writes JSON as it comes. Commas are put by what was written before; an
// error of the writer below is told by end.
type jsonWriter struct {
	out   *bufio.Writer
	after bool // a value stands before, in the same array or object
}

func newJSONWriter(out io.Writer) *jsonWriter {
	return &jsonWriter{out: bufio.NewWriterSize(out, 1<<16)}
}

// begin writes { or [.
func (j *jsonWriter) begin(bracket byte) {
	j.separate()
	j.out.WriteByte(bracket)
	j.after = false
}

// close writes } or ].
func (j *jsonWriter) close(bracket byte) {
	j.out.WriteByte(bracket)
	j.after = true
}

// separate puts a comma where another value follows.
func (j *jsonWriter) separate() {
	if j.after {
		j.out.WriteByte(',')
	}
	j.after = true
}

// newline begins another line, for those who look at the file.
func (j *jsonWriter) newline() {
	if j.after {
		j.out.WriteByte(',')
		j.after = false
	}
	j.out.WriteByte('\n')
}

func (j *jsonWriter) key(name string) {
	j.string(name)
	j.out.WriteByte(':')
	j.after = false
}

// string writes a text; what is not UTF-8 in it is replaced.
func (j *jsonWriter) string(s string) {
	j.separate()
	text, _ := json.Marshal(s) // has no error with a string
	j.out.Write(visible.JSON(text))
}

func (j *jsonWriter) uint(n uint64) {
	j.separate()
	j.out.Write(strconv.AppendUint(j.out.AvailableBuffer(), n, 10))
}

// significant is the number of digits that numbers of statistics are written with.
const significant = 9

// float writes a number with these.
func (j *jsonWriter) float(x float64) {
	j.separate()
	j.out.Write(strconv.AppendFloat(j.out.AvailableBuffer(), x, 'g', significant, 64))
}

func (j *jsonWriter) int(n int) {
	j.separate()
	j.out.Write(strconv.AppendInt(j.out.AvailableBuffer(), int64(n), 10))
}

// number writes a fraction without an exponent.
func (j *jsonWriter) number(x float64) {
	j.separate()
	j.out.Write(strconv.AppendFloat(j.out.AvailableBuffer(), x, 'f', -1, 64))
}

// word writes true, false or null.
func (j *jsonWriter) word(s string) {
	j.separate()
	j.out.WriteString(s)
}

func (j *jsonWriter) bool(b bool) { j.word(strconv.FormatBool(b)) }

func (j *jsonWriter) end() error {
	j.out.WriteByte('\n')
	return j.out.Flush()
}

// column writes an array, one value for each of n.
func (j *jsonWriter) column(name string, n int, value func(i int)) {
	j.key(name)
	j.begin('[')
	for i := range n {
		value(i)
	}
	j.close(']')
}

// strings writes an array of texts.
func (j *jsonWriter) list(name string, all []string) {
	j.column(name, len(all), func(i int) { j.string(all[i]) })
}
