package translators

import (
	"errors"
	"flag"
	"fmt"
	"io"
)

// Parse reads the command line of a translator, which takes no arguments beside its
// flags; check looks at what they say, if it is not nil. Where all has been said already,
// as the user asked for help or made a mistake, done is true and status that of the exit.
func Parse(flags *flag.FlagSet, usage string, args []string, stdout, stderr io.Writer, check func() error) (status int, done bool) {
	flags.SetOutput(io.Discard) // we say it ourselves
	err := flags.Parse(args)
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("unknown argument %q: addresses are read from standard input", flags.Arg(0))
	}
	if err == nil && check != nil {
		err = check()
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, usage)
		return 0, true
	case err != nil:
		fmt.Fprintf(stderr, "%s: %v\n%s", flags.Name(), err, usage)
		return 2, true
	}
	return 0, false
}
