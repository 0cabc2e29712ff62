package remote

import (
	"bufio"
	"io"
)

// maxPacket is what we tell the debugger that a packet may hold, in bytes;
// more than this much gdb 13 doesn't believe.
const maxPacket = 16384

const hexDigits = "0123456789abcdef"

// reader takes packets from a stream.
type reader struct {
	in   *bufio.Reader
	data []byte
}

// frame is what a reader finds between two packets, or a packet.
type frame int

const (
	packet  frame = iota
	damaged       // a packet whose checksum is wrong, or one that is too long
	nack          // the other end wants our last packet again
	halt          // it wants what it has resumed to stop
)

func newReader(r io.Reader) *reader {
	return &reader{in: bufio.NewReaderSize(r, 2*maxPacket)}
}

// next returns the next packet, unescaped, valid until the next call, or the
// wish for another try. What is neither is passed over.
func (r *reader) next() (frame, []byte, error) {
	for {
		c, err := r.in.ReadByte()
		if err != nil {
			return 0, nil, err
		}
		switch c {
		case '$':
			return r.packet()
		case '-':
			return nack, nil, nil
		case 3:
			return halt, nil, nil
		}
	}
}

func (r *reader) packet() (frame, []byte, error) {
	r.data = r.data[:0]
	var sum byte
	for {
		c, err := r.in.ReadByte()
		if err != nil {
			return 0, nil, err
		}
		switch c {
		case '#':
			return r.verify(sum)
		case '$': // the last one was broken off
			r.data, sum = r.data[:0], 0
			continue
		case '}':
			sum += c
			if c, err = r.in.ReadByte(); err != nil {
				return 0, nil, err
			}
			sum += c
			c ^= 0x20
		default:
			sum += c
		}
		if len(r.data) <= maxPacket {
			r.data = append(r.data, c)
		}
	}
}

func (r *reader) verify(sum byte) (frame, []byte, error) {
	var said [2]byte
	if _, err := io.ReadFull(r.in, said[:]); err != nil {
		return 0, nil, err
	}
	high, low := unhex(said[0]), unhex(said[1])
	if high < 0 || low < 0 || byte(high<<4|low) != sum || len(r.data) > maxPacket {
		return damaged, nil, nil
	}
	return packet, r.data, nil
}

// appendPacket frames a packet. What may hold binary data is escaped before.
func appendPacket(to []byte, start byte, data []byte) []byte {
	to = append(to, start)
	to = append(to, data...)
	var sum byte
	for _, c := range data {
		sum += c
	}
	return append(to, '#', hexDigits[sum>>4], hexDigits[sum&15])
}

// appendEscaped escapes binary data.
func appendEscaped(to, data []byte) []byte {
	for _, c := range data {
		switch c {
		case '#', '$', '}', '*':
			to = append(to, '}', c^0x20)
		default:
			to = append(to, c)
		}
	}
	return to
}

// appendHex appends two digits for each byte.
func appendHex(to, data []byte) []byte {
	for _, c := range data {
		to = append(to, hexDigits[c>>4], hexDigits[c&15])
	}
	return to
}

// decodeHex appends the bytes that pairs of digits stand for, up to the first
// that is none; ok says that all of them were.
func decodeHex(to, digits []byte) (data []byte, ok bool) {
	for ; len(digits) >= 2; digits = digits[2:] {
		high, low := unhex(digits[0]), unhex(digits[1])
		if high < 0 || low < 0 {
			return to, false
		}
		to = append(to, byte(high<<4|low))
	}
	return to, len(digits) == 0
}

func unhex(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// number takes a hexadecimal number from the start of text; ok is false if
// there is none, or one of more than 64 bits.
func number(text []byte) (n uint64, rest []byte, ok bool) {
	i := 0
	for ; i < len(text); i++ {
		d := unhex(text[i])
		if d < 0 {
			break
		}
		if n>>60 != 0 {
			return 0, text, false
		}
		n = n<<4 | uint64(d)
	}
	return n, text[i:], i > 0
}

// span takes "ADDRESS,LENGTH" from the start of text.
func span(text []byte) (addr, length uint64, rest []byte, ok bool) {
	addr, rest, ok = number(text)
	if !ok || len(rest) == 0 || rest[0] != ',' {
		return 0, 0, text, false
	}
	length, rest, ok = number(rest[1:])
	return addr, length, rest, ok
}
