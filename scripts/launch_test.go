package scripts_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// compileC compiles a program with cc, and fails the test if there is any warning.
func compileC(t *testing.T, source, program string, flags ...string) {
	t.Helper()
	args := append([]string{"-std=c11", "-Wall", "-Wextra", "-Werror", "-o", program, source}, flags...)
	if out, err := exec.Command("cc", args...).CombinedOutput(); err != nil {
		t.Fatalf("compiling %s: %v\n%s", source, err, out)
	}
}

// writeFile makes a file of that mode; the mode is set even where umask would not.
func writeFile(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, mode); err != nil {
		t.Fatal(err)
	}
}

// TestLaunchReasons: what the library can't be loaded into is not executed, and the
// reason is told; all else is executed.
func TestLaunchReasons(t *testing.T) {
	dir := t.TempDir()
	launch := filepath.Join(dir, "pct-launch")
	compileC(t, "../collector/launch/launch.c", launch)
	source, here := filepath.Join(dir, "seven.c"), func(name string) string { return filepath.Join(dir, name) }
	writeFile(t, source, "int main(void) { return 7; }\n", 0o644)
	compileC(t, source, here("dynamic"))
	compileC(t, source, here("static"), "-static")
	compileC(t, source, here("static-pie"), "-static-pie")
	compileC(t, source, here("musl"), "-Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1")
	narrow, err := os.ReadFile(here("dynamic"))
	if err != nil {
		t.Fatal(err)
	}
	narrow[4] = 1 // ELFCLASS32
	writeFile(t, here("narrow"), string(narrow), 0o755)
	writeFile(t, here("torn"), string(narrow[:4])+"\x02"+string(narrow[5:80]), 0o755)
	writeFile(t, here("script"), "#!/bin/sh\nexit 7\n", 0o755)
	writeFile(t, here("headless"), "exit 7\n", 0o755)
	compileC(t, source, here("secret"))
	if err := os.Chmod(here("secret"), 0o111); err != nil {
		t.Fatal(err)
	}
	writeFile(t, here("script-of-static"), "#! "+here("static")+" -x\n", 0o755)
	writeFile(t, here("script-of-script"), "#!"+here("script-of-static")+"\n", 0o755)
	writeFile(t, here("setuid-script"), "#!/bin/sh\nexit 7\n", 0o755|os.ModeSetuid)
	setuid := "/usr/bin/passwd"
	if os.Getuid() == 0 {
		setuid = here("setuid")
		compileC(t, source, setuid)
		if err := os.Chown(setuid, 65534, 65534); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(setuid, 0o755|os.ModeSetuid); err != nil {
			t.Fatal(err)
		}
	}
	const static, rights = "STATIC is linked statically", "RIGHTS takes other rights (set-uid, set-gid or capabilities)"
	for _, tt := range []struct{ program, reason string }{
		{here("dynamic"), ""},
		{here("secret"), ""}, // executable, and for all but root not readable
		{here("script"), ""},
		{here("headless"), ""},
		{here("setuid-script"), ""}, // the kernel ignores the bit of scripts
		{here("static"), static},
		{here("static-pie"), static},
		{here("script-of-static"), static},
		{here("script-of-script"), static},
		{here("musl"), "LIBC has another C library than libpct.so"},
		{here("narrow"), "MACHINE is for another machine than libpct.so"},
		{here("torn"), "TORN is not a whole ELF file"},
		{setuid, rights},
	} {
		t.Run(filepath.Base(tt.program), func(t *testing.T) {
			why := filepath.Join(t.TempDir(), "why")
			// The C library's own name is found without a path, and does no harm.
			cmd := exec.Command(launch, "-preload", "libc.so.6", "-else", why, tt.program)
			out, _ := cmd.CombinedOutput()
			text, _ := os.ReadFile(why)
			wantStatus, wantText := 7, ""
			if tt.reason != "" {
				name, clause, _ := strings.Cut(tt.reason, " ")
				wantStatus, wantText = 0, name+"\t"+tt.program+" "+clause+"\n"
			}
			if status := cmd.ProcessState.ExitCode(); status != wantStatus || string(text) != wantText || len(out) > 0 {
				t.Errorf("status %d, reason %q, output %q; want %d, %q", status, text, out, wantStatus, wantText)
			}
		})
	}
}

