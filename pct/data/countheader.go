package data

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
)

// A count file is a header of countHeaderSize bytes and the payload, all of it
// little-endian. The fields of the header by their offsets:
const (
	countMagic      = "PCTcount1\n" // 16 bytes, NUL padded
	countHeaderSize = 4096

	atHeaderSize  = 16  // u32
	atKind        = 20  // u32
	atWidth       = 24  // u32
	atAddressSize = 28  // u32
	atLow         = 32  // u64
	atSize        = 40  // u64
	atBinSize     = 48  // u64
	atCapacity    = 56  // u64
	atWritten     = 64  // u64
	atSamples     = 72  // u64
	atLost        = 80  // u64
	atPeriod      = 88  // u64, ns
	atStart       = 96  // u64, ns since 1970
	atBias        = 104 // u64
	atClock       = 120 // char[16]
	atResource    = 136 // char[16]
	atPid         = 152 // u32
	atObjectKind  = 156 // u32
	atBuildID     = 160 // u8 and that many of 31 bytes
	atTranslator  = 192 // char[64]
	atObject      = 256 // char[3840]
)

const (
	countMagicSize = 16
	wordSize       = 16 // of clock and resource
	buildIDSize    = 31
	translatorSize = 64
	objectPathSize = countHeaderSize - atObject
	targetAddress  = 8       // bytes
	mostHeader     = 1 << 20 // of a later version
	recordWidth    = 16
)

var errNotCounts = errors.New("not profile data")

// decodeCounts reads a header, of which src may be a part.
func decodeCounts(src []byte) (*Counts, error) {
	if len(src) < countMagicSize || string(bytes.TrimRight(src[:countMagicSize], "\x00")) != countMagic {
		return nil, errNotCounts
	}
	if len(src) < countHeaderSize {
		return nil, fmt.Errorf("its header is cut off at byte %d of %d", len(src), countHeaderSize)
	}
	u32 := func(at int) uint32 { return binary.LittleEndian.Uint32(src[at:]) }
	u64 := func(at int) uint64 { return binary.LittleEndian.Uint64(src[at:]) }
	c := &Counts{
		Object:     text0(src[atObject:countHeaderSize]),
		Translator: text0(src[atTranslator : atTranslator+translatorSize]),
		Clock:      text0(src[atClock : atClock+wordSize]),
		Resource:   text0(src[atResource : atResource+wordSize]),
		Kind:       CountKind(u32(atKind)),
		Low:        u64(atLow),
		Size:       u64(atSize),
		Bias:       u64(atBias),
		Capacity:   u64(atCapacity),
		Written:    u64(atWritten),
		Samples:    u64(atSamples),
		Lost:       u64(atLost),
		Start:      time.Unix(0, int64(u64(atStart))),
		Pid:        int(int32(u32(atPid))),
		payload:    int64(u32(atHeaderSize)),
	}
	if n := int(src[atBuildID]); n <= buildIDSize {
		c.BuildID = hex.EncodeToString(src[atBuildID+1 : atBuildID+1+n])
	}
	width, binSize, period, kind := u32(atWidth), u64(atBinSize), u64(atPeriod), u32(atObjectKind)
	if err := c.check(width, u32(atAddressSize), binSize, period, kind); err != nil {
		return nil, err
	}
	c.Width, c.BinSize, c.Period, c.ObjectKind = int(width), int(binSize), time.Duration(period), byte(kind)
	return c, nil
}

// check refuses a header that would be misread.
func (c *Counts) check(width, address uint32, binSize, period uint64, kind uint32) error {
	widths := []uint32{recordWidth}
	if c.Kind == Histogram {
		widths = []uint32{1, 2, 4, 8}
	}
	known := false
	for _, w := range widths {
		known = known || w == width
	}
	switch {
	case c.payload < countHeaderSize || c.payload > mostHeader:
		return fmt.Errorf("a header of %d bytes", c.payload)
	case c.Kind < Histogram || c.Kind > Table:
		return fmt.Errorf("kind %d is not known", c.Kind)
	case !known:
		return fmt.Errorf("counters of %d bytes", width)
	case address != targetAddress:
		return fmt.Errorf("addresses of %d bytes", address)
	case binSize == 0 || binSize > math.MaxInt32:
		return fmt.Errorf("bins of %d bytes", binSize)
	case c.Capacity > (math.MaxInt64-mostHeader)/uint64(width):
		return fmt.Errorf("room for %d", c.Capacity)
	case c.Kind == Histogram && c.Capacity > 0 && (c.Capacity-1 > math.MaxUint64/binSize || (c.Capacity-1)*binSize > math.MaxUint64-c.Low):
		return fmt.Errorf("%d bins of %d bytes from 0x%x", c.Capacity, binSize, c.Low)
	case c.Kind == Histogram && c.Size != 0 && c.Capacity != (c.Size-1)/binSize+1:
		return fmt.Errorf("%d bins of %d bytes for %d bytes of addresses", c.Capacity, binSize, c.Size)
	case period > math.MaxInt64:
		return fmt.Errorf("a period of %d ns", period)
	case kind > ObjectKernel:
		return fmt.Errorf("object kind %d is not known", kind)
	case c.Object == "":
		return errors.New("it names no object")
	}
	return nil
}

// encode gives the bytes of the header.
func (c *Counts) encode() ([]byte, error) {
	b := make([]byte, countHeaderSize)
	copy(b, countMagic)
	for at, v := range map[int]uint32{
		atHeaderSize: countHeaderSize, atKind: uint32(c.Kind), atWidth: uint32(c.Width), atAddressSize: targetAddress,
		atPid: uint32(c.Pid), atObjectKind: uint32(c.ObjectKind),
	} {
		binary.LittleEndian.PutUint32(b[at:], v)
	}
	start := uint64(0)
	if !c.Start.IsZero() {
		start = uint64(c.Start.UnixNano())
	}
	for at, v := range map[int]uint64{
		atLow: c.Low, atSize: c.Size, atBinSize: uint64(c.BinSize), atCapacity: c.Capacity, atWritten: c.Written,
		atSamples: c.Samples, atLost: c.Lost, atPeriod: uint64(c.Period), atStart: start, atBias: c.Bias,
	} {
		binary.LittleEndian.PutUint64(b[at:], v)
	}
	for _, s := range []struct {
		at, room int
		what     string
		text     string
	}{
		{atClock, wordSize, "clock", c.Clock},
		{atResource, wordSize, "resource", c.Resource},
		{atTranslator, translatorSize, "translator", c.Translator},
		{atObject, objectPathSize, "object's path", c.Object},
	} {
		if len(s.text) > s.room || strings.ContainsRune(s.text, 0) {
			return nil, fmt.Errorf("the %s %.80q does not fit into %d bytes", s.what, s.text, s.room)
		}
		copy(b[s.at:], s.text)
	}
	id, err := hex.DecodeString(c.BuildID)
	if err != nil || len(id) > buildIDSize {
		return nil, fmt.Errorf("%q is not a build ID of at most %d bytes", c.BuildID, buildIDSize)
	}
	b[atBuildID] = byte(len(id))
	copy(b[atBuildID+1:], id)
	return b, nil
}

// text0 is the text before the first NUL.
func text0(b []byte) string {
	text, _, _ := bytes.Cut(b, []byte{0})
	return string(text)
}
