package expression

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestRegisters compares registers, and parts of them, with gdb's.
func TestRegisters(t *testing.T) {
	const (
		vectors = "$xmm0 $xmm1 $xmm15 $xmm0.v4_float $xmm0.v4_float[0] $xmm0.v4_float[3]*2 $xmm1.v2_double $xmm0.v2_double[1] $xmm0.v16_int8[5]+1 $xmm0.v8_int16[2] $xmm1.v4_int32[1] $xmm0.v2_int64[1] $xmm0.uint128 sizeof($xmm0) $xmm0.v8_half $xmm1.v8_bfloat16 $xmm0+1 &$xmm0 $xmm0.nosuch"
		flags   = "$eflags $eflags&64 $eflags+1 -$eflags ~$eflags !$eflags (int)$eflags (short)$eflags (float)$eflags (long)$mxcsr $eflags==582 sizeof($eflags) $mxcsr $mxcsr&0x1f80"
		parts   = "$rax $rbx $r12 $eax $ebx $esi $edi $ebp $esp $ax $bx $cx $dx $si $di $bp $al $bl $cl $dl $ah $bh $ch $dh $sil $dil $bpl $spl $r8d $r9w $r10l $r15d $al+1 $ax*2 (unsigned)$eax sizeof($ax)"
		others  = "$pc $sp $fp $rip $rsp $rbp $st0 $st1 $st7 sizeof($st0) $st0*2 $st7+1 -$st7 $st7<1 (double)$st7 sizeof($st7+1) sizeof($st7+1.5L) $st7==0.1L !$st0"
	)
	all := strings.Fields(vectors + " " + flags + " " + parts + " " + others)
	random := rand.New(rand.NewPCG(1, 17))
	s := start(t, build(t, "rare.cpp", "g++", "-g", "-O1"))
	s.innermost, s.forms = true, func(string, *Code) []string { return nil }
	n := &tally{t: t, why: map[string]int{}, seen: map[string]bool{}}
	for i := range 2 {
		if i > 0 {
			s.attach()
		}
		if !s.runTo("work", 10+7*i+random.IntN(100)) {
			t.Fatal("work has no code")
		}
		n.add(s.compare(all, 0, random))
	}
	n.check(2*len(all)*9/10, 4)
}
