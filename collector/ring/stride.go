package ring

import "math/big"

// stride is how many events the kernel is to count between two samples, of which the timer makes
// hits in intervals. It's the largest prime up to an interval, from 7 on: the kernel has no random
// periods, so that with an even one it would see the same one of two functions forever that a
// program calls in turn, with 3 or 5 of three or five. Where 7 is too many it's each event.
func stride(interval uint64) uint64 {
	const least = 7
	if interval < least {
		return 1
	}
	p := interval
	for !new(big.Int).SetUint64(p).ProbablyPrime(0) { // exact below 2⁶⁴
		p--
	}
	return p
}
