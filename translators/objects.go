package translators

import (
	"errors"
	"fmt"
	"github.com/profilecollection/pct/internal/object"
	"io"
	"os"
	"strings"
)

// Objects says which objects a translator can be asked about, and complains about
// each of the others once. It is for translators that leave the reading of
// objects to another program.
type Objects struct {
	Program   string // whose complaints they are
	Complain  io.Writer
	AnyFormat bool // not ELF files alone

	known map[Request]bool // Vaddr being 0
}

// Usable says whether the object of q is a file of the format and build wanted.
// What stands in brackets, as [vdso], is memory of no file, and no complaint.
func (o *Objects) Usable(q Request) bool {
	k := Request{Object: q.Object, BuildID: q.BuildID}
	if usable, known := o.known[k]; known {
		return usable
	}
	usable := false
	if !strings.HasPrefix(q.Object, "[") {
		if err := o.check(q); err != nil {
			fmt.Fprintf(o.Complain, "%s: %v\n", o.Program, err)
		} else {
			usable = true
		}
	}
	if o.known == nil {
		o.known = map[Request]bool{}
	}
	o.known[k] = usable
	return usable
}

func (o *Objects) check(q Request) error {
	st, err := os.Stat(q.Object)
	switch {
	case err != nil:
		return err
	case !st.Mode().IsRegular() || st.Size() == 0:
		return fmt.Errorf("%s: not an object file", q.Object)
	case o.AnyFormat && q.BuildID == "":
		return nil
	}
	f, err := object.Open(q.Object)
	if pathError := (*os.PathError)(nil); errors.As(err, &pathError) {
		return err
	}
	if err != nil {
		return fmt.Errorf("%s: %w", q.Object, err)
	}
	defer f.Close()
	return f.Build(q.BuildID)
}
