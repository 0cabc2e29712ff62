package unwind

import "strings"

// Go describes its code in .debug_frame alone, and leaves out two things.
//
// Every function that has a frame pushes rbp first and then keeps its frame
// pointer there, but no rule says where the caller's rbp is.
//
// Some functions leave the goroutine's stack for the thread's; the rules are
// those for one stack. The frame pointer remains right.

// switchesStack are the functions of that kind.
var switchesStack = map[string]bool{
	"runtime.systemstack":         true,
	"runtime.switchToCrashStack0": true,
	"runtime.asmcgocall":          true,
	"runtime.nanotime1":           true,
	"runtime.vgetrandom1":         true,
	"time.now":                    true,
}

// startsStack are the functions that make calls at the bottom of a stack, not
// on that of their caller.
var startsStack = map[string]bool{
	"runtime.clone":     true,
	"runtime.mcall":     true,
	"runtime.morestack": true,
}

// isGo reports whether the file was made by Go's linker.
func (img *image) isGo() bool {
	return img.elf.Section(".note.go.buildid") != nil || img.elf.Section(".go.buildinfo") != nil
}

// withFramePointer adds the rule that is missing, where rbp has been pushed.
func withFramePointer(rec *recipe) *recipe {
	if rec.cfa.kind != ruleRegister || rec.cfa.reg != regRSP || rec.cfa.off < 16 {
		return rec
	}
	for _, s := range rec.saved {
		if s.reg == regRBP {
			return rec
		}
	}
	fixed := *rec
	fixed.saved = append([]savedReg{{regRBP, rule{kind: ruleOffset, off: -16}}}, rec.saved...)
	return &fixed
}

// goRecipe corrects a recipe of Go code for a function by its name; after is
// the code at the pc.
func goRecipe(rec *recipe, name string, exact bool, after []byte) *recipe {
	name = strings.TrimSuffix(name, ".abi0")
	switch {
	case startsStack[name] && !exact:
		return outermostRecipe
	case switchesStack[name] && rec.cfa.off >= 16 && !(exact && settles(after)):
		return framedRecipe
	}
	return rec
}
