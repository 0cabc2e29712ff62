package data

import (
	"encoding/binary"
	"hash/crc32"
)

// A paths file is the magic, then frames. A frame is
//
//	uvarint  length of the payload
//	payload  items
//	4 bytes  CRC-32C of the payload, little-endian
//
// and is written by one write(2); an item is a kind byte, the uvarint length of
// its body, and the body. Readers skip items of unknown kinds and what follows
// the known part of a body, so that both can be added compatibly; what old
// readers would misunderstand needs a new magic.
const magic = "PCTpaths1\n"

const (
	itemHeader  = 'H' // resource, unit, clock, period, start, interval
	itemObject  = 'O' // path, build-id, kind, start, end, bias; ids are implied: 1, 2, …
	itemNode    = 'N' // own id minus parent, object, vaddr; ids are implied
	itemField   = 'F' // name, type, gaps; ids are implied
	itemSample  = 'S' // time, CPU and thread as differences to the previous sample, node, weight, flags, fields, count
	itemNames   = 'Y' // object, vaddr, names
	itemPointee = 'P' // address, name
	itemCalled  = 'A' // functions that code is in; ids are implied
	itemLost    = 'L' // number, reason
	itemNote    = 'T' // sentence
)

// Flags of a sample.
const (
	flagPartial = 1
	flagUntimed = 2
)

// frameRoom is kept free before a payload for its length.
const frameRoom = binary.MaxVarintLen64

// checksum is CRC-32C. Its table is made at the first use, because most commands start without one.
func checksum(payload []byte) uint32 {
	return crc32.Checksum(payload, crc32.MakeTable(crc32.Castagnoli))
}

func appendString(b []byte, s string) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}
