package treetest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A set-uid program that a user's tree executes has its rights, and runs
// untraced, with what it executes itself; and the tree says so.
func TestSetUID(t *testing.T) {
	t.Parallel()
	const nobody = 65534
	if os.Getuid() != 0 {
		t.Fatal("only root can make a set-uid program for others")
	}
	dir := t.TempDir()
	helper := filepath.Join(dir, "helper")
	program, err := os.ReadFile(filepath.Join(tree.targets, "privileged"))
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(dir, "runs")
	for _, err := range []error{
		os.Mkdir(root, 0o700), os.Chown(root, nobody, nobody),
		os.WriteFile(helper, program, 0o755), os.Chmod(helper, 0o755|os.ModeSetuid),
		// Above it are directories of the test's.
		os.Chmod(dir, 0o755), os.Chmod(filepath.Dir(dir), 0o755),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	user := []string{"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"}
	for name, argv := range map[string][]string{
		"in a shell": {"sh", "-c", `"$1"; echo $?; (exec "$1" child); echo $?; "$1" child | cat; exit 5`, "sh", helper},
		"by itself":  {helper},
		"with child": {helper, "child"},
	} {
		t.Run(name, func(t *testing.T) {
			want := execute(t, dir, "", append(user, argv...)...)
			if !strings.Contains(want.stdout, "effective 0, secure 1\nuntraced\n") {
				t.Fatalf("without dbctl the program does not have its rights: %+v", want)
			}
			runs := filepath.Join(root, strings.ReplaceAll(name, " ", "-"))
			command := append(append(user, "dbctl", "-o", runs), sampling...)
			got := execute(t, dir, "", append(command, argv...)...)
			if got.stdout != want.stdout || got.status != want.status {
				t.Errorf("it did not do as by itself:\n%+v\nwant\n%+v", got, want)
			}
			setuid := 0
			for _, p := range processesOf(t, runs) {
				for _, program := range p.Programs {
					if program.Mode == "setuid" {
						setuid++
					}
					if (program.Exe == helper) != (program.Mode == "setuid") && !program.Inherited {
						t.Errorf("the tree says of %s %q", program.Exe, program.Mode)
					}
				}
			}
			if wanted := strings.Count(strings.Join(argv, " "), `"$1"`); setuid != max(wanted, 1) {
				t.Errorf("the tree says setuid %d times, want %d", setuid, max(wanted, 1))
			}
		})
	}
}
