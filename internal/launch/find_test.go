package launch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A command is found as execvp finds it, or it's said why not.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir+"/denied:"+dir+"/file:"+dir+"/bin:")
	t.Chdir(dir)
	for _, sub := range []string{"denied", "bin"} {
		if err := os.Mkdir(sub, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, mode := range map[string]os.FileMode{"file": 0o644, "denied/both": 0o644, "denied/alone": 0o644, "bin/both": 0o755, "here": 0o755} {
		if err := os.WriteFile(name, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ name, path, why string }{
		{"both", dir + "/bin/both", ""},
		{"here", "./here", ""},
		{"./here", "./here", ""},
		{"alone", "", dir + "/denied/alone: permission denied: it is not executable (chmod +x?)"},
		{"none", "", "none: not found in PATH"},
		{"", "", "the program's name is empty"},
		{"./none", "", "./none: no such file"},
		{"file/x", "", "file/x: no such file"},
		{"./bin", "", "./bin: is a directory"},
	} {
		path, err := Find(c.name)
		why := ""
		if err != nil {
			path, why = "", err.Error()
		}
		if path != c.path || why != c.why {
			t.Errorf("%q: %q, %q; want %q, %q", c.name, path, why, c.path, c.why)
		}
	}
	if _, err := Find("none"); !errors.As(err, new(*NotFound)) {
		t.Errorf("none: %T", err)
	}
	if _, err := Find("alone"); !errors.As(err, new(*NotRunnable)) {
		t.Errorf("alone: %T", err)
	}
}

func TestRefused(t *testing.T) {
	path := filepath.Join("/bin", "x")
	for _, c := range []struct {
		err     error
		missing bool
		want    string
	}{
		{unix.ENOENT, true, "/bin/x: not found, or its interpreter is not"},
		{&fs.PathError{Op: "fork/exec", Path: path, Err: unix.ENOEXEC}, false, "/bin/x: not a program that this system can execute"},
		{&fs.PathError{Op: "fork/exec", Path: path, Err: unix.EACCES}, false, "/bin/x: permission denied"},
	} {
		err := Refused(path, c.err)
		if err.Error() != c.want || errors.As(err, new(*NotFound)) != c.missing {
			t.Errorf("%v: %T %v, want %s", c.err, err, err, c.want)
		}
	}
}