// TestLaunchEnvironment: the program gets the strings of the file, the library after
// what is preloaded already, what makes AddressSanitizer bear it, and the variables
// that are set; nothing else.
func TestLaunchEnvironment(t *testing.T) {
	dir := t.TempDir()
	launch, file := filepath.Join(dir, "pct-launch"), filepath.Join(dir, "environ")
	compileC(t, "../collector/launch/launch.c", launch)
	for _, tt := range []struct {
		name, environ string
		args          []string
		want          string
	}{
		{"as it is", "a.b=1\x00no-equals\x00PATH=/usr/bin\x00", nil, "a.b=1 no-equals PATH=/usr/bin"},
		{"set", "PCT=old\x00PATH=/usr/bin\x00", []string{"-preload", "libc.so.6", "-else", "why", "-set", "PCT=q1000 r1", "-set", "PCT_RUN=x=y"},
			"PCT=q1000 r1 PATH=/usr/bin LD_PRELOAD=libc.so.6 ASAN_OPTIONS=verify_asan_link_order=0 PCT_RUN=x=y"},
		{"after others", "LD_PRELOAD=libm.so.6\x00", []string{"-preload", "libc.so.6", "-else", "why"}, "LD_PRELOAD=libm.so.6:libc.so.6 ASAN_OPTIONS=verify_asan_link_order=0"},
		{"there already", "LD_PRELOAD=libm.so.6 libc.so.6\x00", []string{"-preload", "libc.so.6", "-else", "why"}, "LD_PRELOAD=libm.so.6 libc.so.6 ASAN_OPTIONS=verify_asan_link_order=0"},
		{"part of a name", "LD_PRELOAD=libmvec.so.1\x00", []string{"-preload", "libm", "-else", "why"}, "LD_PRELOAD=libmvec.so.1:libm ASAN_OPTIONS=verify_asan_link_order=0"},
		{"AddressSanitizer's", "ASAN_OPTIONS=debug=1\x00", []string{"-preload", "libm", "-else", "why"}, "ASAN_OPTIONS=debug=1:verify_asan_link_order=0 LD_PRELOAD=libm"},
		{"empty", "LD_PRELOAD=\x00", []string{"-preload", "libc.so.6", "-else", "why"}, "LD_PRELOAD=libc.so.6 ASAN_OPTIONS=verify_asan_link_order=0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			writeFile(t, file, tt.environ, 0o644)
			cmd := exec.Command(launch, append(append([]string{"-environ", file}, tt.args...), "env")...)
			cmd.Dir = dir
			out, err := cmd.Output()
			if got := strings.Join(strings.Fields(string(out)), " "); err != nil || got != tt.want {
				t.Errorf("%v, %q; want %q", err, got, tt.want)
			}
		})
	}
}

// TestLaunchFailures: as a shell tells them, and by its status.
func TestLaunchFailures(t *testing.T) {
	dir := t.TempDir()
	launch := filepath.Join(dir, "pct-launch")
	compileC(t, "../collector/launch/launch.c", launch)
	writeFile(t, filepath.Join(dir, "plain"), "text\n", 0o644)
	writeFile(t, filepath.Join(dir, "lost"), "#!/no/such/interpreter\n", 0o755)
	for _, tt := range []struct {
		program, stderr string
		status          int
	}{
		{"./nothing", "profile: ./nothing: No such file or directory\n", 127},
		{"nothing", "profile: nothing: not found in PATH\n", 127},
		{"./plain", "profile: ./plain: Permission denied\n", 126},
		{"plain", "profile: plain: Permission denied\n", 126},
		{".", "profile: .: Permission denied\n", 126},
		{"./", "profile: ./: Permission denied\n", 126},
		{"./lost", "profile: ./lost: No such file or directory\n", 127},
	} {
		t.Run(tt.program, func(t *testing.T) {
			cmd := exec.Command(launch, tt.program)
			cmd.Dir, cmd.Env = dir, []string{"PATH=" + dir}
			out, _ := cmd.CombinedOutput()
			if status := cmd.ProcessState.ExitCode(); status != tt.status || string(out) != tt.stderr {
				t.Errorf("status %d, %q; want %d, %q", status, out, tt.status, tt.stderr)
			}
		})
	}
}
