package table

import (
	"maps"
	"math"
	"slices"
)

// bucket is the numbers that lie near each other: a 64th of what lies between a power of 2 and the next, or all that
// are not above 0. The mean of a bucket is at most a 64th of it away from any number in it, and exactly that where all
// are equal.
type bucket struct {
	count uint64
	total float64
}

const (
	perPower = 64          // buckets from a power of 2 to the next
	below    = math.MinInt // the bucket of what is not above 0
)

// bucketOf is the bucket of a number.
func bucketOf(v float64) int {
	if v <= 0 {
		return below
	}
	fraction, exponent := math.Frexp(v)
	return (exponent-1)*perPower + int((fraction*2-1)*perPower)
}

// power is the power of 2 at or below the numbers of a bucket.
func power(bucket int) int { return int(math.Floor(float64(bucket) / perPower)) }

// possible reports whether numbers may have this bucket.
func possible(bucket int) bool {
	const lowest, highest = -1074, 1023 // powers of 2 of a float64
	return bucket == below || bucket >= lowest*perPower && bucket < (highest+1)*perPower
}

// powers are how many numbers lie from each power of 2 to the next, and how many are not above 0.
func (r *row) powers() (counts map[int]uint64, notAbove uint64) {
	counts = make(map[int]uint64)
	for i, b := range r.buckets {
		if i == below {
			notAbove = b.count
		} else {
			counts[power(i)] += b.count
		}
	}
	return counts, notAbove
}

// quantile is the number that a share of all are not above; known is false if it is one of those that are not above 0.
func (r *row) quantile(share float64) (v float64, known bool) {
	var all uint64
	for _, b := range r.buckets {
		all += b.count
	}
	rank := uint64(math.Ceil(share * float64(all)))
	for _, i := range slices.Sorted(maps.Keys(r.buckets)) {
		b := r.buckets[i]
		if rank <= b.count {
			return b.total / float64(b.count), i != below
		}
		rank -= b.count
	}
	return 0, false
}
